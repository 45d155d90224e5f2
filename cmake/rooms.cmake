# The house: its rooms, and the reference beside them. A room is an object library. It finds the headers of the rooms that it
# names, and of those that they use, and no others: an include in the wrong direction does not compile. For that, each room
# has an include folder of its own in the build tree, which holds nothing but links to its folders. scripts/rooms draws them.
#
# pairmark_room(NAME "FOLDER..." [ROOM...] [WITHIN ROOM...]): the C files of these folders. ROOM...: what it uses; a room comes
# after those that it uses. Rooms behind WITHIN are not found by those that use this one. A file that is added is found at the
# next build.
set(PAIRMARK_ROOMS "")
function(pairmark_room NAME FOLDERS)
  set(INCLUDES ${CMAKE_BINARY_DIR}/rooms/${NAME})
  set(SOURCES "")
  foreach(FOLDER IN LISTS FOLDERS)
    file(GLOB FOUND CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${FOLDER}/*.c ${CMAKE_SOURCE_DIR}/${FOLDER}/*.cc)
    list(APPEND SOURCES ${FOUND})
  endforeach()
  list(GET FOLDERS 0 FIRST)
  foreach(FOLDER IN LISTS FOLDERS)
    string(FIND ${FOLDER} ${FIRST}/ WITHIN)
    if(NOT WITHIN EQUAL 0) # those within the first are found by its link
      string(REGEX REPLACE "^harness/" "" LINK ${FOLDER})
      get_filename_component(PARENT ${INCLUDES}/${LINK} DIRECTORY)
      file(MAKE_DIRECTORY ${PARENT})
      file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${FOLDER} ${INCLUDES}/${LINK} SYMBOLIC)
    endif()
  endforeach()
  add_library(room_${NAME} OBJECT ${SOURCES})
  target_include_directories(room_${NAME} PUBLIC ${INCLUDES})
  cmake_parse_arguments(USES "" "" "WITHIN" ${ARGN})
  list(TRANSFORM USES_UNPARSED_ARGUMENTS PREPEND room_)
  list(TRANSFORM USES_WITHIN PREPEND room_)
  target_link_libraries(room_${NAME} PUBLIC pairmark_flags ${USES_UNPARSED_ARGUMENTS} PRIVATE ${USES_WITHIN})
  set(PAIRMARK_ROOMS ${PAIRMARK_ROOMS} room_${NAME} PARENT_SCOPE)
endfunction()

# FOLDER and its sub-folders, as a list.
function(pairmark_folders VARIABLE FOLDER)
  list(TRANSFORM ARGN PREPEND ${FOLDER}/)
  set(${VARIABLE} ${FOLDER} ${ARGN} PARENT_SCOPE)
endfunction()

# Floor: core: errors, strings, parsing, files, clock, processes
pairmark_room(core harness/core)
# Floor: boxes: cell, particles, groups; kinds that are made; files
pairmark_folders(BOXES harness/boxes kinds files)
pairmark_room(boxes "${BOXES}" core)
# Floor: devices: CUDA and OpenCL; buffers with guards; peaks and clocks
# (cmake/cuda.cmake adds the sources of CUDA)
pairmark_folders(DEVICES harness/devices opencl machine)
pairmark_room(devices "${DEVICES}" boxes)
# Floor: kernels: headers, dialect, text; potentials and expressions; a case
pairmark_room(expressions harness/kernels/expressions core)
pairmark_room(potentials harness/kernels/potentials boxes expressions)
pairmark_room(motion_rules harness/kernels/motion boxes)
pairmark_folders(KERNELS harness/kernels header text)
pairmark_room(kernels "${KERNELS}" devices potentials motion_rules)
# Floor: structures: grids, orders, lists, clusters
pairmark_folders(STRUCTURES harness/structures lists)
pairmark_room(structures "${STRUCTURES}" kernels)
# Floor: reference: what is right; shares no code with kernels or with what feeds them
pairmark_room(walk reference/walk potentials)
pairmark_room(terms reference/terms walk)
pairmark_room(reference_pairs reference/pairs terms motion_rules)
pairmark_room(reference_bonded reference/bonded reference_pairs)
pairmark_room(reference_constraints reference/constraints reference_bonded)
pairmark_room(reference_pme reference/pme reference_pairs)
pairmark_room(reference_random reference/random core)
pairmark_room(reference_neighbours reference/neighbours potentials)
pairmark_room(reference_steps reference/steps reference_pairs reference_random)
# Floor: workloads: a class each: fields, buffers, expected results, judges
file(GLOB WORKLOADS LIST_DIRECTORIES true RELATIVE ${CMAKE_SOURCE_DIR}/harness/workloads CONFIGURE_DEPENDS harness/workloads/[a-z]*)
list(FILTER WORKLOADS EXCLUDE REGEX "[.]")
pairmark_folders(WORKLOADS harness/workloads ${WORKLOADS})
pairmark_room(workloads "${WORKLOADS}" kernels reference_constraints reference_steps reference_neighbours reference_pme WITHIN structures)
# Floor: measure: one case from box to row: prepare, gate, judge launches, sample
pairmark_room(prepare "harness/measure/prepare;harness/measure/steps" workloads structures)
# The library, which other programs link: it needs no gate, no plan of cases and no rows
pairmark_room(library harness/library prepare)
pairmark_folders(MEASURE harness/measure judge launches)
pairmark_room(measure "${MEASURE}" workloads WITHIN prepare)
# Floor: campaign: axes and columns, plan, worker, run, rows, merge, tune
pairmark_folders(CAMPAIGN harness/campaign axes plan worker rows tune)
pairmark_room(campaign "${CAMPAIGN}" measure)
# Floor: answers: rows in SQL; summary, compare, plot, report
pairmark_folders(ANSWERS harness/answers tables check compare summary plot report)
pairmark_room(answers "${ANSWERS}" campaign)
# Loops over roots and comparisons become vectors; the numbers stay the same. No vector is passed out of these files.
set_source_files_properties(reference/pairs/lanes.c
  harness/boxes/kinds/neighbours_sweep.c harness/boxes/kinds/make_fluid.c harness/boxes/kinds/separate.c PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math;-Wno-psabi")

# The simulation behind run and best
pairmark_room(simulation harness/commands/simulation measure prepare)

pairmark_embed(PAIRMARK_EMBEDDED_SOURCE)
add_library(pairmark_core STATIC ${PAIRMARK_EMBEDDED_SOURCE})
target_link_libraries(pairmark_core PUBLIC ${PAIRMARK_ROOMS} ${CSV_LIBRARY} ${SQLITE_LIBRARY} Threads::Threads m dl)

# Linked into the program and its tests, never into libpairmark: it replaces C++'s operator delete (devices/kept_blocks/kept_blocks.h says
# why). Sanitizers have their own. With nothing in it, the library is an empty one.
add_library(kept_blocks INTERFACE)
if(NOT PAIRMARK_SANITIZE AND NOT PAIRMARK_FUZZ)
  add_library(kept_blocks_object OBJECT harness/devices/kept_blocks/kept_blocks.cc)
  target_link_libraries(kept_blocks_object PRIVATE room_devices)
  target_sources(kept_blocks INTERFACE $<TARGET_OBJECTS:kept_blocks_object>)
endif()

# Floor: commands: one file per command
pairmark_room(commands harness/commands answers simulation)
