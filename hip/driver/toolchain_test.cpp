// The toolchain as its user meets it: hipcc with real compilations. Every public header alone, hipcc's options, what the
// device headers and libraries make of source (seen in the assembly). Runs compilers, needs no GPU.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;

const std::string kRoot = BZ_ROCM_ROOT_DIR;
const std::string kHipcc = kRoot + "/bin/hipcc";

struct Outcome {
  int status = -1;
  std::string output;
};
Outcome run(const std::string& command) {
  Outcome result;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return result;
  std::array<char, 4096> buffer;
  while (size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), n);
  int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

class Toolchain : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/bz_toolchain_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    dir = name;
  }
  void TearDown() override { fs::remove_all(dir); }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(dir + "/" + name) << text;
    return dir + "/" + name;
  }
  Outcome hipcc(const std::string& args) { return run("cd " + dir + " && " + kHipcc + " " + args); }
  /// Device assembly of a source.
  std::string assembly(const std::string& source, const std::string& target, const std::string& flags = "-O3") {
    file("a.hip", "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n" + source);
    Outcome r = hipcc("--cuda-device-only -S --no-gpu-bundle-output a.hip -o - " + flags + " --offload-arch=" + target);
    EXPECT_EQ(r.status, 0) << r.output;
    return r.output;
  }
  bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
  std::string dir;
};

std::vector<std::string> public_headers(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot + "/include/" + folder))
    if (entry.path().extension() == ".h") names.push_back(folder + "/" + entry.path().filename().string());
  return names;
}

TEST_F(Toolchain, EveryHeaderStandsAlone) {
  size_t count = 0;
  for (const char* folder : {"hip", "hip/amd_detail"})
    for (const std::string& header : public_headers(folder)) {
      file("one.hip", "#include <" + header + ">\n#include <" + header + ">\nint main() { return 0; }\n");
      // Details are for the device pass alone; whole headers are read by both passes.
      std::string pass = folder == std::string("hip") ? "" : " --cuda-device-only";
      Outcome r = hipcc("-Wall -Wextra -Werror -fsyntax-only one.hip --offload-arch=gfx942" + pass);
      EXPECT_EQ(r.status, 0) << header << "\n" << r.output;
      ++count;
    }
  EXPECT_GT(count, 35u);
}

TEST_F(Toolchain, HostCompilersTakeThePublicHeaders) {
  bool gcc = run("gcc --version").status == 0;
  for (const std::string& header : public_headers("hip")) {
    std::string text = "#include <" + header + ">\nint main(void) { return 0; }\n";
    file("one.c", text);
    file("one.cpp", text);
    std::string flags = " -D__HIP_PLATFORM_AMD__ -Wall -Wextra -Werror -fsyntax-only -I" + kRoot + "/include " + dir;
    std::vector<std::string> commands = {"clang-22" + flags + "/one.c", "clang++-22 -std=c++17" + flags + "/one.cpp"};
    if (gcc) {
      commands.push_back("gcc" + flags + "/one.c");
      commands.push_back("g++ -std=c++14" + flags + "/one.cpp");
    }
    for (const std::string& command : commands) {
      Outcome r = run(command);
      EXPECT_EQ(r.status, 0) << command << "\n" << header << "\n" << r.output;
    }
  }
}

