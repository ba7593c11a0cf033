/* Compiles one program for gfx942 with libhiprtc: prints the number of bytes, or the log and the error. In C. */
#include <hip/hiprtc.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char* source = "extern \"C\" __global__ void k(float* p) { p[threadIdx.x] = sinf(p[threadIdx.x]); printf(\"%f\", *p); }";
  const char* options[] = {"--offload-arch=gfx942"};
  hiprtcProgram program;
  hiprtcResult result = hiprtcCreateProgram(&program, source, "bare.hip", 0, NULL, NULL);
  if (result == HIPRTC_SUCCESS) result = hiprtcCompileProgram(program, 1, options);
  size_t size = 0;
  if (result == HIPRTC_SUCCESS) {
    hiprtcGetCodeSize(program, &size);
    printf("%zu bytes\n", size);
    return size ? 0 : 1;
  }
  hiprtcGetProgramLogSize(program, &size);
  char* log = calloc(size + 1, 1);
  hiprtcGetProgramLog(program, log);
  printf("%s%s\n", log, hiprtcGetErrorString(result));
  free(log);
  return 1;
}
