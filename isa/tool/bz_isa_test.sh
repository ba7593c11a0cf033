#!/bin/sh
# The command line of bz-isa: text, branch targets, bad input and exit status.
tool=$1
fail() { echo "FAILED: $1"; exit 1; }
out=$(printf '0000 81bf # end\n' | "$tool" dis gfx942) && [ "${out##*  }" = "s_endpgm" ] || fail "s_endpgm: $out"
out=$(echo "bf82ffff" | "$tool" dis gfx942 --words) || fail "status of s_branch"
case $out in *"s_branch 65535"*"// to 000000"*) ;; *) fail "s_branch: $out" ;; esac
out=$(echo "0x7e020302, 0x020606f9 06860602" | "$tool" dis gfx906 --words) || fail "status of two instructions"
[ "$(echo "$out" | wc -l)" = 2 ] || fail "two instructions: $out"
echo "ffffffff" | "$tool" dis gfx942 >/dev/null && fail "no instruction must give status 1"
echo "7e0" | "$tool" dis gfx942 2>/dev/null; [ $? = 2 ] || fail "odd digits must give status 2"
echo "zz" | "$tool" dis gfx942 2>/dev/null; [ $? = 2 ] || fail "bad digits must give status 2"
"$tool" dis gfx1 </dev/null 2>/dev/null; [ $? = 2 ] || fail "an unknown target must give status 2"
"$tool" 2>/dev/null; [ $? = 2 ] || fail "usage must give status 2"
"$tool" list gfx942 | grep -q "v_mfma_f32_16x16x16_f16" || fail "list"
