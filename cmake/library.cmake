# libpairmark: pairmark.h for other programs (docs/library.md). Of pairmark_core it takes what the room `library` needs; nothing but
# pm_* can be seen of it from outside.
#
# libpairmark.so has its functions versioned by cmake/pairmark.map. libpairmark.a is one object in which all else has become local.
set(PAIRMARK_SOVERSION 0)
set(PAIRMARK_LIBRARY_NEEDS Threads::Threads m dl)

add_library(pairmark_shared SHARED $<TARGET_OBJECTS:room_library>)
target_link_libraries(pairmark_shared PRIVATE pairmark_core)
target_link_options(pairmark_shared PRIVATE
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/pairmark.map -Wl,--gc-sections -Wl,--no-undefined -Wl,--exclude-libs,ALL)
set_target_properties(pairmark_shared PROPERTIES OUTPUT_NAME pairmark VERSION ${PROJECT_VERSION} SOVERSION ${PAIRMARK_SOVERSION}
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/pairmark.map PUBLIC_HEADER ${CMAKE_SOURCE_DIR}/harness/library/pairmark.h)
if(PAIRMARK_CUDA_FOUND)
  set_target_properties(pairmark_shared PROPERTIES CUDA_RUNTIME_LIBRARY Static LINKER_LANGUAGE CXX)
endif()

# What is not the system's is in it: linked whole into one object, whose names but pm_* are then made local.
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/pairmark_library.o
  COMMAND ${CMAKE_LINKER} -r --gc-sections -u pm_open -u pm_kernel_create -u pm_system_create -o pairmark_library.o
          $<TARGET_OBJECTS:room_library> $<TARGET_FILE:pairmark_core> ${CSV_LIBRARY}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=pm_* pairmark_library.o
  DEPENDS room_library pairmark_core $<TARGET_OBJECTS:room_library>
  COMMAND_EXPAND_LISTS VERBATIM COMMENT "Linking pairmark_library.o")
install(TARGETS pairmark_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
