// Graphs: work is captured once from streams and launched many times. Two branches scale one half of an array each, a
// third kernel joins them, and the executable graph gets a new argument without being made again.
// usage: graph [launches] [elements]
#include <hip/hip_runtime.h>

#include "example.hpp"

#include <cstddef>
#include <vector>

__global__ void scale(float* data, float factor, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += size_t(blockDim.x) * gridDim.x) data[i] *= factor;
}

int main(int argc, char** argv) {
  const int launches = size_argument(argc, argv, 1, 10);
  const size_t n = size_t(size_argument(argc, argv, 2, 1 << 16)), half = n / 2;

  std::vector<float> host(n);
  for (size_t i = 0; i < n; ++i) host[i] = float(i % 1000);
  float* data = nullptr;
  HIP_CHECK(hipMalloc(&data, n * sizeof(float)));
  HIP_CHECK(hipMemcpy(data, host.data(), n * sizeof(float), hipMemcpyHostToDevice));

  hipStream_t main_stream, side_stream;
  hipEvent_t fork, join;
  HIP_CHECK(hipStreamCreateWithFlags(&main_stream, hipStreamNonBlocking));
  HIP_CHECK(hipStreamCreateWithFlags(&side_stream, hipStreamNonBlocking));
  HIP_CHECK(hipEventCreate(&fork));
  HIP_CHECK(hipEventCreate(&join));

  // Nothing runs between begin and end: the calls become nodes, and events become edges.
  hipGraph_t graph;
  HIP_CHECK(hipStreamBeginCapture(main_stream, hipStreamCaptureModeGlobal));
  HIP_CHECK(hipEventRecord(fork, main_stream));
  HIP_CHECK(hipStreamWaitEvent(side_stream, fork, 0)); // the side stream joins the capture
  scale<<<16, 256, 0, main_stream>>>(data, 2.0f, half);
  scale<<<16, 256, 0, side_stream>>>(data + half, 2.0f, n - half);
  HIP_CHECK(hipEventRecord(join, side_stream));
  HIP_CHECK(hipStreamWaitEvent(main_stream, join, 0)); // and has to be joined again
  scale<<<16, 256, 0, main_stream>>>(data, 0.5f, n);
  HIP_CHECK(hipStreamEndCapture(main_stream, &graph));

  size_t count = 0;
  HIP_CHECK(hipGraphGetNodes(graph, nullptr, &count));
  std::vector<hipGraphNode_t> nodes(count);
  HIP_CHECK(hipGraphGetNodes(graph, nodes.data(), &count));

  hipGraphExec_t exec;
  HIP_CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < launches; ++i) HIP_CHECK(hipGraphLaunch(exec, main_stream)); // times 2, times 0.5

  // The last node is the kernel after the join: the next launch scales by 4 instead of 0.5.
  hipKernelNodeParams last;
  HIP_CHECK(hipGraphKernelNodeGetParams(nodes.back(), &last));
  float factor = 4.0f;
  void* arguments[] = {last.kernelParams[0], &factor, last.kernelParams[2]};
  last.kernelParams = arguments;
  HIP_CHECK(hipGraphExecKernelNodeSetParams(exec, nodes.back(), &last));
  HIP_CHECK(hipGraphLaunch(exec, main_stream)); // times 2, times 4
  HIP_CHECK(hipStreamSynchronize(main_stream));

  std::vector<float> result(n);
  HIP_CHECK(hipMemcpy(result.data(), data, n * sizeof(float), hipMemcpyDeviceToHost));
  bool passed = count == 3;
  for (size_t i = 0; i < n; ++i) passed = passed && result[i] == host[i] * 8;
  std::printf("%zu nodes, %d launches of %zu elements\n", count, launches + 1, n);

  HIP_CHECK(hipGraphExecDestroy(exec));
  HIP_CHECK(hipGraphDestroy(graph));
  HIP_CHECK(hipEventDestroy(fork));
  HIP_CHECK(hipEventDestroy(join));
  HIP_CHECK(hipStreamDestroy(main_stream));
  HIP_CHECK(hipStreamDestroy(side_stream));
  HIP_CHECK(hipFree(data));
  return verdict(passed);
}
