// hipRTC without a GPU: what every function does and refuses, options, logs, names. The target is named in each compilation.
#include "api/testing/bad_input.hpp"
#include "hip/rtc/rtc_support.hpp"

#include <dlfcn.h>

#include <cstring>
#include <fstream>
#include <thread>

namespace {

constexpr const char* kTarget = "--offload-arch=gfx942";
constexpr const char* kSaxpy = R"(
extern "C" __global__ void saxpy(float a, const float* x, float* y, size_t n) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
})";

bool is_code_object(const std::string& bytes) {
  return bytes.size() > 64 && bytes.starts_with("\177ELF") && bytes[18] == char(224); // EM_AMDGPU
}

/// Bytes 48 to 51 of the header: processor in the low byte, then xnack and sramecc.
unsigned elf_flags(const std::string& bytes) {
  unsigned flags = 0;
  std::memcpy(&flags, bytes.data() + 48, 4);
  return flags;
}

TEST(Rtc, EveryRowIsASymbolWithItsVersion) {
  void* library = dlopen("libhiprtc.so.7", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr) << "the test is linked with the library";
  int rows = 0;
  auto check = [&](const char* name, std::string node) {
    node[node.rfind('_')] = '.';
    EXPECT_NE(dlvsym(library, name, node.c_str()), nullptr) << name << '@' << node;
    ++rows;
  };
#define RTC(name, version, ...) check(#name, #version);
#define TEXT(name, version, ...) check(#name, #version);
#include "api/hiprtc.def"
#undef RTC
#undef TEXT
  EXPECT_EQ(rows, 18);
  // The compiler is far too large to be loaded by programs that compile nothing.
  EXPECT_EQ(dlopen("libboltzmann-rtc.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr) << "this test must run first";
}

TEST(Rtc, VersionAndErrorStrings) {
  int major = 0, minor = -1;
  EXPECT_RTC(HIPRTC_SUCCESS, hiprtcVersion(&major, &minor));
  EXPECT_EQ(major, 7);
  EXPECT_EQ(minor, 1);
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcVersion(nullptr, &minor));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcVersion(&major, nullptr));
  EXPECT_STREQ(hiprtcGetErrorString(HIPRTC_SUCCESS), "HIPRTC_SUCCESS");
  EXPECT_STREQ(hiprtcGetErrorString(HIPRTC_ERROR_LINKING), "HIPRTC_ERROR_LINKING");
  EXPECT_STREQ(hiprtcGetErrorString(HIPRTC_ERROR_INTERNAL_ERROR), "HIPRTC_ERROR_INTERNAL_ERROR");
  EXPECT_STREQ(hiprtcGetErrorString(static_cast<hiprtcResult>(12)), "Invalid HIPRTC error code");
  EXPECT_STREQ(hiprtcGetErrorString(static_cast<hiprtcResult>(-1)), "Invalid HIPRTC error code");
}

TEST(Rtc, CompilesToACodeObjectForTheTarget) {
  RtcProgram program(kSaxpy);
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget})) << program.log();
  EXPECT_EQ(program.log(), "");
  EXPECT_TRUE(is_code_object(program.code()));
  EXPECT_EQ(elf_flags(program.code()) & 0xff, 0x4cu); // gfx942
  EXPECT_TRUE(contains(program.code(), "saxpy.kd"));
  // Again, for another one, by the other spellings.
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({"--gpu-architecture=gfx90a:sramecc+:xnack-"})) << program.log();
  EXPECT_EQ(elf_flags(program.code()), 0x3fu | 0xe00u); // gfx90a, xnack off and sramecc on
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({"--gpu-architecture", "gfx906"})) << program.log();
  EXPECT_EQ(elf_flags(program.code()) & 0xff, 0x2fu);
}

TEST(Rtc, CreateRefusesWhatIsNotThere) {
  hiprtcProgram program = reinterpret_cast<hiprtcProgram>(1);
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(nullptr, kSaxpy, "x", 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, nullptr, "x", 0, nullptr, nullptr));
  EXPECT_EQ(program, nullptr);
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcCreateProgram(&program, kSaxpy, "x", -1, nullptr, nullptr));
  const char* text[] = {"int a;"};
  const char* none[] = {nullptr};
  EXPECT_RTC(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&program, kSaxpy, "x", 1, nullptr, text));
  EXPECT_RTC(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&program, kSaxpy, "x", 1, text, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&program, kSaxpy, "x", 1, none, text));
  EXPECT_RTC(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, hiprtcCreateProgram(&program, kSaxpy, "x", 1, text, none));
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcCreateProgram(&program, kSaxpy, nullptr, 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_SUCCESS, hiprtcDestroyProgram(&program));
}

