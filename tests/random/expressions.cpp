// Expressions of the random programs. Every operation is one of prelude.hpp: none has undefined behaviour.
#include "writer.hpp"

namespace bz::random {

const char* name(Type t) {
  static const char* const names[kTypes] = {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "f16", "f32", "f64"};
  return names[t];
}
int bits(Type t) {
  static const int sizes[kTypes] = {8, 8, 16, 16, 32, 32, 64, 64, 128, 128, 16, 32, 64};
  return sizes[t];
}

const std::vector<VectorType> kVectorTypes = {
    {"u8x4", U8, 4},   {"u16x2", U16, 2}, {"i16x2", I16, 2}, {"u16x4", U16, 4}, {"u32x2", U32, 2}, {"u32x4", U32, 4}, {"i32x3", I32, 3},
    {"u64x2", U64, 2}, {"f16x2", F16, 2}, {"f16x4", F16, 4}, {"f32x2", F32, 2}, {"f32x4", F32, 4}, {"f64x2", F64, 2}};

namespace {
std::string cast(Type t, const std::string& e) { return std::string(name(t)) + "(" + e + ")"; }
std::string call_of(const std::string& f, Type t, std::initializer_list<std::string> arguments) {
  std::string text = f + "<" + name(t) + ">(";
  const char* comma = "";
  for (const std::string& a : arguments) text += comma + a, comma = ", ";
  return text + ")";
}
} // namespace

Type Writer::any_integer() {
  return random_.one_of({U8, I8, U16, I16, U16, I16, U32, I32, U32, I32, U32, I32, U64, I64, U64, I64, U128, I128});
}
Type Writer::any_type() { return random_.chance(65) ? any_integer() : random_.one_of({F16, F32, F32, F32, F64}); }

std::string Writer::literal(Type t) {
  if (is_float(t)) {
    static const char* const values[] = {"0.0", "-0.0", "1.0", "-1.0", "0.5", "-2.0", "4.0", "0.15915494", "3.0", "-7.25", "100.0", "0.001", "1e-5", "65504.0", "-1e-7"};
    return cast(t, values[random_.below(std::size(values))]);
  }
  std::string text = cast(t, std::to_string(edgy_word(random_)) + "ul");
  if (is_wide(t) && random_.chance(50)) return cast(t, "(" + text + " << " + std::to_string(random_.below(70)) + ")");
  return text;
}

std::string Writer::leaf(Type t) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    switch (random_.below(7)) {
    case 0:
    case 1:
    case 2: { // a variable of the type, or one that converts without surprise
      std::vector<std::string> fits;
      for (const Variable& v : scope_.variables) {
        if (v.type == t) fits.push_back(v.name), fits.push_back(v.name);
        else if (!is_float(t) && !is_float(v.type)) fits.push_back(cast(t, v.name));
        else if (is_float(t) && is_float(v.type)) fits.push_back(cast(t, v.name));
      }
      if (!fits.empty()) return random_.pick(fits);
      break;
    }
    case 3: {
      std::vector<const Array*> fits;
      for (const Array& a : scope_.arrays)
        if (a.type == t) fits.push_back(&a);
      if (fits.empty()) break;
      const Array& a = *random_.pick(fits);
      return a.name + "[" + index(a.count, 0) + "]";
    }
    case 4: {
      std::vector<const VectorVariable*> fits;
      for (const VectorVariable& v : scope_.vectors)
        if (v.type->element == t) fits.push_back(&v);
      if (fits.empty()) break;
      const VectorVariable& v = *random_.pick(fits);
      if (v.type->count != 3 && random_.chance(30)) return v.name + "[" + index(static_cast<uint32_t>(v.type->count), 0) + "]";
      return v.name + "[" + std::to_string(random_.below(static_cast<uint32_t>(v.type->count))) + "]";
    }
    case 5:
      if (!scope_.bytes.empty() && !is_float(t) && !is_wide(t))
        return call_of("load_bytes", t, {random_.pick(scope_.bytes) + " + " + index(16, 0)});
      break;
    default: return literal(t);
    }
  }
  return literal(t);
}

std::string Writer::index(uint32_t count, int depth) {
  if (depth <= 0 && random_.chance(30)) return std::to_string(random_.below(count));
  std::string e = depth > 0 ? expression(U32, depth - 1) : "h";
  if (depth <= 0) {
    std::vector<std::string> fits{"u32(h)"};
    for (const Variable& v : scope_.variables)
      if (!is_float(v.type)) fits.push_back("u32(" + v.name + ")");
    e = random_.pick(fits);
  }
  return "(" + e + " & " + std::to_string(count - 1) + "u)";
}

