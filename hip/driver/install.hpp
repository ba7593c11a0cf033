// Where things are: the ROCm-shaped root that this program belongs to, and the clang that compiles for it.
// Knows nothing of command lines.
#pragma once
#include "base/status.hpp"

#include <string>
#include <vector>

namespace bz::driver {

struct Install {
  std::string root;      ///< has bin, include, lib, amdgcn/bitcode
  std::string clang_dir; ///< has clang and clang++
};

/// HIP_PATH, else ROCM_PATH, else the folder above the one that this program is in; HIP_CLANG_PATH, else root/llvm/bin.
Expected<Install> find_install();

/// "7.1.25424-boltzmann"
std::string hip_version();

struct Gpu {
  std::string processor; ///< "gfx942"
  std::string target;    ///< "gfx942:sramecc+:xnack-"
};
/// The GPUs of this machine in agent order, asked of root/lib/libhsa-runtime64.
Expected<std::vector<Gpu>> find_gpus(const Install&);

} // namespace bz::driver
