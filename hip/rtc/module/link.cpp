#include "hip/rtc/module/link.hpp"

#include "base/environment.hpp"
#include "hip/rtc/module/inputs.hpp"
#include "hip/rtc/module/isolate.hpp"
#include "hip/rtc/module/option_gate.hpp"

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

LLD_HAS_DRIVER(elf)

namespace bz::rtc {
namespace {
namespace fs = std::filesystem;

/// LLD writes to files only. A folder that nobody else can look into, gone at the end.
class Folder {
public:
  Status make() {
    for (const std::string& parent : {environment("TMPDIR"), std::string("/tmp"), std::string("/dev/shm")}) {
      if (parent.empty()) continue;
      std::string name = parent + "/hiprtc-XXXXXX";
      if (mkdtemp(name.data())) {
        path_ = name;
        return {};
      }
    }
    return error(Code::out_of_resources, "the linker needs a folder for its output: neither TMPDIR, /tmp nor /dev/shm "
                                         "can be written to");
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

bool write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return out.good();
}

bool read_file(const std::string& path, std::string& bytes) {
  std::ifstream in(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(in), {});
  return in.good() || in.eof();
}

/// Each file gets a folder of its own, so that its name can be the one that the user knows.
std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/' || c == '\0' || c == '\n') c = '_';
  if (name.empty() || name == "." || name == "..") name = "input";
  return name.substr(0, 200);
}

/// "gfx942:sramecc+:xnack-": the processor, and "+sramecc,-xnack" for the back end.
std::pair<std::string, std::string> processor_and_features(const std::string& target) {
  std::string features;
  size_t colon = target.find(':');
  const std::string processor = target.substr(0, colon);
  while (colon != std::string::npos) {
    const size_t begin = colon + 1;
    colon = target.find(':', begin);
    const std::string feature = target.substr(begin, colon == std::string::npos ? colon : colon - begin);
    if (feature.size() < 2) continue;
    if (!features.empty()) features += ',';
    features += feature.back() + feature.substr(0, feature.size() - 1);
  }
  return {processor, features};
}

void erase_all(std::string& text, const std::string& part) {
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

/// Runs the linker over checked files. `words` are further options.
LinkResult run_linker(const std::vector<LinkFile>& files, const std::vector<std::string>& words) {
  LinkResult result;
  Folder folder;
  if (result.status = folder.make(); !result.status.ok()) return result;
  const std::string output = folder.path() + "/code";
  // One thread: a fatal error must find the thread that waits for it.
  std::vector<std::string> line = {"lld", "-m", "elf64_amdgpu", "--no-undefined", "-shared", "--threads=1",
                                   "--color-diagnostics=never", "-o", output};
  line.insert(line.end(), words.begin(), words.end());
  line.emplace_back("--whole-archive");
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string own = folder.path() + "/" + std::to_string(i);
    std::error_code failed;
    fs::create_directory(own, failed);
    line.push_back(own + "/" + file_name(files[i].name));
    if (failed || !write_file(line.back(), files[i].bytes)) {
      result.status = error(Code::out_of_resources, "can't write {}: is the disk full?", line.back());
      return result;
    }
  }
  std::vector<const char*> argv;
  for (const auto& word : line) argv.push_back(word.c_str());

  // LLD is one per process, and it sets and resets LLVM's options.
  OptionGate::enter_alone();
  bool good = false;
  const Status ran = isolated([&] {
    llvm::raw_string_ostream log(result.log);
    good = lld::elf::link(argv, log, log, /*exitEarly=*/false, /*disableOutput=*/false);
  });
  lld::CommonLinkerContext::destroy();
  OptionGate::leave_alone();

  for (size_t i = files.size(); i-- > 0;) erase_all(result.log, folder.path() + "/" + std::to_string(i) + "/");
  erase_all(result.log, folder.path() + "/");
  if (!ran.ok() || !good) {
    result.status = error(Code::invalid_image, "linking failed; the log says why");
    if (result.log.empty()) result.log = ran.message() + "\n";
    return result;
  }
  if (!read_file(output, result.output) || result.output.empty())
    result.status = error(Code::internal, "the linker's output can't be read");
  return result;
}

} // namespace

LinkResult link_object(const std::string& object) { return run_linker({{"program.o", object}}, {}); }

LinkResult link(const LinkRequest& request) {
  std::vector<LinkFile> files;
  LinkResult result;
  const Status taken = isolated([&] {
    for (const LinkInput& input : request.inputs)
      if (result.status = take_input(input, request.target, files); !result.status.ok()) return;
  });
  if (!taken.ok()) result.status = error(Code::invalid_image, "an input can't be read: {}", taken.message());
  if (!result.status.ok()) {
    result.log = "error: " + result.status.message() + "\n";
    return result;
  }
  auto [processor, features] = processor_and_features(request.target);
  const std::string level = std::to_string(request.optimisation);
  std::vector<std::string> words = {"-plugin-opt=-amdgpu-internalize-symbols", "-plugin-opt=mcpu=" + processor,
                                    "-plugin-opt=O" + level, "--lto-CGO" + level, "--lto-partitions=1"};
  if (!features.empty()) words.push_back("-plugin-opt=-mattr=" + features);
  for (const auto& option : request.llvm_options) {
    words.emplace_back("-mllvm");
    words.push_back(option);
  }
  return run_linker(files, words);
}

} // namespace bz::rtc
