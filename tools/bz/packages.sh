# Debian packages: which command needs which, how they get installed. Sourced by ../../bz. Knows Debian 12 and apt only.

# Groups build on each other: all need run's as well. What rtc adds (700 MB installed, with LLVM's headers) is for programs
# that compile kernels at run time; the build takes it up where it is installed.
packages_of() {
  local run="cmake ninja-build ccache clang-22 clang-tools-22 lld-22 llvm-22 libclc-22 g++ libfmt-dev libtoml11-dev libzstd-dev libdw-dev"
  local rtc="llvm-22-dev libclang-22-dev liblld-22-dev"
  case "$1" in
    run) echo "$run" ;;
    rtc) echo "$run $rtc" ;;
    # The second line: programs that aren't ours, run on our driver interface and on our HSA runtime.
    test) echo "$run libgtest-dev llvm-22-dev" \
      "libhsakmt1 libhsa-runtime64-1 rocminfo gcc-12-offload-amdgcn libgomp-plugin-amdgcn1" ;;
    sanitize) echo "$(packages_of test) libclang-rt-22-dev" ;; # the sanitizers' runtimes
    # Native code is measured too, so its compiler is built as well (llvm-22-dev).
    bench) echo "$run libgtest-dev llvm-22-dev libbenchmark-dev pocl-opencl-icd ocl-icd-opencl-dev" \
      "libopenblas0-openmp libopenblas-openmp-dev libdnnl-dev" ;;
    *) die "there is no package group '$1'" "the groups are run, rtc, test, sanitize and bench" ;;
  esac
}

# missing_packages NAME...: those of the names that are not installed.
missing_packages() {
  local installed name
  installed=" $(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p' | tr '\n' ' ') "
  for name in "$@"; do
    case "$installed" in *" $name "*) ;; *) echo "$name" ;; esac
  done
}

os_name() { (. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-unknown}"); }
is_debian_12() { (. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ]); }

has_candidate() {
  local candidate
  candidate="$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')"
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

# Without network apt-get would retry for minutes; one retry and a short timeout tell the same.
apt() { DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=30 "$@" >&2; }

security_source_file=/etc/apt/sources.list.d/boltzmann-bookworm-security.list

# LLVM 22 comes from bookworm-security. A machine without that source gets it, at the mirror that it already uses.
enable_security_source() {
  local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  if cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    grep -v '^ *#' | grep -q bookworm-security; then return 0; fi
  mirror="$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    grep -v '^ *#' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ')"
  [ -n "$mirror" ] || die "no apt source for bookworm-security, where LLVM 22 comes from" \
    "add Debian's security source for bookworm to /etc/apt/sources.list (see man sources.list), then run this again"
  mirror="${mirror%/}"
  say "adding the source bookworm-security ($security_source_file): LLVM 22 comes from there"
  echo "deb $([ -f $keyring ] && echo "[signed-by=$keyring] ")${mirror%/debian}/debian-security bookworm-security main" \
    >"$security_source_file" || die "cannot write $security_source_file"
}

# install_packages NAME...: as root. Says what it installs, asks nothing.
install_packages() {
  say "installing Debian packages: $*"
  enable_security_source
  require_disk /usr 2500 "installing the packages"
  local name
  # Lists may be empty (container images) or older than the names: update first, it costs seconds.
  apt update || die "apt-get update failed" "is there a network? behind a proxy, set http_proxy" \
    "a broken source is named above: mend /etc/apt/sources.list.d"
  for name in "$@"; do
    has_candidate "$name" || die "apt knows no package $name" \
      "if fetching failed above: there is no network, or a proxy is needed (http_proxy)" \
      "otherwise check the apt sources of this machine: bookworm main and bookworm-security main are needed"
  done
  apt install -y --no-install-recommends "$@" && return 0
  die "apt-get could not install the packages" "the reason stands above: no network, no disk space, or another apt is running" \
    "to repair an interrupted installation: dpkg --configure -a"
}

# What has to be there for a group where packages can't be asked for (another distribution).
check_programs() {
  local program missing=""
  for program in cmake ninja clang-22 clang++-22 ld.lld-22 clang-offload-bundler-22; do
    command -v "$program" >/dev/null || missing="$missing $program"
  done
  [ -z "$missing" ] || die "this is $(os_name), and these programs are missing:$missing" \
    "bz installs packages on Debian 12 only; install them yourself, or use a Debian 12 container" \
    "what is needed, by its Debian 12 names: $(packages_of "$1")"
}

# require_packages GROUP: returns when all are installed. A stamp makes the second time cost nothing.
require_packages() {
  local list missing stamp="$BZ_BUILD/.packages-$1" key
  list="$(packages_of "$1")" || exit
  key="$list $(stat -c %Y /var/lib/dpkg/status 2>/dev/null)"
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$key" ] && return 0
  if ! command -v dpkg-query >/dev/null || ! is_debian_12; then
    check_programs "$1"
  else
    missing="$(missing_packages $list | tr '\n' ' ')"
    missing="${missing% }"
    if [ -n "$missing" ] && [ -n "${BZ_NO_INSTALL:-}" ]; then
      die "Debian packages are missing: $missing" "BZ_NO_INSTALL is set, so install them yourself"
    elif [ -n "$missing" ] && is_root; then
      install_packages $missing
      key="$list $(stat -c %Y /var/lib/dpkg/status)"
    elif [ -n "$missing" ]; then
      say "error: Debian packages are missing: $missing"
      remedy "as you are not root, install them with this one command, then run bz again:"
      printf '\n    sudo %q packages %s\n\n' "$BZ_HOME/bz" "$1" >&2
      exit 2
    fi
  fi
  mkdir -p "$BZ_BUILD" 2>/dev/null && echo "$key" 2>/dev/null >"$stamp"
  return 0
}

packages_help() {
  cat <<'EOF'
usage: ./bz packages [run|rtc|test|sanitize|bench]

Installs the Debian 12 packages that a command needs (default: run), as root. The other commands do the same by
themselves when root calls them, so this is for `sudo ./bz packages`, and for rtc: compiling kernels at run time
(hipRTC, hipLink), which `./bz build` takes up when its packages are there. BZ_NO_INSTALL=1 keeps bz from installing.
`sanitize` is what `./bz test --sanitize` and `./bz test --all` need.
EOF
}

bz_packages() {
  case "${1:-run}" in
    -h | --help) packages_help; return ;;
    run | rtc | test | sanitize | bench) ;;
    *) unknown_option packages "$1" ;;
  esac
  is_debian_12 || die "this is $(os_name); bz installs packages on Debian 12 only" \
    "what is needed, by its Debian 12 names: $(packages_of "${1:-run}")"
  local list missing
  list="$(packages_of "${1:-run}")" || exit
  missing="$(missing_packages $list | tr '\n' ' ')"
  if [ -z "$missing" ]; then
    say "all packages for '${1:-run}' are installed"
  elif is_root; then
    install_packages $missing
  else
    die "installing packages needs root" "sudo $BZ_HOME/bz packages ${1:-run}"
  fi
}
