# bz jit: what kernels become as native code. Sourced by ../../bz.

bz_jit() {
  local tool="$BZ_BUILD/bin/bz-jit"
  if [ ! -x "$tool" ] || can_write "$BZ_BUILD"; then
    require_packages run
    with_build_lock jit_build </dev/null
  fi
  [ -x "$tool" ] || die "bz-jit was not built" "it needs llvm-22-dev: ./bz packages test"
  "$tool" "$@"
}

jit_build() {
  local settings=()
  [ -f "$BZ_BUILD/CMakeCache.txt" ] || settings=(-DBZ_TESTS=OFF)
  configure ${settings[@]+"${settings[@]}"}
  build_targets "bz-jit" bz_jit_tool
}
