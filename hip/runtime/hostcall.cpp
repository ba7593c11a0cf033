#include "hip/runtime/hostcall.hpp"
#include "base/log.hpp"
#include "hip/runtime/device.hpp"
#include "hip/runtime/memory.hpp"

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <thread>

namespace bz::hip {

// ---- Messages -------------------------------------------------------------------------------------------------------

bool PrintfMessages::part(uint64_t* slots, Finished& finished) {
  const uint64_t descriptor = slots[0];
  const uint64_t length = descriptor >> BZ_MESSAGE_LEN_SHIFT & BZ_MESSAGE_LEN_MASK;
  uint64_t id = descriptor >> BZ_MESSAGE_ID_SHIFT;
  if (descriptor & BZ_MESSAGE_BEGIN) {
    id = next_id_++;
    messages_[id];
  }
  auto it = messages_.find(id);
  if (it == messages_.end()) { // a message that was never begun: refuse it, the wave goes on
    slots[0] = static_cast<uint64_t>(-1);
    return false;
  }
  it->second.insert(it->second.end(), slots + 1, slots + 1 + length);
  if (!(descriptor & BZ_MESSAGE_END)) {
    slots[0] = id << BZ_MESSAGE_ID_SHIFT;
    return false;
  }
  finished = format_message(it->second);
  messages_.erase(it);
  slots[0] = static_cast<uint64_t>(static_cast<int64_t>(finished.text.size()));
  return true;
}

namespace {

/// Reads a message from front to back, never past its end.
class Reader {
public:
  explicit Reader(const std::vector<uint64_t>& q) : q_(q) {}
  bool more() const { return at_ < q_.size(); }
  uint64_t qword() { return more() ? q_[at_++] : 0; }
  /// True, and past it, if a null pointer stands here instead of a string.
  bool null_text() {
    if (!more() || q_[at_] != BZ_PRINTF_NULL_STRING) return false;
    ++at_;
    return true;
  }
  /// A string with terminating NUL, padded to whole qwords.
  std::string text() {
    std::string out;
    while (more()) {
      char bytes[8];
      const uint64_t q = q_[at_++];
      std::memcpy(bytes, &q, 8);
      const size_t n = strnlen(bytes, 8);
      out.append(bytes, n);
      if (n < 8) break;
    }
    return out;
  }

private:
  const std::vector<uint64_t>& q_;
  size_t at_ = 0;
};

/// snprintf with a conversion that was taken apart and checked here, and one argument of the right type.
template <class T> void print(std::string& out, const std::string& spec, T value) {
  char small[256];
  int n = std::snprintf(small, sizeof small, spec.c_str(), value);
  if (n < 0) return;
  if (size_t(n) < sizeof small) {
    out.append(small, size_t(n));
    return;
  }
  std::string big(size_t(n) + 1, '\0');
  std::snprintf(big.data(), big.size(), spec.c_str(), value);
  out.append(big.data(), size_t(n));
}

/// %lc: the character in UTF-8, whatever the locale; what is no character is left out.
std::string utf8(uint32_t c) {
  std::string out;
  if (c < 0x80) return out += static_cast<char>(c);
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return out;
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(lead[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
  return out;
}

/// Compilers send a wide string as if it were one of bytes: what arrives ends at the first zero byte.
void say_no_wide_strings() {
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    log("hip", Level::warn, "device printf: %ls is not supported (compilers don't pass wide strings on); it prints as it stands");
}

constexpr int kMostWidth = 1 << 16; ///< a device program may ask for any width: don't let it take the host's memory

} // namespace

PrintfMessages::Finished format_message(const std::vector<uint64_t>& qwords) {
  Reader in(qwords);
  PrintfMessages::Finished f;
  f.to_stderr = in.qword() & BZ_PRINTF_STDERR;
  const std::string format = in.text();
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      const size_t next = format.find('%', i);
      f.text.append(format, i, next == std::string::npos ? next : next - i);
      i = next == std::string::npos ? format.size() : next;
      continue;
    }
    const size_t start = i++;
    std::string spec = "%";
    while (i < format.size() && std::strchr("-+ #0", format[i])) spec += format[i++];
    auto number = [&] {
      if (i < format.size() && format[i] == '*') {
        ++i;
        spec += std::to_string(std::clamp(static_cast<int>(in.qword()), -kMostWidth, kMostWidth));
        return;
      }
      int n = 0;
      bool any = false;
      for (; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i, any = true)
        n = std::min(n * 10 + (format[i] - '0'), kMostWidth);
      if (any) spec += std::to_string(n);
    };
    number();
    if (i < format.size() && format[i] == '.') {
      spec += '.';
      ++i;
      number();
    }
    std::string length;
    while (i < format.size() && std::strchr("hlLqjzt", format[i])) length += format[i++];
    const char conversion = i < format.size() ? format[i++] : '\0';
    switch (conversion) {
    case '%':
      f.text += '%';
      break;
    case 'd':
    case 'i': {
      const uint64_t q = in.qword();
      long long v = length == "hh"   ? static_cast<signed char>(q)
                    : length == "h"  ? static_cast<short>(q)
                    : length.empty() ? static_cast<int>(q)
                                     : static_cast<long long>(q);
      print(f.text, spec + "lld", v);
      break;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      const uint64_t q = in.qword();
      unsigned long long v = length == "hh"   ? static_cast<unsigned char>(q)
                             : length == "h"  ? static_cast<unsigned short>(q)
                             : length.empty() ? static_cast<unsigned>(q)
                                              : q;
      print(f.text, spec + "ll" + conversion, v);
      break;
    }
    case 'c':
      if (length == "l") {
        print(f.text, spec + 's', utf8(static_cast<uint32_t>(in.qword())).c_str());
        break;
      }
      print(f.text, spec + 'c', static_cast<int>(in.qword()));
      break;
    case 'p':
      print(f.text, spec + 'p', reinterpret_cast<void*>(in.qword()));
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      print(f.text, spec + conversion, std::bit_cast<double>(in.qword()));
      break;
    case 's': {
      const bool null = in.null_text();
      const std::string text = null ? "" : in.text();
      if (length == "l") {
        say_no_wide_strings();
        f.text.append(format, start, i - start);
        break;
      }
      print<const char*>(f.text, spec + 's', null ? nullptr : text.c_str()); // the C library writes (null)
      break;
    }
    case 'n': // would write through a device pointer: takes its argument and does nothing, as in HIP and OpenCL
      in.qword();
      break;
    default:
      f.text.append(format, start, i - start);
      break; // not a conversion: as it stands
    }
  }
  return f;
}

// ---- The service ----------------------------------------------------------------------------------------------------

Expected<std::unique_ptr<HostcallService>> HostcallService::start(Device& device) {
  std::unique_ptr<HostcallService> s(new HostcallService(device));
  // One packet per wave that can run at once, so that no wave has to spin for a free one.
  const uint64_t waves = std::max<uint64_t>(64, uint64_t(device.compute_units()) * device.waves_per_cu());
  const uint32_t index_size = std::bit_width(std::min<uint64_t>(waves, 4096) - 1);
  const uint32_t count = 1u << index_size;
  const size_t size =
      sizeof(bz_hostcall_buffer) + 64 + count * (sizeof(bz_hostcall_header) + sizeof(bz_hostcall_payload));
  void* memory = nullptr;
  BZ_TRY(hsa_check(hsa_amd_memory_pool_allocate(device.host().fine, size, 0, &memory), "allocating the printf buffer"));
  const hsa_agent_t agent = device.agent();
  BZ_TRY(hsa_check(hsa_amd_agents_allow_access(1, &agent, nullptr, memory), "mapping the printf buffer"));
  std::memset(memory, 0, size);
  auto* bytes = static_cast<char*>(memory);
  auto* b = static_cast<bz_hostcall_buffer*>(memory);
  bytes += 64;
  b->payloads = reinterpret_cast<bz_hostcall_payload*>(bytes);
  b->headers = reinterpret_cast<bz_hostcall_header*>(bytes + count * sizeof(bz_hostcall_payload));
  b->index_size = index_size;
  b->device_id = uint32_t(device.ordinal());
  // The free stack: packet 0 below packet 1 below ... ; every pointer carries tag 1.
  const uint64_t tag = uint64_t(1) << index_size;
  for (uint32_t i = 0; i < count; ++i) b->headers[i].next = i ? tag | (i - 1) : 0;
  b->free_stack = tag | (count - 1);
  BZ_TRY(hsa_check(hsa_signal_create(0, 0, nullptr, &s->doorbell_), "creating the printf doorbell"));
  b->doorbell = s->doorbell_.handle;
  s->buffer_ = b;
  std::thread([self = s.get()] { self->run(); }).detach(); // devices are never destroyed
  return s;
}

HostcallService::~HostcallService() = default;

void HostcallService::run() {
  hsa_signal_value_t seen = 0;
  for (;;) {
    hsa_signal_value_t now =
        hsa_signal_wait_scacquire(doorbell_, HSA_SIGNAL_CONDITION_NE, seen, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    if (now == seen) continue;
    seen = now;
    drain();
  }
}

void HostcallService::drain() {
  std::lock_guard lock(mutex_);
  uint64_t top = __atomic_exchange_n(&buffer_->ready_stack, uint64_t(0), __ATOMIC_ACQUIRE);
  const uint64_t mask = (uint64_t(1) << buffer_->index_size) - 1;
  std::vector<uint32_t> order; // a stack gives the newest first
  while (top != 0 && order.size() <= mask) {
    order.push_back(uint32_t(top & mask));
    top = __atomic_load_n(&buffer_->headers[top & mask].next, __ATOMIC_RELAXED);
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    auto& header = buffer_->headers[*it];
    serve(header, buffer_->payloads[*it]);
    __atomic_store_n(&header.control, header.control & ~uint32_t(BZ_HOSTCALL_READY), __ATOMIC_RELEASE);
  }
}

void HostcallService::serve(bz_hostcall_header& header, bz_hostcall_payload& payload) {
  for (uint64_t lanes = header.activemask; lanes != 0; lanes &= lanes - 1) {
    uint64_t* slots = payload.slots[std::countr_zero(lanes)];
    switch (header.service) {
    case BZ_SERVICE_PRINTF: {
      PrintfMessages::Finished done;
      if (messages_.part(slots, done)) {
        std::FILE* out = done.to_stderr ? stderr : stdout;
        std::fwrite(done.text.data(), 1, done.text.size(), out);
        std::fflush(out); // a kernel may hang or abort: what it printed has to be out
      }
      break;
    }
    case BZ_SERVICE_CALL: {
      auto* function = reinterpret_cast<void (*)(uint64_t*, const uint64_t*)>(slots[0]);
      uint64_t out[2] = {0, 0};
      if (function) function(out, slots + 1);
      slots[0] = out[0];
      slots[1] = out[1];
      break;
    }
    case BZ_SERVICE_DEVMEM:
      if (slots[0] == 0) {
        auto p = slots[1] ? allocate_device(device_, device_.vram(), slots[1], hipDeviceMallocDefault)
                          : Outcome<void*>(nullptr);
        slots[0] = p.ok() ? reinterpret_cast<uint64_t>(*p) : 0;
      } else if (auto a = Runtime::get().memory.remove(reinterpret_cast<void*>(slots[0]))) {
        if (Status s = release_allocation(*a); !s.ok()) log("hip", Level::warn, "device free: {}", s.message());
        slots[0] = 0;
      } else {
        log("hip", Level::warn, "device free of {:#x}, which device malloc didn't give", slots[0]);
        slots[0] = 0;
      }
      break;
    default:
      log("hip", Level::warn, "a kernel asks for host service {}, which is not implemented", header.service);
      slots[0] = slots[1] = 0;
      break;
    }
  }
}

} // namespace bz::hip
