# The CUDA backend: built where the toolkit is found, absent elsewhere. The driver and NVRTC are opened at run time;
# only the CUDA runtime, which CUB needs, is linked, statically.
set(PAIRMARK_CUDA_FOUND FALSE)
if(PAIRMARK_CUDA)
  # A compiler that is asked for by CMAKE_CUDA_COMPILER or CUDACXX stands; else nvcc, which need not be on PATH.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PAIRMARK_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda)
    mark_as_advanced(PAIRMARK_NVCC)
    if(PAIRMARK_NVCC)
      set(ENV{CUDACXX} ${PAIRMARK_NVCC})
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
    # Machine code for Hopper; PTX that newer ones and, from Turing on, older ones compile at their first use.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES "75-virtual;90" CACHE STRING "What cub.cu is compiled for")
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      enable_language(CUDA)
      find_package(CUDAToolkit QUIET)
      if(CUDAToolkit_FOUND AND TARGET CUDA::cudart_static)
        find_path(PAIRMARK_NVRTC_INCLUDE_DIR nvrtc.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
        mark_as_advanced(PAIRMARK_NVRTC_INCLUDE_DIR)
        if(PAIRMARK_NVRTC_INCLUDE_DIR)
          set(PAIRMARK_CUDA_FOUND TRUE)
        endif()
      endif()
    endif()
  endif()
  if(NOT PAIRMARK_CUDA_FOUND)
    message(STATUS "CUDA toolkit not found: building without the CUDA backend")
  endif()
endif()

if(PAIRMARK_CUDA_FOUND)
  file(GLOB PAIRMARK_CUDA_SOURCES CONFIGURE_DEPENDS harness/devices/cuda/*.c harness/devices/cuda/*.cu
       harness/devices/toolkit/*.c)
  target_sources(module_devices PRIVATE ${PAIRMARK_CUDA_SOURCES})
  # The targets are older than the language, so they took over none of the language's settings.
  set_target_properties(module_devices pairmark_core PROPERTIES
    CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}" CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON
    CUDA_RUNTIME_LIBRARY Static)
  target_compile_options(module_devices PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
  target_compile_definitions(module_devices PUBLIC PAIRMARK_HAVE_CUDA)
  set_property(SOURCE harness/devices/cuda/cuda_library.c APPEND PROPERTY
    COMPILE_DEFINITIONS PAIRMARK_CUDA_LIBRARY_DIR="${CUDAToolkit_LIBRARY_DIR}")
  # SYSTEM: what the toolkit's headers do is not ours to be warned of. PUBLIC: for test_nvrtc.
  target_include_directories(module_devices SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS} ${PAIRMARK_NVRTC_INCLUDE_DIR})
  target_link_libraries(pairmark_core PUBLIC CUDA::cudart_static dl rt pthread)
endif()
