// bz-isa: disassembles hexadecimal code, and lists the instruction tables.
#include "isa/decode.hpp"
#include "isa/describe.hpp"
#include "isa/families.hpp"

#include <bit>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using namespace bz::isa;

namespace {

int usage() {
  std::fputs("usage: bz-isa dis  <target> [--words]   code from standard input, text to standard output\n"
             "       bz-isa list <target>             every instruction: format, opcode, name, state of its semantics\n"
             "       bz-isa families                  the families of rows: name, rows, rows with semantics\n"
             "dis reads hexadecimal digits: bytes in memory order, or 32-bit words with --words; white space, commas, 0x\n"
             "and comments from # to the end of the line are skipped. Exit status 1 if some dword is no instruction.\n",
             stderr);
  return 2;
}

/// The digits of all input; false and a message if there is something else.
bool read_digits(std::string& digits, size_t unit) {
  std::string line;
  for (int number = 1; std::getline(std::cin, line); ++number) {
    line = line.substr(0, line.find('#'));
    std::string word;
    auto finish = [&] {
      if (word.starts_with("0x") || word.starts_with("0X")) word = word.substr(2);
      if (word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos || word.size() % unit != 0)
        return std::fprintf(stderr, "line %d: '%s' is not hexadecimal in groups of %zu digits\n", number, word.c_str(), unit), false;
      digits += word;
      word.clear();
      return true;
    };
    for (char c : line + " ") {
      if (!std::strchr(" \t\r,", c)) word += c;
      else if (!finish()) return false;
    }
  }
  return true;
}

int disassemble_input(Target target, bool as_words) {
  std::string digits;
  if (!read_digits(digits, as_words ? 8 : 2)) return 2;
  if (digits.size() % 8) return std::fputs("the code is not a whole number of dwords\n", stderr), 2;
  std::vector<uint32_t> words;
  for (size_t i = 0; i < digits.size(); i += 8) {
    auto w = static_cast<uint32_t>(std::stoul(digits.substr(i, 8), nullptr, 16));
    words.push_back(as_words ? w : __builtin_bswap32(w));
  }
  int status = 0;
  for (size_t at = 0; at < words.size();) {
    auto inst = decode(target, &words[at], words.size() - at);
    size_t dwords = inst ? inst->size / 4u : 1;
    std::string code;
    for (size_t k = 0; k < dwords; ++k) {
      char text[16];
      std::snprintf(text, sizeof text, "%s%08x", k ? " " : "", words[at + k]);
      code += text;
    }
    std::string note;
    if (inst && !inst->legal) note = "   // illegal operand on this target";
    if (inst && has(row_meta(inst->row).flags, Branch) && (inst->format & (SOPP | SOPK)) && inst->operand_count) {
      char text[48];
      std::snprintf(text, sizeof text, "   // to %06zx", static_cast<size_t>(inst->branch_target(at * 4)));
      note += text;
    }
    std::printf("%06zx  %-26s  %s%s\n", at * 4, code.c_str(), inst ? disassemble(target, *inst).c_str() : "<no instruction>", note.c_str());
    if (!inst || !inst->legal) status = 1;
    at += dwords;
  }
  return status;
}

const char* format_name(Format f) {
  constexpr const char* names[] = {"SOP2", "SOP1", "SOPC", "SOPK", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3P",
                                   "MAI", "VINTRP", "DS", "FLAT", "SCRATCH", "GLOBAL", "MUBUF", "MTBUF", "MIMG", "EXP"};
  return names[std::countr_zero(static_cast<uint32_t>(f))];
}

int list(Target target) {
  size_t count = 0, done = 0;
  for (RowId id = 0; id < row_count(); ++id) {
    auto& m = row_meta(id);
    int op = m.op.of(target);
    if (!(m.targets & bit(target)) || op < 0) continue;
    auto e = describe(id, target);
    std::string formats;
    for (Formats rest = m.formats; rest; rest &= rest - 1)
      formats += (formats.empty() ? "" : "|") + std::string(format_name(static_cast<Format>(rest & ~(rest - 1))));
    const char* state = !e.has_semantics ? "no semantics" : e.not_implemented ? "refused by name" : "";
    std::printf("%-10s %4d  %-34s %s\n", formats.c_str(), op, m.name_on(target), state);
    ++count;
    done += e.has_semantics && !e.not_implemented;
  }
  std::printf("%zu instructions on %s, %zu with semantics\n", count, std::string(target_name(target)).c_str(), done);
  return 0;
}

int list_families() {
  for (const FamilyInfo& f : kFamilies) {
    size_t present = 0;
    for (size_t i = 0; i < f.count; ++i) present += f.rows[i].sem.present;
    std::printf("%s %zu %zu\n", f.name, f.count, present);
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "families") == 0) return list_families();
  if (argc < 3) return usage();
  auto target = target_from_name(argv[2]);
  if (!target) return std::fprintf(stderr, "unknown target '%s'\n", argv[2]), 2;
  if (std::strcmp(argv[1], "dis") == 0 && (argc == 3 || (argc == 4 && std::strcmp(argv[3], "--words") == 0)))
    return disassemble_input(*target, argc == 4);
  if (std::strcmp(argv[1], "list") == 0 && argc == 3) return list(*target);
  return usage();
}
