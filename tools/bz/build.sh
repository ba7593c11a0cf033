# bz build: configure and build. Sourced by ../../bz.

build_help() {
  cat <<'EOF'
usage: ./bz build [target...]

Builds what a program needs (hipcc, libraries, device libraries), or the named CMake targets, in build/release.
`./bz build all` builds tests and tools too. The result has the shape of a ROCm installation: build/release/rocm.

  BZ_JOBS=N        compile with N jobs (default: one per CPU)
  BZ_VERBOSE=1     show the output of CMake and Ninja
  BZ_BUILD_DIR=D   build in D
EOF
}

bz_build() {
  case "${1:-}" in
    -h | --help) build_help; return ;;
    -*) unknown_option build "$1" ;;
  esac
  if [ $# -eq 0 ]; then
    build_runtime_locked
  else
    require_packages "$([ "$1" = all ] && echo test || echo run)"
    require_cpu
    with_build_lock build_named "$@"
  fi
  say "built: ${BZ_ROOT#"$BZ_HOME"/}; to use it in this shell: eval \"\$(./bz env)\""
}

build_runtime_locked() { with_build_lock build_runtime; }

build_named() {
  if [ "$1" = all ]; then configure -DBZ_TESTS=ON; else configure; fi
  require_disk "$BZ_BUILD" 1500 "the build"
  build_targets "$*" "$@"
}
