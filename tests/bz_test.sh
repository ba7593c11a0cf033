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
EOF
echo '<testsuites tests="10" failures="0" disabled="1" errors="0" time="0" name="AllTests">' >"$out/results/good_test.xml"
echo '<testsuites tests="5" failures="2" disabled="0" errors="0" time="0" name="AllTests">' >"$out/results/bad_test.xml"
echo '<testsuites tests="4" failures="0" disabled="0" errors="0" time="0" name="AllTests">' >"$out/results/late_crash_test.xml"
counted="$(. "$home/tools/bz/test.sh"; count_results "$out/results.xml" "$out/results")"
[ "$counted" = "16 4" ] || { echo "count_results: got '$counted', wanted '16 4'"; failed=1; }

[ $failed -eq 0 ] && echo PASSED
exit $failed
