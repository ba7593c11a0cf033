# bz run: compile one source file (if it changed) and run it. Sourced by ../../bz.

run_help() {
  cat <<'EOF'
usage: ./bz run [compiler options] FILE [arguments of the program]

FILE is a HIP program (.hip, or .cpp/.cc/.cu that includes hip/), a C or C++ program on hsa/hsa.h, or a program that is
already compiled. OpenCL C kernels (.cl) beside a C program are compiled into code objects, whose paths become its first
arguments. FILE is compiled with the build's hipcc into build/programs and run; when nothing changed, it only runs.
Where this user can't write, the build is used as it is, and programs go to ~/.cache/boltzmann/programs.
The exit code is the program's.

  -O0 -g -DX=1 -Idir ...     options before FILE go to the compiler (default: -O3 -gline-tables-only)
  --arch=gfx90a[,gfx942]     targets to compile for (default: those of the devices that BZ_GPUS chooses)
  --rebuild                  compile even if nothing changed
  --keep                     also keep the compiler's intermediate files (--save-temps)

Useful in the environment: BZ_GPUS=gfx90a (which GPU), BZ_WORKERS=1 (host threads), BZ_LOG=info (docs/guide.md has all).
EOF
}

bz_run() {
  local options=() arch="" rebuild="" optimised="" debug=""
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) run_help; return ;;
      --arch=*) arch="${1#--arch=}" ;;
      --arch) [ $# -ge 2 ] || die "--arch needs a target" "for example --arch=gfx90a"; arch="$2"; shift ;;
      --rebuild) rebuild=1 ;;
      --keep) options+=(--save-temps=obj) rebuild=1 ;;
      -D | -I | -U | -L | -l | -include | -isystem | -Xclang | -mllvm)
        [ $# -ge 2 ] || die "the compiler option $1 needs an argument"
        options+=("$1" "$2"); shift ;;
      -o | -c | -E | -S) die "bz run chooses the output by itself, so $1 makes no sense here" \
        "to use the compiler directly: eval \"\$(./bz env)\" && hipcc ..." ;;
      -O*) optimised=1; options+=("$1") ;;
      -g*) debug=1; options+=("$1") ;;
      -*) options+=("$1") ;;
      *) break ;;
    esac
    shift
  done
  [ $# -gt 0 ] || die "run needs a file" "for example: ./bz run examples/saxpy.hip" "./bz run --help tells more"
  local file="$1"
  shift
  if [ ! -e "$file" ]; then
    local near
    near="$(cd "$BZ_HOME" && ls examples/*.hip 2>/dev/null | tr '\n' ' ')"
    die "there is no file '$file'" "the examples are: $near"
  fi
  [ -f "$file" ] && [ -r "$file" ] || die "'$file' is not a readable file"
  file="$(readlink -f "$file")"

  local kind
  kind="$(kind_of "$file")" || exit
  ready_runtime
  local program="$file"
  if [ "$kind" != program ]; then
    local here=""
    [ ${#options[@]} -eq 0 ] || here="$PWD"
    [ -n "$optimised" ] || options+=(-O3)
    [ -n "$debug" ] || options+=(-gline-tables-only)
    local key
    # The folder counts too: options such as -Idir are relative to it.
    key="$(printf '%s\n' "$kind" "$file" "$BZ_ROOT" "$arch" "${BZ_GPUS:-}" "$here" "${options[@]}" | sha256sum | cut -c1-12)"
    local name="$(basename "${file%.*}")" folder
    folder="$(program_folder "$name-$key" "$name" "$file" "$rebuild")" || exit
    program="$folder/$name"
    if [ -n "$rebuild" ] || stale "$program" "$file"; then
      compile "$kind" "$file" "$program" "$arch" "${options[@]}"
    fi
  fi
  local objects=()
  case "$kind" in hsa-*) compile_kernels "$file" "$(dirname "$program")" "$arch" ;; esac
  export ROCM_PATH="$BZ_ROOT" HIP_PATH="$BZ_ROOT"
  export LD_LIBRARY_PATH="$BZ_ROOT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  exec "$program" ${objects[@]+"${objects[@]}"} "$@"
}

# program_folder KEY NAME FILE REBUILD: where the compiled program is; beside the build, or where this user can write.
program_folder() {
  local shared="$BZ_HOME/build/programs" own="${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/boltzmann/programs" folder
  folder="$shared/$1"
  if [ -z "$4" ] && [ -d "$folder" ] && ! stale "$folder/$2" "$3"; then echo "$folder"; return; fi
  for folder in "$shared/$1" "$own/$1"; do
    mkdir -p "$folder" 2>/dev/null && can_write "$folder" && { echo "$folder"; return; }
  done
  die "programs need a folder, and $(id -un) can't write $shared or $own" "set XDG_CACHE_HOME to a folder of yours"
}

# hip, hsa-c, hsa-c++ or program: told by the name and, where that leaves a choice, by what the file includes.
kind_of() {
  case "$1" in
    *.hip | *.cu) echo hip ;;
    *.c) echo hsa-c ;;
    *.cpp | *.cc | *.cxx | *.C)
      if grep -qE '^ *# *include *[<"](hip/|hiprtc|hip_runtime)|<<<' "$1"; then echo hip; else echo hsa-c++; fi ;;
    *)
      if [ "$(head -c 4 "$1" | tr -d '\0')" = $'\x7fELF' ]; then
        [ -x "$1" ] || die "'$1' is not executable" "chmod +x $1"
        echo program
      else
        die "'$1' is neither a source file that bz knows (.hip, .cu, .cpp, .cc, .cxx, .c) nor a compiled program"
      fi ;;
  esac
}

