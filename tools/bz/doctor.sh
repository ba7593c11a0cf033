# bz doctor: looks at machine, packages, build and devices, changes nothing. Sourced by ../../bz.

doctor_help() {
  cat <<'EOF'
usage: ./bz doctor

Says what it finds about CPU, memory, system, packages, compiler, build and GPUs, and what to do about each gap.
Changes nothing. The exit code is 1 if something is missing that running a program needs.
EOF
}

doctor_gaps=0
good() { printf '  ok    %-14s %s\n' "$1" "$2"; }
note() { printf '  note  %-14s %s\n' "$1" "$2"; shift 2; [ $# -eq 0 ] || printf '                       -> %s\n' "$@"; }
gap() {
  doctor_gaps=$((doctor_gaps + 1))
  printf '  GAP   %-14s %s\n' "$1" "$2"
  shift 2
  [ $# -eq 0 ] || printf '                       -> %s\n' "$@"
}

bz_doctor() {
  case "${1:-}" in
    -h | --help) doctor_help; return ;;
    "") ;;
    *) unknown_option doctor "$1" ;;
  esac
  echo "machine"
  doctor_machine
  echo "packages and compiler"
  doctor_packages
  echo "build"
  doctor_build
  echo "GPUs"
  doctor_gpus
  if [ $doctor_gaps -eq 0 ]; then echo "everything that a program needs is here"; else
    echo "$doctor_gaps gap(s): see the lines marked GAP"
    return 1
  fi
}

doctor_machine() {
  local missing flags extra="" feature memory free
  if is_debian_12; then good system "$(os_name), kernel $(uname -r)"; else
    note system "$(os_name): bz installs packages on Debian 12 only" "install the programs named below yourself, or use a Debian 12 container"
  fi
  missing="$(missing_cpu_features)"
  flags=" $(grep -m1 '^flags' /proc/cpuinfo) "
  for feature in avx512f avx512bw avx512_vnni avx512_bf16 avx512_fp16 amx_tile; do
    case "$flags" in *" $feature "*) extra="$extra $feature" ;; esac
  done
  if [ "$(uname -m)" != x86_64 ]; then gap CPU "$(uname -m)" "Boltzmann runs on x86-64 only"
  elif [ -n "$missing" ]; then gap CPU "lacks $missing" "x86-64-v3 is the floor; in a virtual machine pass the host's CPU type through"
  else
    good CPU "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, x86-64-v3"
    if [ -n "$extra" ]; then good vectors "beyond the floor:$extra"; else
      note vectors "no AVX-512: the AVX2 engine is used" "nothing to do; kernels run slower than they would with AVX-512"
    fi
  fi
  memory="$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)"
  if [ "$memory" -ge 2000 ]; then good memory "$memory MB available"; else
    gap memory "$memory MB available" "building needs about 2,000 MB for each job: BZ_JOBS=1 ./bz build"
  fi
  free="$(df -Pm "$BZ_HOME" | awk 'NR == 2 { print $4 }')"
  if [ "$free" -ge 1500 ]; then good disk "$free MB free for the build"; else
    gap disk "$free MB free" "a build with tests needs about 1,500 MB; BZ_BUILD_DIR puts it elsewhere"
  fi
  case "$(ulimit -v)" in
    unlimited) ;;
    *) note "address space" "limited to $(ulimit -v) kB" "GPU memory is a large reservation of addresses: ulimit -v unlimited" ;;
  esac
  case "$(cat /proc/sys/vm/overcommit_memory 2>/dev/null)" in
    2) note overcommit "vm.overcommit_memory is 2" "the reservation for GPU memory may fail: sysctl vm.overcommit_memory=0" ;;
  esac
}

