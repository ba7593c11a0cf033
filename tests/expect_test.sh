#!/usr/bin/env bash
# Tests tests/expect itself: it must fail when the program does not do what was said.
set -u
expect="$(dirname "$(readlink -f "$0")")/expect"
failed=0
check() { # check 0|1 arguments...: expect must end with that code
  local want="$1"
  shift
  "$expect" "$@" >/dev/null 2>&1
  local got=$?
  [ $got -eq "$want" ] || { echo "expect $*: exit code $got, wanted $want"; failed=1; }
}
check 0 --last PASSED -- sh -c 'echo a; echo PASSED'
check 1 --last PASSED -- sh -c 'echo PASSED; echo a'
check 1 --last PASSED -- sh -c 'echo PASSED; exit 3'
check 1 -- sh -c 'kill -ABRT $$'
check 0 --signal ABRT -- sh -c 'kill -ABRT $$'
check 1 --signal ABRT -- sh -c 'kill -SEGV $$'
check 1 --signal ABRT -- true
check 0 --exit 3 --says 'wor.d' -- sh -c 'echo a world >&2; exit 3'
check 1 --says 'wor.d' -- echo nothing
check 1 --never 'no' -- echo nothing
check 1 --limit 1 -- sleep 20
[ $failed -eq 0 ] && echo PASSED
exit $failed
