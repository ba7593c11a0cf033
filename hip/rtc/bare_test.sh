#!/usr/bin/env bash
# hipRTC with nothing of an installation on the disk but its libraries. Usage: bare_test.sh ROCM_ROOT PROGRAM
set -u
root="$1" program="$2"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/lib"
cp -L "$root"/lib/libhiprtc.so.7 "$root"/lib/libboltzmann-rtc.so.1 "$work/lib"
cp "$program" "$work/program"
fail() { echo "$1"; echo "$output"; exit 1; }
run() { output="$(cd "$work" && env -u ROCM_PATH -u HIP_PATH -u HIP_CLANG_PATH LD_LIBRARY_PATH="$work/lib" "$@" 2>&1)"; }

run ./program || fail "it does not compile without headers and device libraries"
[[ "$output" =~ ^[0-9]+\ bytes$ ]] || fail "it said something"
# No file of an installation is opened: neither ours nor a system's HIP, nor clang's or C's headers.
if command -v strace >/dev/null; then
  run strace -f -qq -e trace=open,openat -e signal=none ./program || fail "it does not run under strace"
  if grep -E '\.(h|bc)"' <<<"$output" | grep -v ENOENT; then fail "files were opened"; fi
fi
# Without the module: a failure that says what to do.
rm "$work/lib/libboltzmann-rtc.so.1"
run ./program && fail "it compiled without the module"
grep -q HIPRTC_ERROR_INTERNAL_ERROR <<<"$output" || fail "the error is another one"
grep -q "libclang-22-dev" <<<"$output" || fail "the message does not say what to install"
echo PASSED
