#include "exec/judge/golden.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>

namespace bz::exec::judge {
namespace {

[[noreturn]] void fail(const std::string& text) { throw std::runtime_error(text); }

/// A number and the float format it was written in, so that a minus sign can be the sign bit.
struct Value {
  uint64_t bits = 0;
  char format = 0;   // f h d b, 0: integer
};

unsigned sign_of(char format) { return format == 'd' ? 63 : format == 'f' ? 31 : 15; }

uint64_t encode(double x, char format) {
  switch (format) {
  case 'd': return std::bit_cast<uint64_t>(x);
  case 'f': return std::bit_cast<uint32_t>(static_cast<float>(x));
  case 'h': return std::bit_cast<uint16_t>(static_cast<_Float16>(x));
  default: {   // bfloat16: nearest even of a number that a float holds
    uint32_t f = std::bit_cast<uint32_t>(static_cast<float>(x));
    return (f + 0x7fff + (f >> 16 & 1)) >> 16;
  }
  }
}

std::optional<Value> named_float(std::string_view name) {
  struct Names {
    std::string_view name;
    uint64_t f, h, d, b;
  };
  static constexpr Names kNames[] = {
      {"inf", 0x7f800000, 0x7c00, 0x7ff0000000000000, 0x7f80},     {"nan", 0x7fc00000, 0x7e00, 0x7ff8000000000000, 0x7fc0},
      {"snan", 0x7fa00000, 0x7d00, 0x7ff4000000000000, 0x7fa0},    {"max", 0x7f7fffff, 0x7bff, 0x7fefffffffffffff, 0x7f7f},
      {"min", 0x00800000, 0x0400, 0x0010000000000000, 0x0080},     {"den", 0x00000001, 0x0001, 0x0000000000000001, 0x0001},
      {"denmax", 0x007fffff, 0x03ff, 0x000fffffffffffff, 0x007f},
  };
  if (name.empty()) return {};
  char format = name.back();
  name.remove_suffix(1);
  for (auto& n : kNames)
    if (n.name == name) switch (format) {
      case 'f': return Value{n.f, 'f'};
      case 'h': return Value{n.h, 'h'};
      case 'd': return Value{n.d, 'd'};
      case 'b': return Value{n.b, 'b'};
      default: break;
      }
  return {};
}

/// Recursive descent over C's expression grammar.
class Reader {
public:
  Reader(std::string_view text, const Scope& scope) : s_(text), scope_(scope) {}
  Value whole() {
    Value v = ternary();
    skip();
    if (at_ != s_.size()) fail("unexpected '" + std::string(s_.substr(at_)) + "'");
    return v;
  }
  /// Element n of a tuple.
  Value element(unsigned n) {
    expect('{');
    Value v{};
    unsigned count = 0;
    for (; !take('}'); ++count)
      if (Value x = ternary(); count == n) v = x;
    if (n >= count) fail("the tuple has too few dwords");
    return v;
  }

private:
  std::string_view s_;
  const Scope& scope_;
  size_t at_ = 0;

