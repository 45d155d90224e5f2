# What the reference's sources are, as a hash in a header: expected results that are kept on disk are of this code (reference/pairs/store.c).
#
# cmake -DROOT=... -DOUTPUT=file.h -P reference_code.cmake writes the header; included, it has that done wherever a source changes.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE SOURCES RELATIVE ${ROOT} ${ROOT}/reference/*)
  list(SORT SOURCES)
  set(ALL "")
  foreach(SOURCE IN LISTS SOURCES)
    file(SHA256 ${ROOT}/${SOURCE} HASH)
    string(APPEND ALL "${SOURCE} ${HASH}\n")
  endforeach()
  string(SHA256 HASH "${ALL}")
  file(WRITE ${OUTPUT} "/* Generated from reference/. */\n#define PAIRMARK_REFERENCE_CODE \"${HASH}\"\n")
  return()
endif()
set(PAIRMARK_REFERENCE_HEADER ${CMAKE_BINARY_DIR}/pairmark_reference.h)
file(GLOB_RECURSE PAIRMARK_REFERENCE_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/reference/*)
add_custom_command(OUTPUT ${PAIRMARK_REFERENCE_HEADER}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DOUTPUT=${PAIRMARK_REFERENCE_HEADER} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${PAIRMARK_REFERENCE_SOURCES} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
add_custom_target(pairmark_reference_code DEPENDS ${PAIRMARK_REFERENCE_HEADER})
add_dependencies(module_reference_pairs pairmark_reference_code)
add_dependencies(generated_headers pairmark_reference_code)
set_property(SOURCE reference/pairs/store.c APPEND PROPERTY COMPILE_DEFINITIONS
  PAIRMARK_REFERENCE_HEADER="${PAIRMARK_REFERENCE_HEADER}")
