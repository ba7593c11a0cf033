// dis: lines of hexadecimal bytes, or files, to text.
#include "isa/families.hpp"
#include "isa/tool/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "codeobj/codeobj.hpp"

namespace bz::isa::tool {
namespace {

// ---------------------------------------------------------------- one line of digits

/// The bytes of a line, or why it has none.
struct Line {
  std::vector<uint8_t> bytes;
  std::string error;
};

Line read_line(std::string_view line, bool as_dwords) {
  Line result;
  line = line.substr(0, line.find('#'));
  std::string word;
  auto finish = [&] {
    if (word.starts_with("0x") || word.starts_with("0X")) word = word.substr(2);
    size_t unit = as_dwords ? 8 : 2;
    if (word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return void(result.error = fmt::format("'{}' is not hexadecimal", word));
    if (word.size() % unit) return void(result.error = fmt::format("'{}' is not a whole number of {}", word, as_dwords ? "dwords" : "bytes"));
    for (size_t i = 0; i < word.size(); i += unit) {
      auto v = static_cast<uint32_t>(std::stoul(word.substr(i, unit), nullptr, 16));
      for (size_t b = 0; b < unit / 2; ++b) result.bytes.push_back(static_cast<uint8_t>(v >> 8 * b));
    }
    word.clear();
  };
  for (char c : line) {
    if (!std::strchr(" \t\r,;[]", c)) word += c;
    else finish();
    if (!result.error.empty()) return result;
  }
  finish();
  if (result.error.empty() && result.bytes.size() % 4)
    result.error = fmt::format("{} bytes are not a whole number of dwords", result.bytes.size());
  return result;
}

/// The text of the one instruction in these bytes.
std::string text_of(Target target, const std::vector<uint8_t>& bytes, std::string& error) {
  constexpr size_t kLongest = 4;   // dwords
  std::vector<uint32_t> words(bytes.size() / 4 + kLongest);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  size_t count = bytes.size() / 4;
  auto inst = decode(target, words.data(), count);
  if (!inst) {
    auto longer = decode(target, words.data(), count + kLongest);
    if (longer && longer->size > bytes.size())
      error = fmt::format("cut short: {} has {} bytes here, and needs {}", row_meta(longer->row).name_on(target), bytes.size(), longer->size);
    else error = fmt::format("no instruction of {}", target_name(target));
    return {};
  }
  auto text = disassemble(target, *inst);
  if (inst->size < bytes.size()) error = fmt::format("{} bytes are left over after '{}'", bytes.size() - inst->size, text);
  return text;
}

int dis_lines(Target target, bool as_dwords) {
  int status = kOk;
  size_t lines = 0;
  for (std::string input; std::getline(std::cin, input); ++lines) {
    auto line = read_line(input, as_dwords);
    std::string text;
    if (line.error.empty() && !line.bytes.empty()) text = text_of(target, line.bytes, line.error);
    if (line.error.empty()) fmt::print("{}\n", text);
    else fmt::print("error: line {}: {}\n", lines + 1, line.error), status = kFound;
  }
  if (lines) return status;
  fmt::print(stderr, "bz isa: error: standard input is empty; it should have hexadecimal bytes, one instruction a line\n");
  return kUsage;
}

// ---------------------------------------------------------------- files

using Labels = std::map<uint64_t, std::string>;

/// Where an address lies: "<name+0x10>", or nothing.
std::string place(const Labels& labels, uint64_t address) {
  auto it = labels.upper_bound(address);
  if (it == labels.begin()) return {};
  --it;
  return address == it->first ? fmt::format(" <{}>", it->second) : fmt::format(" <{}+{:#x}>", it->second, address - it->first);
}

/// A listing: address, dwords, text, and a note where it branches to or why it never runs.
int list_code(Target target, codeobj::Bytes code, uint64_t address, const Labels& labels) {
  std::vector<uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  int status = kOk;
  for (size_t at = 0; at < words.size();) {
    uint64_t pc = address + at * 4;
    if (auto it = labels.find(pc); it != labels.end()) fmt::print("\n{:08x} <{}>:\n", pc, it->second);
    auto inst = decode(target, &words[at], words.size() - at);
    size_t dwords = inst ? inst->size / 4u : 1;
    std::string raw, note;
    for (size_t k = 0; k < dwords; ++k) raw += fmt::format("{}{:08x}", k ? " " : "", words[at + k]);
    if (!inst || !inst->legal) status = kFound;
    if (inst && !inst->legal) note = "   // illegal: " + why_illegal(target, &words[at], words.size() - at);
    else if (inst && has(row_meta(inst->row).flags, Branch) && (inst->format & (SOPP | SOPK)) && inst->operand_count) {
      uint64_t to = inst->branch_target(pc);
      note = fmt::format("   // to {:08x}{}", to, place(labels, to));
    }
    fmt::print("{:08x}  {:26}  {}{}\n", pc, raw, inst ? disassemble(target, *inst) : "error: no instruction of " + std::string(target_name(target)), note);
    at += dwords;
  }
  if (code.size() % 4) {
    fmt::print("{:08x}  error: {} bytes at the end are no whole dword\n", address + words.size() * 4, code.size() % 4);
    status = kFound;
  }
  return status;
}

/// The tables' target for a processor of the object formats; generic code is read as its first member's.
std::optional<Target> table_target(const codeobj::TargetId& id) {
  std::string_view name = id.processor->name;
  if (name == "gfx9-generic") name = "gfx900";
  if (name == "gfx9-4-generic") name = "gfx942";
  return target_from_name(name);
}

int fail(const std::string& file, const std::string& why) {
  fmt::print(stderr, "bz isa: error: {}: {}\n", file, why);
  return kUsage;
}

int dis_object(const std::string& name, codeobj::Bytes elf, std::optional<Target> wanted) {
  auto object = codeobj::CodeObject::parse(elf);
  if (!object) return fail(name, object.status().message());
  auto target = table_target(object->target());
  if (!target) return fail(name, fmt::format("is code for {}; the tables know {}", object->target().str(), target_list()));
  if (wanted && *wanted != *target) return kOk;   // --target picks among several
  Labels labels;
  for (auto* symbols : {&object->dynamic_symbols(), &object->static_symbols()})
    for (auto& s : *symbols)
      if (s.type == codeobj::SymbolType::function && s.is_defined()) labels[s.value] = s.name;
  fmt::print("{}: {}\n", name, object->target().str());
  int status = kOk;
  bool any = false;
  for (auto& section : object->sections()) {
    constexpr uint64_t kExecutable = 4;
    if (!(section.flags & kExecutable)) continue;
    any = true;
    fmt::print("\nsection {}\n", section.name);
    status = std::max(status, list_code(*target, object->contents(section), section.address, labels));
  }
  if (!any)   // stripped of its sections: what is mapped executable
    for (auto& segment : object->segments())
      if (segment.executable())
        if (auto bytes = object->bytes_at(segment.address, segment.file_size))
          status = std::max(status, list_code(*target, *bytes, segment.address, labels));
  return status;
}

int dis_image(const std::string& name, codeobj::Bytes image, std::optional<Target> wanted, bool& known);

int dis_bundle(const std::string& name, codeobj::Bytes image, std::optional<Target> wanted) {
  auto bundle = codeobj::Bundle::parse(image);
  if (!bundle) return fail(name, bundle.status().message());
  int status = kOk;
  for (auto& entry : bundle->entries()) {
    if (entry.is_host() || entry.bytes.empty()) continue;
    bool known = true;
    status = std::max(status, dis_image(fmt::format("{}({})", name, entry.id), entry.bytes, wanted, known));
    if (!known) status = std::max(status, fail(fmt::format("{}({})", name, entry.id), "is no code object"));
  }
  return status;
}

/// A program, library or object of the host: every bundle in it.
int dis_host_file(const std::string& name, codeobj::Bytes file, std::optional<Target> wanted) {
  constexpr std::string_view magics[] = {"__CLANG_OFFLOAD_BUNDLE__", "CCOB"};
  auto text = codeobj::as_text(file);
  int status = kOk;
  size_t found = 0;
  for (size_t at = 0; at < text.size();) {
    size_t next = std::string_view::npos;
    for (auto m : magics) next = std::min(next, text.find(m, at));
    if (next == std::string_view::npos) break;
    at = next + 4;
    if (next % 8) continue;
    auto size = codeobj::image_size(file.data() + next, file.size() - next);
    if (!size || codeobj::Bundle::parse(file.subspan(next, *size)).ok() == false) continue;   // the words, not a bundle
    status = std::max(status, dis_bundle(fmt::format("{}@{:#x}", name, next), file.subspan(next, *size), wanted));
    at = next + std::max<uint64_t>(*size, 4);
    ++found;
  }
  return found ? status : fail(name, "is a file of the host without device code in it");
}

int dis_image(const std::string& name, codeobj::Bytes image, std::optional<Target> wanted, bool& known) {
  constexpr uint16_t kAmdgpu = 224;
  switch (codeobj::identify(image)) {
  case codeobj::ImageKind::elf:
    if (codeobj::read<uint16_t>(image, 18) == kAmdgpu) return dis_object(name, image, wanted);
    return dis_host_file(name, image, wanted);
  case codeobj::ImageKind::bundle: case codeobj::ImageKind::compressed_bundle: return dis_bundle(name, image, wanted);
  case codeobj::ImageKind::unknown: break;
  }
  known = false;
  return kOk;
}

int dis_file(const std::string& name, std::optional<Target> target) {
  std::ifstream in;
  if (auto why = open_input(in, name); !why.empty()) return fail(name, why);
  std::string content{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return fail(name, "cannot be read");
  if (content.empty()) return fail(name, "is empty");
  auto bytes = codeobj::as_bytes(content);
  bool known = true;
  int status = dis_image(name, bytes, target, known);
  if (known) return status;
  if (!target) return fail(name, "is no code object, bundle or program; for raw machine code say --target (" + target_list() + ")");
  auto is_text = [](unsigned char c) { return std::isprint(c) || std::isspace(c); };
  if (std::all_of(content.begin(), content.end(), is_text))
    return fail(name, fmt::format("is text, no machine code; hexadecimal bytes are read from standard input: bz isa dis --target {} <{}", target_name(*target), name));
  return list_code(*target, bytes, 0, {});
}

} // namespace

int dis(const Arguments& a) {
  if (a.words.empty()) {
    if (a.target) return dis_lines(*a.target, a.words_are_dwords);
    fmt::print(stderr, "bz isa: error: bytes from standard input need --target, one of {}; a file needs its name\n", target_list());
    return kUsage;
  }
  if (a.words_are_dwords) return fail(a.words[0], "--words is for standard input");
  int status = kOk;
  for (auto& file : a.words) status = std::max(status, dis_file(file, a.target));
  return status;
}

} // namespace bz::isa::tool
