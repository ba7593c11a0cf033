# bz cache: the native code of kernels that is kept on disk (exec/native/cache.hpp). Sourced by ../../bz.

cache_help() {
  cat <<'EOF'
usage: ./bz cache stat|clear

stat    where native code of kernels is kept, how many images, how large, when the oldest was used last
clear   remove all of it; running programs are not disturbed

BZ_CACHE_DIR names the folder (default: boltzmann/kernels in XDG_CACHE_HOME or ~/.cache), BZ_CACHE_MB limits it (512),
BZ_CACHE=0 turns it off.
EOF
}

cache_folder() {
  local base="${XDG_CACHE_HOME:-}"
  if [ -n "${BZ_CACHE_DIR:-}" ]; then echo "$BZ_CACHE_DIR"; return; fi
  case "$base" in
    /*) ;;
    *) [ -n "${HOME:-}" ] || die "neither BZ_CACHE_DIR nor HOME is set, so nothing is kept"; base="$HOME/.cache" ;;
  esac
  echo "$base/boltzmann/kernels"
}

bz_cache() {
  local folder
  case "${1:-}" in -h | --help) cache_help; return ;; stat | clear) ;; "") cache_help; return 1 ;; *) unknown_option cache "$1" ;; esac
  folder="$(cache_folder)" || exit 2
  if [ ! -d "$folder" ]; then
    echo "$folder: nothing is kept yet"
    return
  fi
  if [ "$1" = stat ]; then
    echo "$folder"
    find "$folder" -maxdepth 1 -type f -name '*.image' -printf '%s %T@ %Tc\n' | sort -k2n |
      awk '{ n++; bytes += $1; if (n == 1) { $1 = $2 = ""; oldest = substr($0, 3) } }
           END { printf "%d images, %.1f MB\n", n, bytes / 1048576; if (n) print "used longest ago: " oldest }'
  else
    # Only what the cache writes, and what a writer may have left.
    find "$folder" -maxdepth 1 -type f -regextype posix-extended -regex '.*/[0-9a-f]{32}\.image(\.[0-9]+\.[0-9]+)?' -delete ||
      die "some of $folder can't be removed"
    echo "$folder: cleared"
  fi
}
