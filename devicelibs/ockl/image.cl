// Image functions: the resource is the first 8 dwords at `i`, the sampler the first 4 at `s`. Through LLVM's image intrinsics,
// which clang has no builtins for; a target without image instructions can't compile a call.
#include "ockl.h"

typedef uint uint4_ __attribute__((ext_vector_type(4)));
typedef uint uint8_ __attribute__((ext_vector_type(8)));
typedef int int2_ __attribute__((ext_vector_type(2)));
typedef int int4_ __attribute__((ext_vector_type(4)));
typedef float float2_ __attribute__((ext_vector_type(2)));
typedef const __constant uint* words_t;

#define RESOURCE (*(const __constant uint8_*)i)
#define BUFFER (*(const __constant uint4_*)i)
#define SAMPLER (*(const __constant uint4_*)s)
#define LLVM(name) __asm("llvm.amdgcn." name)

// ---- Loads and stores: parameters of the function, coordinates of the instruction.

#define LOAD_STORE(suffix, dimension, parameters, coordinates, types)                                                  \
  __attribute__((pure)) float4 load_##suffix(uint mask, EXPAND types, uint8_ r, uint fail, uint cache)                 \
      LLVM("image.load." dimension ".v4f32.i32");                                                                      \
  void store_##suffix(float4 v, uint mask, EXPAND types, uint8_ r, uint fail, uint cache)                              \
      LLVM("image.store." dimension ".v4f32.i32");                                                                     \
  float4 OCKL(image_load_##suffix)(words_t i, EXPAND parameters) {                                                     \
    return load_##suffix(15, EXPAND coordinates, RESOURCE, 0, 0);                                                      \
  }                                                                                                                    \
  void OCKL(image_store_##suffix)(words_t i, EXPAND parameters, float4 v) {                                            \
    store_##suffix(v, 15, EXPAND coordinates, RESOURCE, 0, 0);                                                         \
  }
#define EXPAND(...) __VA_ARGS__

LOAD_STORE(1D, "1d", (int c), (c), (int))
LOAD_STORE(1Da, "1darray", (int2_ c), (c.x, c.y), (int, int))
LOAD_STORE(2D, "2d", (int2_ c), (c.x, c.y), (int, int))
LOAD_STORE(2Da, "2darray", (int4_ c), (c.x, c.y, c.z), (int, int, int))
LOAD_STORE(3D, "3d", (int4_ c), (c.x, c.y, c.z), (int, int, int))
LOAD_STORE(CM, "cube", (int2_ c, int face), (c.x, c.y, face), (int, int, int))
// 8 * layer + face
LOAD_STORE(CMa, "cube", (int4_ c, int face), (c.x, c.y, 8 * c.z + face), (int, int, int))

__attribute__((pure)) float4 buffer_load(uint4_ r, int index, int offset, int base, int cache)
    LLVM("struct.buffer.load.format.v4f32");
void buffer_store(float4 v, uint4_ r, int index, int offset, int base, int cache)
    LLVM("struct.buffer.store.format.v4f32");
float4 OCKL(image_load_1Db)(words_t i, int c) { return buffer_load(BUFFER, c, 0, 0, 0); }
void OCKL(image_store_1Db)(words_t i, int c, float4 v) { buffer_store(v, BUFFER, c, 0, 0, 0); }

// ---- Samples: the coordinates, with a level of detail, with gradients. A layer is rounded to the nearest.

#define SAMPLE(suffix, dimension, parameters, coordinates, types)                                                      \
  __attribute__((pure)) float4 sample_##suffix(uint mask, EXPAND types, uint8_ r, uint4_ s, bool unnormalized,         \
                                               uint fail, uint cache)                                                  \
      LLVM("image.sample." dimension ".v4f32.f32");                                                                    \
  __attribute__((pure)) float4 sample_l_##suffix(uint mask, EXPAND types, float lod, uint8_ r, uint4_ s,               \
                                                 bool unnormalized, uint fail, uint cache)                             \
      LLVM("image.sample.l." dimension ".v4f32.f32");                                                                  \
  float4 OCKL(image_sample_##suffix)(words_t i, words_t s, parameters c) {                                             \
    return sample_##suffix(15, EXPAND coordinates, RESOURCE, SAMPLER, false, 0, 0);                                    \
  }                                                                                                                    \
  float4 OCKL(image_sample_lod_##suffix)(words_t i, words_t s, parameters c, float lod) {                              \
    return sample_l_##suffix(15, EXPAND coordinates, lod, RESOURCE, SAMPLER, false, 0, 0);                             \
  }
#define GRADIENT(suffix, dimension, parameters, coordinates, types, slope, slopes, slope_types)                        \
  __attribute__((pure)) float4 sample_d_##suffix(uint mask, EXPAND slope_types, EXPAND types, uint8_ r, uint4_ s,      \
                                                 bool unnormalized, uint fail, uint cache)                             \
      LLVM("image.sample.d." dimension ".v4f32.f32.f32");                                                              \
  float4 OCKL(image_sample_grad_##suffix)(words_t i, words_t s, parameters c, slope dx, slope dy) {                    \
    return sample_d_##suffix(15, EXPAND slopes, EXPAND coordinates, RESOURCE, SAMPLER, false, 0, 0);                   \
  }

#define LAYER(x) __builtin_rintf(x)
SAMPLE(1D, "1d", float, (c), (float))
SAMPLE(1Da, "1darray", float2_, (c.x, LAYER(c.y)), (float, float))
SAMPLE(2D, "2d", float2_, (c.x, c.y), (float, float))
SAMPLE(2Da, "2darray", float4, (c.x, c.y, LAYER(c.z)), (float, float, float))
SAMPLE(3D, "3d", float4, (c.x, c.y, c.z), (float, float, float))
GRADIENT(1D, "1d", float, (c), (float), float, (dx, dy), (float, float))
GRADIENT(1Da, "1darray", float2_, (c.x, LAYER(c.y)), (float, float), float, (dx, dy), (float, float))
GRADIENT(2D, "2d", float2_, (c.x, c.y), (float, float), float2_, (dx.x, dx.y, dy.x, dy.y), (float, float, float, float))
GRADIENT(2Da, "2darray", float4, (c.x, c.y, LAYER(c.z)), (float, float, float), float2_, (dx.x, dx.y, dy.x, dy.y),
         (float, float, float, float))
GRADIENT(3D, "3d", float4, (c.x, c.y, c.z), (float, float, float), float4, (dx.x, dx.y, dx.z, dy.x, dy.y, dy.z),
         (float, float, float, float, float, float))

#define GATHER(component, mask)                                                                                        \
  float4 OCKL(image_gather4##component##_2D)(words_t i, words_t s, float2_ c) {                                        \
    return gather(mask, c.x, c.y, RESOURCE, SAMPLER, false, 0, 0);                                                     \
  }
__attribute__((pure)) float4 gather(uint mask, float x, float y, uint8_ r, uint4_ s, bool unnormalized, uint fail,
                                    uint cache) LLVM("image.gather4.2d.v4f32.f32");
GATHER(r, 1)
GATHER(g, 2)
GATHER(b, 4)
GATHER(a, 8)