std::string Writer::condition(int depth) {
  switch (depth <= 0 ? 3 : random_.below(8)) {
  case 0: return "(" + condition(depth - 1) + " && " + condition(depth - 1) + ")";
  case 1: return "(" + condition(depth - 1) + " || " + condition(depth - 1) + ")";
  case 2: return "!" + condition(depth - 1);
  case 4:
    if (in_kernel_) {
      std::string bit = std::to_string(random_.between(1, 63));
      return random_.one_of<std::string>({"(L.lane & " + bit + "u)", "(L.lane < " + bit + "u)", "(L.thread == " + bit + "u)", "(L.lane > " + bit + "u)"});
    }
    [[fallthrough]];
  default: {
    Type t = any_type();
    const char* op = random_.one_of({" < ", " > ", " <= ", " >= ", " == ", " != "});
    if (!is_float(t) && random_.chance(35)) { // not nearly always the same
      const std::string divisor = std::to_string(random_.between(2, 7));
      return "(" + cast(U32, expression(t, depth - 1)) + " % " + divisor + "u" + op + std::to_string(random_.below(4)) + "u)";
    }
    return "(" + expression(t, depth - 1) + op + expression(t, depth - 1) + ")";
  }
  }
}

std::string Writer::call(Type result, int depth) {
  std::vector<const Function*> fits;
  for (const Function& f : functions_)
    if (f.result == result && f.pointers.empty() && f.cost * times_ < 3000) fits.push_back(&f);
  if (fits.empty()) return "";
  const Function& f = *random_.pick(fits);
  cost_ += f.cost * times_;
  std::string text = f.name + "(";
  for (size_t i = 0; i < f.parameters.size(); ++i) text += (i ? ", " : "") + expression(f.parameters[i], depth - 1);
  return text + ")";
}

std::string Writer::expression(Type t, int depth) {
  if (depth <= 0 || random_.chance(12)) return leaf(t);
  if (random_.chance(8)) {
    if (std::string text = call(t, depth); !text.empty()) return text;
  }
  if (random_.chance(8)) return "(" + condition(depth - 1) + " ? " + expression(t, depth - 1) + " : " + expression(t, depth - 1) + ")";
  return is_float(t) ? floating(t, depth) : integer(t, depth);
}

std::string Writer::integer(Type t, int depth) {
  auto e = [&](int d = 1) { return expression(t, depth - d); };
  auto n = [&] { return random_.chance(40) ? std::to_string(random_.below(64)) : expression(U32, depth - 2); };
  const bool wide = is_wide(t);
  switch (random_.below(30)) {
  case 0:
  case 1: return call_of("add", t, {e(), e()});
  case 2: return call_of("sub", t, {e(), e()});
  case 3: return call_of("mul", t, {e(), e()});
  case 4: return call_of("mad", t, {e(), e(2), e(2)});
  case 5: return "(" + e() + " & " + e() + ")";
  case 6: return cast(t, "(" + e() + " | " + e() + ")");
  case 7: return cast(t, "(" + e() + " ^ " + e() + ")");
  case 8: return cast(t, "~" + e());
  case 9: return call_of("shl", t, {e(), n()});
  case 10: return call_of("shr", t, {e(), n()});
  case 11: return call_of(random_.one_of<std::string>({"rotate"}), t, {e(), n()});
  case 12: return call_of("funnel", t, {e(), e(), n()});
  case 13:
    if (wide && random_.chance(80)) break;
    return call_of(random_.one_of<std::string>({"quotient", "remainder"}), t, {e(), random_.chance(30) ? literal(t) : e()});
  case 14: return call_of(random_.one_of<std::string>({"lower", "higher"}), t, {e(), e()});
  case 15: return call_of("middle", t, {e(2), e(2), e(2)});
  case 16: return call_of(random_.one_of<std::string>({"magnitude"}), t, {e()});
  case 17: return call_of("distance", t, {e(), e()});
  case 18:
    if (wide) break;
    return call_of(random_.one_of<std::string>({"add_saturated", "sub_saturated"}), t, {e(), e()});
  case 19:
    if (wide) break;
    return call_of(random_.one_of<std::string>({"add_or", "mul_or"}), t, {e(), e(), leaf(t)});
  case 20: return call_of(random_.one_of<std::string>({"field", "signed_field"}), t, {e(), n(), n()});
  case 21: return call_of("insert", t, {e(), e(2), e(2)});
  case 22:
    if (wide) break;
    return call_of(random_.one_of<std::string>({"reversed", "swapped"}), t, {e()});
  case 23:
    if (wide) break;
    return call_of(random_.one_of<std::string>({"ones", "leading", "trailing", "first_set"}), t, {e()});
  case 24: return call_of("high_product", t, {e(), e()});
  case 25: return random_.chance(50) && bits(t) < 64 ? call_of("low24", t, {e(), e(), leaf(t)}) : call_of("bytes", t, {e(), leaf(t), n()});
  case 26:
  case 27: return cast(t, expression(any_integer(), depth - 1));
  case 28:
    if (wide) break;
    {
      const Type from = random_.one_of({F16, F32, F64});
      if (random_.chance(20)) return cast(t, "exponent_of<" + std::string(name(from)) + ">(" + expression(from, depth - 1) + ")");
      return "to_integer<" + std::string(name(t)) + ", " + name(from) + ">(" + expression(from, depth - 1) + ")";
    }
  case 29: return cast(t, condition(depth - 1));
  }
  return call_of("add", t, {e(), e()});
}

