#!/usr/bin/env bash
# Tests ./bz where that costs no build: help, errors with a remedy, counting of results. Usage: bz_test.sh SOURCE BUILD
set -u
home="$1" build="$2"
bz="$home/bz"
failed=0
out="$(mktemp -d)"
trap 'rm -rf "$out"' EXIT
export BZ_BUILD_DIR="$build" BZ_NO_INSTALL=1

# says CODE REGEX command...: the command must end with the code and say a line that matches.
says() {
  local code="$1" text="$2" got
  shift 2
  "$@" >"$out/log" 2>&1 </dev/null
  got=$?
  [ $got -eq "$code" ] && grep -qE -- "$text" "$out/log" && return
  echo "$*: exit code $got (wanted $code), wanted '$text', got:"
  head -n 20 "$out/log"
  failed=1
}

says 1 '^usage' "$bz"
says 0 'run FILE' "$bz" --help
for command in run build test bench budget env doctor packages; do says 0 '^usage' "$bz" $command --help; done
says 2 "no command 'rum'" "$bz" rum
says 2 'does not know' "$bz" test --frobnicate
says 2 'does not know' "$bz" env extra
says 2 'needs a file' "$bz" run
says 2 "no file 'nowhere.hip'" "$bz" run nowhere.hip
says 2 'not a readable file' "$bz" run "$out"
says 2 'neither a source file' "$bz" run "$home/CMakePresets.json"
says 2 'needs a number' "$bz" test --repeat many
says 2 'needs a program' "$bz" shim --
says 0 'rocminfo' "$bz" shim --help

# packages: every group that the help names is one that has packages, and only those are.
says 2 'does not know' "$bz" packages everything
(
  BZ_HOME="$home"; . "$home/tools/bz/common.sh"; . "$home/tools/bz/packages.sh"
  groups="$(packages_help | sed -n 's/^usage:.*\[\(.*\)\]$/\1/p' | tr '|' ' ')"
  [ "$groups" = "run rtc test sanitize bench" ] || { echo "packages: the help names the groups '$groups'"; exit 1; }
  missing_packages() { printf '%s\n' "$@"; } # a machine that has nothing
  is_root() { return 1; }
  is_debian_12() { return 0; }
  for group in $groups; do
    list="$(packages_of $group)" || { echo "packages: no group $group"; exit 1; }
    case "$list" in *clang-22*) ;; *) echo "packages: $group lacks the compiler: $list"; exit 1 ;; esac
    got="$(bz_packages $group 2>&1)" && { echo "packages $group: nothing is missing where nothing is installed: $got"; exit 1; }
    case "$got" in *"needs root"*"packages $group"*) ;; *) echo "packages $group: $got"; exit 1 ;; esac
  done
  case "$(packages_of sanitize)" in *libgtest-dev*libclang-rt-22-dev*) ;; *) echo "packages: nothing to link sanitizers with"; exit 1 ;; esac
  case "$(packages_of rtc)" in *libclang-22-dev*) ;; *) echo "packages: rtc lacks clang's headers"; exit 1 ;; esac
  [ "$( (packages_of everything) 2>&1 | grep -c 'no package group')" = 1 ] || { echo "packages: a group that isn't there"; exit 1; }
) || failed=1

# cache: counts and clears what the cache wrote, and nothing else.
export BZ_CACHE_DIR="$out/kernels"
says 1 '^usage' "$bz" cache
says 0 '^usage' "$bz" cache --help
says 2 'does not know' "$bz" cache empty
says 0 'nothing is kept' "$bz" cache stat
mkdir "$BZ_CACHE_DIR"
name=0123456789abcdef0123456789abcdef.image
head -c 2097152 /dev/zero >"$BZ_CACHE_DIR/$name"; : >"$BZ_CACHE_DIR/$name.77.1"; : >"$BZ_CACHE_DIR/notes"
says 0 '^1 images, 2.0 MB' "$bz" cache stat
says 0 'cleared' "$bz" cache clear
[ "$(ls "$BZ_CACHE_DIR")" = notes ] || { echo "cache clear: left $(ls "$BZ_CACHE_DIR")"; failed=1; }
unset BZ_CACHE_DIR