  void skip() {
    while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == ',')) ++at_;
  }
  bool take(std::string_view t) {
    skip();
    if (s_.substr(at_, t.size()) != t) return false;
    at_ += t.size();
    return true;
  }
  bool take(char c) { return take(std::string_view(&c, 1)); }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "' at '" + std::string(s_.substr(at_)) + "'");
  }

  Value ternary() {
    Value c = binary(0);
    if (!take('?')) return c;
    Value a = ternary();
    expect(':');
    Value b = ternary();
    return c.bits ? a : b;
  }
  struct Op {
    std::string_view text;
    int level;
  };
  // Longest first within the look-up; levels as in C.
  static constexpr Op kOps[] = {{"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<<", 7}, {">>", 7}, {"<=", 6}, {">=", 6}, {"|", 2},
                                {"^", 3},  {"&", 4},  {"<", 6},  {">", 6},  {"+", 8},  {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9}};
  Value binary(int level) {
    if (level > 9) return unary();
    Value a = binary(level + 1);
    for (;;) {
      // A space ends an element of a list, so operators stand without one before them.
      const Op* found = nullptr;
      for (auto& o : kOps)
        if (s_.substr(at_, o.text.size()) == o.text) {
          found = &o;
          break;
        }
      if (!found || found->level != level) return a;
      at_ += found->text.size();
      Value b = binary(level + 1);
      a = {apply(found->text, a.bits, b.bits), 0};
    }
  }
  static uint64_t apply(std::string_view op, uint64_t a, uint64_t b) {
    if (op == "||") return a || b;
    if (op == "&&") return a && b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<<") return b > 63 ? 0 : a << b;
    if (op == ">>") return b > 63 ? 0 : a >> b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "<") return a < b;
    if (op == ">") return a > b;
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (!b) fail("division by zero");
    return op == "/" ? a / b : a % b;
  }
  Value unary() {
    if (take('-')) {
      Value v = unary();
      if (v.format) return {v.bits ^ uint64_t{1} << sign_of(v.format), v.format};
      return {0 - v.bits, 0};
    }
    if (take('~')) return {~unary().bits, 0};
    if (take('!')) return {!unary().bits, 0};
    return primary();
  }
  Value primary() {
    if (take('(')) {
      Value v = ternary();
      expect(')');
      return v;
    }
    if (take('[')) {   // one element a lane, over and over
      std::vector<Value> list;
      while (!take(']')) list.push_back(ternary());
      if (list.empty()) fail("empty list");
      return list[scope_.lane % list.size()];
    }
    skip();
    size_t from = at_;
    bool digit = at_ < s_.size() && std::isdigit(static_cast<unsigned char>(s_[at_]));
    auto word = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    while (at_ < s_.size() && (word(s_[at_]) || (digit && at_ > from && s_[at_ - 1] == 'e' && s_[from + 1] != 'x' && (s_[at_] == '-' || s_[at_] == '+')))) ++at_;
    std::string token(s_.substr(from, at_ - from));
    if (token.empty()) fail("expected a value at '" + std::string(s_.substr(from)) + "'");
    return digit ? number(token) : name(token);
  }
  static Value number(const std::string& token) {
    char* end = nullptr;
    if (token.starts_with("0x") || token.starts_with("0b")) {
      bool hex = token[1] == 'x';
      uint64_t x = std::strtoull(token.c_str() + 2, &end, hex ? 16 : 2);
      if (*end) fail("bad number " + token);
      return {x, 0};
    }
    char last = token.back();
    if (std::strchr("fhdb", last)) {
      double x = std::strtod(token.c_str(), &end);
      if (end != token.c_str() + token.size() - 1) fail("bad number " + token);
      return {encode(x, last), last};
    }
    uint64_t x = std::strtoull(token.c_str(), &end, 10);
    if (*end) fail("bad number " + token);
    return {x, 0};
  }
  Value name(const std::string& token) {
    if (token == "lane") return {scope_.lane, 0};
    if (token == "old") return {scope_.old, 0};
    if (token == "M") return {scope_.memory, 0};
    if (auto f = named_float(token)) return *f;
    if (!take('(')) fail("unknown name " + token);
    std::vector<uint64_t> a;
    while (!take(')')) a.push_back(ternary().bits);
    auto need = [&](size_t n) {
      if (a.size() != n) fail(token + " takes " + std::to_string(n) + " values");
    };
    if (token == "pk") return need(2), Value{(a[0] & 0xffff) | a[1] << 16, 0};
    if (token == "bytes") return need(4), Value{(a[0] & 255) | (a[1] & 255) << 8 | (a[2] & 255) << 16 | (a[3] & 255) << 24, 0};
    if (token == "lo") return need(1), Value{a[0] & 0xffffffff, 0};
    if (token == "hi") return need(1), Value{a[0] >> 32, 0};
    if (token == "sext8") return need(1), Value{static_cast<uint64_t>(int64_t{static_cast<int8_t>(a[0])}), 0};
    if (token == "sext16") return need(1), Value{static_cast<uint64_t>(int64_t{static_cast<int16_t>(a[0])}), 0};
    for (auto [function, format] : {std::pair{"f64", 'd'}, {"f32", 'f'}, {"f16", 'h'}, {"bf16", 'b'}})
      if (token == function) return need(1), Value{encode(static_cast<double>(static_cast<int64_t>(a[0])), format), format};
    if (token == "bits") return need(1), Value{static_cast<uint64_t>(std::popcount(a[0])), 0};
    for (auto [prefix, bytes] : {std::pair{"mem", scope_.mem}, {"lds", scope_.lds}})
      for (unsigned width : {8u, 16u, 32u, 64u})
        if (token == prefix + std::to_string(width)) {
          need(1);
          uint64_t x = 0;
          if (!bytes || a[0] + width / 8 > bytes->size()) fail(token + " outside of memory");
          std::memcpy(&x, bytes->data() + a[0], width / 8);
          return {x, 0};
        }
    fail("unknown function " + token);
  }
};

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> parts;
  std::string now;
  int depth = 0;
  for (char c : line) {
    if (std::strchr("([{", c)) ++depth;
    if (std::strchr(")]}", c)) --depth;
    if (depth == 0 && std::isspace(static_cast<unsigned char>(c))) {
      if (!now.empty()) parts.push_back(now);
      now.clear();
    } else {
      now += c;
    }
  }
  if (depth) fail("unbalanced brackets");
  if (!now.empty()) parts.push_back(now);
  return parts;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

