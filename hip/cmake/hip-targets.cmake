# Imported targets of the HIP runtime, shared by the packages hip and hip-lang. The caller sets `prefix` (the namespace).
get_filename_component(hip_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${hip_root}/lib/libamdhip64.so")
  set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
  set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "${hip_root}/lib/libamdhip64.so does not exist: is this tree built?")
  return()
endif()

if(NOT TARGET ${prefix}::amdhip64)
  # The runtime library and its headers.
  add_library(${prefix}::amdhip64 SHARED IMPORTED)
  set_target_properties(${prefix}::amdhip64 PROPERTIES
    IMPORTED_LOCATION "${hip_root}/lib/libamdhip64.so"
    IMPORTED_SONAME libamdhip64.so.7
    INTERFACE_INCLUDE_DIRECTORIES "${hip_root}/include"
    INTERFACE_COMPILE_DEFINITIONS "__HIP_PLATFORM_AMD__=1")

  # Host code that calls the runtime.
  add_library(${prefix}::host INTERFACE IMPORTED)
  set_target_properties(${prefix}::host PROPERTIES INTERFACE_LINK_LIBRARIES ${prefix}::amdhip64)

  # Sources with kernels.
  add_library(${prefix}::device INTERFACE IMPORTED)
  set_target_properties(${prefix}::device PROPERTIES INTERFACE_LINK_LIBRARIES ${prefix}::amdhip64)
endif()