# run and test --list need nothing to be built: beside a finished build that can't be written.
(
  . "$home/tools/bz/common.sh"; . "$home/tools/bz/run.sh"
  BZ_HOME="$out/home" BZ_BUILD="$out/home/build/release"; BZ_ROOT="$BZ_BUILD/rocm"
  for file in bin/hipcc bin/amdgpu-arch amdgcn/x lib/libamdhip64.so lib/libhsa-runtime64.so lib/libhsakmt.so lib/libboltzmann-kfd.so lib/libboltzmann-shim.so; do
    mkdir -p "$(dirname "$BZ_ROOT/$file")" && : >"$BZ_ROOT/$file"
  done
  mkdir -p "$BZ_HOME/exec"
  : >"$BZ_HOME/exec/old.cpp"; touch -d '1 hour ago' "$BZ_HOME/exec/old.cpp"; : >"$BZ_BUILD/.ninja_log"
  with_build_lock() { echo locked; }
  runtime_is_built || { echo "run: a whole tree is taken for an unfinished one"; exit 1; }
  [ "$(ready_runtime)" = locked ] || { echo "run: a tree that can be written is brought up to date"; exit 1; }
  can_write() { return 1; } # tests may run as root, who can write everything
  got="$(ready_runtime 2>&1)"
  [ -z "$got" ] || { echo "run: a finished tree that can't be written: $got"; exit 1; }
  touch -d '1 hour' "$BZ_HOME/exec/new.cpp"
  case "$(ready_runtime 2>&1)" in *"exec/new.cpp is newer"*) ;; *) echo "run: nothing said of newer sources"; exit 1 ;; esac
  rm "$BZ_ROOT/lib/libhsakmt.so"
  [ "$(ready_runtime)" = locked ] || { echo "run: an unfinished tree must be built"; exit 1; }
  can_write() { [ -w "$1" ]; }
  # Where programs go: beside the build; else to the user's cache; else an error with a remedy.
  export XDG_CACHE_HOME="$out/cache"
  [ "$(program_folder k p f '')" = "$BZ_HOME/build/programs/k" ] || { echo "run: programs stand beside the build"; exit 1; }
  rm -r "$BZ_HOME/build/programs"; : >"$BZ_HOME/build/programs" # not a folder
  [ "$(program_folder k p f '')" = "$out/cache/boltzmann/programs/k" ] || { echo "run: the user's cache"; exit 1; }
  XDG_CACHE_HOME=/dev/null
  case "$(program_folder k p f '' 2>&1)" in *"XDG_CACHE_HOME"*) ;; *) echo "run: no remedy"; exit 1 ;; esac
) || failed=1
before="$(stat -c %Y "$build/bin" 2>/dev/null)"
says 0 'bz_test' "$bz" test --list
[ "$before" = "$(stat -c %Y "$build/bin" 2>/dev/null)" ] || { echo "bz test --list built something"; failed=1; }

says 2 "BZ_JOBS needs a number" env BZ_JOBS=many "$bz" test --list

# env: valid shell, idempotent, and undone by --unset.
(
  unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH
  before="$PATH"
  eval "$("$bz" env 2>/dev/null)" && eval "$("$bz" env 2>/dev/null)"
  [ "$PATH" = "$build/rocm/bin:$before" ] && [ "$ROCM_PATH" = "$build/rocm" ] && [ "$LD_LIBRARY_PATH" = "$build/rocm/lib" ] || exit 1
  eval "$("$bz" env --unset)"
  [ "$PATH" = "$before" ] && [ -z "${LD_LIBRARY_PATH-}${ROCM_PATH-}" ]
) || { echo "bz env: paths are wrong"; failed=1; }

# Counting: GoogleTest programs by their cases, others as one, a crash as one failure.
mkdir "$out/results"
cat >"$out/results.xml" <<'EOF'
<testsuite name="x">
	<testcase name="good_test" classname="good_test" time="0.1" status="run">
	<testcase name="bad_test" classname="bad_test" time="0.1" status="fail">
	<testcase name="crashed_test" classname="crashed_test" time="0.1" status="fail">
	<testcase name="e2e.a.b" classname="e2e.a.b" time="0.1" status="run">
	<testcase name="off" classname="off" time="0" status="disabled">
	<testcase name="late_crash_test" classname="l" time="0.1" status="fail">
	<testcase name="not_here" classname="n" time="0.1" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
	<testcase name="not_built" classname="n" time="0" status="notrun">
		<skipped message="Unable to find executable"/>
EOF
echo '<testsuites tests="10" failures="0" disabled="1" errors="0" time="0" name="AllTests">' >"$out/results/good_test.xml"
echo '<testsuites tests="5" failures="2" disabled="0" errors="0" time="0" name="AllTests">' >"$out/results/bad_test.xml"
echo '<testsuites tests="4" failures="0" disabled="0" errors="0" time="0" name="AllTests">' >"$out/results/late_crash_test.xml"
counted="$(. "$home/tools/bz/test.sh"; count_results "$out/results.xml" "$out/results")"
[ "$counted" = "16 5 1" ] || { echo "count_results: got '$counted', wanted '16 5 1'"; failed=1; }

[ $failed -eq 0 ] && echo PASSED
exit $failed
