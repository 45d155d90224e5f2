# The commit that the binary is built from, looked up at every build: environment.c records it.
# A tree without git says "", and an empty field is recorded.
find_package(Git QUIET)
set(PAIRMARK_COMMIT_HEADER ${CMAKE_BINARY_DIR}/pairmark_commit.h)
add_custom_target(pairmark_commit
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DGIT=${GIT_EXECUTABLE} -DOUTPUT=${PAIRMARK_COMMIT_HEADER}
          -P ${CMAKE_SOURCE_DIR}/cmake/find_commit.cmake
  BYPRODUCTS ${PAIRMARK_COMMIT_HEADER} VERBATIM)
add_dependencies(module_campaign pairmark_commit)
add_dependencies(generated_headers pairmark_commit)
set_source_files_properties(harness/campaign/rows/environment.c PROPERTIES
  COMPILE_DEFINITIONS PAIRMARK_COMMIT_HEADER="${PAIRMARK_COMMIT_HEADER}")
