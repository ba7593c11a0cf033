#include "hip/rtc/module/inputs.hpp"

#include "codeobj/bundle.hpp"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/SourceMgr.h>

namespace bz::rtc {
namespace {

codeobj::Bytes bytes_of(llvm::StringRef text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Bitcode or assembly text, read completely, written as bitcode of this LLVM.
Status take_ir(const std::string& name, llvm::StringRef bytes, std::vector<LinkFile>& out) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  // The text form's reader wants a zero behind the last byte.
  auto copy = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
  auto module = llvm::parseIR(copy->getMemBufferRef(), problem, context);
  std::string words;
  llvm::raw_string_ostream log(words);
  if (!module) {
    problem.print(nullptr, log, false);
    return error(Code::invalid_image, "{} is neither LLVM bitcode nor LLVM assembly: {}", name, words);
  }
  if (!module->getTargetTriple().isAMDGCN())
    return error(Code::wrong_target, "{} is for {}, not for amdgcn", name, module->getTargetTriple().str());
  if (llvm::verifyModule(*module, &log)) return error(Code::invalid_image, "{} is no valid LLVM module: {}", name, words);
  llvm::SmallString<0> written;
  llvm::raw_svector_ostream stream(written);
  llvm::WriteBitcodeToFile(*module, stream);
  out.push_back({name, std::string(written.str())});
  return {};
}

Status take_object(const std::string& name, llvm::StringRef bytes, std::vector<LinkFile>& out) {
  auto failed = [&](llvm::Error e) {
    return error(Code::invalid_image, "{} is no AMDGPU object file: {}", name, llvm::toString(std::move(e)));
  };
  auto parsed = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, name));
  if (!parsed) return failed(parsed.takeError());
  auto* elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(parsed->get());
  if (!elf || elf->getELFFile().getHeader().e_machine != llvm::ELF::EM_AMDGPU)
    return error(Code::wrong_target, "{} is no AMDGPU object file", name);
  if (elf->getELFFile().getHeader().e_type != llvm::ELF::ET_REL)
    return error(Code::invalid_image, "{} is a linked code object: load it, it can't be linked again", name);
  // What the linker ends the process for is looked at here.
  auto sections = elf->getELFFile().sections();
  if (!sections) return failed(sections.takeError());
  for (const auto& section : *sections) {
    if (auto n = elf->getELFFile().getSectionName(section); !n) return failed(n.takeError());
    if (section.sh_type != llvm::ELF::SHT_NOBITS)
      if (auto content = elf->getELFFile().getSectionContents(section); !content) return failed(content.takeError());
    if (section.sh_type == llvm::ELF::SHT_RELA)
      if (auto relocations = elf->getELFFile().relas(section); !relocations) return failed(relocations.takeError());
  }
  for (const auto& symbol : elf->symbols())
    if (auto n = symbol.getName(); !n) return failed(n.takeError());
  out.push_back({name, bytes.str()});
  return {};
}

Status take_bundle(const std::string& name, llvm::StringRef bytes, const std::string& target, std::vector<LinkFile>& out) {
  auto bundle = codeobj::Bundle::parse(bytes_of(bytes));
  if (!bundle) return error(Code::invalid_image, "{}: {}", name, bundle.status().message());
  BZ_TRY_ASSIGN(auto device, codeobj::TargetId::parse(target));
  auto entry = bundle->select(device);
  if (!entry) return error(Code::wrong_target, "{}: {}", name, entry.status().message());
  auto content = (*entry)->bytes;
  return take_ir(name, {reinterpret_cast<const char*>(content.data()), content.size()}, out);
}

template <class Take> Status for_each_member(const std::string& name, llvm::StringRef bytes, Take take) {
  auto failed = [&](llvm::Error e) {
    return error(Code::invalid_image, "{} is no archive: {}", name, llvm::toString(std::move(e)));
  };
  auto archive = llvm::object::Archive::create(llvm::MemoryBufferRef(bytes, name));
  if (!archive) return failed(archive.takeError());
  llvm::Error problem = llvm::Error::success();
  Status status;
  for (const auto& child : (*archive)->children(problem)) {
    auto member = child.getName();
    auto content = child.getBuffer();
    if (!member) {
      status = failed(member.takeError());
      llvm::consumeError(content.takeError());
    } else if (!content)
      status = failed(content.takeError());
    else
      status = take(fmt::format("{}({})", name, member->str()), *content);
    if (!status.ok()) break;
  }
  if (problem) {
    Status broken = failed(std::move(problem));
    if (status.ok()) status = broken;
  }
  return status;
}

} // namespace

Status take_input(const LinkInput& input, const std::string& target, std::vector<LinkFile>& out) {
  switch (input.kind) {
  case InputKind::ir: return take_ir(input.name, input.bytes, out);
  case InputKind::object: return take_object(input.name, input.bytes, out);
  case InputKind::bundle: return take_bundle(input.name, input.bytes, target, out);
  case InputKind::bundle_archive:
    return for_each_member(input.name, input.bytes, [&](const std::string& name, llvm::StringRef bytes) {
      return take_bundle(name, bytes, target, out);
    });
  case InputKind::object_archive:
    return for_each_member(input.name, input.bytes, [&](const std::string& name, llvm::StringRef bytes) {
      return bytes.starts_with("\177ELF") ? take_object(name, bytes, out) : take_ir(name, bytes, out);
    });
  }
  return error(Code::internal, "no such kind of input");
}

} // namespace bz::rtc
