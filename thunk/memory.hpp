// Memory as libhsakmt sees it: allocations on nodes, registered host memory, mappings to GPUs, pointer information.
// Owns the reserved address space and all driver handles. Knows no queue and no event.
#pragma once
#include "thunk/address_space.hpp"
#include "thunk/channel.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace bz::thunk {

class MemoryManager {
public:
  explicit MemoryManager(Channel& channel) : channel_(channel) {}
  ~MemoryManager();

  HSAKMT_STATUS allocate(uint32_t node, uint64_t size, uint64_t alignment, HsaMemFlags flags, void** address);
  HSAKMT_STATUS free(void* address);
  HSAKMT_STATUS register_host(void* address, uint64_t size, HsaMemFlags flags, const std::vector<uint32_t>* nodes);
  HSAKMT_STATUS deregister(void* address);
  /// nodes null: the registered nodes, or all GPUs. Read only is for placed memory; other memory stays writable for the host's sake.
  HSAKMT_STATUS map(void* address, uint64_t size, uint64_t* gpu_address, const std::vector<uint32_t>* nodes,
                    bool read_only = false);
  HSAKMT_STATUS unmap(void* address);
  HSAKMT_STATUS info(const void* address, HsaPointerInfo& out);
  HSAKMT_STATUS set_user_data(const void* address, void* data);
  // sharing.cpp: memory of more than one address range.
  HSAKMT_STATUS export_dmabuf(const void* address, uint64_t size, int& fd, uint64_t& offset);
  HSAKMT_STATUS import_dmabuf(int fd, const std::vector<uint32_t>* nodes, HsaGraphicsResourceInfo& out);
  HSAKMT_STATUS share(void* address, uint64_t size, HsaSharedMemoryHandle& handle);
  HSAKMT_STATUS attach(const HsaSharedMemoryHandle& handle, const std::vector<uint32_t>* nodes, void** address,
                       uint64_t& size);
  /// Memory, as a whole, at reserved addresses (OnlyAddress); mapped to GPUs there like any other.
  HSAKMT_STATUS place(void* address, uint64_t size, void* memory);
  HSAKMT_STATUS unplace(void* address);
  /// The driver's handle of an allocation, 0 if there is none.
  uint64_t handle_of(const void* address);

private:
  struct Object {
    uint64_t address = 0;         ///< as the client named it
    uint64_t begin = 0, size = 0; ///< whole pages
    uint64_t guard = 0;           ///< unused bytes behind, so that an overrun faults
    HSA_POINTER_TYPE type = HSA_POINTER_ALLOCATED;
    uint32_t node = 0;
    HsaMemFlags flags{};
    uint64_t handle = 0;     ///< 0: no GPU in the system, or address space only
    uint32_t references = 1; ///< registrations
    bool placed = false; ///< the addresses are a reservation's
    void* user_data = nullptr;
    std::vector<uint32_t> registered, mapped; ///< nodes
    bool holds(uint64_t a) const { return a >= begin && a - begin < size; }
  };
  Object* find(uint64_t address);
  HSAKMT_STATUS back_with_driver(Object& object, uint32_t gpu_node, uint32_t kind, bool host_access);
  HSAKMT_STATUS map_one(Object& object, const std::vector<uint32_t>& nodes);
  HSAKMT_STATUS unmap_one(Object& object);
  HSAKMT_STATUS host_map(const Object& object, int render, uint64_t offset);
  uint32_t node_of(uint32_t gpu_id) const; ///< UINT32_MAX: there is no such GPU
  uint32_t host_node() const;              ///< the first node that is no GPU
  HSAKMT_STATUS dmabuf_of(const Object& object, int& fd);
  HSAKMT_STATUS import_at(Object& object, int fd, uint32_t gpu_id);
  template <class Take>
  HSAKMT_STATUS enter(Object object, const std::vector<uint32_t>* nodes, Take take, void** address);
  void release(Object& object);
  bool take_addresses(Object& object, uint64_t alignment);

  Channel& channel_;
  std::mutex mutex_;
  AddressSpace space_;
  std::map<uint64_t, Object> allocated_;       ///< by begin
  std::multimap<uint64_t, Object> registered_; ///< by the client's address; may overlap
  std::map<uint64_t, Object> placed_;          ///< by begin, inside reservations among allocated_
};

} // namespace bz::thunk
