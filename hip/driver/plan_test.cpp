// The command lines that hipcc makes, without running a compiler.
#include "hip/driver/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace bz::driver {
namespace {

using Words = std::vector<std::string>;

PlanInput input(Words args) {
  PlanInput in;
  in.install = {"/r", "/clang"};
  in.args = std::move(args);
  in.native_targets = [] { return Words{"gfx90a", "gfx90a", "gfx906"}; };
  return in;
}
Words command(Words args) {
  auto plan = make_plan(input(std::move(args)));
  EXPECT_TRUE(plan.ok()) << plan.status().to_string();
  return plan ? plan->command : Words();
}
std::string text(const Words& words) {
  std::string joined;
  for (const auto& word : words) joined += word + " ";
  return joined;
}
bool has(const Words& words, const std::string& part) { return (" " + text(words)).find(" " + part + " ") != std::string::npos; }
long count(const Words& words, const std::string& word) { return std::count(words.begin(), words.end(), word); }

TEST(Plan, CompilesCxxAsHipForOneTarget) {
  Words c = command({"-c", "a.cpp", "-o", "a.o", "--offload-arch=gfx942"});
  EXPECT_EQ(c[0], "/clang/clang++");
  EXPECT_TRUE(has(c, "-isystem /r/include"));
  EXPECT_TRUE(has(c, "--rocm-path=/r -no-hip-rt --offload-arch=gfx942")) << text(c);
  EXPECT_TRUE(has(c, "-c -x hip a.cpp -o a.o")) << text(c);
  EXPECT_EQ(text(c).find("amdhip64"), std::string::npos);
  EXPECT_FALSE(has(c, "--hip-link"));
}

TEST(Plan, EverySourceSuffixOfHip) {
  for (const char* file : {"a.cpp", "a.cc", "a.cxx", "a.cu", "a.hip", "a.C", "dir.x/a.cpp"})
    EXPECT_TRUE(has(command({"-c", file}), std::string("-x hip ") + file)) << file;
  for (const char* file : {"a.o", "a.so", "liba.a", "noext", "dir.cpp/file"})
    EXPECT_FALSE(has(command({file}), std::string("-x hip ") + file)) << file;
  EXPECT_TRUE(has(command({"-c", "a.c"}), "-x c a.c"));
  EXPECT_FALSE(has(command({"-c", "a.c"}), "--offload-arch=gfx90a"));
}

TEST(Plan, LinkAddsRuntimeAndRpath) {
  Words c = command({"a.cpp", "b.o", "-o", "a"});
  EXPECT_TRUE(has(c, "--hip-link"));
  EXPECT_TRUE(has(c, "-x hip a.cpp -x none b.o -o a /r/lib/libamdhip64.so -Wl,-rpath,/r/lib -L/r/lib")) << text(c);
  EXPECT_TRUE(has(command({"a.cpp"}), "-x hip a.cpp -x none /r/lib/libamdhip64.so"));
  EXPECT_TRUE(has(command({"-shared", "-fPIC", "a.o"}), "/r/lib/libamdhip64.so"));
  EXPECT_EQ(text(command({"--emit-static-lib", "a.cpp", "-o", "liba.a"})).find("libamdhip64"), std::string::npos);
}

TEST(Plan, DeviceLinkOfObjectsHasTheTargetsOfACompilation) {
  for (const char* target : {"--offload-arch=gfx90a", "--offload-arch=gfx906"})
    EXPECT_EQ(count(command({"-fgpu-rdc", "--hip-link", "a.o", "b.o"}), target), 1) << target;
  Words c = command({"-fgpu-rdc", "a.o", "--offload-arch=gfx942"});
  EXPECT_EQ(count(c, "--offload-arch=gfx942"), 1);
  EXPECT_EQ(count(c, "--offload-arch=gfx90a"), 0);
  EXPECT_EQ(text(command({"a.o", "b.o"})).find("--offload-arch"), std::string::npos);
}

TEST(Plan, NoLinkForEveryStageOption) {
  for (const char* flag : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"})
    EXPECT_EQ(text(command({flag, "a.cpp"})).find("amdhip64"), std::string::npos) << flag;
}

TEST(Plan, TargetsAreRepeatableUniqueAndNativeIsAsked) {
  Words c = command({"-c", "a.cpp", "--offload-arch=gfx906,gfx942", "--offload-arch=gfx906", "--amdgpu-target=gfx90a:xnack-"});
  EXPECT_EQ(count(c, "--offload-arch=gfx906"), 1);
  EXPECT_EQ(count(c, "--offload-arch=gfx942"), 1);
  EXPECT_EQ(count(c, "--offload-arch=gfx90a:xnack-"), 1);
  for (Words args : {Words{"-c", "a.cpp"}, Words{"-c", "a.cpp", "--offload-arch=native"}, Words{"-c", "a.cpp", "--offload-arch", "native"}}) {
    c = command(args);
    EXPECT_EQ(count(c, "--offload-arch=gfx90a"), 1) << text(c);
    EXPECT_EQ(count(c, "--offload-arch=gfx906"), 1);
  }
  PlanInput none = input({"-c", "a.cpp"});
  none.native_targets = [] { return Words(); };
  EXPECT_TRUE(has(make_plan(none)->command, "--offload-arch=gfx942"));
}

TEST(Plan, NoDeviceIsAskedWhenATargetIsGiven) {
  PlanInput in = input({"-c", "a.cpp", "--offload-arch=gfx942"});
  in.native_targets = []() -> Words { ADD_FAILURE() << "asked for GPUs"; return {}; };
  EXPECT_TRUE(make_plan(in).ok());
}

TEST(Plan, ExplicitLanguageWins) {
  Words c = command({"-x", "c++", "-c", "a.cpp"});
  EXPECT_FALSE(has(c, "-x hip"));
  EXPECT_TRUE(has(c, "-x c++ -c a.cpp"));
  EXPECT_EQ(text(c).find("offload-arch"), std::string::npos);
  c = command({"-xhip", "a.txt", "-o", "a"});
  EXPECT_TRUE(has(c, "-x hip a.txt -o a -x none /r/lib/libamdhip64.so")) << text(c);
  EXPECT_TRUE(has(c, "--offload-arch=gfx90a"));
  EXPECT_TRUE(has(command({"-x", "c++", "a.x", "-x", "none", "b.cpp", "-c"}), "-x none -x hip b.cpp"));
}

TEST(Plan, ValuesOfOptionsAreNotInputs) {
  Words c = command({"-c", "a.cpp", "-include", "b.cpp", "-I", "c.cpp", "-MF", "d.cpp", "-Xclang", "e.cpp"});
  EXPECT_EQ(count(c, "hip"), 1) << text(c);
}

TEST(Plan, Genco) {
  Words c = command({"--genco", "a.cpp", "-o", "a.hsaco"});
  EXPECT_TRUE(has(c, "--cuda-device-only --gpu-bundle-output")) << text(c);
  EXPECT_EQ(count(c, "--genco"), 0);
  EXPECT_EQ(text(c).find("amdhip64"), std::string::npos);
  EXPECT_FALSE(has(command({"--genco", "--no-gpu-bundle-output", "a.cpp"}), "--gpu-bundle-output"));
}

TEST(Plan, OptimisationDefaultsToThree) {
  EXPECT_TRUE(has(command({"-c", "a.cpp"}), "-O3"));
  EXPECT_FALSE(has(command({"-c", "a.cpp", "-O0"}), "-O3"));
  EXPECT_FALSE(has(command({"-c", "a.cpp", "-Ofast"}), "-O3"));
}

TEST(Plan, AppendFlagsOfTheEnvironment) {
  PlanInput in = input({"a.cpp"});
  in.compile_append = "-DA='b c' -g";
  in.link_append = "-lx";
  Words c = make_plan(in)->command;
  EXPECT_EQ(count(c, "-DA=b c"), 1);
  EXPECT_EQ(count(c, "-g"), 1);
  EXPECT_EQ(count(c, "-lx"), 1);
  in.args = {"-c", "a.cpp"};
  EXPECT_EQ(count(make_plan(in)->command, "-lx"), 0);
}

TEST(Plan, ResponseFiles) {
  std::string path = testing::TempDir() + "/hipcc.rsp";
  std::ofstream(path) << "-c 'a b.cpp'\n  -DX=\"1 2\" -o a\\ b.o";
  Words c = command({"@" + path});
  EXPECT_TRUE(has(c, "-c -x hip a b.cpp -DX=1 2 -o a b.o")) << text(c);
  EXPECT_EQ(count(c, "a b.cpp"), 1);
  std::remove(path.c_str());
  std::ofstream(path) << "@" << path;
  EXPECT_FALSE(make_plan(input({"@" + path})).ok());
  std::remove(path.c_str());
}

TEST(Plan, QuestionsAndPassThrough) {
  EXPECT_EQ(make_plan(input({"--version"}))->question, Question::version);
  EXPECT_EQ(make_plan(input({"--help"}))->question, Question::help);
  EXPECT_EQ(make_plan(input({"--short-version"}))->question, Question::short_version);
  EXPECT_EQ(make_plan(input({"--cxxflags"}))->question, Question::cxxflags);
  EXPECT_EQ(make_plan(input({"--ldflags"}))->question, Question::ldflags);
  EXPECT_EQ(command({"-print-search-dirs"}), (Words{"/clang/clang++", "-print-search-dirs"}));
  EXPECT_TRUE(has(command({"-###", "-v", "a.cpp"}), "-### -v"));
}

TEST(Plan, RefusesByName) {
  auto plan = make_plan(input({"-use-staticlib", "a.cpp"}));
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("libamdhip64"), std::string::npos);
  auto sanitized = make_plan(input({"-c", "a.cpp", "-fsanitize=address,undefined", "--offload-arch=gfx90a:xnack+"}));
  ASSERT_FALSE(sanitized.ok());
  EXPECT_NE(sanitized.status().message().find("asanrtl"), std::string::npos);
  EXPECT_TRUE(make_plan(input({"-c", "a.cpp", "-fsanitize=address", "--offload-arch=gfx90a"})).ok());
  EXPECT_TRUE(make_plan(input({"-c", "a.cpp", "-fsanitize=address", "-fno-gpu-sanitize", "--offload-arch=gfx90a:xnack+"})).ok());
  EXPECT_FALSE(make_plan(input({"a.cpp", "-x"})).ok());
  EXPECT_FALSE(make_plan(input({"a.cpp", "--offload-arch"})).ok());
}

TEST(SplitWords, QuotesAndBackslashes) {
  EXPECT_EQ(split_words("a  'b c' \"d \\\" e\" f\\ g ''"), (Words{"a", "b c", "d \" e", "f g", ""}));
  EXPECT_EQ(split_words("  "), Words());
}

} // namespace
} // namespace bz::driver
