#include "source.hpp"

#include <map>

namespace bz::builtins {
namespace {

constexpr const char* kPrelude = R"(
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))
typedef int i32; typedef unsigned u32; typedef short i16; typedef unsigned short u16; typedef unsigned char u8;
typedef long i64; typedef unsigned long u64; typedef float f32; typedef double f64; typedef _Float16 f16; typedef __fp16 fp16;
template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));
#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 64)))
#define START                                                                                                          \
  const u32 lane = __builtin_amdgcn_workitem_id_x();                                                                   \
  static __attribute__((shared)) u32 cells[64 * 4];                                                                    \
  for (u32 i = 0; i < 4; ++i) cells[lane * 4 + i] = memory[lane * 4 + i];                                              \
  __builtin_amdgcn_s_barrier();
#define END                                                                                                            \
  __builtin_amdgcn_fence(5, "workgroup");                                                                              \
  __builtin_amdgcn_s_waitcnt(0);                                                                                       \
  __builtin_amdgcn_s_barrier();                                                                                        \
  for (u32 i = 0; i < 4; ++i) lds_after[lane * 4 + i] = ((volatile u32*)cells)[lane * 4 + i];
)";

std::string cxx(const Type& t) {
  std::string text = t.count > 1 ? "vec<" + t.element + ", " + std::to_string(t.count) + ">" : t.element;
  if (t.pointer) text = (t.space == "global" ? "GLOBAL " : t.space == "lds" ? "LDS " : "") + text + "*";
  return text;
}

} // namespace

std::string not_run(const std::string& name) {
  static const std::map<std::string, std::string> prefixes = {
      {"interp_", "no compute product has it"},
      {"ds_gws_", "needs the device's global wave sync set up by the host: exec_share_test"},
      {"s_sendmsg", "a message to the host: kfd's and rocr's tests"},
      {"endpgm", "ends the kernel before it can say anything"},
  };
  for (const auto& [prefix, why] : prefixes)
    if (name.starts_with(prefix)) return why;
  return "";
}

bool repeatable(const std::string& name) {
  for (const char* prefix : {"s_memtime", "s_memrealtime", "s_getpc", "s_getreg", "is_private", "is_shared"})
    if (name.starts_with(prefix)) return false;
  return true;
}

std::string source(const std::vector<Builtin>& builtins) {
  std::string text = kPrelude;
  for (const Builtin& b : builtins) {
    text += "KERNEL void " + b.name + "_kernel(const u32* in, u32* out, u32* memory, u32* lds_after) {\n  START\n";
    text += "  const u32* arguments = in + lane * " + std::to_string(kInWords) + ";\n";
    std::string call;
    int at = 0, after_rsrc = -1;
    for (size_t i = 0; i < b.parameters.size(); ++i) {
      const Parameter& p = b.parameters[i];
      const std::string n = "p" + std::to_string(i);
      std::string value = n;
      if (p.type.element == "text") value = "\"agent\"";
      else if (p.constant) value = std::to_string(*p.constant);
      else if (p.type.element == "rsrc") {
        value = "__builtin_amdgcn_make_buffer_rsrc(memory, 0, 64 * 16, 0x24000)";
        after_rsrc = 0;
      } else if (after_rsrc >= 0 && !p.type.pointer) { // the lane's offset, then an offset of all lanes
        value = after_rsrc++ == 0 ? "int(lane * 16)" : "0";
      } else if (p.type.pointer) {
        const std::string type = cxx(p.type);
        const bool to_lds = b.name.find("load_lds") != std::string::npos || b.name == "load_to_lds" || b.name == "ds_append" || b.name == "ds_consume";
        if (p.type.element == "bool") text += "  bool " + n + "_flag = false;\n  bool* " + n + " = &" + n + "_flag;\n";
        else if (p.type.space == "lds") text += "  " + type + " " + n + " = (" + type + ")(LDS u32*)(cells" + (to_lds ? ");\n" : " + lane * 4);\n");
        else text += "  " + type + " " + n + " = (" + type + ")(memory + lane * 4);\n";
      } else if (b.name == "readlane" && i == 1) value = "5";
      else if ((b.name.starts_with("wave_reduce_") && i == 1) || (b.name == "make_buffer_rsrc" && i == 1)) value = "0";
      else if (b.name == "make_buffer_rsrc" && i > 1) value = i == 2 ? "64" : "0x24000";
      else if (p.type.element == "bool") text += "  bool " + n + " = arguments[" + std::to_string(at) + "] & 1;\n";
      else text += "  " + cxx(p.type) + " " + n + ";\n  __builtin_memcpy(&" + n + ", arguments + " + std::to_string(at) + ", sizeof " + n + ");\n";
      at += (p.type.words() + 1) / 2 * 2;
      call += (i ? ", " : "") + value;
    }
    call = "__builtin_amdgcn_" + b.name + "(" + call + ")";
    if (b.result.element == "void" && !b.result.pointer) text += "  " + call + ";\n";
    else if (b.result.element == "rsrc") text += "  out[lane * 36] = __builtin_amdgcn_raw_buffer_load_b32(" + call + ", 0, 0, 0);\n";
    else if (b.result.element == "bool") text += "  out[lane * 36] = " + call + ";\n";
    else text += "  " + cxx(b.result) + " r = " + call + ";\n  __builtin_memcpy(out + lane * 36, &r, sizeof r);\n";
    for (size_t i = 0; i < b.parameters.size(); ++i)
      if (b.parameters[i].type.pointer && b.parameters[i].type.element == "bool") text += "  out[lane * 36 + 35] = p" + std::to_string(i) + "_flag;\n";
    text += "  END\n}\n";
  }
  return text;
}

} // namespace bz::builtins
