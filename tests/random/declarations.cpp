// What stands before a random kernel, and the kernel around its statements.
#include "writer.hpp"

namespace bz::random {

Writer::Writer(uint64_t seed, int index) : random_(seed * 1000003 + static_cast<uint64_t>(index) * 7919 + 17), index_(index) {}

void Writer::write_struct(Statement& text) {
  StructType t{"S" + std::to_string(struct_types_.size()), {}};
  const bool packed = random_.chance(25);
  Statement s;
  s.line("struct " + std::string(packed ? "__attribute__((packed)) " : "") + t.name + " {");
  for (uint32_t i = 0, n = random_.between(2, 5); i < n; ++i) {
    const std::string f = "m" + std::to_string(i);
    if (random_.chance(35)) {
      const Type type = random_.one_of({U32, I32, U64, I64, U16, U8});
      const int width = static_cast<int>(random_.between(1, static_cast<uint32_t>(bits(type)) - 1));
      s.line("  " + std::string(name(type)) + " " + f + " : " + std::to_string(width) + ";");
      t.fields.push_back({"." + f, type, true, false, width});
    } else if (random_.chance(20)) {
      const Type type = any_type();
      s.line("  " + std::string(name(type)) + " " + f + "[3];");
      t.fields.push_back({"." + f + "[1]", type, true, !packed});
      t.fields.push_back({"." + f + "[2]", type, true, !packed});
    } else if (!struct_types_.empty() && random_.chance(30)) {
      const StructType& inner = random_.pick(struct_types_);
      s.line("  " + inner.name + " " + f + ";");
      for (const Variable& v : inner.fields) t.fields.push_back({"." + f + v.name, v.type, true, v.addressable && !packed, v.width});
    } else {
      const Type type = any_type();
      s.line("  " + std::string(name(type)) + " " + f + ";");
      t.fields.push_back({"." + f, type, true, !packed});
    }
  }
  s.line("};");
  text.child(std::move(s));
  struct_types_.push_back(std::move(t));
}

void Writer::write_table(Statement& text) {
  const Type t = any_type();
  const uint32_t count = random_.one_of({4u, 8u, 16u, 32u});
  const std::string n = fresh("table");
  std::string line = "TABLE " + std::string(name(t)) + " " + n + "[" + std::to_string(count) + "] = {";
  for (uint32_t i = 0; i < count; ++i) line += (i ? ", " : "") + literal(t);
  text.line(line + "};");
  scope_.arrays.push_back({n, t, count, false});
}

void Writer::write_function(Statement& text) {
  Function f{fresh("function"), any_type(), {}, {}, 0};
  // Some of one signature, so that there are tables of function pointers.
  if (!functions_.empty() && functions_.back().pointers.empty() && random_.chance(50)) {
    f.result = functions_.back().result, f.parameters = functions_.back().parameters;
  } else {
    for (uint32_t i = 0, n = random_.chance(8) ? random_.between(16, 40) : random_.between(1, 5); i < n; ++i) f.parameters.push_back(any_type());
    for (uint32_t i = 0, n = random_.chance(40) ? random_.between(1, 2) : 0; i < n; ++i) f.pointers.push_back(any_type());
  }
  Statement s;
  const Scope outer = scope_;
  std::string head = random_.one_of<std::string>({"NOINLINE ", "NOINLINE ", "EITHER_WAY "}) + name(f.result) + " " + f.name + "(";
  const char* comma = "";
  for (size_t i = 0; i < f.parameters.size(); ++i) {
    const std::string p = "q" + std::to_string(i);
    head += comma + std::string(name(f.parameters[i])) + " " + p, comma = ", ";
    scope_.variables.push_back({p, f.parameters[i], true, true});
  }
  for (size_t i = 0; i < f.pointers.size(); ++i) {
    const std::string p = "r" + std::to_string(i);
    head += comma + std::string(name(f.pointers[i])) + "* " + p, comma = ", ";
    scope_.variables.push_back({"*" + p, f.pointers[i], true, false});
  }
  s.line(head + ") {");
  s.line("  u64 h = " + std::to_string(random_.below(1000)) + ";");
  result_ = std::string(name(f.result)) + "(" + expression(f.result, 1) + ")";
  cost_ = 1;
  fill(s, static_cast<int>(random_.between(2, 5)));
  s.line("  return " + std::string(name(f.result)) + "(" + (is_float(f.result) ? expression(f.result, 2) + " + " + name(f.result) + "(u8(h))" : "h ^ u64(" + expression(f.result, 2) + ")") + ");");
  s.line("}");
  text.child(std::move(s));
  result_.clear();
  scope_ = outer;
  f.cost = cost_;
  functions_.push_back(std::move(f));
}

/// Two branches of recursion, bounded by an argument; with the parameters (depth, value).
void Writer::write_recursion(Statement& text) {
  const Type t = random_.one_of({U32, I32, U64, F32, F64});
  const std::string n = fresh("recursion"), tn = name(t);
  Statement s;
  const Scope outer = scope_;
  s.line("NOINLINE " + tn + " " + n + "_at(u32 depth, " + tn + " v) {");
  scope_.variables.push_back({"v", t, true, true});
  scope_.variables.push_back({"depth", U32, false, false});
  s.line("  u64 h = depth;");
  s.line("  if (depth == 0) return " + tn + "(" + expression(t, 1) + ");");
  declare(s);
  s.line("  " + tn + " a = " + n + "_at(depth - 1, " + tn + "(" + expression(t, 2) + "));");
  s.line("  if (" + condition(2) + ") a = " + tn + "(a + " + (is_float(t) ? "" : "0 * ") + n + "_at(depth / 2, " + tn + "(" + expression(t, 1) + ")));");
  s.line("  return " + tn + (is_float(t) ? "(a + " + expression(t, 1) + ");" : "(h ^ u64(a) ^ u64(" + expression(t, 1) + "));"));
  s.line("}");
  s.line("EITHER_WAY " + tn + " " + n + "(u32 depth, " + tn + " v) { return " + n + "_at(depth & 3, v); }");
  text.child(std::move(s));
  scope_ = outer;
  functions_.push_back({n, t, {U32, t}, {}, 60});
}

void Writer::write_family(Statement& text) {
  Family f{fresh("Base"), random_.one_of({U32, I32, U64, F32, F64, I16}), {}};
  const std::string t = name(f.type);
  Statement s;
  const Scope outer = scope_;
  scope_.variables.push_back({"a", f.type, true, false});
  scope_.variables.push_back({"b", f.type, true, false});
  scope_.variables.push_back({"x", f.type, true, false});
  s.line("struct " + f.base + " {");
  s.line("  " + t + " a, b;");
  s.line("  DEVICE virtual " + t + " f(" + t + " x) { u64 h = 1; return " + t + "(" + expression(f.type, 2) + "); }");
  s.line("};");
  s.line("NOINLINE " + t + " " + f.base + "_call(" + f.base + "* o, " + t + " x) { return o->f(x); }");
  for (uint32_t i = 0, n = random_.between(2, 3); i < n; ++i) {
    const std::string d = f.base + "Derived" + std::to_string(i);
    s.line("struct " + d + " : " + (i == 2 ? f.derived[0] : f.base) + " {");
    s.line("  DEVICE " + t + " f(" + t + " x) override {");
    s.line("    u64 h = " + std::to_string(i) + ";");
    s.line("    a = " + t + "(" + expression(f.type, 2) + ");");
    s.line("    return " + t + "(" + expression(f.type, 2) + ");");
    s.line("  }");
    s.line("};");
    f.derived.push_back(d);
  }
  text.child(std::move(s));
  scope_ = outer;
  families_.push_back(std::move(f));
}

void Writer::write_body(Statement& text) {
  kernel_.meets = random_.chance(45);
  kernel_.size = random_.one_of({1u, 7u, 32u, 63u, 64u, 64u, 65u, 100u, 128u, 192u, 256u});
  kernel_.groups = random_.between(1, 3);
  in_kernel_ = true;
  convergent_ = uniform_ = kernel_.meets;
  cost_ = 1;
  text.line("KERNEL(" + kernel_.name + ", " + std::to_string(kernel_.groups) + ", " + std::to_string(kernel_.size) + ") {");
  text.line("  START;");
  text.line("  LDS(u64, lds, 256, 0);");
  text.line("  LDS(u64, lds_of_lanes, 256 * 8, 256 * 8);");
  text.line("  u64* own_lds = lds_of_lanes + L.thread * 8;");
  text.line("  for (int i = 0; i < 8; ++i) own_lds[i] = A.in[(L.thread * 3 + u32(i)) & 255];");
  text.line("  for (u32 i = L.thread; i < 256; i += L.size) lds[i] = i;");
  if (kernel_.meets) text.line("  barrier(L, " + place() + ");");
  text.line("  u8* own = reinterpret_cast<u8*>(A.scratch + L.global * kScratchWords);");
  text.line("  u64 h = L.global;");
  // Inputs of each kind; the rest of the program sees them as variables.
  for (uint32_t i = 0, n = random_.between(3, 6); i < n; ++i) {
    const std::string v = fresh("v"), at = "[(L.global * " + std::to_string(random_.below(8)) + " + " + std::to_string(random_.below(256)) + ") & 255]";
    const Type t = any_type();
    const char* from = t == F16 ? "A.halves" : t == F32 ? "A.floats" : t == F64 ? "A.doubles" : "A.in";
    text.line("  " + std::string(name(t)) + " " + v + " = " + name(t) + "(" + from + at + ");");
    scope_.variables.push_back({v, t, true, true});
  }
  scope_.variables.push_back({"L.thread", U32, false, false});
  scope_.arrays.push_back({"A.in", U64, 256, false});
  scope_.arrays.push_back({"A.floats", F32, 256, false});
  scope_.arrays.push_back({"A.doubles", F64, 256, false});
  scope_.arrays.push_back({"A.halves", F16, 256, false});
  scope_.arrays.push_back({"own_lds", U64, 8, true});
  scope_.bytes.push_back("own");
  scope_.bytes.push_back("reinterpret_cast<u8*>(own_lds)");
  declare(text);
  // h so far after each part of the statements: tells where a difference begins.
  for (int i = 1; i < 4; ++i) {
    fill(text, static_cast<int>(random_.between(2, 4)));
    text.line("  A.out[L.global * kOutWords + " + std::to_string(i) + "] = h;");
  }
  for (const Variable& v : scope_.variables) text.line("  h = fold(h, " + std::string(name(v.type)) + "(" + v.name + "));");
  for (const VectorVariable& v : scope_.vectors) text.line("  h = fold_vector<" + std::to_string(v.type->count) + ">(h, " + v.name + ");");
  for (const Array& a : scope_.arrays)
    if (a.writable) text.line("  for (int i = 0; i < " + std::to_string(a.count) + "; ++i) h = fold(h, " + a.name + "[i]);");
  text.line("  A.out[L.global * kOutWords] = h;");
  text.line("}");
}

Kernel Writer::write() {
  kernel_.name = "k" + std::to_string(index_);
  Statement& text = kernel_.text;
  text.line("namespace " + kernel_.name + "_space {");
  for (uint32_t i = 0, n = random_.below(3); i < n; ++i) write_struct(text);
  for (uint32_t i = 0, n = random_.below(3); i < n; ++i) write_table(text);
  for (uint32_t i = 0, n = random_.below(4); i < n; ++i) write_function(text);
  if (random_.chance(20)) write_recursion(text);
  if (random_.chance(20)) write_family(text);
  write_body(text);
  text.line("} // namespace");
  return std::move(kernel_);
}

Kernel write_kernel(uint64_t seed, int index) { return Writer(seed, index).write(); }

} // namespace bz::random
