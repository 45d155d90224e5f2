# libpairmark: pairmark.h for other programs (docs/library.md). Of pairmark_core it takes what the module `library` needs; nothing but
# pm_* can be seen of it from outside.
#
# libpairmark.so has its functions versioned by cmake/pairmark.map. libpairmark.a is one object in which all else has become local.
foreach(PART IN ITEMS "ION \"${PROJECT_VERSION}\"" "ION_MAJOR ${PROJECT_VERSION_MAJOR}" "ION_MINOR ${PROJECT_VERSION_MINOR}" "ION_PATCH ${PROJECT_VERSION_PATCH}")
  file(STRINGS harness/library/pairmark.h SAID REGEX "^#define PAIRMARK_VERS${PART}( |$)")
  if(NOT SAID)
    message(FATAL_ERROR "harness/library/pairmark.h: expected PAIRMARK_VERS${PART}, the version of CMakeLists.txt")
  endif()
endforeach()
add_library(pairmark_shared SHARED $<TARGET_OBJECTS:module_library>)
target_link_libraries(pairmark_shared PRIVATE pairmark_core)
target_link_options(pairmark_shared PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/pairmark.map -Wl,--gc-sections
  $<$<NOT:$<BOOL:${PAIRMARK_SANITIZE}>>:-Wl,--no-undefined>) # sanitizers come with the program
set_target_properties(pairmark_shared PROPERTIES OUTPUT_NAME pairmark EXPORT_NAME pairmark VERSION ${PROJECT_VERSION} SOVERSION 1
  LINKER_LANGUAGE CXX CUDA_RUNTIME_LIBRARY Static LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/pairmark.map
  PUBLIC_HEADER ${CMAKE_SOURCE_DIR}/harness/library/pairmark.h)

# With static libraries that it uses, where there are any, so that who links it needs the C++ library alone.
set(WHOLE ${CMAKE_BINARY_DIR}/pairmark_library.o)
set(WITHIN $<TARGET_FILE:pairmark_core>)
set(LIBRARIES_PRIVATE "-lstdc++ -lpthread -lm -ldl -lrt")
if(CSV_LIBRARY MATCHES "\\.a$")
  list(APPEND WITHIN ${CSV_LIBRARY})
else()
  string(PREPEND LIBRARIES_PRIVATE "-lcsv ")
endif()
if(PAIRMARK_CUDA_FOUND)
  list(APPEND WITHIN $<TARGET_FILE:CUDA::cudart_static>)
endif()
add_custom_command(OUTPUT ${WHOLE}
  COMMAND ${CMAKE_LINKER} -r -o ${WHOLE} $<TARGET_OBJECTS:module_library> ${WITHIN}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=pm_* ${WHOLE}
  DEPENDS module_library pairmark_core $<TARGET_OBJECTS:module_library>
  COMMENT "Linking pairmark_library.o" COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${WHOLE} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
add_library(pairmark_static STATIC ${WHOLE})
set_target_properties(pairmark_static PROPERTIES OUTPUT_NAME pairmark EXPORT_NAME pairmark_static LINKER_LANGUAGE CXX)
string(REPLACE "-l" "" NEEDED "${LIBRARIES_PRIVATE}")
separate_arguments(NEEDED)
target_link_libraries(pairmark_static INTERFACE ${NEEDED})
foreach(LIBRARY pairmark_shared pairmark_static)
  target_include_directories(${LIBRARY} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# For programs that use libpairmark with PoCL 5.0 to 6.x: LD_PRELOAD=libpairmark_pocl.so PROGRAM (docs/devices.md).
add_library(pairmark_pocl MODULE harness/devices/kept_blocks/kept_blocks.cc)
target_include_directories(pairmark_pocl PRIVATE harness)
set_target_properties(pairmark_pocl PROPERTIES CXX_VISIBILITY_PRESET default)
install(TARGETS pairmark_pocl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# pkg-config --cflags --libs pairmark; find_package(pairmark), pairmark::pairmark or pairmark::pairmark_static.
include(CMakePackageConfigHelpers)
set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/pairmark)
file(RELATIVE_PATH PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix) # wherever it is installed
configure_file(cmake/pairmark.pc.in ${CMAKE_BINARY_DIR}/pairmark.pc @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/pairmarkConfigVersion.cmake COMPATIBILITY SameMajorVersion) # docs/compatibility.md
install(TARGETS pairmark_shared pairmark_static EXPORT pairmark LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT pairmark NAMESPACE pairmark:: FILE pairmarkConfig.cmake DESTINATION ${PACKAGE_FOLDER})
install(FILES ${CMAKE_BINARY_DIR}/pairmarkConfigVersion.cmake DESTINATION ${PACKAGE_FOLDER})
install(FILES ${CMAKE_BINARY_DIR}/pairmark.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY share/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/pairmark)
