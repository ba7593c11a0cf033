# bz bench: measure. Sourced by ../../bz.

bench_help() {
  cat <<'EOF'
usage: ./bz bench [--json FILE] [--quick] [--first-run] [--engine | --runtime] [filter]

Runs the same kernels on Boltzmann and on PoCL (Debian's OpenCL for CPUs), alternately in one run, and prints a table
with the ratios; then the time of an empty launch, and from a launch call to the first instruction of a kernel that was
never seen before. Nothing else should run on the machine meanwhile.

  --json FILE    write the figures as JSON as well (default: build/release/bench.json)
  --quick        fewer repetitions
  --engine       instead: cycles of single instructions and rates of whole kernels in the interpreter alone, on one thread,
                 beside the figures expected at design time
  --runtime      instead: what the runtime itself costs (launches, events, copies beside memcpy, a small program's life,
                 ten thousand streams, events and allocations), beside the wanted figures
  --first-run    also the time from a fresh clone to the first PASSED (a build from nothing, without ccache)
  filter         a regular expression over the names, for example  nbody
EOF
}

bz_bench() {
  local json="$BZ_BUILD/bench.json" repetitions=9 filter="." first_run="" engine="" runtime=""
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) bench_help; return ;;
      --json) [ $# -ge 2 ] || die "--json needs a file"; json="$2"; shift ;;
      --quick) repetitions=3 ;;
      --first-run) first_run=1 ;;
      --engine) engine=1 ;;
      --runtime) runtime=1 ;;
      -*) unknown_option bench "$1" ;;
      *) filter="$1" ;;
    esac
    shift
  done
  require_packages bench
  require_cpu
  with_build_lock bench_build
  local load
  load="$(cut -d' ' -f1 /proc/loadavg)"
  awk -v l="$load" 'BEGIN { exit !(l > 0.5) }' && say "warning: the load of this machine is $load; figures may be wrong"
  if [ -n "$engine" ]; then
    "$BZ_BUILD/bin/engine_bench" --kernels="$BZ_HOME/exec/bench/kernels.inc" --benchmark_filter="$filter" --json="$json" || return
    say "figures: $json"
    return
  fi
  local bench="$BZ_BUILD/bin/bz_bench"
  [ -z "$runtime" ] || bench="$BZ_BUILD/bench/runtime_bench"
  LD_LIBRARY_PATH="$BZ_ROOT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$bench" \
    --programs="$BZ_BUILD/bench" --benchmark_filter="$filter" --benchmark_repetitions=$repetitions --json="$json" || return
  [ -z "$first_run" ] || bench_first_run
  say "figures: $json"
}

bench_build() {
  configure -DBZ_BENCH=ON
  build_targets "the benchmarks" bench_programs
}

# What a new user waits for: clone, build, compile, run. The packages are there already; network time is not ours.
bench_first_run() {
  local folder begin end
  folder="$(mktemp -d)"
  say "fresh clone to the first PASSED (without ccache)"
  begin="$(date +%s.%N)"
  git clone -q "$BZ_HOME" "$folder/clone" &&
    (cd "$folder/clone" && env -u BZ_BUILD_DIR CCACHE_DISABLE=1 ./bz run examples/saxpy.hip) >"$folder/log" 2>&1
  end="$(date +%s.%N)"
  if grep -qx PASSED "$folder/log"; then
    awk -v b="$begin" -v e="$end" 'BEGIN { printf "fresh clone to PASSED: %.0f s\n", e - b }'
  else
    tail -n 20 "$folder/log" >&2
    rm -rf "$folder"
    die "the fresh clone did not come to PASSED"
  fi
  rm -rf "$folder"
}
