# bz shim: run a program that brings its own HSA libraries on the software GPU. Sourced by ../../bz.

shim_help() {
  cat <<'EOF'
usage: ./bz shim [--] PROGRAM [arguments]

Runs a program with a preloaded library under which it finds the AMD driver of a software GPU: /dev/kfd, /dev/dri, sysfs, a
loaded amdgpu module. For programs that use other HSA or HIP libraries than this build's, for example Debian's:

  BZ_GPUS=gfx906 ./bz shim -- rocminfo

Programs started by it are served too. The exit code is the program's.
EOF
}

bz_shim() {
  case "${1:-}" in
    -h | --help) shim_help; return ;;
    --) shift ;;
    -*) unknown_option shim "$1" ;;
  esac
  [ $# -gt 0 ] || die "shim needs a program" "for example: ./bz shim -- rocminfo" "./bz shim --help tells more"
  ready_runtime
  export LD_PRELOAD="$BZ_ROOT/lib/libboltzmann-shim.so${LD_PRELOAD:+:$LD_PRELOAD}"
  exec "$@"
}
