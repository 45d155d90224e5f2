# What is installed where, and the self-contained tarball (`make package`).
install(TARGETS pairmark RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY scripts/plot DESTINATION ${CMAKE_INSTALL_DATADIR}/pairmark FILES_MATCHING PATTERN "*.gp")
# The texts that are built in, to begin a variant of one's own from.
install(DIRECTORY variants DESTINATION ${CMAKE_INSTALL_DATADIR}/pairmark FILES_MATCHING PATTERN "*.cl" PATTERN "*.cu")
install(DIRECTORY share/interactions share/queries share/presets share/water share/schemas share/ci share/cluster DESTINATION ${CMAKE_INSTALL_DATADIR}/pairmark USE_SOURCE_PERMISSIONS)
install(DIRECTORY share/kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/pairmark)
install(FILES docs/pairmark.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# As in the source folder, so that the links between them hold.
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(FILES README.md LICENSE CITATION.cff CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Run from the build folder, the program finds its gnuplot scripts in the source folder.
set_source_files_properties(harness/answers/plot/plot_sheet.c PROPERTIES
  COMPILE_DEFINITIONS PAIRMARK_SOURCE_SHARE="${CMAKE_SOURCE_DIR}/scripts")

# The tarball carries every library but the C library. Looked for first in lib/, then where the system keeps its
# own, last in lib/fallback: libstdc++ and the OpenCL loader are the node's where it has them, since its drivers
# may be newer than the machine that built the tarball.
if(PAIRMARK_PORTABLE)
  set(FALLBACK ${CMAKE_INSTALL_LIBDIR}/fallback)
  set(SYSTEM_FOLDERS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/lib64 /lib64)
  set_target_properties(pairmark PROPERTIES INSTALL_RPATH
    "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${SYSTEM_FOLDERS};\$ORIGIN/../${FALLBACK}")
  # The library opens the OpenCL loader itself.
  set_target_properties(pairmark_shared PROPERTIES INSTALL_RPATH "\$ORIGIN;${SYSTEM_FOLDERS};\$ORIGIN/fallback")
  # Named by the program itself, so that its search path holds for them: the path is not passed on.
  target_link_options(pairmark PRIVATE -Wl,--no-as-needed)
  target_link_libraries(pairmark PRIVATE stdc++ gcc_s)
  set(C_LIBRARY "^(ld-linux.*|libc|libm|libdl|librt|libpthread)\\.so")
  install(TARGETS pairmark RUNTIME_DEPENDENCY_SET libraries RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(RUNTIME_DEPENDENCY_SET libraries PRE_EXCLUDE_REGEXES ${C_LIBRARY} "^lib(stdc\\+\\+|gcc_s)\\.so"
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  foreach(NAME libstdc++.so.6 libgcc_s.so.1 libOpenCL.so.1)
    find_file(FALLBACK_${NAME} ${NAME} PATHS ${SYSTEM_FOLDERS} NO_DEFAULT_PATH)
    if(FALLBACK_${NAME})
      file(REAL_PATH ${FALLBACK_${NAME}} LIBRARY)
      install(PROGRAMS ${LIBRARY} DESTINATION ${FALLBACK} RENAME ${NAME})
    endif()
  endforeach()
  # NVRTC is opened at run time: its compiler and its built-in functions. A wheel finds the user's.
  if(PAIRMARK_CUDA_FOUND AND NOT SKBUILD)
    file(GLOB NVRTC ${CUDAToolkit_LIBRARY_DIR}/libnvrtc.so.* ${CUDAToolkit_LIBRARY_DIR}/libnvrtc-builtins.so.*)
    install(FILES ${NVRTC} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set(CUDA_SUFFIX -cuda${CUDAToolkit_VERSION_MAJOR})
  endif()
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME pairmark-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}${CUDA_SUFFIX})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/dist)
set(CPACK_STRIP_FILES ${PAIRMARK_PORTABLE})
set(CPACK_VERBATIM_VARIABLES ON)
# `make release` makes one, and `cpack -G DEB --config build/CPackConfig.cmake`: a package that takes its libraries from the system.
set(CPACK_PACKAGE_CONTACT "The pairmark developers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, ocl-icd-libopencl1, pocl-opencl-icd")
include(CPack)
