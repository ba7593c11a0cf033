/* hsa_ven_amd_loader.h: what is loaded where, for tools and debuggers. Entry points come from
 * hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, ...); they are not exported.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef HSA_VEN_AMD_LOADER_H_
#define HSA_VEN_AMD_LOADER_H_

#include "hsa.h"

/** Newest version of the extension, as major * 1000 + minor in octal digits. */
#define hsa_ven_amd_loader 001003

#ifdef __cplusplus
extern "C" {
#endif

/** The host's copy of the code object byte that is loaded at device_address. */
hsa_status_t hsa_ven_amd_loader_query_host_address(const void* device_address, const void** host_address);

/** Where a code object came from. */
typedef enum {
  HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_NONE = 0,
  HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE = 1,
  HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY = 2
} hsa_ven_amd_loader_code_object_storage_type_t;

/** A loaded segment. */
typedef struct hsa_ven_amd_loader_segment_descriptor_s {
  hsa_agent_t agent;
  hsa_executable_t executable;
  hsa_ven_amd_loader_code_object_storage_type_t code_object_storage_type;
  const void* code_object_storage_base;
  size_t code_object_storage_size;
  size_t code_object_storage_offset;
  const void* segment_base;
  size_t segment_size;
} hsa_ven_amd_loader_segment_descriptor_t;

/** Describes all loaded segments. With a null array only the count is given. */
hsa_status_t hsa_ven_amd_loader_query_segment_descriptors(hsa_ven_amd_loader_segment_descriptor_t* segment_descriptors,
                                                          size_t* num_segment_descriptors);

/** The executable that is loaded at device_address. */
hsa_status_t hsa_ven_amd_loader_query_executable(const void* device_address, hsa_executable_t* executable);

/** Calls callback for every code object loaded into an executable. */
hsa_status_t hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
    hsa_executable_t executable, hsa_status_t (*callback)(hsa_executable_t, hsa_loaded_code_object_t, void*),
    void* data);

/** Whether a loaded code object belongs to an agent. */
typedef enum {
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_PROGRAM = 1,
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT = 2
} hsa_ven_amd_loader_loaded_code_object_kind_t;

/** What hsa_ven_amd_loader_loaded_code_object_get_info can tell. */
typedef enum hsa_ven_amd_loader_loaded_code_object_info_e {
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE = 1,                      /**< hsa_executable_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND = 2,                            /**< uint32_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT = 3,                           /**< hsa_agent_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE = 4,        /**< uint32_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE = 5, /**< uint64_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE = 6, /**< uint64_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE = 7,        /**< int */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA = 8,  /**< int64_t, loaded address minus address in the file */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE = 9,   /**< uint64_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE = 10,  /**< uint64_t */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH = 11, /**< uint32_t, without a final zero */
  HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI = 12         /**< char[], file://... or memory://... */
} hsa_ven_amd_loader_loaded_code_object_info_t;

/** Tells a fact about a loaded code object. */
hsa_status_t hsa_ven_amd_loader_loaded_code_object_get_info(hsa_loaded_code_object_t loaded_code_object,
                                                            hsa_ven_amd_loader_loaded_code_object_info_t attribute,
                                                            void* value);

/** Reads a code object from a part of a file. */
hsa_status_t
hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(hsa_file_t file, size_t offset, size_t size,
                                                                        hsa_code_object_reader_t* code_object_reader);

/** Calls callback for every executable. */
hsa_status_t hsa_ven_amd_loader_iterate_executables(hsa_status_t (*callback)(hsa_executable_t, void*), void* data);

/** Entry points of version 1.00 of the extension. */
typedef struct hsa_ven_amd_loader_1_00_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void*, const void**);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(hsa_ven_amd_loader_segment_descriptor_t*, size_t*);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void*, hsa_executable_t*);
} hsa_ven_amd_loader_1_00_pfn_t;

/** Entry points of version 1.01 of the extension. */
typedef struct hsa_ven_amd_loader_1_01_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void*, const void**);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(hsa_ven_amd_loader_segment_descriptor_t*, size_t*);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void*, hsa_executable_t*);
  hsa_status_t (*hsa_ven_amd_loader_executable_iterate_loaded_code_objects)(
      hsa_executable_t, hsa_status_t (*)(hsa_executable_t, hsa_loaded_code_object_t, void*), void*);
  hsa_status_t (*hsa_ven_amd_loader_loaded_code_object_get_info)(hsa_loaded_code_object_t,
                                                                 hsa_ven_amd_loader_loaded_code_object_info_t, void*);
} hsa_ven_amd_loader_1_01_pfn_t;

/** Entry points of version 1.02 of the extension. */
typedef struct hsa_ven_amd_loader_1_02_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void*, const void**);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(hsa_ven_amd_loader_segment_descriptor_t*, size_t*);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void*, hsa_executable_t*);
  hsa_status_t (*hsa_ven_amd_loader_executable_iterate_loaded_code_objects)(
      hsa_executable_t, hsa_status_t (*)(hsa_executable_t, hsa_loaded_code_object_t, void*), void*);
  hsa_status_t (*hsa_ven_amd_loader_loaded_code_object_get_info)(hsa_loaded_code_object_t,
                                                                 hsa_ven_amd_loader_loaded_code_object_info_t, void*);
  hsa_status_t (*hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size)(hsa_file_t, size_t, size_t,
                                                                                          hsa_code_object_reader_t*);
} hsa_ven_amd_loader_1_02_pfn_t;

/** Entry points of version 1.03 of the extension. */
typedef struct hsa_ven_amd_loader_1_03_pfn_s {
  hsa_status_t (*hsa_ven_amd_loader_query_host_address)(const void*, const void**);
  hsa_status_t (*hsa_ven_amd_loader_query_segment_descriptors)(hsa_ven_amd_loader_segment_descriptor_t*, size_t*);
  hsa_status_t (*hsa_ven_amd_loader_query_executable)(const void*, hsa_executable_t*);
  hsa_status_t (*hsa_ven_amd_loader_executable_iterate_loaded_code_objects)(
      hsa_executable_t, hsa_status_t (*)(hsa_executable_t, hsa_loaded_code_object_t, void*), void*);
  hsa_status_t (*hsa_ven_amd_loader_loaded_code_object_get_info)(hsa_loaded_code_object_t,
                                                                 hsa_ven_amd_loader_loaded_code_object_info_t, void*);
  hsa_status_t (*hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size)(hsa_file_t, size_t, size_t,
                                                                                          hsa_code_object_reader_t*);
  hsa_status_t (*hsa_ven_amd_loader_iterate_executables)(hsa_status_t (*)(hsa_executable_t, void*), void*);
} hsa_ven_amd_loader_1_03_pfn_t;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* HSA_VEN_AMD_LOADER_H_ */
