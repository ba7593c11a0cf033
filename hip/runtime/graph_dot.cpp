// A graph as text for Graphviz.
#include "hip/runtime/event.hpp"
#include "hip/runtime/graph.hpp"
#include "hip/runtime/impl.hpp"

#include <cstdio>

namespace bz::hip {
namespace {

constexpr unsigned kFlags =
    hipGraphDebugDotFlagsVerbose | hipGraphDebugDotFlagsKernelNodeParams | hipGraphDebugDotFlagsMemcpyNodeParams |
    hipGraphDebugDotFlagsMemsetNodeParams | hipGraphDebugDotFlagsHostNodeParams | hipGraphDebugDotFlagsEventNodeParams |
    hipGraphDebugDotFlagsExtSemasSignalNodeParams | hipGraphDebugDotFlagsExtSemasWaitNodeParams |
    hipGraphDebugDotFlagsKernelNodeAttributes | hipGraphDebugDotFlagsHandles;

class Printer {
public:
  explicit Printer(unsigned flags) : flags_(flags) {}

  std::string print(const Graph& graph) {
    text_ = "digraph graph_1 {\n  node [shape=box];\n";
    body(graph, 1);
    return text_ + "}\n";
  }

private:
  bool shows(unsigned flag) const { return flags_ & (flag | hipGraphDebugDotFlagsVerbose); }

  static std::string escaped(std::string_view s) {
    std::string out;
    for (char c : s) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  }

  std::string details(const Work& work) const {
    using fmt::format;
    if (auto* k = std::get_if<KernelWork>(&work)) {
      std::string s = "\\n" + escaped(k->kernel->name);
      if (shows(hipGraphDebugDotFlagsKernelNodeParams))
        s += format("\\ngrid {}x{}x{} block {}x{}x{}\\nshared {} bytes", k->grid.x, k->grid.y, k->grid.z, k->block.x,
                    k->block.y, k->block.z, k->shape.dynamic_lds);
      if (shows(hipGraphDebugDotFlagsKernelNodeAttributes))
        s += format("\\ncooperative {} priority {} window {} bytes", int(k->attributes.cooperative),
                    k->attributes.priority, k->attributes.window.num_bytes);
      return s;
    }
    if (auto* c = std::get_if<CopyWork>(&work); c && shows(hipGraphDebugDotFlagsMemcpyNodeParams))
      return format("\\n{} -> {}\\n{}x{}x{} bytes, kind {}", static_cast<const void*>(c->box.src),
                    static_cast<void*>(c->box.dst), c->box.width, c->box.height, c->box.depth, int(c->kind));
    if (auto* f = std::get_if<FillWork>(&work); f && shows(hipGraphDebugDotFlagsMemsetNodeParams))
      return format("\\n{} = {:#x}\\n{}x{} elements of {} bytes, pitch {}", f->parameters.dst, f->parameters.value,
                    f->parameters.width, f->parameters.height, f->parameters.elementSize, f->parameters.pitch);
    if (auto* h = std::get_if<HostWork>(&work); h && shows(hipGraphDebugDotFlagsHostNodeParams))
      return format("\\n{}({})", reinterpret_cast<void*>(h->function), h->data);
    if (auto* r = std::get_if<EventRecordWork>(&work); r && shows(hipGraphDebugDotFlagsEventNodeParams))
      return format("\\nevent {}", static_cast<void*>(r->event.get()));
    if (auto* w = std::get_if<EventWaitWork>(&work); w && shows(hipGraphDebugDotFlagsEventNodeParams))
      return format("\\nevent {}", static_cast<void*>(w->event.get()));
    if (auto* a = std::get_if<AllocWork>(&work); a && shows(0))
      return format("\\n{}, {} bytes", a->memory->address(), a->memory->size());
    if (auto* f = std::get_if<FreeWork>(&work); f && shows(0)) return format("\\n{}", f->memory->address());
    if (auto* b = std::get_if<BatchWork>(&work); b && shows(0))
      return format("\\n{} operations", b->operations.list.size());
    return {};
  }

  void body(const Graph& graph, int depth) {
    const std::string indent(size_t(depth) * 2, ' ');
    for (auto& n : graph.nodes) {
      std::string handle;
      if (flags_ & hipGraphDebugDotFlagsHandles) handle = fmt::format("\\nhandle {}", static_cast<void*>(n.get()));
      text_ += fmt::format("{}n{} [label=\"{}: {}{}{}\"];\n", indent, n->id, n->id, node_type_name(*n->work),
                           details(*n->work), handle);
      if (auto* child = n->as<ChildWork>()) {
        text_ +=
            fmt::format("{}subgraph cluster_{} {{\n{}  label=\"child graph of {}\";\n", indent, n->id, indent, n->id);
        body(*child->graph, depth + 1);
        text_ += indent + "}\n";
      }
    }
    for (auto& n : graph.nodes)
      for (Node* t : n->to) text_ += fmt::format("{}n{} -> n{};\n", indent, n->id, t->id);
  }

  unsigned flags_;
  std::string text_;
};

} // namespace

namespace impl {

Result hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned int flags) {
  HIP_NONNULL(path);
  if (flags & ~kFlags) return fail(hipErrorInvalidValue, "print flags {:#x} don't exist", flags & ~kFlags);
  std::string text;
  {
    GraphLock lock;
    HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
    text = Printer(flags).print(*g);
  }
  std::FILE* file = std::fopen(path, "w");
  if (!file) return fail(hipErrorOperatingSystem, "{} can't be opened for writing", path);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) return fail(hipErrorOperatingSystem, "{} can't be written", path);
  return {};
}

} // namespace impl
} // namespace bz::hip
