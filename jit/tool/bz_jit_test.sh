#!/bin/sh
# The command line of bz-jit: every kernel of the tests' code objects is explained, bad input is refused by name.
#   bz_jit_test.sh BZ-JIT FOLDER OF CODE OBJECTS
tool=$1 objects=$2
fail() { echo "FAILED: $1"; exit 1; }
for target in gfx906 gfx90a gfx942_v6; do
  out=$("$tool" explain "$objects/$target.co" saxpy) || fail "explain $target.co: $out"
  case $out in *s_endpgm*) ;; *) fail "no s_endpgm in the listing of $target" ;; esac
  case $out in *"contiguous"*) ;; *) fail "nothing said about the loads of $target" ;; esac
  case $out in *ret*) ;; *) fail "no x86 return in the listing of $target" ;; esac
done
out=$("$tool" explain "$objects/bundle.bin" nothing 2>&1) && fail "a kernel that is not there was explained"
case $out in *"has no kernel nothing"*) ;; *) fail "message: $out" ;; esac
out=$("$tool" explain /nowhere x 2>&1) && fail "a file that is not there was explained"
case $out in *"can't read /nowhere"*) ;; *) fail "message: $out" ;; esac
"$tool" explain "$objects/gfx942_v6.co" saxpy --block 0 >/dev/null 2>&1 && fail "a block of 0"
"$tool" 2>/dev/null && fail "no command"
ir=$("$tool" explain "$objects/gfx942_v6.co" saxpy --ir 2>&1) || fail "--ir: $ir"
case $ir in *"define i32 @kernel"*"ms: analysis"*) ;; *) fail "no function or no times in --ir" ;; esac
out=$("$tool" explain "$objects/facts_gfx942.co" facts 2>&1) || fail "MODE with parts that differ: $out"
echo passed
