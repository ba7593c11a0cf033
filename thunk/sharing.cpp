// Memory of more than one address range: handles for other processes, dma-bufs, and memory without an address that is
// placed into reserved addresses.
#include "abi/kfd_debug.hpp"
#include "abi/kfd_ioctl.hpp"
#include "thunk/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace bz::thunk {
namespace {

constexpr uint64_t kPage = 4096;

/// What HsaSharedMemoryHandle, eight opaque words, holds here.
struct SharedWords {
  uint32_t key[4]; ///< the driver's
  uint32_t pages;
  uint32_t gpu_id; ///< of the memory
  uint32_t mark;
  uint32_t unused;
};
static_assert(sizeof(SharedWords) == sizeof(HsaSharedMemoryHandle));
constexpr uint32_t kMark = 0x62a30001;

} // namespace

uint32_t MemoryManager::node_of(uint32_t gpu_id) const {
  for (uint32_t n : channel_.gpus())
    if (channel_.gpu(n)->gpu_id == gpu_id) return n;
  return UINT32_MAX;
}

uint32_t MemoryManager::host_node() const {
  uint32_t n = 0;
  while (channel_.gpu(n)) ++n;
  return n;
}

HSAKMT_STATUS MemoryManager::dmabuf_of(const Object& object, int& fd) {
  if (!object.handle) return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{:#x} has no memory of a GPU", object.address);
  kfd_ioctl_export_dmabuf_args args{};
  args.handle = object.handle;
  args.flags = O_CLOEXEC | O_RDWR;
  if (auto s = channel_.call(AMDKFD_IOC_EXPORT_DMABUF, args, "EXPORT_DMABUF"); s != HSAKMT_STATUS_SUCCESS) return s;
  fd = static_cast<int>(args.dmabuf_fd);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryManager::export_dmabuf(const void* address, uint64_t size, int& fd, uint64_t& offset) {
  std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<uint64_t>(address);
  const Object* object = find(at);
  if (!object) return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} is no memory of this library", address);
  if (size == 0 || size > object->begin + object->size - at)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} bytes at {} go beyond the allocation", size, address);
  offset = at - object->begin;
  return dmabuf_of(*object, fd);
}

HSAKMT_STATUS MemoryManager::share(void* address, uint64_t size, HsaSharedMemoryHandle& handle) {
  std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<uint64_t>(address);
  const Object* object = find(at);
  if (!object || object->begin != at)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} is not the beginning of an allocation", address);
  if (!object->handle || size == 0 || size > object->size)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} bytes at {} can't be shared", size, address);
  kfd_ioctl_ipc_export_handle_args args{};
  args.handle = object->handle;
  args.gpu_id = channel_.gpu(channel_.gpus()[0])->gpu_id;
  if (const Node* gpu = channel_.gpu(object->node)) args.gpu_id = gpu->gpu_id;
  if (auto s = channel_.call(AMDKFD_IOC_IPC_EXPORT_HANDLE, args, "IPC_EXPORT_HANDLE"); s != HSAKMT_STATUS_SUCCESS)
    return s;
  SharedWords words{};
  std::memcpy(words.key, args.share_handle, sizeof words.key);
  words.pages = static_cast<uint32_t>(object->size / kPage);
  words.gpu_id = args.gpu_id;
  words.mark = kMark;
  std::memcpy(handle, &words, sizeof words);
  return HSAKMT_STATUS_SUCCESS;
}

/// Enters memory from elsewhere: `take` makes the driver's handle for the addresses that were taken.
template <class Take>
HSAKMT_STATUS MemoryManager::enter(Object object, const std::vector<uint32_t>* nodes, Take take, void** address) {
  if (nodes)
    for (uint32_t n : *nodes)
      if (!channel_.gpu(n)) return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "node {} is no GPU", n);
  std::lock_guard lock(mutex_);
  constexpr uint64_t kHugePage = 2ull << 20;
  // Aligned to its size: who shared it may count on that in his own process.
  if (!take_addresses(object, std::clamp(std::bit_floor(object.size), kPage, kHugePage)))
    return fail(HSAKMT_STATUS_NO_MEMORY, "no address space for {} bytes", object.size);
  object.address = object.begin;
  if (nodes) object.registered = *nodes;
  if (HSAKMT_STATUS s = take(object); s != HSAKMT_STATUS_SUCCESS) {
    release(object);
    return s;
  }
  *address = reinterpret_cast<void*>(object.begin);
  registered_.emplace(object.address, std::move(object));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryManager::attach(const HsaSharedMemoryHandle& handle, const std::vector<uint32_t>* nodes,
                                    void** address, uint64_t& size) {
  SharedWords words;
  std::memcpy(&words, handle, sizeof words);
  if (words.mark != kMark || words.pages == 0)
    return fail(HSAKMT_STATUS_INVALID_HANDLE, "this is no handle of shared memory");
  Object object;
  object.type = HSA_POINTER_REGISTERED_SHARED;
  object.size = uint64_t{words.pages} * kPage;
  object.node = node_of(words.gpu_id);
  if (object.node == UINT32_MAX)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "the shared memory is on GPU {}, which this process hasn't",
                words.gpu_id);
  size = object.size;
  auto take = [&](Object& o) {
    kfd_ioctl_ipc_import_handle_args args{};
    std::memcpy(args.share_handle, words.key, sizeof words.key);
    args.va_addr = o.begin;
    args.gpu_id = words.gpu_id;
    if (auto s = channel_.call(AMDKFD_IOC_IPC_IMPORT_HANDLE, args, "IPC_IMPORT_HANDLE"); s != HSAKMT_STATUS_SUCCESS)
      return s;
    o.handle = args.handle;
    const int render = channel_.render(o.node);
    if (args.flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT) o.node = host_node();
    return host_map(o, render, args.mmap_offset);
  };
  return enter(std::move(object), nodes, take, address);
}

