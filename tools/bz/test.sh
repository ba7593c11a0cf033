# bz test: build everything, run the checks and ctest, count. Sourced by ../../bz.

test_help() {
  cat <<'EOF'
usage: ./bz test [--all] [--sanitize KIND] [--list] [--repeat N] [--coverage] [filter]

Builds everything with tests and runs them: unit tests of every room, the checks of the source tree, every example on
several GPUs, worker counts and optimisation levels. The last line is `N passed, N failed`; each GoogleTest case and
each program run counts as one. The exit code is 0 only if none failed.

  --all        also the slow tests (label `slow`), and the tests of host code (label `host`) under AddressSanitizer with
               UndefinedBehaviorSanitizer and under ThreadSanitizer, each in a build tree of its own (build/asan, build/tsan)
  --sanitize KIND  only the latter: asan or tsan
  --list       only list the tests; builds nothing
  --repeat N   run each test up to N times, until one fails
  --coverage   also record which instructions the tests execute, for ./bz isa coverage (tests take longer)
  filter       a regular expression over the names of --list, for example  e2e.saxpy  or  exec_
EOF
}

bz_test() {
  local all="" list="" coverage="" filter="" sanitize="" arguments=()
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) test_help; return ;;
      --all) all=1 ;;
      --list) list=1 ;;
      --sanitize)
        case "${2:-}" in asan | tsan) sanitize="$2" ;; *) die "--sanitize needs asan or tsan" ;; esac
        shift ;;
      --coverage) coverage=1 ;;
      --repeat)
        case "${2:-}" in "" | *[!0-9]*) die "--repeat needs a number" ;; esac
        arguments+=(--repeat "until-fail:$2"); shift ;;
      -*) unknown_option test "$1" ;;
      *) [ -z "$filter" ] || die "one filter at most; '$1' is the second" "a regular expression can join them: 'saxpy|printf'"; filter="$1" ;;
    esac
    shift
  done
  if [ -n "$all$sanitize" ]; then require_packages sanitize; else require_packages test; fi
  require_cpu
  [ -z "$filter" ] || arguments+=(-R "$filter")
  test_passed=0 test_failed=0
  if [ -n "$sanitize" ]; then
    test_sanitized "$sanitize" "${arguments[@]}"
    test_total
    return
  fi
  [ -n "$all" ] || arguments+=(-LE slow)
  if [ -n "$list" ]; then
    if can_write "$BZ_BUILD" || ! grep -qs '^BZ_TESTS:BOOL=ON' "$BZ_BUILD/CMakeCache.txt"; then
      with_build_lock test_configure
      ctest --test-dir "$BZ_BUILD" -N "${arguments[@]}"
    else # as it was configured; ctest wants to write where it lists
      local folder
      folder="$(mktemp -d)" || die "cannot create a temporary folder"
      printf 'subdirs("%s")\n' "$BZ_BUILD" >"$folder/CTestTestfile.cmake"
      ctest --test-dir "$folder" -N "${arguments[@]}" | grep -v "$folder"
      rm -rf "$folder"
    fi
    return
  fi
  with_build_lock test_build
  if [ -n "$coverage" ]; then
    rm -f "$BZ_BUILD/coverage.txt"
    export BZ_COVERAGE="$BZ_BUILD/coverage.txt"
  fi
  test_run "${arguments[@]}"
  if [ -n "$all" ]; then
    test_sanitized asan "${arguments[@]}"
    test_sanitized tsan "${arguments[@]}"
  fi
  test_total
}

# The last line, for people and for the continuous integration.
test_total() {
  if [ $((test_passed + test_failed)) -eq 0 ]; then
    say "error: no test was run"
    remedy "is the filter right? ./bz test --list shows the names"
    test_failed=1
  fi
  echo "$test_passed passed, $test_failed failed"
  [ "$test_failed" -eq 0 ]
}

