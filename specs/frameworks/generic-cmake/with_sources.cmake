# The user's benchmark around the project: a CMakeLists.txt that build.sh puts outside the commit's tree.
cmake_minimum_required(VERSION 3.19)
project(tandem_benchmark LANGUAGES C CXX)

# EXCLUDE_FROM_ALL: only what the benchmark needs is built.
add_subdirectory("${TANDEM_TREE}" "${CMAKE_BINARY_DIR}/project" EXCLUDE_FROM_ALL)

# Lists come with one entry a line; a semicolon in a path is not a boundary.
function(lines variable result)
  string(REPLACE ";" "\\;" text "$ENV{${variable}}")
  string(REPLACE "\n" ";" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
lines(TANDEM_BUILD_SOURCES sources)
lines(TANDEM_BUILD_INCLUDE include)
lines(TANDEM_BUILD_LIBRARIES libraries)

add_executable(tandem_benchmark ${sources})
foreach(directory IN LISTS include)
  target_include_directories(tandem_benchmark PRIVATE "${TANDEM_TREE}/${directory}")
endforeach()
if(NOT "$ENV{TANDEM_SDK_DIR}" STREQUAL "")
  target_include_directories(tandem_benchmark PRIVATE "$ENV{TANDEM_SDK_DIR}")
endif()
if(NOT "$ENV{TANDEM_BUILD_STANDARD}" STREQUAL "")
  set_target_properties(tandem_benchmark PROPERTIES
    CXX_STANDARD "$ENV{TANDEM_BUILD_STANDARD}" CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
endif()
find_package(Threads REQUIRED)
target_link_libraries(tandem_benchmark PRIVATE ${libraries} $ENV{TANDEM_BUILD_TARGET} Threads::Threads)
