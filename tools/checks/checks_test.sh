#!/usr/bin/env bash
# Tests the checks themselves: a clean little tree passes, and each planted fault is found by name.
set -u
checks="$(dirname "$(readlink -f "$0")")"
tree="$(mktemp -d)"
trap 'rm -rf "$tree"' EXIT
failed=0

fresh() {
  rm -rf "$tree"/*
  mkdir -p "$tree"/{base,isa/ref,exec/interp,exec/jit,gpu,hip/include/hip,thunk}
  for room in base isa exec gpu hip thunk; do
    : >"$tree/$room/CMakeLists.txt"
    echo "# $room" >"$tree/$room/README.md"
  done
  printf '// What it owns.\n#include <string>\n' >"$tree/base/log.hpp"
  printf '// What it owns.\n#include "base/log.hpp"\n' >"$tree/isa/row.hpp"
  printf '// What it owns.\n#include "isa/row.hpp"\n' >"$tree/exec/engine.hpp"
  printf '#include "engine.hpp"\n#include "../isa/row.hpp"\n' >"$tree/exec/engine.cpp"
  printf '#include "exec/engine.hpp"\n' >"$tree/gpu/queue.cpp"
}

# expect CHECK passes|finds [TEXT]
expect() {
  local output code
  output="$("$checks/$1" "$tree" 2>&1)"
  code=$?
  if [ "$2" = passes ] && [ $code -eq 0 ]; then return; fi
  if [ "$2" = finds ] && [ $code -eq 1 ] && printf '%s\n' "$output" | grep -qF "$3"; then return; fi
  echo "$1: expected: $2 ${3:-}; exit code $code, output:"
  printf '%s\n' "$output"
  failed=1
}

fresh; expect includes passes; expect tree passes
fresh; echo '#include "exec/engine.hpp"' >>"$tree/isa/row.hpp"; expect includes finds 'isa/row.hpp:3: isa must not include exec/engine.hpp'
fresh; echo '#include "../gpu/queue.cpp"' >>"$tree/exec/engine.cpp"; expect includes finds 'exec/engine.cpp:3: exec must not include'
fresh; echo '#include <hsa/hsa.h>' >>"$tree/gpu/queue.cpp"; expect includes finds 'gpu must not include hsa/hsa.h'
fresh; echo '#include <llvm/IR/Module.h>' >>"$tree/isa/row.hpp"; expect includes finds 'isa must not include llvm/'
fresh; echo '#include <llvm/IR/Module.h>' >"$tree/isa/row_test.cpp"; expect includes passes
fresh; echo '// r' >"$tree/isa/ref/add.hpp"; echo '#include "isa/ref/add.hpp"' >>"$tree/exec/engine.cpp"; expect includes finds 'isa/ref is for judging only'
fresh; echo '// i' >"$tree/exec/interp/a.hpp"; echo '#include "exec/interp/a.hpp"' >"$tree/exec/jit/b.cpp"; expect includes finds 'must not include each other'
fresh; mkdir "$tree/newroom"; echo '#include "base/log.hpp"' >"$tree/newroom/a.cpp"; expect includes finds '"newroom" is not in the table'
fresh; rm -r "$tree"/*/; expect includes finds 'no #include line found'
fresh; seq 801 >"$tree/gpu/queue.cpp"; expect tree finds 'gpu/queue.cpp: 801 lines'
fresh; rm "$tree/gpu/README.md"; expect tree finds 'gpu: has no README.md'
fresh; printf '#pragma once\nint f();\n' >"$tree/isa/row.hpp"; expect tree finds 'isa/row.hpp: does not open with what it owns'
fresh; echo "see /""work/main/x" >"$tree/gpu/README.md"; expect tree finds 'gpu/README.md:1:see'
fresh; printf '\0\1\2' >"$tree/gpu/data"; expect tree finds 'gpu/data: is binary'

[ $failed -eq 0 ] && echo PASSED
exit $failed