TEST(Rtc, EveryFunctionRefusesNullForeignAndDestroyedPrograms) {
  hiprtcProgram ended = nullptr;
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcCreateProgram(&ended, kSaxpy, "x", 0, nullptr, nullptr));
  const hiprtcProgram copy = ended;
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcDestroyProgram(&ended));
  EXPECT_EQ(ended, nullptr);
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcDestroyProgram(nullptr));
  int foreign = 0;
  for (hiprtcProgram p : {hiprtcProgram(nullptr), copy, reinterpret_cast<hiprtcProgram>(&foreign)}) {
    size_t size = 7;
    char text[8];
    const char* name = nullptr;
    hiprtcProgram again = p;
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcDestroyProgram(&again));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcCompileProgram(p, 0, nullptr));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcAddNameExpression(p, "x"));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetLoweredName(p, "x", &name));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetProgramLogSize(p, &size));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetProgramLog(p, text));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCodeSize(p, &size));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCode(p, text));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetBitcodeSize(p, &size));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetBitcode(p, text));
    EXPECT_EQ(size, 7u);
  }
}

TEST(Rtc, EveryFunctionRefusesNullArguments) {
  RtcProgram program(kSaxpy);
  const char* none[] = {nullptr};
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcCompileProgram(program.handle, 1, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcCompileProgram(program.handle, 1, none));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcCompileProgram(program.handle, -1, none));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcAddNameExpression(program.handle, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcAddNameExpression(program.handle, ""));
  const char* name = nullptr;
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetLoweredName(program.handle, nullptr, &name));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetLoweredName(program.handle, "x", nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetProgramLogSize(program.handle, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetProgramLog(program.handle, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetCodeSize(program.handle, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetCode(program.handle, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetBitcodeSize(program.handle, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcGetBitcode(program.handle, nullptr));
}

TEST(Rtc, ErrorsComeWithClangsWordsUnderTheProgramsName) {
  RtcProgram program("__global__ void k(int* p) {\n  *p = undeclared;\n}\n", "kernels/my \"own\".hip");
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, program.compile({kTarget}));
  EXPECT_TRUE(contains(program.log(), "kernels/my \"own\".hip:2:8: error: use of undeclared identifier 'undeclared'")) << program.log();
  EXPECT_TRUE(contains(program.log(), "*p = undeclared;\n")) << program.log();
  EXPECT_TRUE(contains(program.log(), "1 error generated")) << program.log();
  size_t size = 0;
  EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCodeSize(program.handle, &size));
  // A failure leaves nothing of an earlier success behind, nor the other way round.
  RtcProgram warns("__global__ void k(int* p) { int unused = 3; }");
  ASSERT_RTC(HIPRTC_SUCCESS, warns.compile({kTarget, "-Wall"}));
  EXPECT_TRUE(contains(warns.log(), "warning: unused variable 'unused'")) << warns.log();
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, warns.compile({kTarget, "-Wall", "-Werror"}));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCodeSize(warns.handle, &size));
  ASSERT_RTC(HIPRTC_SUCCESS, warns.compile({kTarget}));
  EXPECT_EQ(warns.log(), "");
}

TEST(Rtc, OptionsAreClangs) {
  RtcProgram program("#if VALUE != 5\n#error VALUE\n#endif\n#if __cplusplus != 202002L\n#error language\n#endif\n"
                     "#include \"extra.h\"\n__global__ void k(int* p) { *p = extra(); }");
  const std::string folder = testing::TempDir() + "bz_rtc_include";
  (void)std::system(("mkdir -p " + folder).c_str());
  std::ofstream(folder + "/extra.h") << "__device__ int extra() { return 1; }\n";
  const std::string include = "-I" + folder;
  EXPECT_RTC(HIPRTC_SUCCESS, program.compile({kTarget, "-DVALUE=5", "-std=c++20", "-O0", include.c_str()})) << program.log();
  EXPECT_RTC(HIPRTC_SUCCESS, program.compile({kTarget, "-D", "VALUE=5", "-std=c++20", "-I", folder.c_str(), "-ffast-math", "-g"}))
      << program.log();
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, program.compile({kTarget, "-DVALUE=4", "-std=c++20", include.c_str()}));
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, program.compile({kTarget, "-DVALUE=5", include.c_str()}));
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, program.compile({kTarget, "-DVALUE=5", "-std=c++20"}));
  EXPECT_TRUE(contains(program.log(), "'extra.h' file not found")) << program.log();
}

