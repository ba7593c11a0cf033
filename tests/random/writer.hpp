// Writes one random kernel with its types, tables and functions.
#pragma once

#include "generator.hpp"
#include "random.hpp"

#include <string>
#include <vector>

namespace bz::random {

Kernel write_kernel(uint64_t seed, int index);

/// The scalar types of prelude.hpp, and what the writer has to know of them.
enum Type { U8, I8, U16, I16, U32, I32, U64, I64, U128, I128, F16, F32, F64, kTypes };
const char* name(Type);
inline bool is_float(Type t) { return t >= F16; }
inline bool is_wide(Type t) { return t == U128 || t == I128; }
int bits(Type);

struct VectorType {
  const char* name;
  Type element;
  int count;
};
extern const std::vector<VectorType> kVectorTypes;

struct Variable {
  std::string name; // or any expression that names a place
  Type type;
  bool writable = true, addressable = true;
  int width = 0; // of a bit-field
};
struct Array {
  std::string name;
  Type type;
  uint32_t count; // a power of two
  bool writable;
};
struct VectorVariable {
  std::string name;
  const VectorType* type;
};
struct Function {
  std::string name;
  Type result;
  std::vector<Type> parameters; // those by value; then
  std::vector<Type> pointers;   // those to change
  uint64_t cost;
};
struct StructType {
  std::string name;
  std::vector<Variable> fields; // names are paths
};
struct Family { // a base class, its virtual function and the classes derived from it
  std::string base;
  Type type;
  std::vector<std::string> derived;
};
struct StructVariable {
  std::string name;
  const StructType* type;
};

/// What can be named at one point of the text; leaving a block restores the sizes.
struct Scope {
  std::vector<Variable> variables;
  std::vector<Array> arrays;
  std::vector<VectorVariable> vectors;
  std::vector<StructVariable> structs;
  std::vector<std::string> bytes; // pointers to at least 32 bytes
};

class Writer {
public:
  Writer(uint64_t seed, int index);
  Kernel write();

private:
  // Expressions: text of type t, without side effects.
  std::string expression(Type t, int depth);
  std::string leaf(Type t);
  std::string literal(Type t);
  std::string integer(Type t, int depth);
  std::string floating(Type t, int depth);
  std::string condition(int depth);
  std::string index(uint32_t count, int depth);
  std::string vector(const VectorType& t, int depth);
  std::string call(Type result, int depth); // empty: no function fits
  Type any_type();
  Type any_integer();
  Type small_integer() { return random_.one_of({U32, I32, U32, I32, U64, I64, U16, I16, U8}); }

  // Statements.
  Statement statement();
  Statement block_of(const std::string& head, const std::string& tail, int count);
  void fill(Statement& into, int count);
  Statement droppable();
  void declare(Statement& into);
  void assign(Statement& s);
  void assign_part(Statement& s);
  void branch(Statement& s);
  void loop(Statement& s);
  void switch_over(Statement& s);
  void jump(Statement& s);
  void machine(Statement& s);
  void memory(Statement& s);
  void atomic(Statement& s);
  void call_statement(Statement& s);
  void indirect_call(Statement& s);
  void virtual_call(Statement& s);
  void lambda(Statement& s);
  void dynamic_stack(Statement& s);
  void generic_pointer(Statement& s);
  void leave(Statement& s);
  void between_lanes(Statement& s);
  void exchange(Statement& s);

  // Text before the kernel.
  void write_struct(Statement& text);
  void write_table(Statement& text);
  void write_function(Statement& text);
  void write_recursion(Statement& text);
  void write_family(Statement& text);
  void write_body(Statement& text);

  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }
  std::string place(); // AT(...) of the next operation between lanes
  template <class Body> void nested(uint32_t times, Body body);

  Random random_;
  int index_;
  Kernel kernel_;
  Scope scope_;
  std::vector<Function> functions_;
  std::vector<StructType> struct_types_;
  std::vector<Family> families_;
  int names_ = 0, next_id_ = 0, depth_ = 0;
  uint64_t times_ = 1, cost_ = 0; // how often this point runs at most; what the function costs so far
  bool in_kernel_ = false;        // not in a function: lane, group and Args are known
  bool convergent_ = false;       // operations between lanes may stand here
  bool uniform_ = false;          // and barriers
  bool in_loop_ = false;
  std::string result_;      // of the function that is being written: expression for `return`
  uint32_t place_number_ = 0;
  std::vector<std::string> place_; // of the loops around
};

} // namespace bz::random