HSAKMT_STATUS MemoryManager::import_dmabuf(int fd, const std::vector<uint32_t>* nodes, HsaGraphicsResourceInfo& out) {
  kfd_ioctl_get_dmabuf_info_args info{};
  info.dmabuf_fd = static_cast<uint32_t>(fd);
  if (auto s = channel_.call(AMDKFD_IOC_GET_DMABUF_INFO, info, "GET_DMABUF_INFO"); s != HSAKMT_STATUS_SUCCESS) return s;
  Object object;
  object.type = HSA_POINTER_REGISTERED_GRAPHICS;
  object.size = info.size;
  object.node = node_of(info.gpu_id);
  if (object.node == UINT32_MAX)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "the dma-buf is of GPU {}, which this process hasn't", info.gpu_id);
  out = {};
  out.SizeInBytes = info.size;
  out.NodeId = object.node;
  if (info.flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT) out.NodeId = object.node = host_node();
  auto take = [&](Object& o) { return import_at(o, fd, info.gpu_id); };
  return enter(std::move(object), nodes, take, &out.MemoryAddress);
}

HSAKMT_STATUS MemoryManager::import_at(Object& object, int fd, uint32_t gpu_id) {
  kfd_ioctl_import_dmabuf_args args{};
  args.va_addr = object.begin;
  args.gpu_id = gpu_id;
  args.dmabuf_fd = static_cast<uint32_t>(fd);
  auto s = channel_.call(AMDKFD_IOC_IMPORT_DMABUF, args, "IMPORT_DMABUF");
  if (s == HSAKMT_STATUS_SUCCESS) object.handle = args.handle;
  return s;
}

HSAKMT_STATUS MemoryManager::place(void* address, uint64_t size, void* memory) {
  std::lock_guard lock(mutex_);
  const auto at = reinterpret_cast<uint64_t>(address);
  auto after = allocated_.upper_bound(at);
  if (after == allocated_.begin() || std::prev(after)->second.type != HSA_POINTER_RESERVED_ADDR ||
      !std::prev(after)->second.holds(at) || size > std::prev(after)->second.begin + std::prev(after)->second.size - at)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} bytes at {} aren't reserved addresses", size, address);
  auto next = placed_.lower_bound(at);
  if ((next != placed_.end() && next->first < at + size) ||
      (next != placed_.begin() && std::prev(next)->second.holds(at)))
    return fail(HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED, "there is memory at {} already", address);
  const Object* source = find(reinterpret_cast<uint64_t>(memory));
  if (!source || source->begin != reinterpret_cast<uint64_t>(memory))
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} is no memory of this library", memory);
  if (size != source->size || at % kPage != 0)
    return fail(HSAKMT_STATUS_NOT_SUPPORTED, "a part ({} of {} bytes) can't be placed at other addresses", size,
                source->size);
  int fd = -1;
  if (auto s = dmabuf_of(*source, fd); s != HSAKMT_STATUS_SUCCESS) return s;
  Object object;
  object.address = object.begin = at;
  object.size = size;
  object.type = HSA_POINTER_REGISTERED_GRAPHICS;
  object.node = source->node;
  object.flags = source->flags;
  object.placed = true;
  const Node* gpu = channel_.gpu(source->node);
  auto status = import_at(object, fd, gpu ? gpu->gpu_id : channel_.gpu(channel_.gpus()[0])->gpu_id);
  close(fd);
  if (status == HSAKMT_STATUS_SUCCESS) placed_.emplace(at, std::move(object));
  return status;
}

HSAKMT_STATUS MemoryManager::unplace(void* address) {
  std::lock_guard lock(mutex_);
  auto it = placed_.find(reinterpret_cast<uint64_t>(address));
  if (it == placed_.end()) return fail(HSAKMT_STATUS_MEMORY_NOT_REGISTERED, "no memory was placed at {}", address);
  if (auto s = unmap_one(it->second); s != HSAKMT_STATUS_SUCCESS) return s;
  release(it->second);
  placed_.erase(it);
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace bz::thunk
