# bz env: shell settings that put this build's tools and libraries on the user's paths. Sourced by ../../bz.

env_help() {
  cat <<'EOF'
usage: eval "$(./bz env)"

Prints `export` lines for PATH, ROCM_PATH, HIP_PATH, LD_LIBRARY_PATH, CMAKE_PREFIX_PATH and HIP_PLATFORM. After that
hipcc, rocm_agent_enumerator and CMake's find_package(hip) are this build's. `./bz env --unset` prints the way back.
EOF
}

bz_env() {
  case "${1:-}" in
    -h | --help) env_help; return ;;
    --unset) env_unset; return ;;
    "") ;;
    *) unknown_option env "$1" ;;
  esac
  [ -x "$BZ_ROOT/bin/hipcc" ] || say "warning: nothing is built yet in $BZ_ROOT; run ./bz build"
  printf 'export ROCM_PATH=%q\nexport HIP_PATH=%q\nexport HIP_PLATFORM=amd\n' "$BZ_ROOT" "$BZ_ROOT"
  local pair name folder
  for pair in PATH=$BZ_ROOT/bin LD_LIBRARY_PATH=$BZ_ROOT/lib CMAKE_PREFIX_PATH=$BZ_ROOT; do
    name="${pair%%=*}" folder="${pair#*=}"
    printf 'export %s=%q\n' "$name" "$folder$(rest="$(without "${!name:-}" "$folder")"; [ -z "$rest" ] || echo ":$rest")"
  done
}

env_unset() {
  local pair name rest
  echo 'unset ROCM_PATH HIP_PATH HIP_PLATFORM'
  for pair in PATH=$BZ_ROOT/bin LD_LIBRARY_PATH=$BZ_ROOT/lib CMAKE_PREFIX_PATH=$BZ_ROOT; do
    name="${pair%%=*}"
    rest="$(without "${!name:-}" "${pair#*=}")"
    if [ -n "$rest" ]; then printf 'export %s=%q\n' "$name" "$rest"; else echo "unset $name"; fi
  done
}

# A colon-separated list without one of its folders, so that a second eval doesn't lengthen it.
without() { printf '%s' "$1" | tr ':' '\n' | grep -vxF -- "$2" | paste -sd: -; }