TEST(Rtc, OptionsThatMakeNoSenseAreRefused) {
  RtcProgram program(kSaxpy);
  for (std::vector<const char*> options : std::vector<std::vector<const char*>>{
           {kTarget, "-fno-such-option"},
           {"--offload-arch=gfx9999"},
           {"--offload-arch="},
           {"--offload-arch"},
           {kTarget, "--offload-arch=gfx906"},
           {kTarget, "--gpu-architecture=native"},
           {kTarget, "-o", "file"},
           {kTarget, "-c"},
           {kTarget, "-x", "c"},
           {kTarget, "-S"},
           {kTarget, "-E"},
           {kTarget, "-fsyntax-only"},
           {kTarget, "-save-temps"},
           {kTarget, "another.hip"},
           {kTarget, "-mllvm", "-no-such-llvm-option"},
           {kTarget, "-std=c++98x"},
       }) {
    EXPECT_RTC(HIPRTC_ERROR_INVALID_OPTION, program.compile(options)) << options.back() << "\n" << program.log();
    EXPECT_NE(program.log(), "") << options.back();
  }
  EXPECT_RTC(HIPRTC_SUCCESS, program.compile({kTarget, kTarget})) << program.log();
}

TEST(Rtc, OptionsOfLlvmEndWithTheirCompilation) {
  RtcProgram program("__device__ __attribute__((noinline)) int f(int x) { return x * x; }\n"
                     "extern \"C\" __global__ void k(int* p) { *p = f(*p); }");
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget}));
  const std::string plain = program.code();
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget, "-mllvm", "-amdgpu-early-inline-all=true", "-mllvm",
                                              "-amdgpu-kernarg-preload-count=4"})) << program.log();
  EXPECT_NE(program.code(), plain);
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget}));
  EXPECT_EQ(program.code(), plain);
}

TEST(Rtc, HeadersByName) {
  RtcProgram program("#include \"a.h\"\n#include <deep/b.h>\n#include \"limits.h\"\n"
                     "static_assert(kA == 3 && kB == 4 && kC == 5 && CHAR_BIT == 8, \"\");\n",
                     "p.hip", {"#include \"deep/b.h\"\nconst int kA = 3;\n", "#pragma once\nconst int kB = 4;\n", "#pragma once\nconst int kC = 5;\n"},
                     {"a.h", "deep/b.h", "limits.h"});
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget})) << program.log();
  RtcProgram wrong("#include \"a.h\"\n", "p.hip", {"\nint a = ;\n"}, {"a.h"});
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, wrong.compile({kTarget}));
  EXPECT_TRUE(contains(wrong.log(), "a.h:2:9: error:")) << wrong.log();
}

TEST(Rtc, TheDeviceSideIsThereUnasked) {
  RtcProgram program(R"(
static_assert(__hip_internal::is_same<ptrdiff_t, long>::value && !__hip_internal::is_same<int, uint>::value, "");
static_assert(__hip_internal::is_integral<ushort>::value && __hip_internal::is_floating_point<double>::value &&
              !__hip_internal::is_arithmetic<float4>::value, "");
__global__ void k(__half* h, hip_bfloat16* b, hipFloatComplex* c, float* f) {
  *h = *h + __half(1);
  *b = hip_bfloat16(HIP_PIO2_F);
  *c = hipCaddf(*c, *c);
  *f = __shfl(*f, 3) + __half2float(__shfl(*h, 2));
})");
  EXPECT_RTC(HIPRTC_SUCCESS, program.compile({kTarget})) << program.log();
}

