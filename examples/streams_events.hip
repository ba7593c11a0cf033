// streams_events: copies and kernels of several streams in flight at once, ordered by events.
//   ./bz run examples/streams_events.hip [streams] [elements]
#include "example.hpp"

#include <vector>

__global__ void fill(int* data, int n, int start) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] = start + i;
}

__global__ void scale(int* data, int n, int factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] *= factor;
}

__global__ void add(int* sum, const int* data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum[i] += data[i];
}

int main(int argc, char** argv) {
  const int streams = size_argument(argc, argv, 1, 4, 64), n = size_argument(argc, argv, 2, 1 << 16, 1 << 24);
  const size_t bytes = n * sizeof(int);

  // Asynchronous copies need pinned host memory; from pageable memory they would wait.
  int *host = nullptr, *sum = nullptr;
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&host), streams * bytes, hipHostMallocDefault));
  HIP_CHECK(hipMalloc(&sum, bytes));

  std::vector<hipStream_t> stream(streams);
  std::vector<hipEvent_t> ready(streams);
  std::vector<int*> data(streams);
  hipStream_t collector;
  hipEvent_t begin, end;
  HIP_CHECK(hipStreamCreateWithFlags(&collector, hipStreamNonBlocking));
  HIP_CHECK(hipEventCreate(&begin));
  HIP_CHECK(hipEventCreate(&end));
  HIP_CHECK(hipEventRecord(begin, collector));
  HIP_CHECK(hipMemsetAsync(sum, 0, bytes, collector));

  // Each stream fills its array, scales it, copies it out and says so with an event.
  for (int s = 0; s < streams; ++s) {
    HIP_CHECK(hipStreamCreateWithFlags(&stream[s], hipStreamNonBlocking));
    HIP_CHECK(hipEventCreateWithFlags(&ready[s], hipEventDisableTiming));
    HIP_CHECK(hipMalloc(&data[s], bytes));
    fill<<<8, 256, 0, stream[s]>>>(data[s], n, s);
    scale<<<8, 256, 0, stream[s]>>>(data[s], n, s + 1);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpyAsync(host + static_cast<size_t>(s) * n, data[s], bytes, hipMemcpyDeviceToHost, stream[s]));
    HIP_CHECK(hipEventRecord(ready[s], stream[s]));
  }
  // The collector adds them up, each after its event: no host thread waits in between.
  for (int s = 0; s < streams; ++s) {
    HIP_CHECK(hipStreamWaitEvent(collector, ready[s], 0));
    add<<<8, 256, 0, collector>>>(sum, data[s], n);
    HIP_CHECK(hipGetLastError());
  }
  HIP_CHECK(hipEventRecord(end, collector));
  HIP_CHECK(hipEventSynchronize(end));

  float milliseconds = -1.0f;
  HIP_CHECK(hipEventElapsedTime(&milliseconds, begin, end));
  std::printf("%d streams with %d elements each: %.3f ms\n", streams, n, milliseconds);

  std::vector<int> total(n);
  HIP_CHECK(hipMemcpy(total.data(), sum, bytes, hipMemcpyDeviceToHost));
  bool passed = milliseconds >= 0.0f;
  for (int i = 0; i < n && passed; ++i) {
    unsigned expected = 0;
    for (int s = 0; s < streams && passed; ++s) {
      const unsigned value = static_cast<unsigned>(s + 1) * static_cast<unsigned>(s + i);
      expected += value;
      if (static_cast<unsigned>(host[static_cast<size_t>(s) * n + i]) != value) {
        std::printf("stream %d, element %d is %d, expected %u\n", s, i, host[static_cast<size_t>(s) * n + i], value);
        passed = false;
      }
    }
    if (passed && static_cast<unsigned>(total[i]) != expected) {
      std::printf("the sum's element %d is %d, expected %u\n", i, total[i], expected);
      passed = false;
    }
  }

  for (int s = 0; s < streams; ++s) {
    HIP_CHECK(hipEventQuery(ready[s])); // finished, since the collector waited for it
    HIP_CHECK(hipEventDestroy(ready[s]));
    HIP_CHECK(hipStreamDestroy(stream[s]));
    HIP_CHECK(hipFree(data[s]));
  }
  HIP_CHECK(hipEventDestroy(begin));
  HIP_CHECK(hipEventDestroy(end));
  HIP_CHECK(hipStreamDestroy(collector));
  HIP_CHECK(hipFree(sum));
  HIP_CHECK(hipHostFree(host));
  return verdict(passed);
}
