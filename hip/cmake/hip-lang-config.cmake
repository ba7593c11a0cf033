# What CMake's HIP language loads: the runtime that every HIP target is linked with.
set(prefix hip-lang)
include("${CMAKE_CURRENT_LIST_DIR}/hip-targets.cmake")
unset(prefix)
if(TARGET hip-lang::amdhip64)
  set_target_properties(hip-lang::device PROPERTIES
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:HIP>:--rocm-path=${hip_root}>")
  set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
endif()
