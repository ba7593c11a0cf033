# How a room is built: one static or shared target per folder, C++20, x86-64-v3 floor, warnings are errors,
# hidden symbols. Everything a room needs is named explicitly; links are PRIVATE unless a public header needs them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The build tree has the shape of a ROCm installation, so that it can be used as ROCM_PATH as it is.
set(BZ_ROCM_ROOT ${CMAKE_BINARY_DIR}/rocm CACHE PATH "ROCm-shaped output tree inside the build")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${BZ_ROCM_ROOT}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# One library path for built and installed files. CMake's own build path would be padded with empty entries, which the
# loader reads as the current directory.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN:$ORIGIN/../lib")

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 22)
  message(FATAL_ERROR "Boltzmann is built with clang 22 (found ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}): "
                      "run ./bz build, or cmake --preset release")
endif()

find_program(BZ_CCACHE ccache)
if(BZ_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${BZ_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${BZ_CCACHE})
endif()

set(BZ_SANITIZE "" CACHE STRING "comma separated -fsanitize= list for host code")
option(BZ_TESTS "build the tests" ON)

add_library(bz_options INTERFACE)
target_compile_options(bz_options INTERFACE -march=x86-64-v3 -Wall -Wextra -Werror=return-type -Werror=unused-result
                       -Werror=switch -fno-math-errno
                       # the row tables parse their operand texts at compile time
                       -fconstexpr-steps=20000000)
target_include_directories(bz_options INTERFACE ${CMAKE_SOURCE_DIR})
if(BZ_SANITIZE)
  target_compile_options(bz_options INTERFACE -fsanitize=${BZ_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(bz_options INTERFACE -fsanitize=${BZ_SANITIZE})
endif()

# bz_room(name [SHARED|STATIC|INTERFACE] SOURCES ... LINK ...): the target of one room.
function(bz_room name)
  cmake_parse_arguments(A "SHARED;STATIC;INTERFACE" "" "SOURCES;LINK" ${ARGN})
  if(A_INTERFACE)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE bz_options ${A_LINK})
    return()
  endif()
  if(A_SHARED)
    add_library(${name} SHARED ${A_SOURCES})
    target_link_options(${name} PRIVATE -Wl,--no-undefined -Wl,-Bsymbolic)
  else()
    add_library(${name} STATIC ${A_SOURCES})
  endif()
  target_link_libraries(${name} PRIVATE bz_options ${A_LINK})
endfunction()

# bz_test(name SOURCES ... LINK ... [SLOW] [NO_MAIN]): a GoogleTest program run by ctest; SLOW ones carry the label `slow`.
include(CTest)
include(GoogleTest)
if(BZ_TESTS)
  find_package(GTest REQUIRED)
endif()
function(bz_test name)
  cmake_parse_arguments(A "SLOW;NO_MAIN" "TIMEOUT" "SOURCES;LINK;ENV" ${ARGN})
  if(NOT BZ_TESTS)
    return()
  endif()
  add_executable(${name} ${A_SOURCES})
  set(main GTest::gtest_main)
  if(A_NO_MAIN)
    set(main GTest::gtest)
  endif()
  target_link_libraries(${name} PRIVATE bz_options ${A_LINK} ${main})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../rocm/lib")
  add_test(NAME ${name} COMMAND ${name})
  if(A_SLOW)
    set_tests_properties(${name} PROPERTIES LABELS slow)
  endif()
  if(A_ENV)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${A_ENV}")
  endif()
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${A_TIMEOUT})
endfunction()
