# bz budget: what the instruction tables cost in code and compile time. Sourced by ../../bz.

budget_help() {
  cat <<'EOF'
usage: ./bz budget [show|check|update]

Compares the code size of each family of instruction rows with the checked-in numbers of exec/budget.tsv. `check` fails
where a family grew by more than a tenth and 4 kB; `update` measures sizes and compile times and writes the file anew.
EOF
}

bz_budget() {
  case "${1:-show}" in
    -h | --help) budget_help; return ;;
    show | check | update) ;;
    *) unknown_option budget "$1" ;;
  esac
  require_packages test
  with_build_lock budget_build
  "$BZ_HOME/tools/checks/budget" "${1:-show}" "$BZ_BUILD"
}

budget_build() {
  configure -DBZ_TESTS=ON
  build_targets "the instruction tables" boltzmann-kfd bz_isa_tool
}
