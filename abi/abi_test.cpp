// The layouts assert themselves; this test includes every header once, and compares ioctl numbers with the rule that the
// kernel builds them by.
#include "abi/aql.hpp"
#include "abi/exceptions.hpp"
#include "abi/help.hpp"
#include "abi/image.hpp"
#include "abi/kernel_descriptor.hpp"
#include "abi/kfd_debug.hpp"
#include "abi/kfd_ioctl.hpp"
#include "abi/kfd_layout.hpp"
#include "abi/queue.hpp"
#include "abi/signal.hpp"

#include <gtest/gtest.h>
#include <sys/ioctl.h>

namespace {

TEST(Abi, IoctlNumbersFollowFromDirectionAndStructure) {
  EXPECT_EQ(AMDKFD_IOC_GET_VERSION, _IOR('K', 0x01, kfd_ioctl_get_version_args));
  EXPECT_EQ(AMDKFD_IOC_CREATE_QUEUE, _IOWR('K', 0x02, kfd_ioctl_create_queue_args));
  EXPECT_EQ(AMDKFD_IOC_UPDATE_QUEUE, _IOW('K', 0x07, kfd_ioctl_update_queue_args));
  EXPECT_EQ(AMDKFD_IOC_WAIT_EVENTS, _IOWR('K', 0x0c, kfd_ioctl_wait_events_args));
  EXPECT_EQ(AMDKFD_IOC_GET_PROCESS_APERTURES, _IOR('K', 0x06, kfd_ioctl_get_process_apertures_args));
  EXPECT_EQ(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, _IOWR('K', 0x16, kfd_ioctl_alloc_memory_of_gpu_args));
  EXPECT_EQ(AMDKFD_IOC_DBG_TRAP, _IOWR('K', 0x26, kfd_ioctl_dbg_trap_args));
  EXPECT_EQ(AMDKFD_IOC_PC_SAMPLE, _IOWR('K', 0x85, kfd_ioctl_pc_sample_args));
}

TEST(Abi, PrivateIoctlLiesOutsideTheKernelsRanges) {
  EXPECT_EQ(bz::abi::BZ_KFD_IOC_HELP, _IOWR('K', 0xf0, bz::abi::bz_kfd_help_args));
  EXPECT_GE(_IOC_NR(bz::abi::BZ_KFD_IOC_HELP), AMDKFD_COMMAND_END_2);
  EXPECT_EQ(bz::abi::BZ_KFD_IOC_WAKE, _IOWR('K', 0xf1, bz::abi::bz_kfd_wake_args));
}

TEST(Abi, PacketHeaderFields) {
  using namespace bz::abi;
  // A barrier dispatch with system-scope fences, as the specification's examples build it.
  uint16_t header = packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH, true, HSA_FENCE_SCOPE_SYSTEM, HSA_FENCE_SCOPE_SYSTEM);
  EXPECT_EQ(header, 0x1502);
  EXPECT_EQ(packet_type(header), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_TRUE(packet_barrier(header));
  EXPECT_EQ(packet_acquire(header), HSA_FENCE_SCOPE_SYSTEM);
  EXPECT_EQ(packet_release(header), HSA_FENCE_SCOPE_SYSTEM);
}

TEST(Abi, ExceptionCodeNIsBitNMinusOne) {
  EXPECT_EQ(bz::abi::exception_bit(EC_QUEUE_WAVE_ABORT), 1u);
  EXPECT_EQ(bz::abi::exception_bit(EC_QUEUE_WAVE_MEMORY_VIOLATION), 1u << 4);
  EXPECT_EQ(bz::abi::exception_bit(EC_NONE), 0u);
}

} // namespace