# True if the program must be compiled again: it isn't there, or a file that it was made from is newer.
stale() {
  local program="$1" file="$2" dependency
  [ -x "$program" ] && [ ! "$file" -nt "$program" ] || return 0
  [ -z "$(find "$BZ_ROOT/bin/hipcc" "$BZ_ROOT/amdgcn" -newer "$program" -print -quit 2>/dev/null)" ] || return 0
  [ -f "$program.d" ] || return 0
  while IFS= read -r dependency; do
    [ -z "$dependency" ] || [ ! "$dependency" -nt "$program" ] && [ -e "$dependency" ] || return 0
  done < <(sed -e 's/^[^:]*: *//' -e 's/\\$//' "$program.d" | sed 's/\([^\\]\) /\1\n/g' | sed -e 's/^ *//' -e '/^$/d' -e 's/\\ / /g' | sed 's/ *$//')
  return 1
}

compile() {
  local kind="$1" file="$2" program="$3" arch="$4"
  shift 4
  local command=()
  case "$kind" in
    hip) command=("$BZ_ROOT/bin/hipcc" "--offload-arch=${arch:-native}") ;;
    hsa-c) command=(clang-22 -std=gnu17 -Wall) ;;
    hsa-c++) command=(clang++-22 -std=c++20 -Wall) ;;
  esac
  if [ "$kind" = hip ]; then
    [ -x "$BZ_ROOT/bin/hipcc" ] || die "the build has no hipcc ($BZ_ROOT/bin/hipcc)" "./bz build"
    [ -n "$arch" ] || "$BZ_ROOT/bin/amdgpu-arch" >/dev/null || die "there is no GPU to compile for" \
      "the reason stands above; unset BZ_GPUS for the default, or choose the target with --arch="
    [ -z "$arch" ] || command=("$BZ_ROOT/bin/hipcc" $(printf -- '--offload-arch=%s ' ${arch//,/ }))
  fi
  command+=("$@" -MD -MF "$program.d" "$file" -o "$program.new")
  [ "$kind" = hip ] || command+=(-isystem "$BZ_ROOT/include" -L "$BZ_ROOT/lib" -lhsa-runtime64 "-Wl,-rpath,$BZ_ROOT/lib")
  [ -z "$BZ_VERBOSE" ] || say "${command[*]}"
  "${command[@]}"
  local code=$?
  if [ $code -ne 0 ]; then
    rm -f "$program.new"
    die "$(basename "$file") did not compile (exit code $code); the compiler's words stand above"
  fi
  # The new program takes the place of the old one at once, also while that is running.
  mv -f "$program.new" "$program" || die "cannot write $program"
}

# Kernels of a program on hsa.h: every .cl file of its folder, compiled for the device; sets `objects` of the caller.
compile_kernels() {
  local source object target
  for source in "$(dirname "$1")"/*.cl; do
    [ -f "$source" ] || continue
    target="${3:-$("$BZ_ROOT/bin/amdgpu-arch" | head -n 1)}"
    target="${target:-gfx942}"
    object="$2/$(basename "${source%.cl}").$target.co"
    if [ ! "$object" -nt "$source" ]; then
      clang-22 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa "-mcpu=$target" -nogpulib -O3 -gline-tables-only "$source" -o "$object" ||
        die "$(basename "$source") did not compile; the compiler's words stand above"
    fi
    objects+=("$object")
  done
}