TEST(Rtc, EveryHipHeaderCanBeIncluded) {
  RtcProgram program(R"(
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>
#include <hip/hip_fp8.h>
#include <hip/hip_complex.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_math_constants.h>
#include <hip/library_types.h>
#include <hip/math_functions.h>
#include <hip/surface_types.h>
#include <hip/hip_vector_types.h>
#include <stdint.h>
#include <stddef.h>
#include <limits.h>
#include <float.h>
namespace std { template <class T> struct is_void { enum { value = 0 }; }; } // programs bring their own
typedef unsigned int uint32_t;
__global__ void k(float4* p, uint32_t n, int64_t m) {
  __shared__ float s[64];
  s[threadIdx.x & 63] = sinf(p->x) + powf(p->y, 2.5f) + __half2float(__float2half(p->z));
  __syncthreads();
  atomicAdd(&p->w, s[(threadIdx.x + n) & 63] + float(m));
  if (n == INT_MAX) printf("%d %f\n", int(n), p->x);
  assert(p->x < FLT_MAX);
})");
  EXPECT_RTC(HIPRTC_SUCCESS, program.compile({kTarget})) << program.log();
}

TEST(Rtc, NothingOfTheDiskIsIncludedUnasked) {
  for (const char* header : {"stdlib.h", "vector", "type_traits", "unistd.h"}) {
    RtcProgram program(std::string("#include <") + header + ">\n");
    EXPECT_RTC(HIPRTC_ERROR_COMPILATION, program.compile({kTarget}));
    EXPECT_TRUE(contains(program.log(), "file not found")) << program.log();
  }
}

TEST(Rtc, NameExpressions) {
  RtcProgram program(R"(
__device__ int V1;
static __global__ void f1(int* result) { *result = V1 + 10; }
namespace N1 { namespace N2 {
__constant__ int V2;
static __device__ float hidden;
__global__ void f2(int* result) { *result = V2 + 20 + (int)hidden; }
} }
template <typename T, int N> __global__ void f3(T* result) { *result = N; }
template <typename T> __device__ T variable = T(4);
extern "C" __global__ void plain() {})");
  const std::pair<const char*, const char*> expected[] = {
      {"&f1", "_ZL2f1Pi"},         {"N1::N2::f2", "_ZN2N12N22f2EPi"}, {"f3<int, 3>", "_Z2f3IiLi3EEvPT_"},
      {"&V1", "V1"},               {"N1::N2::V2", "_ZN2N12N22V2E"},   {"&N1::N2::hidden", "_ZN2N12N2L6hiddenE"},
      {"(f3<float, (2>1)>)", "_Z2f3IfLi1EEvPT_"}, {"plain", "plain"}, {"&variable<int>", "_Z8variableIiE"}};
  const char* name = nullptr;
  for (auto [expression, symbol] : expected) EXPECT_RTC(HIPRTC_SUCCESS, hiprtcAddNameExpression(program.handle, expression));
  EXPECT_RTC(HIPRTC_SUCCESS, hiprtcAddNameExpression(program.handle, "&V1")) << "twice is once";
  EXPECT_RTC(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, hiprtcGetLoweredName(program.handle, "&f1", &name));
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget})) << program.log();
  const std::string code = program.code();
  for (auto [expression, symbol] : expected) {
    EXPECT_EQ(program.lowered(expression), symbol) << expression;
    EXPECT_TRUE(contains(code, std::string("\0", 1) + symbol)) << symbol << " is a symbol of the code object";
  }
  EXPECT_RTC(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID, hiprtcGetLoweredName(program.handle, "f1", &name));
  EXPECT_RTC(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, hiprtcAddNameExpression(program.handle, "&f1"));
}

TEST(Rtc, NameExpressionsThatNameNothing) {
  for (const char* expression : {"missing", "host", "1 + 2", "k<", "int", "k); } int x = (1"}) {
    RtcProgram program("int host; template <class T> __global__ void k(T*) {}");
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcAddNameExpression(program.handle, "k<int>"));
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcAddNameExpression(program.handle, expression));
    EXPECT_RTC(HIPRTC_ERROR_COMPILATION, program.compile({kTarget})) << expression;
    EXPECT_TRUE(contains(program.log(), "name expression 2:")) << expression << "\n" << program.log();
  }
}

TEST(Rtc, RelocatableCodeIsBitcode) {
  RtcProgram program(kSaxpy);
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget, "-fgpu-rdc"})) << program.log();
  EXPECT_EQ(program.bitcode().substr(0, 4), "BC\xC0\xDE");
  size_t size = 0;
  EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetCodeSize(program.handle, &size));
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({kTarget, "-fgpu-rdc", "-fno-gpu-rdc"}));
  EXPECT_TRUE(is_code_object(program.code()));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_PROGRAM, hiprtcGetBitcodeSize(program.handle, &size));
}

