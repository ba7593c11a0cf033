// Surface handles and boundary modes.
#ifndef BZ_HIP_SURFACE_TYPES_H
#define BZ_HIP_SURFACE_TYPES_H

#include <hip/driver_types.h>

typedef struct __hip_surface* hipSurfaceObject_t;

typedef enum hipSurfaceBoundaryMode {
  hipBoundaryModeZero = 0,
  hipBoundaryModeTrap = 1,
  hipBoundaryModeClamp = 2,
} hipSurfaceBoundaryMode;

typedef struct surfaceReference {
  hipSurfaceObject_t surfaceObject;
} surfaceReference;

#endif
