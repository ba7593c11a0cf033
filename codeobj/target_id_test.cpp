#include "codeobj/target_id.hpp"

#include <gtest/gtest.h>
#include <set>

namespace bz::codeobj {
namespace {

TargetId id(std::string_view text) {
  Expected<TargetId> t = TargetId::parse(text);
  EXPECT_TRUE(t) << t.status().message();
  return t ? *t : TargetId();
}

std::string failure(std::string_view text) {
  Expected<TargetId> t = TargetId::parse(text);
  EXPECT_FALSE(t) << text;
  if (!t) { EXPECT_EQ(t.status().code(), Code::invalid_argument) << text; }
  return t.status().message();
}

// e_flags as llvm-mc-22 --amdhsa-code-object-version=6 writes them without features.
TEST(TargetId, ElfFlagsOfTheAssembler) {
  const std::pair<const char*, uint32_t> rows[] = {{"gfx600", 0x20},
                                                   {"gfx705", 0x3b},
                                                   {"gfx801", 0x128},
                                                   {"gfx810", 0x12b},
                                                   {"gfx900", 0x12c},
                                                   {"gfx902", 0x12d},
                                                   {"gfx904", 0x12e},
                                                   {"gfx906", 0x52f},
                                                   {"gfx908", 0x530},
                                                   {"gfx909", 0x131},
                                                   {"gfx90a", 0x53f},
                                                   {"gfx90c", 0x132},
                                                   {"gfx942", 0x54c},
                                                   {"gfx950", 0x54f},
                                                   {"gfx1010", 0x133},
                                                   {"gfx1013", 0x142},
                                                   {"gfx1030", 0x36},
                                                   {"gfx1036", 0x45},
                                                   {"gfx1100", 0x41},
                                                   {"gfx1153", 0x58},
                                                   {"gfx1200", 0x48},
                                                   {"gfx1201", 0x4e},
                                                   {"gfx1250", 0x549},
                                                   {"gfx1251", 0x55a},
                                                   {"gfx9-generic", 0x1000151},
                                                   {"gfx9-4-generic", 0x100055f},
                                                   {"gfx10-1-generic", 0x1000152},
                                                   {"gfx10-3-generic", 0x1000053},
                                                   {"gfx11-generic", 0x1000054},
                                                   {"gfx12-generic", 0x1000059}};
  for (auto [name, flags] : rows) {
    Expected<TargetId> t = TargetId::from_elf_flags(flags, 4);
    ASSERT_TRUE(t) << name << ": " << t.status().message();
    EXPECT_EQ(t->str(), name);
    TargetId parsed = id(name);
    EXPECT_EQ(parsed.processor, t->processor);
    EXPECT_EQ(parsed.xnack, t->xnack) << name;
    EXPECT_EQ(parsed.sramecc, t->sramecc) << name;
    EXPECT_EQ(t->generic_version, flags >> 24) << name;
  }
}

TEST(TargetId, ElfFlagsWithFeatures) {
  EXPECT_EQ(TargetId::from_elf_flags(0xe3f, 4)->str(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(TargetId::from_elf_flags(0xb4c, 2)->str(), "gfx942:sramecc-:xnack+");
  EXPECT_EQ(TargetId::from_elf_flags(0xb4c, 2)->isa_name(), "amdgcn-amd-amdhsa--gfx942:sramecc-:xnack+");
}

TEST(TargetId, BadElfFlags) {
  EXPECT_EQ(TargetId::from_elf_flags(0x5ff, 4).status().code(), Code::invalid_image);
  EXPECT_EQ(TargetId::from_elf_flags(0x54c, 1).status().code(), Code::unsupported);
  EXPECT_EQ(TargetId::from_elf_flags(0x54c, 5).status().code(), Code::unsupported);
  EXPECT_EQ(TargetId::from_elf_flags(0x1000151, 3).status().code(), Code::invalid_image) << "generic before v6";
  EXPECT_EQ(TargetId::from_elf_flags(0x151, 4).status().code(), Code::invalid_image) << "generic without a version";
  EXPECT_EQ(TargetId::from_elf_flags(0x200054c, 4).status().code(), Code::invalid_image) << "version without generic";
}

TEST(TargetId, ParseAndPrint) {
  EXPECT_EQ(id("gfx942").str(), "gfx942");
  EXPECT_EQ(id("gfx90a:xnack-:sramecc+").str(), "gfx90a:sramecc+:xnack-") << "canonical order";
  EXPECT_EQ(id("amdgcn-amd-amdhsa--gfx90a:xnack+").str(), "gfx90a:xnack+");
  EXPECT_EQ(id("amdgcn-amd-amdhsa-unknown-gfx906").str(), "gfx906");
  EXPECT_EQ(id("amdgcn-amd-amdhsa-gfx906").str(), "gfx906");
  EXPECT_EQ(id("gfx1100").xnack, Feature::unsupported);
  EXPECT_EQ(id("gfx942").xnack, Feature::any);
  EXPECT_TRUE(id("gfx9-4-generic").processor->is_generic());
}

TEST(TargetId, ParseErrorsNameThePart) {
  EXPECT_NE(failure("gfx9999").find("'gfx9999'"), std::string::npos);
  EXPECT_NE(failure("").find("''"), std::string::npos);
  EXPECT_NE(failure("gfx942:xnack").find("'xnack'"), std::string::npos);
  EXPECT_NE(failure("gfx942:").find("does not end"), std::string::npos);
  EXPECT_NE(failure("gfx942:turbo+").find("'turbo'"), std::string::npos);
  EXPECT_NE(failure("gfx942:xnack+:xnack-").find("twice"), std::string::npos);
  EXPECT_NE(failure("gfx900:sramecc+").find("gfx900 has no feature"), std::string::npos);
  EXPECT_NE(failure("spirv64-amd-amdhsa--").find("unknown processor"), std::string::npos);
}

TEST(TargetId, RowsAreConsistent) {
  std::set<std::string_view> names;
  std::set<int> machines;
  for (const Processor& p : processors()) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
    EXPECT_TRUE(machines.insert(p.mach).second) << p.name;
    if (p.generic.empty()) continue;
    const Processor* generic = find_processor(p.generic);
    ASSERT_NE(generic, nullptr) << p.name;
    EXPECT_TRUE(generic->is_generic());
    EXPECT_EQ(generic->generation, p.generation) << p.name;
  }
}

TEST(TargetId, Fitness) {
  TargetId device = id("gfx942:sramecc+:xnack-");
  auto fit = [&](const char* code) { return fitness(id(code), device); };
  EXPECT_GT(fit("gfx942"), 0);
  EXPECT_GT(fit("gfx942:xnack-"), fit("gfx942"));
  EXPECT_GT(fit("gfx942:sramecc+:xnack-"), fit("gfx942:xnack-"));
  EXPECT_GT(fit("gfx942"), fit("gfx9-4-generic:sramecc+:xnack-")) << "own processor before generic";
  EXPECT_GT(fit("gfx9-4-generic"), 0);
  EXPECT_EQ(fit("gfx942:xnack+"), 0);
  EXPECT_EQ(fit("gfx942:sramecc-"), 0);
  EXPECT_EQ(fit("gfx9-generic"), 0);
  EXPECT_EQ(fit("gfx90a"), 0);
  EXPECT_GT(fitness(id("gfx9-generic"), id("gfx906:xnack-")), 0);
  EXPECT_EQ(fitness(id("gfx9-generic"), id("gfx90a")), 0);
  EXPECT_EQ(fitness(id("gfx9-generic"), id("gfx908")), 0);
  EXPECT_EQ(fitness(id("gfx906"), id("gfx9-generic")), 0) << "a specific code for a generic device";
  EXPECT_EQ(fitness(TargetId(), device), 0);
}

TEST(TargetId, IncompatibleNamesBoth) {
  Status s = check_compatible(id("gfx906"), id("gfx942:xnack-"));
  EXPECT_EQ(s.code(), Code::wrong_target);
  EXPECT_NE(s.message().find("gfx906"), std::string::npos);
  EXPECT_NE(s.message().find("gfx942:xnack-"), std::string::npos);
  EXPECT_NE(check_compatible(id("gfx942:xnack+"), id("gfx942:xnack-")).message().find("another xnack mode"),
            std::string::npos);
  EXPECT_NE(check_compatible(id("gfx942:sramecc+"), id("gfx942:sramecc-")).message().find("another sramecc mode"),
            std::string::npos);
  EXPECT_TRUE(check_compatible(id("gfx942"), id("gfx942:xnack-")));
}

} // namespace
} // namespace bz::codeobj