/// A program that makes LLVM give up is a failure, not the end of the process; and what comes after is as before.
TEST(Rtc, FatalErrorsOfTheCompilerAreFailures) {
  const std::string open(5000, '('), close(5000, ')');
  RtcProgram nested("extern \"C\" __global__ void k(int* p) { *p = " + open + "1" + close + "; }");
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, nested.compile({kTarget}));
  EXPECT_TRUE(contains(nested.log(), "bracket nesting level exceeded")) << nested.log();
  // Deeper than the stack of this thread would allow.
  EXPECT_RTC(HIPRTC_SUCCESS, nested.compile({kTarget, "-fbracket-depth=6000"})) << nested.log();
  RtcProgram assembly("extern \"C\" __global__ void k() { asm volatile(\"s_no_such_instruction\"); }");
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, assembly.compile({kTarget}));
  EXPECT_TRUE(contains(assembly.log(), "s_no_such_instruction")) << assembly.log();
  RtcProgram lds("extern \"C\" __global__ void k(int* p) { __shared__ int s[1 << 20]; s[threadIdx.x] = *p; *p = s[5]; }");
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, lds.compile({kTarget}));
  EXPECT_TRUE(contains(lds.log(), "local memory")) << lds.log();
  RtcProgram undefined("__device__ int elsewhere(int); extern \"C\" __global__ void k(int* p) { *p = elsewhere(*p); }");
  EXPECT_RTC(HIPRTC_ERROR_COMPILATION, undefined.compile({kTarget}));
  EXPECT_TRUE(contains(undefined.log(), "elsewhere")) << undefined.log();
  RtcProgram good(kSaxpy);
  EXPECT_RTC(HIPRTC_SUCCESS, good.compile({kTarget}));
}

TEST(Rtc, ManyThreadsCompileAtOnce) {
  RtcProgram reference(kSaxpy), shared(kSaxpy);
  ASSERT_RTC(HIPRTC_SUCCESS, reference.compile({kTarget}));
  ASSERT_RTC(HIPRTC_SUCCESS, shared.compile({kTarget}));
  const std::string code = reference.code();
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      RtcProgram own(kSaxpy);
      // Half of them with options of LLVM's own, which the others must not see.
      if (t % 2) {
        EXPECT_RTC(HIPRTC_SUCCESS, own.compile({kTarget, "-mllvm", "-amdgpu-kernarg-preload-count=4"})) << own.log();
        EXPECT_NE(own.code(), code);
      } else {
        EXPECT_RTC(HIPRTC_SUCCESS, own.compile({kTarget})) << own.log();
        EXPECT_EQ(own.code(), code);
      }
      EXPECT_RTC(HIPRTC_SUCCESS, shared.compile({kTarget}));
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(shared.code(), code);
}

// A program is the process's: destroyed by one thread, it is gone for all, whatever they do with it at that moment.
TEST(Rtc, ProgramsInTheWrongThread) {
  const bz::bad_input::Kind kind = {
      "program",
      [] {
        hiprtcProgram p = nullptr;
        EXPECT_RTC(HIPRTC_SUCCESS, hiprtcCreateProgram(&p, kSaxpy, "test.hip", 0, nullptr, nullptr));
        return reinterpret_cast<uint64_t>(p);
      },
      [](uint64_t h) {
        auto p = reinterpret_cast<hiprtcProgram>(h);
        return hiprtcDestroyProgram(&p);
      },
      [](uint64_t h) {
        size_t size = 0;
        return hiprtcGetProgramLogSize(reinterpret_cast<hiprtcProgram>(h), &size);
      }};
  bz::bad_input::expect_gone_for_all(kind);
  bz::bad_input::expect_one_destroyer(kind);
  bz::bad_input::expect_uses_outlived(kind);

  hiprtcProgram p = nullptr;
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcCreateProgram(&p, kSaxpy, "test.hip", 0, nullptr, nullptr));
  const hiprtcProgram known = p;
  hiprtcResult compiled = HIPRTC_SUCCESS;
  std::thread compiler([&] {
    const char* options[] = {kTarget};
    compiled = hiprtcCompileProgram(known, 1, options);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_RTC(HIPRTC_SUCCESS, hiprtcDestroyProgram(&p)) << "while it is compiled";
  compiler.join();
  EXPECT_TRUE(compiled == HIPRTC_SUCCESS || compiled == HIPRTC_ERROR_INVALID_PROGRAM) << hiprtcGetErrorString(compiled);
}

} // namespace
