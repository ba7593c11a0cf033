#!/usr/bin/env bash
# Builds and runs a little user project against a ROCm-shaped tree. Usage: project_test.sh KIND ROCM_ROOT SOURCE_TREE
#   package    find_package(hip): hip::host and hip::device      language   CMake's HIP language
#   compiler   CMAKE_CXX_COMPILER=hipcc                          flags      hipcc by hand: -c, -shared, --genco, rdc
#   tools      -save-temps, --emit-static-lib, response files, native, rocm_agent_enumerator, hipconfig, libhiprtc
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
says() { # says WORDS COMMAND...: the output of the command is exactly that, its lines joined by blanks
  local words="$1" output
  shift
  output="$("$@" 2>"$work/err" | tr '\n' ' ')"
  [ "${output% }" = "$words" ] && return
  echo "$*: says '${output% }', not '$words'"
  tail -n 20 "$work/err"
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
    passes "$work/build/device_program" 3000
    [ ! -e "$root/lib/libboltzmann-rtc.so.1" ] || passes "$work/build/rtc_program" 1000 ;;
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
  tools)
    cd "$work" || exit 1
    rdc="$tree/tests/projects/rdc" compiler="$tree/tests/projects/compiler"
    # The intermediate files of both sides, named after the source.
    mkdir temps
    (cd temps && step hipcc -save-temps --offload-arch=gfx942 "$tree/examples/saxpy.hip" -o saxpy) || exit 1
    for file in saxpy-hip-amdgcn-amd-amdhsa-gfx942.{bc,s,o,out} saxpy-host-x86_64-pc-linux-gnu.{bc,s,o}; do
      [ -s "temps/$file" ] || { echo "-save-temps left no $file"; exit 1; }
    done
    grep -q "s_endpgm" temps/saxpy-hip-amdgcn-amd-amdhsa-gfx942.s || { echo "the assembly has no kernel"; exit 1; }
    passes temps/saxpy 1000
    # A static library with kernels; with -fgpu-rdc its device code is linked when it is made, that of an archive of objects
    # with the program.
    step hipcc --emit-static-lib --offload-arch=gfx942 "$compiler/kernels.cpp" -o libkernels.a
    step hipcc --offload-arch=gfx942 "$compiler/main.cpp" -L. -lkernels -o static
    passes ./static
    step hipcc --emit-static-lib -fgpu-rdc --offload-arch=gfx942 "$compiler/kernels.cpp" -o libkernels.a
    step hipcc --offload-arch=gfx942 "$compiler/main.cpp" -L. -lkernels -o static
    passes ./static
    step hipcc -c -fgpu-rdc --offload-arch=gfx942 "$rdc/device.hip" -o device.o
    step llvm-ar-22 rcsD libdevice.a device.o
    step hipcc -fgpu-rdc --hip-link --offload-arch=gfx942 "$rdc/main.hip" -L. -ldevice -o static_rdc
    passes ./static_rdc
    # Options from files, one naming the other, with quotes.
    mkdir "a folder"
    cp "$tree/examples/saxpy.hip" "$tree/examples/example.hpp" "a folder"
    echo '--offload-arch=gfx942 -O1 "a folder/saxpy.hip"' >inner.rsp
    printf '%s\n' '@inner.rsp' '-o' 'response' >outer.rsp
    step hipcc @outer.rsp
    passes ./response 1000
    # native is every kind of GPU that is here.
    BZ_GPUS="gfx90a" step hipcc --offload-arch=native "$tree/examples/saxpy.hip" -o native
    BZ_GPUS="gfx90a" passes ./native 1000
    BZ_GPUS="gfx90a;2x gfx906" step hipcc -### --offload-arch=native -c "$tree/examples/saxpy.hip"
    for target in gfx90a gfx906; do
      [ "$(grep -c -- "\"-target-cpu\" \"$target\"" "$work/log")" = 1 ] || { echo "native does not compile once for $target"; exit 1; }
    done
    # Who is here.
    export BZ_GPUS="gfx90a;gfx906"
    says "gfx000 gfx90a gfx906" rocm_agent_enumerator
    says "gfx90a gfx906" rocm_agent_enumerator -t GPU
    says "gfx000" rocm_agent_enumerator -t CPU
    says "gfx000 gfx90a:sramecc+:xnack- gfx906:sramecc+:xnack-" rocm_agent_enumerator -name
    says "gfx90a gfx906" amdgpu-arch
    says "gfx90a gfx906" offload-arch
    rocm_agent_enumerator --nonsense >/dev/null 2>&1 && { echo "an unknown option is taken"; exit 1; }
    unset BZ_GPUS
    says "$root" hipconfig --rocmpath
    [ -x "$(hipconfig --hipclangpath)/clang++" ] || { echo "no clang++ in $(hipconfig --hipclangpath)"; exit 1; }
    for program in clang clang++ lld llvm-mc llvm-objdump clang-offload-bundler; do
      [ -x "$root/llvm/bin/$program" ] || { echo "no $root/llvm/bin/$program"; exit 1; }
    done
    step hipconfig --check
    # Run-time compilation, where its module is built.
    if [ -e "$root/lib/libboltzmann-rtc.so.1" ]; then
      step hipcc "$tree/examples/hiprtc.hip" -lhiprtc -o rtc
      passes ./rtc 1000
    fi ;;
  *) echo "unknown kind $kind"; exit 2 ;;
esac
echo PASSED
