#!/usr/bin/env bash
# Builds and runs a little user project against a ROCm-shaped tree. Usage: project_test.sh KIND ROCM_ROOT SOURCE_TREE
#   package    find_package(hip): hip::host and hip::device      language   CMake's HIP language
#   compiler   CMAKE_CXX_COMPILER=hipcc                          flags      hipcc by hand: -c, -shared, --genco, rdc
# The tree is used as a user would: only through its paths in the environment.
set -u
kind="$1" root="$2" tree="$3"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PATH="$root/bin:$PATH" ROCM_PATH="$root" HIP_PATH="$root" CMAKE_PREFIX_PATH="$root"
export LD_LIBRARY_PATH="$root/lib"
unset BZ_GPUS CMAKE_CXX_COMPILER_LAUNCHER
export CCACHE_DISABLE=1

step() { # runs a command, shows its output only when it fails
  "$@" >"$work/log" 2>&1 && return
  echo "failed: $*"
  tail -n 60 "$work/log"
  exit 1
}
passes() {
  local last
  last="$("$@" 2>"$work/err" | tail -n 1)"
  [ "$last" = PASSED ] && return
  echo "$*: the last line is '$last'"
  tail -n 20 "$work/err"
  exit 1
}
project() { # project FOLDER [cmake option...]
  local folder="$1"
  shift
  step cmake -G Ninja -S "$tree/tests/projects/$folder" -B "$work/build" -DSOURCE_TREE="$tree" "$@"
  step cmake --build "$work/build"
}

case "$kind" in
  package)
    project package -DCMAKE_CXX_COMPILER=clang++-22 -DGPU_TARGETS=gfx942 -DCMAKE_CXX_FLAGS=
    passes "$work/build/host_program"
    passes "$work/build/device_program" 3000 ;;
  language)
    project language -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_HIP_COMPILER="$(command -v clang++-22)" -DCMAKE_HIP_ARCHITECTURES=gfx942
    passes "$work/build/device_program" 3000 ;;
  language_default) # CMake finds compiler and architecture by itself
    project language -DCMAKE_CXX_COMPILER=clang++-22
    passes "$work/build/device_program" 3000 ;;
  compiler)
    project compiler -DCMAKE_CXX_COMPILER=hipcc
    passes "$work/build/device_program" ;;
  flags)
    cd "$work" || exit 1
    step hipcc --version
    # Separate compilation and linking, several targets, a .cpp that is HIP.
    step hipcc -c --offload-arch=gfx906 --offload-arch=gfx942 -fPIC "$tree/tests/projects/compiler/kernels.cpp" -o kernels.o
    step hipcc -shared kernels.o -o libkernels.so
    step hipcc -c --offload-arch=gfx942 "$tree/tests/projects/compiler/main.cpp" -o main.o
    step hipcc main.o -L. -lkernels -Wl,-rpath,"$work" -o program
    passes ./program
    # Code objects for hipModuleLoad.
    step hipcc --genco --offload-arch=gfx942 "$tree/tests/programs/module_kernel.hip" -o kernel.co
    step hipcc "$tree/tests/programs/module.hip" --offload-arch=gfx942 -I"$tree" -o module
    passes ./module kernel.co
    # Device code linked across translation units.
    step hipcc -fgpu-rdc -c --offload-arch=gfx942 "$tree/tests/projects/rdc/main.hip" -o a.o
    step hipcc -fgpu-rdc -c --offload-arch=gfx942 "$tree/tests/projects/rdc/device.hip" -o b.o
    step hipcc -fgpu-rdc --hip-link --offload-arch=gfx942 a.o b.o -o rdc
    passes ./rdc
    # Without --offload-arch: for the device that is there; without a standard library of its own on the line.
    step hipcc "$tree/examples/saxpy.hip"
    passes ./a.out 1000 ;;
  *) echo "unknown kind $kind"; exit 2 ;;
esac
echo PASSED
