# bz isa: the instruction tables: descriptions, disassembly, coverage. Sourced by ../../bz.

bz_isa() {
  local command="${1:-}" records=()
  local tool="$BZ_BUILD/bin/bz-isa"
  # Help, and a tree that this user can't write, take the program as it is.
  case "$command" in -h | --help | help | "") [ -x "$tool" ] && { "$tool" ${command:+"$command"}; return; } ;; esac
  if [ ! -x "$tool" ] || can_write "$BZ_BUILD"; then
    require_packages run
    with_build_lock isa_build </dev/null # standard input belongs to `dis`
  fi
  # Where `bz test --coverage` and the mutants' test leave their records.
  if [ "$command" = coverage ]; then
    [ ! -e "$BZ_BUILD/coverage.txt" ] || records+=(--executed "$BZ_BUILD/coverage.txt")
    [ ! -e "$BZ_BUILD/mutants.tsv" ] || records+=(--mutants "$BZ_BUILD/mutants.tsv")
  fi
  [ $# -eq 0 ] || shift
  "$tool" ${command:+"$command"} ${records[@]+"${records[@]}"} "$@"
}

isa_build() {
  local settings=()
  [ -f "$BZ_BUILD/CMakeCache.txt" ] || settings=(-DBZ_TESTS=OFF)
  configure ${settings[@]+"${settings[@]}"}
  build_targets "bz-isa" bz_isa_tool
}