# test_sanitized asan|tsan [ARGUMENT OF CTEST...]: tests of host code in a build tree whose host code is instrumented. The
# engine's row handlers are not: they are the emulated program's own accesses.
test_sanitized() {
  local preset="$1"
  shift
  (
    BZ_BUILD="$BZ_HOME/build/$preset" BZ_ROOT="$BZ_HOME/build/$preset/rocm"
    # Faults are base/segv's, signal stacks LLVM's and ours. The tree's own hipcc is instrumented too; it ends without tidying up.
    export ASAN_OPTIONS="detect_leaks=0:handle_segv=0:allow_user_segv_handler=1:use_sigaltstack=0:detect_stack_use_after_return=0"
    export TSAN_OPTIONS="handle_segv=0:allow_user_segv_handler=1:history_size=4"
    export UBSAN_OPTIONS="print_stacktrace=1"
    with_build_lock sanitized_build "$preset" || exit
    test_passed=0 test_failed=0
    test_run -L host "$@"
    echo "$test_passed $test_failed" >"$BZ_BUILD/test-counts"
  ) || { test_failed=$((test_failed + 1)); return; }
  local passed failed
  read -r passed failed <"$BZ_HOME/build/$preset/test-counts"
  say "$preset: $passed passed, $failed failed"
  test_passed=$((test_passed + passed)) test_failed=$((test_failed + failed))
}

sanitized_build() {
  BZ_PRESET="$1" configure -DBZ_TESTS=ON
  require_disk "$BZ_BUILD" 1500 "the build with $1"
  build_targets "the tests of host code, with $1" host_tests
}

# The tests are known without a build: configured, and configured again if a CMakeLists.txt changed.
test_configure() {
  configure -DBZ_TESTS=ON
  build_targets "the list of tests" build.ninja
}

test_build() {
  configure -DBZ_TESTS=ON
  require_disk "$BZ_BUILD" 1500 "the build with tests"
  build_targets "everything with tests" all
}

test_run() {
  local results="$BZ_BUILD/test-results" code passed failed skipped
  rm -rf "$results"
  mkdir -p "$results"
  # Every GoogleTest program leaves its own count here; the rest is counted by ctest's report.
  GTEST_OUTPUT="xml:$results/" ctest --test-dir "$BZ_BUILD" -j "$(jobs_count)" --output-on-failure --timeout 600 \
    --output-junit "$results.xml" "$@"
  code=$?
  read -r passed failed skipped < <(count_results "$results.xml" "$results")
  [ "${skipped:-0}" -eq 0 ] || say "$skipped skipped (why: grep -B1 SKIPPED $results.xml)"
  # ctest may know of a failure that no report shows.
  [ $code -eq 0 ] || [ "$failed" -gt 0 ] || [ "$passed" -eq 0 ] || failed=1
  test_passed=$((test_passed + passed)) test_failed=$((test_failed + failed))
}

# count_results REPORT FOLDER: "passed failed skipped". A test that left FOLDER/<name>.xml counts by its cases; one that died
# before writing it, or is no GoogleTest program, counts as one. Skipped are those that said so themselves, by exit code.
count_results() {
  local name status line cases bad passed=0 failed=0 skipped=0
  while read -r name status; do
    if [ -f "$2/$name.xml" ]; then
      line="$(grep -m1 '<testsuites ' "$2/$name.xml")"
      cases="$(attribute tests "$line")"
      bad=$(($(attribute failures "$line") + $(attribute errors "$line")))
      cases=$((cases - $(attribute disabled "$line") - $(grep -c '<skipped' "$2/$name.xml")))
      [ "$status" = run ] || [ $bad -gt 0 ] || bad=1 # all cases passed, yet the program failed: a leak or a crash at the end
      [ $cases -ge $bad ] || cases=$bad
      passed=$((passed + cases - bad)) failed=$((failed + bad))
    elif [ "$status" = run ]; then passed=$((passed + 1))
    elif [ "$status" = skipped ]; then skipped=$((skipped + 1))
    elif [ "$status" != disabled ]; then failed=$((failed + 1))
    fi
  done < <(awk '
    function tell() { if (name != "") print name, status }
    /<testcase / { tell(); match($0, / name="[^"]*"/); name = substr($0, RSTART + 7, RLENGTH - 8)
                   match($0, / status="[a-z]*"/); status = substr($0, RSTART + 9, RLENGTH - 10) }
    /<skipped message="SKIP_RETURN_CODE/ { status = "skipped" }
    END { tell() }' "$1" 2>/dev/null)
  echo "$passed $failed $skipped"
}
attribute() { local value="${2##* "$1"=\"}"; case "$2" in *" $1=\""*) echo "${value%%\"*}" ;; *) echo 0 ;; esac; }