unsigned to_number(std::string_view s) {
  unsigned x = 0;
  if (s.empty()) fail("a register number is missing");
  for (char c : s) {
    if (!std::isdigit(static_cast<unsigned char>(c))) fail("bad register number " + std::string(s));
    x = x * 10 + static_cast<unsigned>(c - '0');
  }
  return x;
}

struct Special {
  std::string_view name;
  Assignment::Place place;
  unsigned number, width;
};
constexpr Special kSpecial[] = {
    {"scc", Assignment::Place::scc, 0, 1},      {"vcc", Assignment::Place::sgpr, 106, 2},  {"exec", Assignment::Place::sgpr, 126, 2},
    {"m0", Assignment::Place::sgpr, 124, 1},    {"mode", Assignment::Place::mode, 0, 32},  {"round32", Assignment::Place::mode, 0, 2},
    {"round64", Assignment::Place::mode, 2, 2}, {"den32", Assignment::Place::mode, 4, 2},  {"den64", Assignment::Place::mode, 6, 2},
    {"dx10", Assignment::Place::mode, 8, 1},    {"ieee", Assignment::Place::mode, 9, 1},   {"lds_size", Assignment::Place::lds_size, 0, 1},
};

Assignment assignment(std::string_view text) {
  size_t equals = std::string_view::npos;
  int depth = 0;
  for (size_t n = 0; n < text.size() && equals == std::string_view::npos; ++n) {
    if (std::strchr("([{", text[n])) ++depth;
    if (std::strchr(")]}", text[n])) --depth;
    if (text[n] == '=' && depth == 0) equals = n;
  }
  if (equals == std::string_view::npos) fail("no '=' in " + std::string(text));
  Assignment a;
  a.value = text.substr(equals + 1);
  if (a.value.empty()) fail("no value in " + std::string(text));
  std::string_view place = text.substr(0, equals);
  if (size_t tilde = place.find('~'); tilde != std::string_view::npos) {
    a.ulps = to_number(place.substr(tilde + 1));
    place = place.substr(0, tilde);
  }
  if (place.starts_with("all:")) a.all_lanes = true, place.remove_prefix(4);
  for (auto& s : kSpecial)
    if (s.name == place) {
      a.place = s.place, a.number = s.number, a.width = s.width;
      return a;
    }
  size_t open = place.find('[');
  std::string_view head = place.substr(0, open), inside;
  if (open != std::string_view::npos) {
    if (!place.ends_with(']')) fail("bad place " + std::string(place));
    inside = place.substr(open + 1, place.size() - open - 2);
  }
  if (head == "scr") {
    a.place = Assignment::Place::scratch, a.number = to_number(inside);
    return a;
  }
  for (auto [prefix, kind] : {std::pair{"mem", Assignment::Place::mem}, {"lds", Assignment::Place::lds}})
    if (head.starts_with(prefix)) {
      std::string_view bits = head.substr(3);
      a.place = kind, a.width = bits.empty() ? 4 : to_number(bits) / 8, a.index = inside;
      if (inside.empty() || !(a.width == 1 || a.width == 2 || a.width == 4 || a.width == 8)) fail("bad place " + std::string(place));
      return a;
    }
  if (head.empty() || !std::strchr("sva", head[0])) fail("unknown place " + std::string(place));
  a.place = head[0] == 's' ? Assignment::Place::sgpr : head[0] == 'v' ? Assignment::Place::vgpr : Assignment::Place::agpr;
  if (open == std::string_view::npos) {
    a.number = to_number(head.substr(1));
  } else {
    size_t colon = inside.find(':');
    a.number = to_number(inside.substr(0, colon));
    a.width = to_number(inside.substr(colon + 1)) - a.number + 1;
  }
  if (a.number + a.width > (a.place == Assignment::Place::sgpr ? 128u : 256u)) fail("no such register " + std::string(place));
  return a;
}

unsigned list_length(std::string_view s) {
  unsigned longest = 1;
  for (size_t n = 0; n < s.size(); ++n)
    if (s[n] == '[') {
      unsigned count = 0;
      bool inside = false;
      int depth = 0;
      for (++n; n < s.size() && !(s[n] == ']' && depth == 0); ++n) {
        depth += s[n] == '(' ? 1 : s[n] == ')' ? -1 : 0;
        bool space = depth == 0 && (s[n] == ' ' || s[n] == ',');
        count += !space && !inside;
        inside = !space;
      }
      longest = std::max(longest, std::min(count, 64u));
    }
  return longest;
}

