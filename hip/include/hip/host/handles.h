// Opaque handles and callback types of the HIP API.
#ifndef BZ_HIP_HOST_HANDLES_H
#define BZ_HIP_HOST_HANDLES_H

#include <hip/host/error_codes.h>

typedef struct ihipCtx_t* hipCtx_t;
typedef int hipDevice_t;
typedef struct ihipStream_t* hipStream_t;
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
typedef struct ihipLinkState_t* hipLinkState_t;
typedef struct ihipLibrary_t* hipLibrary_t;
typedef struct ihipKernel_t* hipKernel_t;
typedef struct ihipMemPoolHandle_t* hipMemPool_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef void* hipExternalMemory_t;
typedef void* hipExternalSemaphore_t;
typedef struct ihipGraph* hipGraph_t;
typedef struct hipGraphNode* hipGraphNode_t;
typedef struct hipGraphExec* hipGraphExec_t;
typedef struct hipUserObject* hipUserObject_t;
typedef struct ihipMemGenericAllocationHandle* hipMemGenericAllocationHandle_t;

typedef struct _hipGraphicsResource hipGraphicsResource;
typedef hipGraphicsResource* hipGraphicsResource_t;

typedef void (*hipHostFn_t)(void*);
typedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void*);

#endif
