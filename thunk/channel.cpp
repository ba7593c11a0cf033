#include "thunk/channel.hpp"

#include "abi/kfd_ioctl.hpp"
#include "base/fork.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>

namespace bz::thunk {

HSAKMT_STATUS status_of(int error_number) {
  switch (error_number) {
  case 0:
    return HSAKMT_STATUS_SUCCESS;
  case EINVAL:
    return HSAKMT_STATUS_INVALID_PARAMETER;
  case ENOMEM:
    return HSAKMT_STATUS_NO_MEMORY;
  case ENOSPC:
    return HSAKMT_STATUS_OUT_OF_RESOURCES;
  case EBUSY:
    return HSAKMT_STATUS_UNAVAILABLE;
  case ENOTTY:
  case EOPNOTSUPP:
  case ENOSYS:
    return HSAKMT_STATUS_NOT_SUPPORTED;
  case EBADF:
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  case EFAULT:
    return HSAKMT_STATUS_INVALID_PARAMETER;
  case ETIME:
    return HSAKMT_STATUS_WAIT_TIMEOUT;
  case EPERM:
  case EACCES:
    return HSAKMT_STATUS_UNAVAILABLE;
  default:
    return HSAKMT_STATUS_ERROR;
  }
}

HSAKMT_STATUS Channel::ioctl(unsigned long request, void* args, const char* name) const {
  int r = ioctl_errno(request, args);
  if (r == 0) return HSAKMT_STATUS_SUCCESS;
  return fail(status_of(-r), "{}: {}", name, std::strerror(-r));
}

namespace {
/// Why there is no channel is said aloud here, where it is known; the callers above only pass the status on.
template <class... Args>
HSAKMT_STATUS refuse(HSAKMT_STATUS status, fmt::format_string<Args...> format, Args&&... args) {
  log("thunk", Level::error, format, std::forward<Args>(args)...);
  return status;
}
} // namespace

HSAKMT_STATUS Channel::open(std::unique_ptr<Channel>& out) {
  std::unique_ptr<Channel> channel(new Channel);
  auto driver = Driver::load();
  if (!driver.ok()) return refuse(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED, "no GPU: {}", driver.status().message());
  channel->driver_ = *driver;
  channel->kfd_ = channel->driver_.open("/dev/kfd", O_RDWR);
  if (channel->kfd_ < 0) {
    constexpr auto kStatus = HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    const char* why = std::strerror(-channel->kfd_);
    if (channel->driver_.hardware())
      return refuse(kStatus,
                    "BZ_GPUS=hw, but /dev/kfd can't be opened ({}): the amdgpu driver is wanted, and membership in the "
                    "groups render and video; without BZ_GPUS the software device is used",
                    why);
    if (channel->kfd_ == -ENODEV) return fail(kStatus, "/dev/kfd: {}", why); // the software device said why
    if (channel->kfd_ == -EBADF) return refuse(kStatus, "{}", kForkedChild);
    return refuse(kStatus, "the software device can't be opened: {}", why);
  }
  kfd_ioctl_get_version_args version{};
  if (auto s = channel->call(AMDKFD_IOC_GET_VERSION, version, "GET_VERSION"); s != HSAKMT_STATUS_SUCCESS)
    return refuse(s, "the driver does not tell its version (status {})", static_cast<int>(s));
  if (version.major_version != KFD_IOCTL_MAJOR_VERSION)
    return refuse(HSAKMT_STATUS_DRIVER_MISMATCH, "the driver speaks version {} of the interface, not {}",
                version.major_version, KFD_IOCTL_MAJOR_VERSION);
  auto topology = Topology::read(channel->driver_);
  if (!topology.ok()) return refuse(HSAKMT_STATUS_ERROR, "no GPU: {}", topology.status().message());
  channel->topology_ = std::move(*topology);
  const auto& nodes = channel->topology_.nodes();
  channel->render_.assign(nodes.size(), -1);
  for (uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].gpu_id == 0) continue;
    std::string path = fmt::format("/dev/dri/renderD{}", nodes[n].properties.DrmRenderMinor);
    int fd = channel->driver_.open(path.c_str(), O_RDWR);
    if (fd < 0) return refuse(HSAKMT_STATUS_ERROR, "{} can't be opened: {}", path, std::strerror(-fd));
    channel->render_[n] = fd;
    kfd_ioctl_acquire_vm_args vm{static_cast<uint32_t>(fd), nodes[n].gpu_id};
    if (auto s = channel->call(AMDKFD_IOC_ACQUIRE_VM, vm, "ACQUIRE_VM"); s != HSAKMT_STATUS_SUCCESS)
      return refuse(s, "the driver gives no address space for {} (status {})", path, static_cast<int>(s));
    channel->gpus_.push_back(n);
  }
  out = std::move(channel);
  return HSAKMT_STATUS_SUCCESS;
}

Channel::~Channel() {
  for (int fd : render_)
    if (fd >= 0) driver_.close(fd);
  if (kfd_ >= 0) driver_.close(kfd_);
}

} // namespace bz::thunk
