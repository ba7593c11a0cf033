#include "exec/native/exit.hpp"

#include <cstdint>
#include <cstring>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace bz::exec {
namespace {

/// In place of __cxa_atexit: nothing is registered.
int registers_nothing(void (*)(void*), void*, void*) { return 0; }

struct Search {
  const char* name;
  bool done = false;
};

/// Where the library keeps the address of __cxa_atexit that it calls: in its global offset table, as relocations tell.
void replace(const dl_phdr_info& info, Search& search) {
  const ElfW(Dyn)* dynamic = nullptr;
  uint64_t protected_begin = 0, protected_end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& p = info.dlpi_phdr[i];
    if (p.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + p.p_vaddr);
    if (p.p_type == PT_GNU_RELRO) protected_begin = info.dlpi_addr + p.p_vaddr, protected_end = protected_begin + p.p_memsz;
  }
  if (!dynamic) return;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  struct Table {
    const ElfW(Rela)* begin = nullptr;
    uint64_t bytes = 0;
  } tables[2];
  auto pointer = [&](uint64_t p) { return p < info.dlpi_addr ? info.dlpi_addr + p : p; };   // the loader has made most of them absolute
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const uint64_t p = pointer(dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
    case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym)*>(p); break;
    case DT_STRTAB: strings = reinterpret_cast<const char*>(p); break;
    case DT_RELA: tables[0].begin = reinterpret_cast<const ElfW(Rela)*>(p); break;
    case DT_RELASZ: tables[0].bytes = dynamic->d_un.d_val; break;
    case DT_JMPREL: tables[1].begin = reinterpret_cast<const ElfW(Rela)*>(p); break;
    case DT_PLTRELSZ: tables[1].bytes = dynamic->d_un.d_val; break;
    default: break;
    }
  }
  if (!symbols || !strings) return;
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  for (const Table& t : tables)
    for (const auto *r = t.begin, *end = r ? r + t.bytes / sizeof *r : r; r != end; ++r) {
      const auto type = ELF64_R_TYPE(r->r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (std::strcmp(strings + symbols[ELF64_R_SYM(r->r_info)].st_name, "__cxa_atexit") != 0) continue;
      const uint64_t slot = info.dlpi_addr + r->r_offset;
      const bool locked = slot >= protected_begin && slot < protected_end;
      void* at = reinterpret_cast<void*>(slot & ~(page - 1));
      if (locked && mprotect(at, page, PROT_READ | PROT_WRITE) != 0) continue;
      __atomic_store_n(reinterpret_cast<uint64_t*>(slot), reinterpret_cast<uint64_t>(&registers_nothing), __ATOMIC_RELEASE);
      if (locked) mprotect(at, page, PROT_READ);
      search.done = true;
    }
}

} // namespace

bool leave_statics(const char* name) {
  Search search{name};
  dl_iterate_phdr([](dl_phdr_info* info, size_t, void* p) {
    auto* s = static_cast<Search*>(p);
    if (info->dlpi_name && std::strstr(info->dlpi_name, s->name)) replace(*info, *s);
    return 0;
  }, &search);
  return search.done;
}

} // namespace bz::exec
