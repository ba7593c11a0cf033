# What the commands of bz share: messages, places, configure and build. Sourced by ../../bz; sets nothing up by itself.

BZ_BUILD="${BZ_BUILD_DIR:-$BZ_HOME/build/release}" # one build tree; BZ_BUILD_DIR moves it
BZ_ROOT="$BZ_BUILD/rocm"                           # the ROCm-shaped tree inside it
BZ_VERBOSE="${BZ_VERBOSE:-}"

# Everything bz itself says goes to stderr: stdout belongs to the program that runs, or to `bz env`.
say() { printf 'bz: %s\n' "$*" >&2; }
remedy() { printf '    %s\n' "$@" >&2; }

# die MESSAGE [REMEDY...]: what happened, then what to do about it, one line each.
die() {
  say "error: $1"
  shift
  [ $# -eq 0 ] || remedy "$@"
  exit 2
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# unknown_option COMMAND OPTION: every command refuses what it doesn't know, with the way to its help.
unknown_option() { die "./bz $1 does not know '$2'" "./bz $1 --help lists its options"; }

require_jobs() {
  case "${BZ_JOBS:-1}" in *[!0-9]* | 0) die "BZ_JOBS needs a number of compilations at a time, not '$BZ_JOBS'" ;; esac
}
jobs_count() { echo "${BZ_JOBS:-$(nproc)}"; }

# The engine is compiled for x86-64-v3; on less it would die of SIGILL, so say it before.
missing_cpu_features() {
  local flags feature missing=""
  flags=" $(grep -m1 '^flags' /proc/cpuinfo | cut -d: -f2-) "
  for feature in avx2 fma f16c bmi1 bmi2 movbe; do
    case "$flags" in *" $feature "*) ;; *) missing="$missing $feature" ;; esac
  done
  echo "${missing# }"
}
require_cpu() {
  local missing
  [ "$(uname -m)" = x86_64 ] || die "this machine is $(uname -m); Boltzmann runs on x86-64 only"
  missing="$(missing_cpu_features)"
  [ -z "$missing" ] || die "this CPU lacks $missing; Boltzmann needs x86-64-v3 (Intel Haswell, AMD Excavator or newer)" \
    "in a virtual machine, choose a CPU type that passes the host's features through"
}

# require_disk DIRECTORY MEGABYTES PURPOSE
require_disk() {
  local free
  free="$(df -Pm "$1" 2>/dev/null | awk 'NR == 2 { print $4 }')"
  [ -z "$free" ] || [ "$free" -ge "$2" ] || die "$3 needs about $2 MB, but the disk of $1 has only $free MB left" \
    "free some space, or put the build elsewhere: BZ_BUILD_DIR=/other/place ./bz ..."
}

can_write() { [ -w "$1" ]; }

# Only one bz at a time configures and builds; others wait and then find everything done.
with_build_lock() {
  mkdir -p "$BZ_BUILD" 2>/dev/null || die "cannot create $BZ_BUILD" "make it writable, or set BZ_BUILD_DIR to another place"
  can_write "$BZ_BUILD" || die "$BZ_BUILD is not writable by $(id -un)" \
    "if its owner has built it: eval \"\$($0 env)\", then hipcc; otherwise remove it, or set BZ_BUILD_DIR to another place"
  exec 9>"$BZ_BUILD/.bz-lock"
  if ! flock -n 9; then
    say "another bz is building in $BZ_BUILD; waiting for it"
    flock 9
  fi
  "$@" 9>&-
  local code=$?
  exec 9>&-
  return $code
}

