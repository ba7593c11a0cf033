#!/bin/sh
# The command line of bz-isa: text, files, bad input and exit status.   bz_isa_test.sh BZ-ISA [FOLDER OF CODE OBJECTS]
tool=$1 objects=$2
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT || exit 1
fail() { echo "FAILED: $1"; exit 1; }
# expect STATUS COMMAND...: the command's status; its output is in $out, its messages in $err.
expect() {
  wanted=$1; shift
  out=$("$@" 2>"$folder/err"); status=$?
  err=$(cat "$folder/err")
  [ $status = "$wanted" ] || fail "status $status, not $wanted, of: $*
$out
$err"
}
has() { case $1 in *"$2"*) ;; *) fail "no '$2' in: $1" ;; esac; }
dis() { printf "$2" | "$tool" dis --target "$1"; }

# Standard input: one line of text for each line of bytes, blank for blank, and errors in their places.
expect 0 dis gfx942 '000081bf\n'; [ "$out" = s_endpgm ] || fail "s_endpgm: $out"
expect 0 dis gfx906 '0203027e # a move\n0x01,0x06,0x06,0x06\n\n[0xff,0x02,0x02,0x7e,0x78,0x56,0x34,0x12]\n'
[ "$(echo "$out" | wc -l)" = 4 ] || fail "four lines: $out"
[ "$(echo "$out" | sed -n 4p)" = "v_mov_b32_e32 v1, 0x12345678" ] || fail "the literal: $out"
expect 0 dis gfx950 '0000acd380090300f088add320818205\n'
[ "$out" = "v_mfma_scale_f32_16x16x128_f8f6f4 a[240:243], v[32:39], v[64:71], a[96:99], v128, v132 op_sel_hi:[0,0,0]" ] || fail "16 bytes: $out"
expect 1 dis gfx906 '000081bf\nffffffff\n0000c9d1\n000081bf000081bf\n7e02\n7e0\nzz\n000081bf'
[ "$(echo "$out" | sed -n 2p)" = "error: line 2: no instruction of gfx906" ] || fail "line 2: $out"
[ "$(echo "$out" | sed -n 3p)" = "error: line 3: cut short: v_bfe_i32 has 4 bytes here, and needs 8" ] || fail "line 3: $out"
[ "$(echo "$out" | sed -n 4p)" = "error: line 4: 4 bytes are left over after 's_endpgm'" ] || fail "line 4: $out"
[ "$(echo "$out" | sed -n 8p)" = "s_endpgm" ] || fail "reading goes on: $out"
[ "$(echo "$out" | grep -c '^error: line [567]')" = 3 ] || fail "lines 5 to 7: $out"
expect 2 dis gfx906 ''; has "$err" "standard input is empty"
out=$(printf '0x7e020302\n' | "$tool" dis --target gfx906 --words) || fail "words"
[ "$out" = "v_mov_b32_e32 v1, v2" ] || fail "words: $out"

# Wrong command lines.
expect 2 "$tool"; has "$err" "usage:"
expect 2 "$tool" dis --target gfx1; has "$err" "gfx900, gfx906, gfx908, gfx90a, gfx942, gfx950"
expect 2 "$tool" dis --target; has "$err" "--target needs a value"
expect 2 "$tool" dis; has "$err" "need --target"
expect 2 "$tool" dis --colour x; has "$err" "there is no option '--colour'"
expect 2 "$tool" decode; has "$err" "there is no command 'decode'"
expect 2 "$tool" --target gfx942 list; has "$err" "the command comes before '--target'"
expect 2 "$tool" list --check; has "$err" "--check is an option of coverage"
expect 2 "$tool" show --words s_nop; has "$err" "--words is an option of dis"
expect 2 "$tool" show s_nop s_endpgm; has "$err" "'s_endpgm' is the second"
expect 2 "$tool" show; has "$err" "needs the name"
expect 2 "$tool" show ''; has "$err" "needs the name"
expect 0 "$tool" --help; has "$out" "bz isa dis"

