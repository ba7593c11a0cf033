# bz bench: measure. Sourced by ../../bz.

bench_help() {
  cat <<'EOF'
usage: ./bz bench [options] [filter]

Runs the same kernels on Boltzmann, in their best native form (loops of two compilers, intrinsics, OpenBLAS, oneDNN) and on
PoCL (Debian's OpenCL for CPUs), in turns in one run, and prints a table with the ratios beside the wanted ones; then the
time from a launch call to the first instruction of a kernel that was never seen before. Nothing else should run on the
machine meanwhile.

  --exec MODE    how kernels run: interp, jit or auto (BZ_EXEC; default: the runtime's)
  --simd LEVEL   avx512 or avx2 (BZ_SIMD; default: what the CPU has); with avx2 the native side keeps to it too
  --numerics N   exact or fast (BZ_NUMERICS)
  --compile      instead: compile time an instruction at both levels, time to take code from the cache, a cached program
  --engine       instead: cycles of single instructions and rates of whole kernels in the interpreter alone, on one thread,
                 beside the figures expected at design time
  --runtime      instead: what the runtime itself costs (launches, events, copies beside memcpy, a small program's life,
                 ten thousand streams, events and allocations), beside the wanted figures
  --check        instead: only compare the results of all sides, value by value
  --quick        fewer repetitions
  --small        small sizes, for trying things out
  --first-run    also the time from a fresh clone to the first PASSED (a build from nothing, without ccache)
  --json FILE    write the figures as JSON as well (default: build/release/bench.json)
  filter         a regular expression over the names, for example  nbody
EOF
}

bz_bench() {
  local json="$BZ_BUILD/bench.json" repetitions=9 filter="." first_run="" what="" options=()
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) bench_help; return ;;
      --json) [ $# -ge 2 ] || die "--json needs a file"; json="$2"; shift ;;
      --exec) [[ "${2:-}" =~ ^(interp|jit|auto)$ ]] || die "--exec needs interp, jit or auto"; options+=("--exec=$2"); shift ;;
      --simd) [[ "${2:-}" =~ ^avx(512|2)$ ]] || die "--simd needs avx512 or avx2"; options+=("--simd=$2"); shift ;;
      --numerics) [[ "${2:-}" =~ ^(exact|fast)$ ]] || die "--numerics needs exact or fast"; options+=("--numerics=$2"); shift ;;
      --small | --check) options+=("$1") ;;
      --quick) repetitions=3 ;;
      --first-run) first_run=1 ;;
      --engine | --runtime | --compile) what="$1" ;;
      -*) unknown_option bench "$1" ;;
      *) filter="$1" ;;
    esac
    shift
  done
  case "$what ${options[*]-}" in
    *--compile*--exec* | *--compile*--small* | *--compile*--check* | --engine*--* | --runtime*--*)
      die "$what does not go with ${options[*]}" "./bz bench --help" ;;
  esac
  require_packages bench
  require_cpu
  with_build_lock bench_build
  local load
  load="$(cut -d' ' -f1 /proc/loadavg)"
  awk -v l="$load" 'BEGIN { exit !(l > 0.5) }' && say "warning: the load of this machine is $load; figures may be wrong"
  case "$what" in
    --engine) bench_run "$BZ_BUILD/bin/engine_bench" --kernels="$BZ_HOME/exec/bench/kernels.inc" --benchmark_filter="$filter" ;;
    --runtime)
      bench_run "$BZ_BUILD/bench/runtime_bench" --programs="$BZ_BUILD/bench" --benchmark_filter="$filter" \
        --benchmark_repetitions=$repetitions ;;
    *)
      bench_run "$BZ_BUILD/bin/$([ "$what" = --compile ] && echo compile_bench || echo bz_bench)" --programs="$BZ_BUILD/bench" \
        --filter="$filter" --rounds=$repetitions ${options[@]+"${options[@]}"} ;;
  esac || return
  [ -z "$first_run" ] || bench_first_run
  [[ " ${options[*]-} " = *" --check "* ]] || say "figures: $json"
}

# bench_run PROGRAM OPTION...
bench_run() { LD_LIBRARY_PATH="$BZ_ROOT/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@" --json="$json"; }

bench_build() {
  # The native side is compiled for this very CPU.
  configure -DBZ_BENCH=ON "-DBZ_BENCH_CPU=$(grep -m2 -E '^(model name|flags)' /proc/cpuinfo | cksum | cut -d' ' -f1)"
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
