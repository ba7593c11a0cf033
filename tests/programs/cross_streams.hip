// Two streams whose kernels play ping-pong through memory: each waits for the other's move. They end only if kernels of
// two streams are on the device at once, with any number of workers.
//   cross_streams [moves]
#include "examples/example.hpp"

__global__ void play(int* turn, int me, int moves, int* log) {
  if (threadIdx.x != 0) return;
  for (int move = me; move < moves; move += 2) {
    while (__hip_atomic_load(turn, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != move) {}
    log[move] = me;
    __hip_atomic_store(turn, move + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

int main(int argc, char** argv) {
  const int moves = size_argument(argc, argv, 1, 200, 100000);
  hipStream_t stream[2];
  int *turn = nullptr, *log = nullptr;
  HIP_CHECK(hipMalloc(&turn, sizeof(int)));
  HIP_CHECK(hipMalloc(&log, moves * sizeof(int)));
  HIP_CHECK(hipMemset(turn, 0, sizeof(int)));
  HIP_CHECK(hipMemset(log, 0xff, moves * sizeof(int)));
  HIP_CHECK(hipDeviceSynchronize());
  for (hipStream_t& s : stream) HIP_CHECK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  // The one that waits first is launched first.
  play<<<1, 64, 0, stream[1]>>>(turn, 1, moves, log);
  HIP_CHECK(hipGetLastError());
  play<<<1, 64, 0, stream[0]>>>(turn, 0, moves, log);
  HIP_CHECK(hipGetLastError());
  for (hipStream_t s : stream) HIP_CHECK(hipStreamSynchronize(s));

  int last = 0;
  HIP_CHECK(hipMemcpy(&last, turn, sizeof last, hipMemcpyDeviceToHost));
  bool passed = last == moves;
  if (!passed) std::printf("%d of %d moves were made\n", last, moves);
  for (int i = 0; i < moves && passed; ++i) {
    int who = -1;
    HIP_CHECK(hipMemcpy(&who, log + i, sizeof who, hipMemcpyDeviceToHost));
    passed = who == i % 2;
  }
  for (hipStream_t s : stream) HIP_CHECK(hipStreamDestroy(s));
  HIP_CHECK(hipFree(turn));
  HIP_CHECK(hipFree(log));
  return verdict(passed);
}