/// $1, $2 ... of the instructions replaced by the case's own words.
std::string substitute(const std::string& text, const std::vector<std::string>& words) {
  std::string out;
  for (size_t n = 0; n < text.size(); ++n) {
    if (text[n] != '$') {
      out += text[n];
      continue;
    }
    size_t k = n + 1 < text.size() ? static_cast<size_t>(text[n + 1] - '0') : 0;
    if (k < 1 || k > words.size()) fail("no word for $" + std::to_string(k));
    out += words[k - 1], ++n;
  }
  return out;
}

isa::TargetSet target_set(std::string_view names) {
  isa::TargetSet set = 0;
  for (auto& name : split(names)) {
    auto t = isa::target_from_name(name);
    if (!t) fail("unknown target " + name);
    set |= isa::bit(*t);
  }
  return set;
}

} // namespace

uint64_t evaluate(std::string_view expression, const Scope& scope, unsigned n) {
  Reader r(expression, scope);
  return is_tuple(expression) ? r.element(n).bits : r.whole().bits;
}

Expected<std::vector<GoldenCase>> read_golden(const std::string& path) {
  std::ifstream file(path);
  if (!file) return error(Code::not_found, "no file {}", path);
  std::vector<GoldenCase> cases;
  constexpr isa::TargetSet kUsual = isa::bit(isa::Target::gfx900) | isa::bit(isa::Target::gfx90a) | isa::bit(isa::Target::gfx942);
  isa::TargetSet targets = kUsual;
  std::string section, text, line;
  bool engines_only = false;
  std::vector<Assignment> section_inputs, text_inputs;
  auto assignments = [](std::string_view s, std::vector<Assignment>& to) {
    for (auto& part : split(s)) to.push_back(assignment(part));
  };
  for (int number = 1; std::getline(file, line); ++number) {
    try {
      if (size_t hash = line.find('#'); hash != std::string::npos) line.resize(hash);
      std::string_view all = trim(line);
      if (all.empty()) continue;
      if (all.starts_with("@targets ")) {
        targets = target_set(all.substr(9));
      } else if (all.starts_with("@with")) {
        section_inputs.clear();
        assignments(all.substr(5), section_inputs);
      } else if (all.starts_with("@engines ")) {
        engines_only = true;
      } else if (all.starts_with("@ ")) {   // a new section starts afresh
        section = trim(all.substr(2)), targets = kUsual, engines_only = false, text.clear();
        section_inputs.clear();
      } else if (!std::isspace(static_cast<unsigned char>(line[0]))) {
        size_t bar = all.find('|');
        // An absolute value has bars too; common inputs come after a bar between spaces.
        bar = all.find(" | ");
        text = trim(all.substr(0, bar));
        std::replace(text.begin(), text.end(), ';', '\n');
        text_inputs.clear();
        if (bar != std::string_view::npos) assignments(all.substr(bar + 3), text_inputs);
      } else {
        if (section.empty() || text.empty()) fail("a case needs a section and instructions before it");
        GoldenCase c;
        c.line = number, c.targets = targets, c.section = section, c.engines_only = engines_only, c.inputs = section_inputs;
        c.inputs.insert(c.inputs.end(), text_inputs.begin(), text_inputs.end());
        std::vector<std::string> words;
        if (all.starts_with('(')) {
          size_t close = 0;
          for (int depth = 0; close < all.size(); ++close)
            if (depth += all[close] == '(' ? 1 : all[close] == ')' ? -1 : 0; depth == 0) break;
          if (close == all.size()) fail("unbalanced brackets");
          std::string_view rest = all.substr(1, close - 1);
          for (size_t from = 0, to = 0; to != std::string_view::npos; from = to + 1) {
            to = rest.find(';', from);
            words.emplace_back(trim(rest.substr(from, to == std::string_view::npos ? to : to - from)));
          }
          all = trim(all.substr(close + 1));
        }
        c.text = substitute(text, words);
        size_t arrow = all.find("->");
        if (arrow == std::string_view::npos) fail("a case without ->");
        assignments(all.substr(0, arrow), c.inputs);
        assignments(all.substr(arrow + 2), c.results);
        for (auto* list : {&c.inputs, &c.results})
          for (auto& a : *list) c.vectors = std::max(c.vectors, list_length(a.value));
        cases.push_back(std::move(c));
      }
    } catch (const std::runtime_error& e) {
      return error(Code::invalid_argument, "{}:{}: {}", path, number, e.what());
    }
  }
  return cases;
}

} // namespace bz::exec::judge
