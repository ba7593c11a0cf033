// OpenMP on a GPU, compiled by GCC: the offloading plugin of libgomp speaks HSA, with the older functions of the loader.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#pragma omp declare target
int counter = 5; // a variable of the device, looked up by its symbol
#pragma omp end declare target

int main(void) {
  enum { n = 20000 };
  float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  for (int i = 0; i < n; ++i) x[i] = (float)i, y[i] = (float)(i % 7);
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  printf("%d devices, target regions run on the %s\n", omp_get_num_devices(), on_host ? "host" : "device");
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) y[i] = 2.0f * x[i] + y[i];
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y[i] != 2.0f * (float)i + (float)(i % 7);
  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i + counter;
  printf("saxpy: %d wrong, sum: %d\n", wrong, sum);
  free(x);
  free(y);
  if (on_host || wrong || sum != 499500 + 5000) return 1;
  puts("PASSED");
  return 0;
}
