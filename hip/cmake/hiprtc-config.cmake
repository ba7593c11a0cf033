# find_package(hiprtc): hiprtc::hiprtc for programs that compile kernels at run time.
get_filename_component(hiprtc_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT EXISTS "${hiprtc_root}/lib/libhiprtc.so")
  set(hiprtc_FOUND FALSE)
  set(hiprtc_NOT_FOUND_MESSAGE "${hiprtc_root}/lib/libhiprtc.so does not exist: is this tree built?")
  return()
endif()
set(hiprtc_INCLUDE_DIR "${hiprtc_root}/include")
set(hiprtc_INCLUDE_DIRS "${hiprtc_INCLUDE_DIR}")
set(hiprtc_LIBRARIES hiprtc::hiprtc)
if(NOT TARGET hiprtc::hiprtc)
  add_library(hiprtc::hiprtc SHARED IMPORTED)
  set_target_properties(hiprtc::hiprtc PROPERTIES
    IMPORTED_LOCATION "${hiprtc_root}/lib/libhiprtc.so"
    IMPORTED_SONAME libhiprtc.so.7
    INTERFACE_INCLUDE_DIRECTORIES "${hiprtc_root}/include"
    INTERFACE_COMPILE_DEFINITIONS "__HIP_PLATFORM_AMD__=1")
endif()
