# The modules of harness/ and the folders of reference/. A module is a folder and an object library of all that lies in it, but for
# modules within it. It finds the headers of the modules that it names, and of those that they use, and no others: an include in
# the wrong direction does not compile. For that, each module has an include folder of its own in the build tree, which holds
# nothing but a link to its folder. scripts/modules draws them.
#
# pairmark_module(FOLDER [MODULE...] [WITHIN MODULE...] [EXCEPT FOLDER...]): MODULE...: what it uses, by folder without harness/; a
# module comes after those that it uses. Modules behind WITHIN are not found by those that use this one. Folders behind EXCEPT, in
# it, are compiled elsewhere. A file that is added is found at the next build.
set(PAIRMARK_MODULES "")
set(PAIRMARK_MODULE_FOLDERS "")
function(pairmark_module FOLDER)
  cmake_parse_arguments(USES "" "" "WITHIN;EXCEPT" ${ARGN})
  string(REGEX REPLACE "^harness/" "" NAME ${FOLDER})
  pairmark_module_targets(TARGET ${NAME})
  pairmark_module_targets(SEEN ${USES_UNPARSED_ARGUMENTS})
  pairmark_module_targets(HIDDEN ${USES_WITHIN})
  file(GLOB_RECURSE SOURCES RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${FOLDER}/*.c ${FOLDER}/*.cc)
  list(TRANSFORM USES_EXCEPT PREPEND ${FOLDER}/)
  foreach(OTHER IN LISTS PAIRMARK_MODULE_FOLDERS USES_EXCEPT)
    list(FILTER SOURCES EXCLUDE REGEX "^${OTHER}/")
  endforeach()
  set(INCLUDES ${CMAKE_BINARY_DIR}/modules/${NAME}.includes)
  get_filename_component(PARENT ${INCLUDES}/${NAME} DIRECTORY)
  file(MAKE_DIRECTORY ${PARENT})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${FOLDER} ${INCLUDES}/${NAME} SYMBOLIC)
  add_library(${TARGET} OBJECT ${SOURCES})
  target_include_directories(${TARGET} PUBLIC ${INCLUDES})
  target_link_libraries(${TARGET} PUBLIC pairmark_flags ${SEEN} PRIVATE ${HIDDEN})
  if(FOLDER MATCHES "^reference")
    target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O3>) # serial loops over pairs
  elseif(FOLDER MATCHES "^harness/(prepare|library|measure|campaign|commands)")
    target_link_libraries(${TARGET} PRIVATE without_long_loops)
  endif()
  set(PAIRMARK_MODULES ${PAIRMARK_MODULES} ${TARGET} PARENT_SCOPE)
  set(PAIRMARK_MODULE_FOLDERS ${PAIRMARK_MODULE_FOLDERS} ${FOLDER} PARENT_SCOPE)
endfunction()

# The targets of modules.
function(pairmark_module_targets VARIABLE)
  set(TARGETS ${ARGN})
  list(TRANSFORM TARGETS REPLACE "/" "_")
  list(TRANSFORM TARGETS PREPEND module_)
  set(${VARIABLE} ${TARGETS} PARENT_SCOPE)
endfunction()

# Layer: core: errors, strings, parsing, files, clock, processes
pairmark_module(harness/core)
# Layer: boxes: cell, particles, groups; kinds that are made; files
pairmark_module(harness/boxes core)
# Layer: devices: CUDA and OpenCL; buffers with guards; peaks and clocks
# (cmake/cuda.cmake adds the sources of CUDA)
pairmark_module(harness/devices boxes EXCEPT cuda toolkit kept_blocks)
# Layer: kernels: headers, dialect, text; potentials and expressions; a case
pairmark_module(harness/kernels/expressions core)
pairmark_module(harness/kernels/potentials boxes kernels/expressions)
pairmark_module(harness/kernels/motion boxes)
pairmark_module(harness/kernels devices kernels/potentials kernels/motion)
# Layer: structures: grids, orders, lists, clusters
pairmark_module(harness/structures kernels)
# Layer: reference: what is right; shares no code with kernels or with what feeds them
pairmark_module(reference/interpreter kernels/potentials)
pairmark_module(reference/terms reference/interpreter)
pairmark_module(reference/pairs reference/terms kernels/motion)
pairmark_module(reference/bonded reference/pairs)
pairmark_module(reference/constraints reference/bonded)
pairmark_module(reference/pme reference/pairs)
pairmark_module(reference/random core)
pairmark_module(reference/neighbours kernels/potentials)
pairmark_module(reference/three_body reference/bonded reference/neighbours)
pairmark_module(reference/eam reference/bonded reference/neighbours)
pairmark_module(reference/rdf reference/neighbours)
pairmark_module(reference/steinhardt reference/bonded reference/neighbours)
pairmark_module(reference/steps reference/pairs reference/random reference/pme reference/eam reference/three_body)
# Layer: workloads: a class each: fields, buffers, expected results, judges
pairmark_module(harness/workloads kernels reference/constraints reference/steps reference/neighbours reference/pme reference/three_body reference/eam reference/rdf reference/steinhardt WITHIN structures)
# Layer: prepare: a case made ready on a device; time steps
pairmark_module(harness/prepare workloads structures)
# Layer: library: what other programs link; needs no gate, no plan of cases and no rows
pairmark_module(harness/library prepare)
# Layer: measure: one case from box to row: gate, judge launches, sample; workers
pairmark_module(harness/measure workloads WITHIN prepare)
# Layer: campaign: axes and columns, plan, run, rows, merge
pairmark_module(harness/campaign measure)
# Layer: answers: rows in SQL; summary, compare, plot, report
pairmark_module(harness/answers campaign)
# Layer: commands: one file per command; simulation (run), search (tune, best, judge)
pairmark_module(harness/commands/simulation measure prepare)
pairmark_module(harness/commands/search campaign)

# Loops over roots and comparisons become vectors; the numbers stay the same. No vector is passed out of these files.
set_source_files_properties(reference/pairs/lanes.c
  harness/boxes/kinds/neighbours_sweep.c harness/boxes/kinds/make_fluid.c harness/boxes/kinds/separate.c PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math;-Wno-psabi")

pairmark_embed(PAIRMARK_EMBEDDED_SOURCE)
add_library(pairmark_core STATIC ${PAIRMARK_EMBEDDED_SOURCE})
target_link_libraries(pairmark_core PUBLIC ${PAIRMARK_MODULES} ${CSV_LIBRARY} ${SQLITE_LIBRARY} Threads::Threads m dl)

# Linked into the program and its tests, never into libpairmark: it replaces C++'s operator delete (devices/kept_blocks/kept_blocks.h says
# why). Sanitizers have their own. With nothing in it, the library is an empty one.
add_library(kept_blocks INTERFACE)
if(NOT PAIRMARK_SANITIZE)
  add_library(kept_blocks_object OBJECT harness/devices/kept_blocks/kept_blocks.cc)
  target_link_libraries(kept_blocks_object PRIVATE module_devices)
  target_sources(kept_blocks INTERFACE $<TARGET_OBJECTS:kept_blocks_object>)
endif()

# Not in pairmark_core: it has main()
pairmark_module(harness/commands answers commands/simulation commands/search)