// Where a distribution's HIP headers are installed, they come behind ours. CPLUS_INCLUDE_PATH stands for /usr/include.
TEST_F(Toolchain, AnotherHipInTheSystemFoldersLoses) {
  fs::create_directories(dir + "/system/hip");
  for (const char* name : {"hip_runtime.h", "hip_version.h", "hip_runtime_api.h"})
    file(std::string("system/hip/") + name, "#error the system's header was taken\n");
  file("a.cpp", "#include <hip/hip_runtime.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
  Outcome r = run("cd " + dir + " && CPLUS_INCLUDE_PATH=" + dir + "/system " + kHipcc + " -c a.cpp --offload-arch=gfx942");
  EXPECT_EQ(r.status, 0) << r.output;
  if (fs::exists("/usr/include/hip/hip_version.h")) {
    file("b.cpp", "#include <hip/hip_version.h>\n#if HIP_VERSION_MAJOR != 7\n#error the system's version\n#endif\n");
    EXPECT_EQ(hipcc("-c b.cpp --offload-arch=gfx942").status, 0);
  }
}

TEST_F(Toolchain, CompilesAndBundlesEveryTarget) {
  file("a.cpp", "#include <hip/hip_runtime.h>\n__global__ void k(int* p) { *p = 1; }\n");
  Outcome r = hipcc("--genco a.cpp -o a.hsaco --offload-arch=gfx906 --offload-arch=gfx90a,gfx942");
  ASSERT_EQ(r.status, 0) << r.output;
  std::ifstream in(dir + "/a.hsaco", std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  EXPECT_EQ(bytes.str().substr(0, 24), "__CLANG_OFFLOAD_BUNDLE__");
  for (const char* target : {"gfx906", "gfx90a", "gfx942"})
    EXPECT_TRUE(contains(bytes.str().substr(0, 4096), std::string("amdgcn-amd-amdhsa--") + target)) << target;
  EXPECT_EQ(hipcc("-S a.cpp -o a.s --offload-arch=gfx942 --cuda-host-only").status, 0);
  EXPECT_TRUE(contains(hipcc("-E a.cpp --offload-arch=gfx942").output, "void k(int"));
}

TEST_F(Toolchain, ErrorsComeThrough) {
  file("a.cpp", "int main() { return undeclared; }\n");
  Outcome r = hipcc("-c a.cpp --offload-arch=gfx942");
  EXPECT_NE(r.status, 0);
  EXPECT_TRUE(contains(r.output, "undeclared"));
  EXPECT_NE(hipcc("-c a.cpp --offload-arch=gfx9999").status, 0);
  EXPECT_NE(hipcc("-c missing.cpp --offload-arch=gfx942").status, 0);
  EXPECT_NE(hipcc("").status, 0);
}

TEST_F(Toolchain, DryRunAndQuestions) {
  file("a.cpp", "int main() {}\n");
  Outcome r = hipcc("-### -c a.cpp --offload-arch=gfx942");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(contains(r.output, "gfx942"));
  EXPECT_FALSE(fs::exists(dir + "/a.o"));
  EXPECT_TRUE(contains(hipcc("--version").output, "HIP version: 7."));
  EXPECT_TRUE(contains(hipcc("--version").output, "clang version 22"));
  EXPECT_TRUE(contains(hipcc("--help").output, "--offload-arch"));
  Outcome verbose = run("cd " + dir + " && HIPCC_VERBOSE=7 " + kHipcc + " -c a.cpp --offload-arch=gfx942");
  EXPECT_TRUE(contains(verbose.output, "hipcc-cmd:"));
  EXPECT_TRUE(contains(verbose.output, "HIP_PATH="));
  EXPECT_TRUE(contains(verbose.output, "hipcc-args:"));
}

TEST_F(Toolchain, HipconfigAnswersEveryOption) {
  const std::string program = "env -u ROCM_PATH -u HIP_PATH -u HIP_CLANG_PATH " + kRoot + "/bin/hipconfig ";
  const std::string flags = " -D__HIP_PLATFORM_HCC__= -D__HIP_PLATFORM_AMD__= -I" + kRoot + "/include";
  const std::string version = run(kHipcc + " --short-version").output;
  const struct {
    const char *shorter, *longer;
    std::string answer;
  } options[] = {{"-P", "--platform", "amd"},      {"-c", "--compiler", "clang"},
                 {"-r", "--runtime", "rocclr"},    {"-p", "--path", kRoot},
                 {"-R", "--rocmpath", kRoot},      {"-l", "--hipclangpath", kRoot + "/llvm/bin"},
                 {"-C", "--cpp_config", flags},    {"-v", "--version", version.substr(0, version.find('\n'))}};
  for (const auto& option : options)
    for (const char* spelling : {option.shorter, option.longer}) {
      Outcome r = run(program + spelling);
      EXPECT_EQ(r.status, 0) << spelling;
      EXPECT_EQ(r.output, option.answer) << spelling;
      for (const char* newline : {"-n", "--newline"})
        EXPECT_EQ(run(program + newline + " " + spelling).output, option.answer + "\n") << spelling;
    }
  EXPECT_EQ(run(program + "-p -c").output, kRoot + "clang");
  for (const char* full : {"", "-f", "--full"})
    for (const char* part : {"HIP version: 7.", "HIP_PLATFORM       :amd", "HIP_CLANG_PATH", "clang version 22", "CPP_CONFIG"})
      EXPECT_TRUE(contains(run(program + full).output, part)) << full << " has " << part;
  for (const char* help : {"-h", "--help"})
    for (const auto& option : options) EXPECT_TRUE(contains(run(program + help).output, option.longer)) << option.longer;
  EXPECT_NE(run(program + "--nonsense").status, 0);
  EXPECT_TRUE(contains(run(program + "--nonsense").output, "--nonsense"));
  // The environment moves the answers; a folder that is no installation is an error, and a partial one is found out.
  fs::create_directories(dir + "/other/include/hip");
  file("other/include/hip/hip_version.h", "");
  EXPECT_EQ(run("ROCM_PATH=" + dir + "/other " + kRoot + "/bin/hipconfig --rocmpath").output, dir + "/other");
  EXPECT_EQ(run("HIP_CLANG_PATH=" + kRoot + "/llvm/bin/ " + kRoot + "/bin/hipconfig -l").output, kRoot + "/llvm/bin/");
  EXPECT_NE(run("ROCM_PATH=" + dir + " " + kRoot + "/bin/hipconfig --rocmpath").status, 0);
  Outcome check = run("ROCM_PATH=" + dir + "/other " + kRoot + "/bin/hipconfig --check");
  EXPECT_EQ(check.status, 1);
  EXPECT_TRUE(contains(check.output, "MISSING  " + dir + "/other/amdgcn/bitcode/ocml.bc")) << check.output;
}

TEST_F(Toolchain, LlvmIsWhereRocmHasIt) {
  for (const char* program : {"clang", "clang++", "lld", "ld.lld", "llvm-mc", "llvm-objdump", "llvm-readelf", "llvm-nm", "llvm-ar",
                              "llvm-link", "llvm-dis", "llvm-objcopy", "opt", "llc", "clang-offload-bundler"})
    for (const char* folder : {"/llvm/bin/", "/lib/llvm/bin/"})
      EXPECT_EQ(access((kRoot + folder + program).c_str(), X_OK), 0) << folder << program;
  file("a.s", "s_endpgm\n");
  Outcome r = run("cd " + dir + " && " + kRoot + "/llvm/bin/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj a.s -o a.o && " +
                  kRoot + "/llvm/bin/llvm-objdump -d a.o");
  EXPECT_TRUE(contains(r.output, "s_endpgm")) << r.output;
}

TEST_F(Toolchain, LinksWithTheRuntime) {
  if (!fs::exists(kRoot + "/lib/libamdhip64.so")) GTEST_SKIP() << "libamdhip64 isn't built";
  file("main.cpp", "#include <hip/hip_runtime.h>\n__global__ void k() {}\nextern \"C\" int c_part(void);\n"
                   "int main(int argc, char**) { if (argc > 5) k<<<1, 1>>>(); return c_part(); }\n");
  file("part.c", "#include <hip/hip_runtime_api.h>\n#ifdef __cplusplus\n#error not C\n#endif\n"
                 "int c_part(void) { return hipSuccess; }\n");
  for (const char* args : {"main.cpp part.c -o a", "-c main.cpp part.c && KHIPCC main.o part.o -o a",
                           "-shared -fPIC part.c -o libpart.so && KHIPCC main.cpp -L. -lpart -Wl,-rpath,$PWD -o a"}) {
    std::string command = args;
    size_t at = command.find("KHIPCC");
    if (at != std::string::npos) command.replace(at, 6, kHipcc);
    Outcome r = hipcc("--offload-arch=gfx942 " + command);
    ASSERT_EQ(r.status, 0) << args << "\n" << r.output;
    EXPECT_TRUE(contains(run("readelf -d " + dir + "/a").output, "libamdhip64.so.7")) << args;
    EXPECT_EQ(run("cd " + dir + " && env -u LD_LIBRARY_PATH ldd ./a | grep 'not found'").status, 1) << args;
    fs::remove(dir + "/a");
  }
}

TEST_F(Toolchain, RelocatableDeviceCode) {
  if (!fs::exists(kRoot + "/lib/libamdhip64.so")) GTEST_SKIP() << "libamdhip64 isn't built";
  file("a.cpp", "#include <hip/hip_runtime.h>\n__device__ int twice(int);\n__global__ void k(int* p) { *p = twice(*p); }\n"
                "int main() { return 0; }\n");
  file("b.cpp", "#include <hip/hip_runtime.h>\n__device__ int twice(int x) { return 2 * x; }\n");
  std::string arch = " --offload-arch=gfx906 --offload-arch=gfx90a ";
  Outcome r = hipcc("-fgpu-rdc -c a.cpp" + arch + "&& " + kHipcc + " -fgpu-rdc -c b.cpp" + arch + "&& " + kHipcc +
                " -fgpu-rdc --hip-link a.o b.o -o a" + arch);
  EXPECT_EQ(r.status, 0) << r.output;
  // Without the second file the device link must fail, by the missing name.
  r = hipcc("-fgpu-rdc --hip-link a.o -o b" + arch);
  EXPECT_NE(r.status, 0);
  EXPECT_TRUE(contains(r.output, "twice")) << r.output;
}

TEST_F(Toolchain, CMakeTakesItAsCompiler) {
  if (!fs::exists(kRoot + "/lib/libamdhip64.so")) GTEST_SKIP() << "libamdhip64 isn't built";
  file("CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(probe LANGUAGES C CXX)\nset(CMAKE_CXX_STANDARD 17)\n"
                         "add_library(part SHARED part.cpp)\nadd_executable(main main.cpp)\ntarget_link_libraries(main part)\n");
  file("part.cpp", "#include <hip/hip_runtime.h>\n__global__ void k() {}\nint part() { return (int)hipSuccess; }\n");
  file("main.cpp", "int part();\nint main() { return part(); }\n");
  Outcome r = run("cd " + dir + " && cmake -S . -B b -DCMAKE_CXX_COMPILER=" + kHipcc + " -DCMAKE_C_COMPILER=" + kHipcc +
              " -DCMAKE_CXX_FLAGS=--offload-arch=gfx942 && cmake --build b && b/main");
  EXPECT_EQ(r.status, 0) << r.output;
}

// ---- What the device headers and libraries become -------------------------------------------------------------------

TEST_F(Toolchain, LaneFunctions) {
  std::string a = assembly("__global__ void k(int* p) { p[threadIdx.x] = __shfl_xor(p[threadIdx.x], 5); }", "gfx942");
  EXPECT_TRUE(contains(a, "ds_bpermute_b32")) << a;
  a = assembly("__global__ void k(unsigned long long* p) { *p = __ballot(p[1] == threadIdx.x); }", "gfx906");
  EXPECT_TRUE(contains(a, "v_cmp_"));
  a = assembly("__global__ void k(int* p) { if (warpSize == 32) p[1] = 7; p[0] = warpSize; }", "gfx906");
  EXPECT_TRUE(contains(a, ", 64")) << a;
}

TEST_F(Toolchain, AtomicsPerTarget) {
  std::string source = "__global__ void k(float* p) { atomicAdd(p, 1.5f + threadIdx.x); }";
  EXPECT_TRUE(contains(assembly(source, "gfx942"), "global_atomic_add_f32"));
  EXPECT_TRUE(contains(assembly(source, "gfx906"), "cmpswap"));
  std::string unsafe = "__global__ void k(float* p) { unsafeAtomicAdd(p, 1.5f + threadIdx.x); }";
  EXPECT_TRUE(contains(assembly(unsafe, "gfx90a"), "global_atomic_add_f32"));
  EXPECT_TRUE(contains(assembly("__global__ void k(unsigned* p) { atomicInc(p, 9); }", "gfx906"), "atomic_inc"));
}

TEST_F(Toolchain, BarriersAndLds) {
  std::string a = assembly("__global__ void k(int* p) { extern __shared__ int s[]; s[threadIdx.x] = p[threadIdx.x];\n"
                           "__syncthreads(); p[threadIdx.x] = s[threadIdx.x ^ 1]; }\n", "gfx942");
  EXPECT_TRUE(contains(a, "s_barrier"));
  EXPECT_TRUE(contains(a, "ds_write_b32"));
  a = assembly("__global__ void __launch_bounds__(192) k(int* p) { *p = __syncthreads_count(p[threadIdx.x]); }", "gfx90a");
  EXPECT_TRUE(contains(a, ".max_flat_workgroup_size: 192")) << a;
}

TEST_F(Toolchain, PrintfAsksForTheHostCallBuffer) {
  std::string a = assembly("__global__ void k(int x) { printf(\"%d\\n\", x); }", "gfx942");
  EXPECT_TRUE(contains(a, "hidden_hostcall_buffer")) << a;
  EXPECT_FALSE(contains(a, "hidden_printf_buffer"));
  a = assembly("#include <cassert>\n__global__ void k(int x) { assert(x > 3); }", "gfx906");
  EXPECT_TRUE(contains(a, "s_trap 2"));
  EXPECT_TRUE(contains(a, "hidden_hostcall_buffer"));
  a = assembly("__global__ void k(int* x) { *x = 3; }", "gfx942");
  EXPECT_FALSE(contains(a, "hidden_hostcall_buffer")) << "a kernel without host calls must not ask for the buffer";
}

TEST_F(Toolchain, TexturesFailByNameWhereThereAreNoImages) {
  file("a.hip", "#include <hip/hip_runtime.h>\n__global__ void k(hipTextureObject_t t, float* p) { *p = tex2D<float>(t, 1.0f, 2.0f); }\n");
  Outcome r = hipcc("-c a.hip --offload-arch=gfx942");
  EXPECT_NE(r.status, 0);
  EXPECT_TRUE(contains(r.output, "tex2D: ")) << r.output;
  for (const char* target : {"gfx906", "gfx90a"}) {
    r = hipcc(std::string("-c a.hip --offload-arch=") + target);
    EXPECT_EQ(r.status, 0) << r.output;
  }
}

TEST_F(Toolchain, OldCodeObjectVersions) {
  std::string source = "__global__ void k(int* p) { p[0] = gridDim.x * blockDim.y; printf(\"%d\", p[1]); }";
  for (const char* version : {"4", "5", "6"}) {
    std::string a = assembly(source, "gfx906", std::string("-O2 -mcode-object-version=") + version);
    EXPECT_TRUE(contains(a, "hidden_hostcall_buffer")) << version;
  }
}

} // namespace
