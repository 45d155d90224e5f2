# The house: a room is a folder of C and an object library. It finds the headers of the rooms that it names, and of those
# that they use, and no others, so that an arrow in the wrong direction does not compile: each room has an include folder
# of its own in the build tree, which holds nothing but a link to it. scripts/rooms draws the rooms, floor by floor.
#
# pairmark_room(NAME FOLDER [ROOM...]): every C file of FOLDER. ROOM...: what it uses; rooms come after those that they
# use. A file that is added is picked up at the next build.
set(PAIRMARK_ROOMS "")
function(pairmark_room NAME FOLDER)
  file(GLOB SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${FOLDER}/*.c ${CMAKE_SOURCE_DIR}/${FOLDER}/*.cc)
  set(INCLUDES ${CMAKE_BINARY_DIR}/rooms/${NAME})
  file(MAKE_DIRECTORY ${INCLUDES})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${FOLDER} ${INCLUDES}/${NAME} SYMBOLIC)
  add_library(room_${NAME} OBJECT ${SOURCES})
  target_include_directories(room_${NAME} PUBLIC ${INCLUDES})
  list(TRANSFORM ARGN PREPEND room_)
  target_link_libraries(room_${NAME} PUBLIC pairmark_flags ${ARGN})
  set(PAIRMARK_ROOMS ${PAIRMARK_ROOMS} room_${NAME} PARENT_SCOPE)
endfunction()

# Floor: beneath: knows nothing of particles
pairmark_room(base harness/base)
pairmark_room(files harness/files base)
pairmark_room(system harness/system files)
pairmark_room(expression harness/expression files)
# Floor: particles and devices: boxes; CUDA and OpenCL; peaks and clocks
pairmark_room(box harness/box system)
pairmark_room(make harness/make box)
pairmark_room(xyz harness/xyz box)
pairmark_room(device harness/device system)
pairmark_room(machine harness/machine box device)
# Floor: what is declared once: axes, columns and rows; what is computed
pairmark_room(dynamics harness/dynamics box)
pairmark_room(schema harness/schema make)
pairmark_room(rows harness/rows schema)
pairmark_room(workload harness/workload dynamics schema)
# Floor: kernel files: parameters, headers, interactions
pairmark_room(interaction harness/interaction box expression)
pairmark_room(variant harness/variant workload interaction device)
pairmark_room(bindings harness/bindings variant)
pairmark_room(header harness/header bindings)
# Floor: what a case consists of: a case; what kernels walk
pairmark_room(case harness/case bindings xyz)
pairmark_room(structure harness/structure bindings)
pairmark_room(lists harness/lists structure)
# Floor: the reference: shares nothing with kernels
pairmark_room(walk reference/walk interaction)
pairmark_room(terms reference/terms walk)
pairmark_room(reference reference terms dynamics)
pairmark_room(molecules reference/molecules reference)
pairmark_room(motion reference/motion reference)
# Floor: a case on a device: compiled, bound, launched; is it right?
pairmark_room(text harness/text header case)
pairmark_room(buffers harness/buffers case)
pairmark_room(prepare harness/prepare text buffers structure)
pairmark_room(gate harness/gate case molecules motion)
pairmark_room(judge harness/judge xyz machine prepare gate)
# Floor: cases: axes become cases; a case is timed
pairmark_room(plan harness/plan xyz header case)
pairmark_room(launches harness/launches judge)
pairmark_room(measure harness/measure launches)
# Floor: its processes and files: kernels run in processes of their own
pairmark_room(worker harness/worker measure plan)
pairmark_room(record harness/record text plan machine rows)
# Floor: a run: a campaign; tunables; rows in SQL; a simulation
pairmark_room(run harness/run record worker)
pairmark_room(tune harness/tune run)
pairmark_room(analyse harness/analyse rows)
pairmark_room(simulate harness/simulate run)
# Floor: words and figures: from rows
pairmark_room(compare harness/compare run machine)
pairmark_room(summary harness/summary analyse run machine)
pairmark_room(points harness/points analyse record)
pairmark_room(plot harness/plot points)
pairmark_room(report harness/report plot summary)
# Floor: the command line: what runs kernels; what asks rows
pairmark_room(console harness/console measure plan run)

# Both backends are part of the room of devices; cmake/cuda.cmake adds CUDA's.
file(GLOB OPENCL_SOURCES CONFIGURE_DEPENDS harness/device/opencl/*.c)
target_sources(room_device PRIVATE ${OPENCL_SOURCES})
# Loops over roots and comparisons become vectors; the numbers stay the same. No vector is passed out of these files.
set_source_files_properties(reference/lanes.c harness/make/neighbour_lanes.c
  harness/make/neighbours_sweep.c harness/make/make_fluid.c harness/make/separate.c PROPERTIES COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math;-Wno-psabi")

pairmark_embed(PAIRMARK_EMBEDDED_SOURCE)
add_library(pairmark_core STATIC ${PAIRMARK_EMBEDDED_SOURCE})
target_link_libraries(pairmark_core PUBLIC ${PAIRMARK_ROOMS} ${CSV_LIBRARY} ${SQLITE_LIBRARY} Threads::Threads m dl)