doctor_packages() {
  local group missing known="" user
  if command -v dpkg-query >/dev/null; then
    for group in run rtc test sanitize bench; do
      missing="$(missing_packages $(packages_of $group) | grep -vxF "${known:-none}" | tr '\n' ' ')" # only what is new
      case $group in # whose packages the next group's line need not repeat; who else installs this group's
        run) known="$(packages_of run | tr ' ' '\n')" user="" ;;
        rtc) user="" ;;
        test) known="$(packages_of test | tr ' ' '\n')" user="test" ;;
        sanitize) known="$(packages_of run | tr ' ' '\n')" user="test --sanitize asan" ;;
        bench) user="bench" ;;
      esac
      if [ -z "$missing" ]; then good "for $group" "all installed"
      elif [ $group = run ]; then gap "for $group" "missing: $missing" "$(is_root || echo 'sudo ')./bz packages $group"
      else note "for $group" "missing: $missing" "$(is_root || echo 'sudo ')./bz packages $group${user:+, or let ./bz $user do it as root}"
      fi
    done
  fi
  if command -v clang++-22 >/dev/null; then good compiler "$(clang++-22 --version | head -n 1)"; else
    gap compiler "no clang++-22" "it comes from bookworm-security: ./bz packages run"
  fi
  if clang++-22 --print-targets 2>/dev/null | grep -q amdgcn; then good "GPU target" "this clang compiles for amdgcn"
  elif command -v clang++-22 >/dev/null; then gap "GPU target" "this clang++-22 has no amdgcn back end" "use Debian's own clang-22"
  fi
  if [ -f /usr/lib/clc/amdgcn-amd-amdhsa.bc ]; then good libclc "/usr/lib/clc/amdgcn-amd-amdhsa.bc"; else
    gap libclc "no amdgcn-amd-amdhsa.bc" "./bz packages run (libclc-22)"
  fi
  local other
  other="$(missing_packages libamdhip64-5 libhsa-runtime64-1 libhsakmt1 | wc -l)"
  [ "$other" -eq 3 ] || note "other ROCm" "Debian's own ROCm libraries are installed" \
    "programs made by this build's hipcc find this build's libraries; for others: eval \"\$(./bz env)\""
  [ ! -d /opt/rocm ] || note "other ROCm" "/opt/rocm exists" "eval \"\$(./bz env)\" puts this build in front of it"
  case ":${LD_LIBRARY_PATH:-}:" in
    *:/opt/rocm*) note "LD_LIBRARY_PATH" "names /opt/rocm" "eval \"\$(./bz env)\" puts this build in front of it" ;;
  esac
}

doctor_build() {
  if [ ! -f "$BZ_BUILD/build.ninja" ]; then
    gap build "nothing is built in $BZ_BUILD" "./bz build (./bz run does it by itself)"
    return
  fi
  local file
  for file in bin/hipcc lib/libamdhip64.so lib/libhsa-runtime64.so lib/libhsakmt.so lib/libboltzmann-kfd.so.1 lib/libboltzmann-shim.so amdgcn/bitcode/ocml.bc; do
    if [ -e "$BZ_ROOT/$file" ]; then good built "$file"; else gap built "$file is missing" "./bz build"; fi
  done
}

doctor_gpus() {
  note BZ_GPUS "${BZ_GPUS:-not set: one gfx942 device sized to this machine}"
  local lister="$BZ_ROOT/bin/amdgpu-arch" found
  if [ -x "$lister" ]; then
    if found="$(LD_LIBRARY_PATH="$BZ_ROOT/lib" "$lister" 2>&1)"; then
      good devices "$(printf '%s' "$found" | paste -sd' ' -)"
    else
      gap devices "$(printf '%s' "$found" | head -n 1)" "is BZ_GPUS right? docs/guide.md lists what it takes"
    fi
  fi
  if [ -e /dev/kfd ]; then
    if [ -r /dev/kfd ] && [ -w /dev/kfd ]; then
      note /dev/kfd "this machine has an AMD GPU driver; the software GPU is used all the same" "BZ_GPUS=hw uses the hardware"
    else
      note /dev/kfd "is there, but $(id -un) may not use it" "only for BZ_GPUS=hw: usermod -aG render,video $(id -un), then log in again"
    fi
  else
    good /dev/kfd "not there, and not needed: the software GPU is in the process"
  fi
}