# Files.
expect 2 "$tool" dis "$folder/none"; has "$err" "No such file"
echo '000081bf' >"$folder/hex"; expect 2 "$tool" dis --target gfx942 "$folder/hex"; has "$err" "standard input"
expect 2 "$tool" dis "$folder"; has "$err" "is a directory"
: >"$folder/empty"; expect 2 "$tool" dis "$folder/empty"; has "$err" "is empty"
printf '\001\003\002\176\377\377\377\377\000\000\201\277\001' >"$folder/raw"
expect 2 "$tool" dis "$folder/raw"; has "$err" "say --target"
expect 1 "$tool" dis --target gfx906 "$folder/raw"
has "$out" "00000000  7e020301"; has "$out" "v_mov_b32_e32 v1, v1"; has "$out" "error: no instruction of gfx906"
has "$out" "0000000c  error: 1 bytes at the end are no whole dword"
printf '\000\000\000\304\000\000\000\000\376\377\202\277' >"$folder/graphics"
expect 1 "$tool" dis --target gfx906 "$folder/graphics"; has "$out" "// illegal: exp: exports end"; has "$out" "// to 00000004"
if [ -n "$objects" ]; then
  expect 0 "$tool" dis "$objects/gfx942_v6.co"; has "$out" ": gfx942"; has "$out" "section .text"; has "$out" "s_endpgm"
  expect 2 "$tool" dis "$objects/gfx1100.co"; has "$err" "the tables know gfx900"
  expect 0 "$tool" dis "$objects/gfx9_4_generic.co"; has "$out" "gfx9-4-generic"
  # A file of the host with bundles in it: the head of some program, then two bundles.
  for part in "$tool" "$objects/bundle.bin" "$objects/bundle_compressed.bin"; do
    cat "$part" | if [ "$part" = "$tool" ]; then head -c 4096; else cat; fi
    head -c $((4096 - $(wc -c <"$part") % 4096)) /dev/zero | if [ "$part" = "$tool" ]; then cat >/dev/null; else cat; fi
  done >"$folder/program"
  for file in "$objects/bundle.bin" "$objects/bundle_compressed.bin" "$objects/bundle_v2.bin" "$folder/program"; do
    "$tool" dis "$file" >"$folder/all" 2>"$folder/err"
    has "$(cat "$folder/all")" ": gfx942"; has "$(cat "$folder/all")" "s_endpgm"
  done
  [ "$(grep -c 'program@0x.*: gfx942$' "$folder/all")" = 2 ] || fail "two bundles in a program: $(grep ': gfx' "$folder/all")"
  expect 0 "$tool" dis --target gfx942 "$objects/bundle.bin"; case $out in *": gfx906"*) fail "--target picks one" ;; esac
  head -c 3000 "$objects/gfx942_v6.co" >"$folder/cut"; expect 2 "$tool" dis "$folder/cut"; has "$err" "cut"
fi

# Descriptions.
expect 0 "$tool" list --target gfx942; has "$out" "v_mfma_f32_16x16x16_f16"; has "$out" "instructions on gfx942"
expect 0 "$tool" list 'v_mfma_ld*'; has "$out" "gfx950"
expect 1 "$tool" list v_nothing; has "$err" "named like 'v_nothing'"
expect 0 "$tool" show v_mad_u64_u32; has "$out" "judged by ref"; has "$out" "VOP3 488"; has "$out" "writes    its destination, a lane mask"
expect 0 "$tool" show v_add_f32_e64; has "$out" "VOP2 1 (SDWA) (DPP) VOP3 257"
expect 0 "$tool" show exp; has "$out" "illegal: exports end"
expect 1 "$tool" show v_add_f33; has "$err" "there is no instruction"; has "$err" "near: v_add_f32"
expect 1 "$tool" show v_ad_u32; has "$err" "v_add_u32"
expect 1 "$tool" show nothing_like_it; has "$err" "bz isa list"
expect 0 "$tool" show V_ADD_U32; has "$out" "v_add_u32"
expect 0 "$tool" list V_ADD_U32; has "$out" "v_add_u32"
expect 1 "$tool" show --target gfx906 v_pk_fma_f32; has "$err" "on gfx906"; has "$err" "it exists on gfx90a"

# A full disk: the long output fills the buffer in between, the short one is written at the end.
full() { "$tool" "$@" >/dev/full; }
expect 2 full list; has "$err" "standard output: No space left on device"
expect 2 full show s_nop; has "$err" "standard output: No space left on device"
expect 2 full --help; has "$err" "standard output: No space left on device"

# Coverage, from records of tests.
printf 'gfx942 v_add_f32 5\ngfx942 v_add_f32 2\ngfx906 v_add_f32 1\n' >"$folder/executed"
printf 'row\tsites\tkilled\tsurvivors\nv_add_f32\t3\t11\t1\n' >"$folder/mutants"
expect 0 "$tool" coverage --target gfx942 --executed "$folder/executed" --mutants "$folder/mutants"
echo "$out" | grep -Eq '^ +v_add_f32 +4 +7 +11/12 +ref' || fail "v_add_f32: $(echo "$out" | grep -w v_add_f32)"
has "$out" "1 executed by tests"
expect 0 "$tool" coverage --target gfx906; has "$out" "./bz test --coverage makes one"
expect 2 "$tool" coverage --executed "$folder/none"; has "$err" "$folder/none: No such file"
printf 'gfx942 v_add_f32 5\ngfx942 v_add_f32\n' >"$folder/half"; expect 2 "$tool" coverage --executed "$folder/half"; has "$err" "line 2 is not"
expect 2 "$tool" coverage --executed "$folder"; has "$err" "is a directory"
expect 2 "$tool" coverage --mutants "$folder"; has "$err" "is a directory"
expect 2 "$tool" coverage --mutants "$folder/none"; has "$err" "No such file"
expect 2 "$tool" coverage --mutants "$folder/half"; has "$err" "the columns row, sites, killed and survivors"
expect 2 "$tool" coverage --check; has "$err" "no record"
expect 1 "$tool" coverage --check --target gfx942 --executed "$folder/executed"
echo "$out" | grep -qw v_sub_f32 || fail "v_sub_f32 was not executed: $out"
echo "$out" | grep -qw v_add_f32 && fail "v_add_f32 was executed: $out"
exit 0
