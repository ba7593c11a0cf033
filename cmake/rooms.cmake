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

set(BZ_SANITIZE "" CACHE STRING "comma separated -fsanitize= list for host code; the engine's handlers stay as they are")
option(BZ_TESTS "build the tests" ON)

add_library(bz_options INTERFACE)
target_compile_options(bz_options INTERFACE -march=x86-64-v3 -Wall -Wextra -Werror=return-type -Werror=unused-result
                       -Werror=switch -fno-math-errno
                       # the row tables parse their operand texts at compile time
                       -fconstexpr-steps=20000000)
target_include_directories(bz_options INTERFACE ${CMAKE_SOURCE_DIR})
# A library finds the sanitizer's functions in the program.
set(BZ_NO_UNDEFINED -Wl,--no-undefined)
if(BZ_SANITIZE)
  set(BZ_NO_UNDEFINED "")
  # C callers hand any int over as an enumeration; refusing it is what the functions are tested for.
  target_compile_options(bz_options INTERFACE -fsanitize=${BZ_SANITIZE} -fno-sanitize=enum -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
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
    target_link_options(${name} PRIVATE ${BZ_NO_UNDEFINED} -Wl,-Bsymbolic)
  else()
    add_library(${name} STATIC ${A_SOURCES})
  endif()
  target_link_libraries(${name} PRIVATE bz_options ${A_LINK})
endfunction()

# bz_in_fault_handlers(file...): source files whose code runs in handlers of memory faults. ThreadSanitizer's atomics hold a lock
# while they access memory; if that faults, an atomic of the handler would wait for its own thread.
function(bz_in_fault_handlers)
  if(BZ_SANITIZE MATCHES "thread")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=thread)
  endif()
endfunction()

# bz_test(name SOURCES ... LINK ... [CASES ...] [SLOW] [NO_MAIN] [PLAIN] [ONE_THREAD]): a GoogleTest program run by ctest.
# SLOW: with the label `slow`. PLAIN: not under sanitizers, since it builds programs of its own, which don't have them.
# ONE_THREAD: not under ThreadSanitizer, for which it is slow and which has nothing to see there. CASES: parameter names of its
# parameterized tests, each a ctest case of its own (name_case), so that they run in parallel.
include(CTest)
include(GoogleTest)
if(BZ_TESTS)
  find_package(GTest REQUIRED)
endif()
# The tests that `bz test --all` runs under sanitizers too carry the label `host`: those of rooms that are host code.
add_custom_target(host_tests)
macro(bz_host_room result)
  file(RELATIVE_PATH ${result} ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(${result} MATCHES "^(base|abi|codeobj|isa|exec|gpu|kfd|thunk|rocr|hip/.*)$")
    set(${result} ON)
  else()
    set(${result} OFF)
  endif()
endmacro()

function(bz_test name)
  cmake_parse_arguments(A "SLOW;NO_MAIN;PLAIN;ONE_THREAD" "TIMEOUT" "SOURCES;LINK;ENV;CASES" ${ARGN})
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
  if(A_CASES)
    set(tests "")
    foreach(case IN LISTS A_CASES)
      add_test(NAME ${name}_${case} COMMAND ${name} --gtest_filter=*/${case})
      list(APPEND tests ${name}_${case})
      # `bz test` names a folder for the reports; the case makes it a file of its own.
      set_tests_properties(${name}_${case} PROPERTIES ENVIRONMENT_MODIFICATION "GTEST_OUTPUT=string_append:${name}_${case}.xml")
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${name})
    set(tests ${name})
  endif()
  if(A_SLOW)
    set_tests_properties(${tests} PROPERTIES LABELS slow)
  endif()
  if(A_ENV)
    set_tests_properties(${tests} PROPERTIES ENVIRONMENT "${A_ENV}")
  endif()
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 300)
  endif()
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${A_TIMEOUT})
  bz_host_room(host)
  if(A_PLAIN OR (A_ONE_THREAD AND BZ_SANITIZE MATCHES "thread"))
    set(host OFF)
  endif()
  if(host)
    add_dependencies(host_tests ${name})
    set_property(TEST ${tests} APPEND PROPERTY LABELS host)
  endif()
endfunction()

# bz_test_again(name test [FILTER filter] [ENV ...]): the program of another test of this room once more, under other
# circumstances.
function(bz_test_again name test)
  cmake_parse_arguments(A "" "FILTER" "ENV" ${ARGN})
  if(NOT BZ_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${test})
  if(A_FILTER)
    list(APPEND A_ENV "GTEST_FILTER=${A_FILTER}")
  endif()
  get_test_property(${test} TIMEOUT timeout)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${A_ENV}" TIMEOUT ${timeout}
                       ENVIRONMENT_MODIFICATION "GTEST_OUTPUT=string_append:${name}.xml")
  bz_host_room(host)
  if(host)
    set_property(TEST ${name} APPEND PROPERTY LABELS host)
  endif()
endfunction()

# bz_hipcc(output source FLAGS ... [DEPENDS ...] [COMMENT text]): a build step with the tree's own hipcc; made again when a
# header that the source read has changed. For device code alone clang tells no headers: let that depend on the whole program.
function(bz_hipcc output source)
  cmake_parse_arguments(A "" "COMMENT" "FLAGS;DEPENDS" ${ARGN})
  if(NOT A_COMMENT)
    get_filename_component(A_COMMENT ${output} NAME)
    set(A_COMMENT "hipcc ${A_COMMENT}")
  endif()
  add_custom_command(OUTPUT ${output}
    COMMAND ${BZ_ROCM_ROOT}/bin/hipcc ${A_FLAGS} -MD -MF ${output}.d -MT ${output} ${source} -o ${output}
    DEPENDS ${source} ${A_DEPENDS} DEPFILE ${output}.d COMMENT "${A_COMMENT}" VERBATIM)
endfunction()