# configure [-DNAME=VALUE...]: runs CMake if there is no build tree yet or one of the values differs.
configure() {
  local cache="$BZ_BUILD/CMakeCache.txt" setting name value needed=""
  if [ -f "$cache" ]; then
    local home
    home="$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")"
    [ "$home" = "$BZ_HOME" ] || { # the checkout was moved or copied together with its build tree
      say "the build tree belongs to $home; starting it afresh"
      rm -rf "$cache" "$BZ_BUILD/CMakeFiles"
    }
  fi
  [ -f "$BZ_BUILD/build.ninja" ] && [ -f "$cache" ] || needed=1
  for setting in "$@"; do
    name="${setting%%=*}" value="${setting#*=}"
    [ -z "$needed" ] && grep -q "^${name#-D}:[A-Z]*=$value\$" "$cache" || needed=1
  done
  [ -n "$needed" ] || return 0
  local log="$BZ_BUILD/configure.log"
  [ -n "$BZ_VERBOSE" ] && log=/dev/stderr
  (cd "$BZ_HOME" && cmake --preset "${BZ_PRESET:-release}" -B "$BZ_BUILD" "$@") >"$log" 2>&1 && return 0
  [ "$log" = /dev/stderr ] || tail -n 30 "$log" >&2
  die "CMake could not configure the build" "the whole output is in $log" \
    "if a package is named there: ./bz packages; if the tree is in a strange state: rm -rf $BZ_BUILD"
}

# build_targets WHAT TARGET...: Ninja, quiet unless it takes more than two seconds; then says what it builds and, on a
# terminal, how far it is. A failure shows what the compiler said.
build_targets() {
  local what="$1" log="$BZ_BUILD/build.log" code child ticks=0
  shift
  require_jobs
  if [ -n "$BZ_VERBOSE" ]; then
    ninja -C "$BZ_BUILD" -j "$(jobs_count)" "$@" >&2
    code=$?
  else
    ninja -C "$BZ_BUILD" -j "$(jobs_count)" "$@" >"$log" 2>&1 &
    child=$!
    trap 'kill $child 2>/dev/null; exit 130' INT TERM
    while kill -0 $child 2>/dev/null; do
      sleep 0.1
      ticks=$((ticks + 1))
      [ $ticks -ne 20 ] || say "building $what in ${BZ_BUILD#"$BZ_HOME"/} (a few minutes the first time)"
      [ $ticks -lt 20 ] || [ $((ticks % 5)) -ne 0 ] || [ ! -t 2 ] || printf '\r\033[K%.78s' "$(tail -n 1 "$log")" >&2
    done
    wait $child
    code=$?
    trap - INT TERM
    [ $ticks -lt 20 ] || [ ! -t 2 ] || printf '\r\033[K' >&2
    [ $code -eq 0 ] || { grep -v '^\[[0-9]*/[0-9]*\] ' "$log" | head -n 200 >&2; }
  fi
  [ $code -eq 0 ] && return 0
  require_disk "$BZ_BUILD" 50 "a build"
  die "the build failed (ninja's exit code is $code); its words stand above" "everything is in $log" \
    "if the compiler was killed, memory ran out: BZ_JOBS=1 ./bz build"
}

# The runtime, ready for programs: built, or, in a tree that this user can't write, as it stands.
ready_runtime() {
  runtime_is_built && ! can_write "$BZ_BUILD" || { with_build_lock build_runtime; return; }
  local rooms=(abi api base codeobj devicelibs exec gpu hip isa kfd rocr shim thunk) newer
  newer="$(cd "$BZ_HOME" && find "${rooms[@]}" \( -name '*.[ch]pp' -o -name '*.def' -o -name '*.cl' \) ! -name '*_test.cpp' \
    -newer "$BZ_BUILD/.ninja_log" -print -quit 2>/dev/null)"
  [ -z "$newer" ] || say "warning: $newer is newer than the build, which $(id -un) can't write; the build is used as it is"
}

runtime_is_built() {
  local file
  for file in bin/hipcc bin/amdgpu-arch amdgcn lib/libamdhip64.so lib/libhsa-runtime64.so lib/libhsakmt.so lib/libboltzmann-kfd.so lib/libboltzmann-shim.so; do
    [ -e "$BZ_ROOT/$file" ] || return 1
  done
}

# What a program needs to be compiled and run, and nothing else; see the target `runtime` in tools/CMakeLists.txt.
build_runtime() {
  require_packages run
  require_cpu
  # A tree that was configured with tests keeps them: turning them off and on would reconfigure at each command.
  local settings=()
  [ -f "$BZ_BUILD/CMakeCache.txt" ] || settings=(-DBZ_TESTS=OFF)
  configure ${settings[@]+"${settings[@]}"}
  [ -e "$BZ_ROOT/lib/libamdhip64.so" ] || require_disk "$BZ_BUILD" 600 "the build"
  build_targets "the runtime" runtime
}
