#include "kfd/files.hpp"

#include <charconv>
#include <fmt/format.h>

namespace bz::kfd {
namespace {

constexpr std::string_view kDrmVersion = "/sys/class/drm/version", kModuleState = "/sys/module/amdgpu/initstate",
                           kModuleUses = "/sys/module/amdgpu/refcnt";
constexpr const char* kRenderFiles[] = {"dev",           "uevent",       "device/uevent",           "device/vendor",
                                        "device/device", "device/class", "device/subsystem_vendor", "device/subsystem_device",
                                        "device/revision"};
constexpr uint32_t kVendor = 0x1002;
constexpr uint32_t kDisplayController = 0x038000; ///< PCI class of a GPU without a monitor's connector

std::string render_folder(uint32_t minor) { return fmt::format("/sys/dev/char/{}:{}", kDrmMajor, minor); }

} // namespace

Files::Files(std::vector<gpu::Product> gpus, gpu::Machine machine) : gpus_(gpus), topology_(std::move(gpus), machine) {}

std::optional<std::string> Files::render_file(uint32_t index, std::string_view name) const {
  const gpu::Product& p = gpus_[index];
  uint32_t minor = kFirstRenderMinor + index;
  auto hex = [](uint32_t value) { return fmt::format("0x{:04x}\n", value); };
  if (name == "dev") return fmt::format("{}:{}\n", kDrmMajor, minor);
  if (name == "uevent")
    return fmt::format("MAJOR={}\nMINOR={}\nDEVNAME=dri/renderD{}\nDEVTYPE=drm_minor\n", kDrmMajor, minor, minor);
  if (name == "device/uevent")
    return fmt::format("DRIVER=amdgpu\nPCI_CLASS={:X}\nPCI_ID={:04X}:{:04X}\nPCI_SUBSYS_ID={:04X}:{:04X}\nPCI_SLOT_NAME={}\n",
                       kDisplayController, kVendor, p.device_id, kVendor, p.device_id, pci_address_of(index));
  if (name == "device/vendor" || name == "device/subsystem_vendor") return hex(kVendor);
  if (name == "device/device" || name == "device/subsystem_device") return hex(p.device_id);
  if (name == "device/class") return fmt::format("0x{:06x}\n", kDisplayController);
  if (name == "device/revision") return "0x00\n";
  return {};
}

std::optional<std::string> Files::file(std::string_view path) const {
  if (path == kDrmVersion) return "drm 1.1.0 20060810\n";
  if (path == kModuleState) return "live\n";
  if (path == kModuleUses) return "0\n";
  if (path.starts_with(kTopologyRoot) && path.size() > kTopologyRoot.size() && path[kTopologyRoot.size()] == '/')
    return topology_.file(path.substr(kTopologyRoot.size() + 1));
  for (uint32_t i = 0; i < gpus_.size(); ++i) {
    std::string folder = render_folder(kFirstRenderMinor + i) + "/";
    if (path.starts_with(folder)) return render_file(i, path.substr(folder.size()));
  }
  return {};
}

std::string Files::list() const {
  std::string out = fmt::format("c /dev/kfd {}:0\nd /dev/dri\n", kKfdMajor);
  for (const std::string& name : topology_.files()) out += fmt::format("f {}/{}\n", kTopologyRoot, name);
  out += "l /sys/class/kfd/kfd ../../devices/virtual/kfd/kfd\n";
  out += fmt::format("f {}\nf {}\nf {}\nd /sys/module/amdgpu/holders\n", kDrmVersion, kModuleState, kModuleUses);
  for (uint32_t i = 0; i < gpus_.size(); ++i) {
    uint32_t minor = kFirstRenderMinor + i;
    std::string folder = render_folder(minor);
    out += fmt::format("c /dev/dri/renderD{} {}:{}\n", minor, kDrmMajor, minor);
    for (const char* name : kRenderFiles) out += fmt::format("f {}/{}\n", folder, name);
    out += fmt::format("l {}/device/subsystem /sys/bus/pci\nd {}/device/drm/renderD{}\n", folder, folder, minor);
    out += fmt::format("l /sys/class/drm/renderD{} ../../dev/char/{}:{}\n", minor, kDrmMajor, minor);
  }
  return out;
}

} // namespace bz::kfd
