// What one SDMA packet does: a table of operations, each a length and a function. Knows no ring, no thread, no doorbell.
#pragma once
#include <cstdint>
#include <string>

namespace bz::gpu {

class Sink;

/// The rest of what a packet can ask of the stream that it stands in.
struct SdmaEffect {
  enum class Outcome {
    done,
    waiting, ///< a poll isn't satisfied: the same packet again, later
    fault,   ///< `address` can't be accessed
    refused, ///< no such packet, or one that this device hasn't: `why`
  };
  Outcome outcome = Outcome::done;
  uint64_t address = 0;
  bool is_write = false;
  std::string why;
  uint32_t skip = 0;        ///< dwords after the packet that aren't to be executed
  uint64_t buffer = 0;      ///< an indirect buffer to be executed next,
  uint32_t buffer_dwords = 0; ///< of this length
};

/// Dwords of the packet that begins with `header`; `fourth` is its fourth dword, a count in one of them. 0: no such packet.
uint32_t sdma_packet_dwords(uint32_t header, uint32_t fourth);
/// What it is called, for messages.
const char* sdma_packet_name(uint32_t header);
/// A packet that exists. `polls` counts how often it was found waiting.
SdmaEffect run_sdma_packet(const uint32_t* packet, uint32_t dwords, uint32_t polls, Sink& sink);

} // namespace bz::gpu