std::string Writer::floating(Type t, int depth) {
  auto e = [&](int d = 1) { return expression(t, depth - d); };
  switch (random_.below(22)) {
  case 0:
  case 1: return "(" + e() + " + " + e() + ")";
  case 2: return "(" + e() + " - " + e() + ")";
  case 3:
  case 4: return "(" + e() + " * " + e() + ")";
  case 5: return call_of("ratio", t, {e(), e()});
  case 6:
  case 7: return call_of("fused", t, {e(), e(2), e(2)});
  case 8: return call_of("square_root", t, {e()});
  case 9: return "(-" + e() + ")";
  case 10: return call_of("without_sign", t, {e()});
  case 11: return call_of("with_sign", t, {e(), e()});
  case 12: return call_of(random_.one_of<std::string>({"round_down", "round_up", "round_to_zero", "round_to_even", "round_away"}), t, {e()});
  case 13: return call_of(random_.one_of<std::string>({"lower", "higher", "smallest", "largest"}), t, {e(), e()});
  case 14: return call_of(random_.one_of<std::string>({"smallest", "largest"}), t, {call_of("smallest", t, {e(2), e(2)}), leaf(t)});
  case 15: return call_of("clamped", t, {e()});
  case 16: return call_of("scaled", t, {e(), expression(I32, depth - 2)});
  case 17: return call_of("fraction", t, {e()});
  case 18: return cast(t, expression(random_.one_of({F16, F32, F64}), depth - 1));
  case 19:
  case 20: {
    const Type from = t == F16 ? random_.one_of({U8, I8, I16}) : random_.one_of({U8, I8, U16, I16, U32, I32, U64, I64});
    return cast(t, expression(from, depth - 1));
  }
  default:
    if (random_.chance(50)) return call_of("from_bits", t, {cast(U64, expression(U64, depth - 1))});
    return "(" + e() + " * " + literal(t) + ")";
  }
}

std::string Writer::vector(const VectorType& t, int depth) {
  std::vector<std::string> same;
  for (const VectorVariable& v : scope_.vectors)
    if (v.type == &t) same.push_back(v.name);
  if (depth <= 0 || random_.chance(15)) {
    if (!same.empty() && random_.chance(70)) return random_.pick(same);
    if (random_.chance(30)) return std::string(t.name) + "(" + leaf(t.element) + ")";
    std::string text = std::string(t.name) + "{";
    for (int i = 0; i < t.count; ++i) text += (i ? ", " : "") + leaf(t.element);
    return text + "}";
  }
  auto e = [&] { return vector(t, depth - 1); };
  if (random_.chance(15)) { // another order of the elements
    std::string text = "__builtin_shufflevector(" + e() + ", " + e();
    for (int i = 0; i < t.count; ++i) text += ", " + std::to_string(random_.below(static_cast<uint32_t>(t.count) * 2));
    return text + ")";
  }
  if (is_float(t.element)) {
    const std::string n = std::to_string(t.count);
    switch (random_.below(7)) {
    case 0: return "(" + e() + " + " + e() + ")";
    case 1: return "(" + e() + " - " + e() + ")";
    case 2:
    case 3: return "(" + e() + " * " + e() + ")";
    case 4: return "(-" + e() + ")";
    case 5: return "__builtin_elementwise_abs(" + e() + ")";
    default:
      if (t.element == F16) return "(" + e() + " * " + e() + ")";
      return "__builtin_elementwise_fma(" + e() + ", " + e() + ", " + e() + ")";
    }
  }
  const bool sign = t.element == I16 || t.element == I32;
  const std::string top = std::to_string(bits(t.element) - 1);
  switch (random_.below(sign ? 8 : 13)) {
  case 0: return "(" + e() + " & " + e() + ")";
  case 1: return "(" + e() + " | " + e() + ")";
  case 2: return "(" + e() + " ^ " + e() + ")";
  case 3: return "__builtin_elementwise_min(" + e() + ", " + e() + ")";
  case 4: return "__builtin_elementwise_max(" + e() + ", " + e() + ")";
  case 5: return "(" + e() + " >> (" + e() + " & " + t.name + "(" + top + ")))";
  case 6: return "__builtin_elementwise_add_sat(" + e() + ", " + e() + ")";
  case 7: return "__builtin_elementwise_sub_sat(" + e() + ", " + e() + ")";
  case 8:
  case 9: return "(" + e() + " + " + e() + ")";
  case 10: return "(" + e() + " - " + e() + ")";
  case 11: return "(" + e() + " * " + e() + ")";
  default: return "(" + e() + " << (" + e() + " & " + t.name + "(" + top + ")))";
  }
}

} // namespace bz::random
