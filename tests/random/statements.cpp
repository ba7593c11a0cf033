// Statements of the random programs: control flow, memory, calls, operations between lanes.
#include "writer.hpp"

namespace bz::random {
namespace {
/// Products of trip counts and callees' costs stay below this, so that a kernel ends soon.
constexpr uint64_t kMostTimes = 400;
} // namespace

template <class Body> void Writer::nested(uint32_t times, Body body) {
  const Scope outer = scope_;
  times_ *= times;
  ++depth_;
  body();
  --depth_;
  times_ /= times;
  scope_ = outer;
}

Statement Writer::droppable() {
  Statement s;
  s.id = ++next_id_;
  kernel_.ids.push_back(s.id);
  cost_ += times_;
  return s;
}

void Writer::fill(Statement& into, int count) {
  for (int i = 0; i < count; ++i) {
    if (random_.chance(depth_ == 0 ? 25 : 15)) declare(into);
    into.child(statement());
  }
}

Statement Writer::block_of(const std::string& head, const std::string& tail, int count) {
  Statement s;
  s.line(head);
  nested(1, [&] { fill(s, count); });
  s.line(tail);
  return s;
}

Statement Writer::statement() {
  Statement s = droppable();
  const bool deeper = depth_ < 3 && times_ < kMostTimes;
  if (convergent_ && random_.chance(depth_ == 0 ? 35 : 25)) {
    if (uniform_ && depth_ == 0 && random_.chance(40)) exchange(s);
    else between_lanes(s);
    return s;
  }
  switch (random_.below(deeper ? 30 : 13)) {
  case 0:
  case 1: s.line("h = fold(h, " + expression(any_type(), 3) + ");"); break;
  case 2: {
    const VectorType& t = random_.pick(kVectorTypes);
    s.line("h = fold_vector<" + std::to_string(t.count) + ">(h, " + vector(t, 2) + ");");
    break;
  }
  case 3:
  case 4:
  case 5: assign(s); break;
  case 6:
  case 7:
  case 8: assign_part(s); break;
  case 9:
  case 10: memory(s); break;
  case 11: in_kernel_ ? atomic(s) : assign(s); break;
  case 12: call_statement(s); break;
  case 13:
  case 14:
  case 15: branch(s); break;
  case 16:
  case 17:
  case 18:
  case 19: loop(s); break;
  case 20: switch_over(s); break;
  case 21: jump(s); break;
  case 22: machine(s); break;
  case 23: indirect_call(s); break;
  case 24: virtual_call(s); break;
  case 25: lambda(s); break;
  case 26: dynamic_stack(s); break;
  case 27: generic_pointer(s); break;
  case 28: call_statement(s); break;
  case 29: leave(s); break;
  }
  return s;
}

void Writer::declare(Statement& into) {
  switch (random_.below(10)) {
  default: {
    const Type t = any_type();
    const bool is_volatile = random_.chance(10);
    const std::string v = fresh("v");
    into.line((is_volatile ? "volatile " : "") + std::string(name(t)) + " " + v + " = " + expression(t, 2) + ";");
    scope_.variables.push_back({v, t, true, !is_volatile});
    break;
  }
  case 5: {
    const Type t = any_type();
    const uint32_t count = random_.one_of({2u, 4u, 4u, 8u, 16u});
    const std::string a = fresh("a");
    std::string text = std::string(name(t)) + " " + a + "[" + std::to_string(count) + "] = {";
    for (uint32_t i = 0, given = random_.below(count) + 1; i < given; ++i) text += (i ? ", " : "") + leaf(t);
    into.line(text + "};");
    scope_.arrays.push_back({a, t, count, true});
    break;
  }
  case 6:
  case 7: {
    const VectorType& t = random_.pick(kVectorTypes);
    const std::string v = fresh("x");
    into.line(std::string(t.name) + " " + v + " = " + vector(t, 1) + ";");
    scope_.vectors.push_back({v, &t});
    break;
  }
  case 8: {
    if (struct_types_.empty()) return;
    const StructType& t = random_.pick(struct_types_);
    const std::string v = fresh("s");
    into.line(t.name + " " + v + "{};");
    for (const Variable& f : t.fields) {
      scope_.variables.push_back({v + f.name, f.type, true, f.addressable, f.width});
      if (random_.chance(50)) into.line(v + f.name + " = " + name(f.type) + "(" + expression(f.type, 1) + ");");
    }
    scope_.structs.push_back({v, &t});
    break;
  }
  case 9: {
    const std::string b = fresh("b");
    into.line("u8 " + b + "[32] = {};");
    into.line("store_bytes<u64>(" + b + " + " + index(16, 0) + ", h);");
    scope_.bytes.push_back(b);
    break;
  }
  }
}

void Writer::assign(Statement& s) {
  std::vector<const Variable*> fits;
  for (const Variable& v : scope_.variables)
    if (v.writable) fits.push_back(&v);
  if (fits.empty()) {
    s.line("h = fold(h, " + expression(any_type(), 3) + ");");
    return;
  }
  const Variable& v = *random_.pick(fits);
  if (random_.chance(25) && !is_float(v.type) && v.width == 0) {
    s.line(v.name + " = add<" + name(v.type) + ">(" + v.name + ", " + expression(v.type, 2) + ");");
    return;
  }
  s.line(v.name + " = " + name(v.type) + "(" + expression(v.type, 3) + ");");
}

void Writer::assign_part(Statement& s) {
  std::vector<const Array*> arrays;
  for (const Array& a : scope_.arrays)
    if (a.writable) arrays.push_back(&a);
  switch (random_.below(3)) {
  case 0:
    if (!arrays.empty()) {
      const Array& a = *random_.pick(arrays);
      s.line(a.name + "[" + index(a.count, 2) + "] = " + name(a.type) + "(" + expression(a.type, 2) + ");");
      return;
    }
    break;
  case 1:
    if (!scope_.vectors.empty()) {
      const VectorVariable& v = random_.pick(scope_.vectors);
      if (random_.chance(60)) s.line(v.name + " = " + vector(*v.type, 2) + ";");
      else
        s.line(v.name + "[" + (v.type->count == 3 ? "1" : index(static_cast<uint32_t>(v.type->count), 1)) + "] = " + name(v.type->element) + "(" +
               expression(v.type->element, 2) + ");");
      return;
    }
    break;
  case 2:
    for (const StructVariable& a : scope_.structs)
      for (const StructVariable& b : scope_.structs)
        if (&a != &b && a.type == b.type && random_.chance(60)) {
          s.line(a.name + " = " + b.name + ";");
          return;
        }
    break;
  }
  assign(s);
}

void Writer::memory(Statement& s) {
  if (in_kernel_ && random_.chance(40)) {
    const Type t = small_integer();
    switch (random_.below(3)) {
    case 0: s.line("A.scratch[L.global * " + std::string("kScratchWords + ") + index(16, 1) + "] = u64(" + expression(U64, 2) + ");"); return;
    case 1: s.line("store_bytes<" + std::string(name(t)) + ">(own + " + index(64, 1) + ", " + name(t) + "(" + expression(t, 2) + "));"); return;
    default: s.line("h = fold(h, load_bytes<" + std::string(name(t)) + ">(own + " + index(64, 1) + "));"); return;
    }
  }
  if (scope_.bytes.empty()) return assign(s);
  const std::string& to = random_.pick(scope_.bytes);
  const std::string& from = random_.pick(scope_.bytes);
  switch (random_.below(4)) {
  case 0: s.line("__builtin_memmove(" + to + " + " + index(16, 0) + ", " + from + " + " + index(16, 0) + ", " + std::to_string(random_.between(1, 16)) + ");"); break;
  case 1: s.line("__builtin_memset(" + to + " + " + index(16, 0) + ", int(h & 255), " + std::to_string(random_.between(1, 16)) + ");"); break;
  default: {
    const Type t = random_.one_of({U8, U16, U32, U64, F32, F64});
    if (is_float(t)) s.line("store_bytes<u64>(" + to + " + " + index(16, 1) + ", seen_bits(" + expression(t, 2) + "));");
    else s.line("store_bytes<" + std::string(name(t)) + ">(" + to + " + " + index(16, 1) + ", " + expression(t, 2) + ");");
  }
  }
}

void Writer::atomic(Statement& s) {
  // One operation a word: mixed ones would not commute.
  const uint32_t word = random_.below(7);
  static const char* const operations[] = {"add", "sub", "or", "and", "xor", "min", "max"};
  const bool wide = random_.chance(40);
  if (random_.chance(20)) { // small whole numbers: exact in any order
    const char* t = wide ? "f64" : "f32";
    s.line(std::string("atomic_add<") + t + ">(A.atomics_" + t + " + " + index(4, 1) + ", " + t + "(i8(" + expression(I8, 2) + ")));");
    return;
  }
  const Type t = wide ? random_.one_of({U64, I64}) : random_.one_of({U32, I32});
  const Type fixed = word >= 5 ? (wide ? U64 : I32) : t; // minimum and maximum of one signedness
  const std::string pointer = std::string("(") + name(fixed) + "*)(A.atomics" + (wide ? "64" : "32") + " + " + std::to_string(word * 4) + " + " + index(4, 1) + ")";
  const std::string value = std::string(name(fixed)) + "(" + expression(fixed, 2) + ")";
  if (random_.chance(12) && times_ < 10) {
    s.line(std::string("atomic_mul<") + (wide ? "u64" : "u32") + ">(A.atomics" + (wide ? "64" : "32") + " + 28 + " + index(4, 1) + ", " + (wide ? "u64" : "u32") + "(" + value + "));");
    return;
  }
  s.line(std::string("atomic_") + operations[word] + "<" + name(fixed) + ">(" + pointer + ", " + value + ");");
}

void Writer::branch(Statement& s) {
  const int count = static_cast<int>(random_.between(1, 3));
  s.line("if (" + condition(2) + ") {");
  nested(1, [&] { fill(s, count); });
  if (random_.chance(60)) {
    s.line("} else {");
    nested(1, [&] { fill(s, static_cast<int>(random_.between(1, 3))); });
  }
  s.line("}");
}

void Writer::loop(Statement& s) {
  const uint32_t most = random_.one_of({2u, 3u, 4u, 4u, 8u});
  const int count = static_cast<int>(random_.between(1, 3));
  const std::string i = fresh("c");
  const bool was_in_loop = in_loop_, was_convergent = convergent_;
  // Loops with exits in the middle hold no operations between lanes: their order of lanes would be the compiler's choice.
  const bool counted = random_.chance(was_convergent ? 70 : 45);
  if (!counted) convergent_ = false, in_loop_ = true;
  const uint32_t number = ++place_number_;
  place_.push_back(std::to_string(number) + ", u32(" + i + ")");
  auto body = [&] {
    scope_.variables.push_back({i, I32, false, false});
    fill(s, count);
  };
  if (counted) {
    const bool constant = random_.chance(35);
    in_loop_ = false; // no break or continue of this loop
    const std::string limit = constant ? std::to_string(most) : "i32(" + expression(U32, 2) + " & " + std::to_string(most == 3 ? 3 : most - 1) + "u)";
    const std::string end = fresh("n");
    s.line("for (i32 " + i + " = 0, " + end + " = " + limit + "; " + i + " < " + end + "; ++" + i + ") {");
    nested(most, body);
    s.line("}");
  } else if (random_.chance(50)) {
    s.line("for (i32 " + i + " = 0; " + i + " < " + std::to_string(most) + "; ++" + i + ") {");
    nested(most, [&] {
      body();
      s.line("  if (" + condition(2) + ") " + random_.one_of<std::string>({"break", "continue"}) + ";");
      fill(s, 1);
    });
    s.line("}");
  } else if (random_.chance(50)) {
    s.line("for (i32 " + i + " = 0; " + i + " < " + std::to_string(most) + " && " + condition(2) + "; ++" + i + ") {");
    nested(most, body);
    s.line("}");
  } else {
    s.line("i32 " + i + " = " + std::to_string(most) + ";");
    s.line("do {");
    nested(most, body);
    s.line("} while (--" + i + " > 0 && " + condition(2) + ");");
  }
  place_.pop_back();
  in_loop_ = was_in_loop, convergent_ = was_convergent;
}

void Writer::switch_over(Statement& s) {
  const bool was = convergent_, was_in_loop = in_loop_;
  convergent_ = in_loop_ = false;
  const uint32_t cases = random_.between(2, 6);
  const Type t = random_.one_of({U32, U32, U64, U8});
  s.line("switch (" + std::string(name(t)) + "(" + expression(t, 2) + ") % " + std::to_string(cases + 1) + "u) {");
  for (uint32_t c = 0; c < cases; ++c) {
    s.line("case " + std::to_string(c * (cases > 4 ? 1 : random_.between(1, 1))) + ": {");
    nested(1, [&] { fill(s, static_cast<int>(random_.between(1, 2))); });
    s.line(random_.chance(70) ? "} break;" : "} [[fallthrough]];");
  }
  s.line("default: h = mixed(h, " + std::to_string(random_.below(1000)) + ");");
  s.line("}");
  convergent_ = was, in_loop_ = was_in_loop;
}

void Writer::jump(Statement& s) {
  const bool was = convergent_;
  convergent_ = false;
  const std::string label = fresh("done");
  s.line("{");
  nested(1, [&] {
    fill(s, 1);
    s.line("  if (" + condition(2) + ") goto " + label + ";");
    fill(s, static_cast<int>(random_.between(1, 2)));
    s.line("  if (" + condition(1) + ") { h = mixed(h, 77); goto " + label + "; }");
    fill(s, 1);
  });
  s.line("}");
  s.line(label + ": h = mixed(h, 5);");
  convergent_ = was;
}

/// A loop around a switch whose cases choose the next: optimisers thread its jumps into irreducible flow.
void Writer::machine(Statement& s) {
  const bool was = convergent_, was_in_loop = in_loop_;
  convergent_ = in_loop_ = false;
  const std::string state = fresh("state"), left = fresh("left");
  const uint32_t cases = random_.between(3, 5);
  s.line("{");
  s.line("  u32 " + state + " = u32(" + expression(U32, 1) + ") % " + std::to_string(cases) + "u;");
  s.line("  for (i32 " + left + " = 6; " + left + " > 0; --" + left + ") {");
  s.line("    switch (" + state + ") {");
  for (uint32_t c = 0; c < cases; ++c) {
    s.line("    case " + std::to_string(c) + ": {");
    nested(6, [&] { fill(s, 1); });
    const std::string other = std::to_string(random_.below(cases));
    if (random_.chance(60)) s.line("      " + state + " = " + condition(1) + " ? " + std::to_string((c + 1) % cases) + "u : " + other + "u;");
    else s.line("      " + state + " = u32(h >> 7) % " + std::to_string(cases) + "u;");
    s.line(random_.chance(25) ? "      if (h & 16) goto end" + state + ";" : "      h = mixed(h, 3);");
    s.line("    } break;");
  }
  s.line("    }");
  s.line("  }");
  s.line("}");
  s.line("end" + state + ": h = mixed(h, 9);");
  convergent_ = was, in_loop_ = was_in_loop;
}

void Writer::call_statement(Statement& s) {
  std::vector<const Function*> fits;
  for (const Function& f : functions_) {
    bool possible = f.cost * times_ < 3000;
    for (Type t : f.pointers) {
      bool found = false;
      for (const Variable& v : scope_.variables) found |= v.type == t && v.addressable && v.writable;
      for (const Array& a : scope_.arrays) found |= a.type == t && a.writable;
      possible &= found;
    }
    if (possible) fits.push_back(&f);
  }
  if (fits.empty()) return assign(s);
  const Function& f = *random_.pick(fits);
  cost_ += f.cost * times_;
  std::string text = f.name + "(";
  for (Type t : f.parameters) text += expression(t, 2) + ", ";
  for (Type t : f.pointers) {
    std::vector<std::string> places;
    for (const Variable& v : scope_.variables)
      if (v.type == t && v.addressable && v.writable) places.push_back("&" + v.name);
    for (const Array& a : scope_.arrays)
      if (a.type == t && a.writable) places.push_back("&" + a.name + "[" + index(a.count, 0) + "]");
    text += random_.pick(places) + ", ";
  }
  if (text.back() == ' ') text.resize(text.size() - 2);
  s.line("h = fold(h, " + text + "));");
}

void Writer::indirect_call(Statement& s) {
  std::vector<std::vector<const Function*>> groups; // of one type
  for (const Function& f : functions_) {
    if (!f.pointers.empty() || f.cost * times_ > 2000) continue;
    bool placed = false;
    for (auto& g : groups)
      if (g[0]->result == f.result && g[0]->parameters == f.parameters) g.push_back(&f), placed = true;
    if (!placed) groups.push_back({&f});
  }
  std::erase_if(groups, [](const auto& g) { return g.size() < 2; });
  if (groups.empty()) return call_statement(s);
  const auto& g = random_.pick(groups);
  std::string signature, arguments, list;
  for (size_t i = 0; i < g[0]->parameters.size(); ++i) {
    signature += (i ? ", " : "") + std::string(name(g[0]->parameters[i]));
    arguments += (i ? ", " : "") + expression(g[0]->parameters[i], 2);
  }
  for (int i = 0; i < 4; ++i) {
    const Function* f = random_.pick(g);
    list += (i ? ", " : "") + f->name;
    cost_ += f->cost * times_;
  }
  const std::string p = fresh("to");
  s.line("{");
  s.line("  " + std::string(name(g[0]->result)) + " (*" + p + "[4])(" + signature + ") = {" + list + "};");
  s.line("  h = fold(h, " + p + "[" + index(4, 2) + "](" + arguments + "));");
  s.line("}");
}

void Writer::virtual_call(Statement& s) {
  if (families_.empty()) return call_statement(s);
  const Family& f = random_.pick(families_);
  cost_ += 20 * times_;
  const std::string o = fresh("o"), t = name(f.type);
  s.line("{");
  std::string list;
  for (size_t i = 0; i < f.derived.size(); ++i) {
    const std::string v = o + "_" + std::to_string(i);
    s.line("  " + f.derived[i] + " " + v + ";");
    s.line("  " + v + ".a = " + t + "(" + expression(f.type, 1) + "), " + v + ".b = " + t + "(" + expression(f.type, 1) + ");");
    list += (i ? ", &" : "&") + v;
  }
  s.line("  " + f.base + "* " + o + "[] = {" + list + "};");
  s.line("  " + f.base + "* chosen = " + o + "[u32(" + expression(U32, 2) + ") % " + std::to_string(f.derived.size()) + "u];");
  s.line("  h = fold(h, " + f.base + "_call(chosen, " + t + "(" + expression(f.type, 2) + ")));");
  s.line("  h = fold(h, chosen->a);");
  s.line("}");
}

void Writer::lambda(Statement& s) {
  const std::string l = fresh("l"), q = fresh("q_");
  const Type t = any_integer(), p = random_.one_of({U32, I32, U64, F32});
  const bool was = convergent_, was_uniform = uniform_, was_in_loop = in_loop_;
  convergent_ = uniform_ = in_loop_ = false;
  const std::string old_result = result_;
  s.line("{");
  s.line("  auto " + l + " = [&](" + std::string(name(p)) + " " + q + ") DEVICE -> " + std::string(name(t)) + " {");
  nested(2, [&] {
    const bool kernel = in_kernel_;
    scope_.variables.push_back({q, p, true, true});
    result_ = name(t) + std::string("(h)");
    in_kernel_ = false; // `return` in it is not the kernel's
    fill(s, 2);
    s.line("    return " + std::string(name(t)) + "(" + expression(t, 2) + ");");
    in_kernel_ = kernel;
  });
  result_ = old_result;
  s.line("  };");
  s.line("  h = fold(h, " + l + "(" + expression(p, 1) + "));");
  if (random_.chance(50)) s.line("  if (" + condition(1) + ") h = fold(h, " + l + "(" + expression(p, 1) + "));");
  s.line("}");
  convergent_ = was, uniform_ = was_uniform, in_loop_ = was_in_loop;
}

void Writer::dynamic_stack(Statement& s) {
  if (times_ > 4) return assign(s); // what alloca takes is free again only at the function's end
  const std::string p = fresh("p"), n = fresh("n");
  s.line("{");
  s.line("  u32 " + n + " = (u32(" + expression(U32, 1) + ") & 7) + 1;");
  s.line("  ALLOCATE(u32, " + p + ", " + n + ", 8);");
  s.line("  for (u32 k = 0; k < " + n + "; ++k) " + p + "[k] = u32(h) * (k + 1);");
  s.line("  for (u32 k = 0; k < " + n + "; ++k) h = mixed(h, " + p + "[" + n + " - 1 - k]);");
  s.line("}");
}

/// A pointer that may lead to a private array, to LDS or to global memory.
void Writer::generic_pointer(Statement& s) {
  std::vector<const Array*> fits;
  for (const Array& a : scope_.arrays)
    if (a.writable && !is_float(a.type) && !is_wide(a.type)) fits.push_back(&a);
  if (fits.empty()) return assign(s);
  const Array& a = *random_.pick(fits);
  const std::string p = fresh("p"), t = name(a.type);
  std::vector<std::string> others;
  for (const Array* other : fits)
    if (other->type == a.type) others.push_back("&" + other->name + "[" + index(other->count, 1) + "]");
  if (in_kernel_) {
    others.push_back("reinterpret_cast<" + t + "*>(own) + " + index(8, 1));
    others.push_back("reinterpret_cast<" + t + "*>(own_lds) + " + index(4, 1));
    others.push_back("reinterpret_cast<" + t + "*>(own_lds) + " + index(4, 1));
  }
  s.line("{");
  s.line("  " + t + "* " + p + " = " + condition(1) + " ? " + random_.pick(others) + " : " + condition(1) + " ? " + random_.pick(others) +
         " : &" + a.name + "[" + index(a.count, 1) + "];");
  s.line("  *" + p + " = " + t + "(" + expression(a.type, 2) + ");");
  s.line("  h = fold(h, *" + p + ");");
  s.line("}");
}

void Writer::leave(Statement& s) {
  if (in_loop_ && random_.chance(50)) {
    s.line("if (" + condition(2) + ") " + random_.one_of<std::string>({"break", "continue"}) + ";");
  } else if (in_kernel_) {
    if (convergent_ && depth_ > 0) return assign(s);
    s.line("if (h % 29 == 3 && " + condition(2) + ") { A.out[L.global * kOutWords] = h; return; }");
  } else if (!result_.empty()) {
    s.line("if (h % 5 == 3 && " + condition(2) + ") return " + result_ + ";");
  } else {
    assign(s);
  }
}

std::string Writer::place() {
  std::string text = "AT(";
  for (const std::string& p : place_) text += p + ", ";
  return text + std::to_string(++place_number_) + ")";
}

void Writer::between_lanes(Statement& s) {
  auto v = [&] { return "u32(" + expression(U32, 2) + ")"; };
  // Never the same in every lane: what comes from a lane that is off is then no longer 0 but what the optimiser likes.
  auto own = [&] { return "(u32(" + expression(U32, 2) + ") ^ L.lane)"; };
  auto at = [&] { return "(L, " + place() + ", "; };
  switch (random_.below(11)) {
  case 0: {
    const std::string c = condition(2);
    s.line("h = mixed(h, ballot" + at() + c + "));");
    break;
  }
  case 1: {
    const std::string c = condition(2);
    s.line("h = mixed(h, below(L, ballot" + at() + c + ")));");
    break;
  }
  case 2: {
    const std::string e = v();
    s.line("h = mixed(h, first" + at() + e + "));");
    break;
  }
  case 3: {
    const std::string e = v();
    s.line("h = mixed(h, read" + at() + e + ", " + std::to_string(random_.below(64)) + "));");
    break;
  }
  case 4: {
    const std::string e = own(), from = v();
    s.line("h = mixed(h, shuffle" + at() + e + ", " + from + " & 63));");
    break;
  }
  case 5: {
    const std::string e = own();
    s.line("h = mixed(h, push" + at() + e + ", (L.lane " + random_.one_of<std::string>({"+ ", "^ "}) + std::to_string(random_.below(64)) + ") & 63));");
    break;
  }
  case 6: {
    const std::string e = own();
    const uint32_t control = random_.chance(50) ? 0x8000 | random_.below(256) : random_.below(0x8000);
    s.line("h = mixed(h, swizzle<" + std::to_string(control) + ">" + at() + e + "));");
    break;
  }
  case 7: {
    const std::string e = v();
    s.line("h = mixed(h, " + random_.one_of<std::string>({"sum", "highest"}) + at() + e + "));");
    break;
  }
  default: {
    const uint32_t n = random_.between(1, 15);
    const uint32_t control = random_.one_of({random_.below(256), 0x100 + n, 0x110 + n, 0x120 + n, 0x130u, 0x134u, 0x138u, 0x13cu, 0x140u, 0x141u, 0x142u, 0x143u});
    const std::string e = own(), old = random_.one_of<std::string>({"0", "u32(h)", e});
    const uint32_t rows = random_.chance(60) ? 15 : random_.below(16), banks = random_.chance(60) ? 15 : random_.below(16);
    s.line("h = mixed(h, dpp<" + std::to_string(control) + ", " + std::to_string(rows) + ", " + std::to_string(banks) + ", " +
           (random_.chance(50) ? "true" : "false") + ">" + at() + old + ", " + e + "));");
  }
  }
}

/// Through LDS, with barriers: other lanes' words are read between two of them.
void Writer::exchange(Statement& s) {
  const std::string wait1 = "barrier(L, " + place() + ");", wait2 = "barrier(L, " + place() + ");", wait3 = "barrier(L, " + place() + ");";
  const std::string shift = std::to_string(random_.below(256));
  switch (random_.below(3)) {
  case 0:
    s.line("lds[L.thread] = u64(" + expression(U64, 2) + ");");
    s.line(wait1);
    s.line("h = mixed(h, lds[(L.thread + " + shift + ") % L.size]);");
    s.line(wait2);
    break;
  case 1:
    s.line("for (u32 i = L.thread; i < 8; i += L.size) lds[i] = 0;");
    s.line(wait1);
    s.line("atomic_" + random_.one_of<std::string>({"add<u32>", "or<u32>", "xor<u32>", "max<u32>"}) + "(reinterpret_cast<u32*>(lds) + " + index(8, 1) + ", " +
           "u32(" + expression(U32, 2) + "));");
    s.line("atomic_" + random_.one_of<std::string>({"add<u64>", "or<u64>", "xor<u64>", "max<u64>"}) + "(lds + 4 + " + index(4, 1) + ", u64(" + expression(U64, 2) + "));");
    s.line(wait2);
    s.line("h = mixed(h, lds[" + index(8, 1) + "]);");
    s.line(wait3);
    break;
  default:
    s.line("if (L.thread == 0) lds[0] = 0;");
    s.line(wait1);
    s.line("if (" + condition(2) + ") atomic_add<f32>(reinterpret_cast<f32*>(lds), f32(i8(" + expression(I8, 2) + ")));");
    s.line("if (" + condition(2) + ") atomic_add<u32>(reinterpret_cast<u32*>(lds) + 1, 1);");
    s.line(wait2);
    s.line("h = mixed(h, lds[0]);");
    s.line(wait3);
  }
}

} // namespace bz::random
