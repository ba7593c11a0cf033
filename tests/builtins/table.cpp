#include "table.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bz::builtins {
namespace {

Type parse_type(std::string text) {
  Type t;
  if (text.ends_with("*")) t.pointer = true, text.pop_back();
  if (const size_t space = text.find(' '); space != std::string::npos) t.space = text.substr(0, space), text = text.substr(space + 1);
  if (const size_t x = text.rfind('x'); x != std::string::npos && x > 0 && std::isdigit(static_cast<unsigned char>(text.back())) &&
                                        std::isdigit(static_cast<unsigned char>(text[x - 1]))) {
    t.count = std::stoi(text.substr(x + 1));
    text.resize(x);
  }
  t.element = text;
  return t;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

} // namespace

int Type::bits() const {
  if (pointer || element == "rsrc" || element == "text" || element == "void") return 0;
  if (element == "bool") return 32;
  return std::stoi(element.substr(element.find_first_of("0123456789")));
}

std::vector<Builtin> read_table(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("can't read " + path);
  std::vector<Builtin> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() != 4) throw std::runtime_error(path + ": " + line);
    Builtin b{fields[0], parse_type(fields[1]), {}, split(fields[3], ',')};
    if (fields[2] != "-")
      for (const std::string& p : split(fields[2], ',')) {
        const size_t equals = p.find('=');
        Parameter parameter{parse_type(p.substr(0, equals)), {}};
        if (equals != std::string::npos) parameter.constant = std::stoll(p.substr(equals + 1));
        b.parameters.push_back(parameter);
      }
    all.push_back(std::move(b));
  }
  return all;
}

double as_number(const std::string& e, uint64_t bits) {
  if (e == "f32") return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (e == "f64") return std::bit_cast<double>(bits);
  if (e == "f16" || e == "fp16") return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
  if (e == "bf16") return std::bit_cast<float>(static_cast<uint32_t>(bits << 16));
  if (e == "i8") return static_cast<int8_t>(bits);
  if (e == "i16") return static_cast<int16_t>(bits);
  if (e == "i32") return static_cast<int32_t>(bits);
  if (e == "i64") return static_cast<double>(static_cast<int64_t>(bits));
  return static_cast<double>(bits);
}

uint64_t as_bits(const std::string& e, double v) {
  if (e == "f32") return std::bit_cast<uint32_t>(static_cast<float>(v));
  if (e == "f64") return std::bit_cast<uint64_t>(v);
  if (e == "f16" || e == "fp16") return std::bit_cast<uint16_t>(static_cast<_Float16>(v));
  if (e == "bf16") return std::bit_cast<uint32_t>(static_cast<float>(v)) >> 16;
  return static_cast<uint64_t>(static_cast<int64_t>(v));
}

int Values::place(int parameter) const {
  int at = 0;
  for (int i = 0; i < parameter; ++i) at += (builtin_.parameters[static_cast<size_t>(i)].type.words() + 1) / 2 * 2;
  return at;
}

namespace {
uint64_t element_bits(const uint32_t* words, int width, int element) {
  const int first = width * element;
  uint64_t bits = words[first / 32];
  if (width == 64) bits |= static_cast<uint64_t>(words[first / 32 + 1]) << 32;
  else bits = (bits >> (first % 32)) & ((uint64_t{1} << width) - 1);
  return bits;
}
} // namespace

uint64_t Values::bits(int parameter, int lane, int element) const {
  const Parameter& p = builtin_.parameters[static_cast<size_t>(parameter)];
  if (p.constant) return static_cast<uint64_t>(*p.constant);
  const uint64_t b = element_bits(run_.in.data() + lane * kInWords + place(parameter), p.type.bits(), element);
  return p.type.element == "bool" ? b & 1 : b;
}

double Values::number(int parameter, int lane, int element) const {
  std::string e = builtin_.parameters[static_cast<size_t>(parameter)].type.element;
  if (e == "i16" && builtin_.name.find("bf16") != std::string::npos) e = "bf16";
  return as_number(e, bits(parameter, lane, element));
}

uint64_t Values::result_bits(int lane, int element) const {
  return element_bits(run_.out.data() + lane * kOutWords, builtin_.result.bits(), element);
}
double Values::result(int lane, int element) const { return as_number(builtin_.result.element, result_bits(lane, element)); }

} // namespace bz::builtins
