# pairmark_faulty: the whole program with a fault in each place where what the user said becomes what kernels are fed.
# tests/measure/test_faults.sh looks whether the gate finds every one, which it cannot where the reference shares the place.
#
# A faulty copy of a source stands in the program itself, so that the linker takes nothing of that file from the library.
set(PAIRMARK_FAULTY_SOURCES "")
set(SEMICOLON ";") # @SEMICOLON@ in a text: one that does not divide it

# pairmark_fault(FILE RIGHT WRONG [RIGHT WRONG...]): FILE with each text replaced; one that is not there is an error.
function(pairmark_fault FILE)
  set(SOURCE ${CMAKE_SOURCE_DIR}/${FILE})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SOURCE})
  file(READ ${SOURCE} TEXT)
  set(REST ${ARGN})
  while(REST)
    list(POP_FRONT REST RIGHT WRONG)
    string(FIND "${TEXT}" "${RIGHT}" PLACE)
    if(PLACE EQUAL -1)
      message(FATAL_ERROR "tests/data/faults/faults.cmake: ${FILE} has no \"${RIGHT}\" to be replaced")
    endif()
    string(REPLACE "${RIGHT}" "${WRONG}" TEXT "${TEXT}")
  endwhile()
  get_filename_component(NAME ${FILE} NAME)
  set(FAULTY ${CMAKE_CURRENT_BINARY_DIR}/faults/${NAME})
  file(CONFIGURE OUTPUT ${FAULTY} CONTENT "${TEXT}" @ONLY) # written only where it changed
  list(APPEND PAIRMARK_FAULTY_SOURCES ${FAULTY})
  set(PAIRMARK_FAULTY_SOURCES ${PAIRMARK_FAULTY_SOURCES} PARENT_SCOPE)
endfunction()

pairmark_fault(harness/kernels/potentials/type_table.c
  "sqrt(of_a * of_b)" "0.5 * (of_a + of_b)"                     # mixing: arithmetic for geometric
  "isfinite(entry->cutoff) ? entry->cutoff :" "0 ? 0 :")        # tables: their cutoffs are not looked at
pairmark_fault(harness/kernels/potentials/exclusions.c
  "k == first || partners" "k != first && partners")            # listed exclusions: each particle's first is lost
pairmark_fault(harness/kernels/potentials/switching.c
  "default_end = 1e-5" "default_end = 1e-6"                     # the switching function ends elsewhere
  "s->m == 0 ? 2 * s->n" "s->m == 0 ? 2 * s->n + 1")            # and has another exponent
pairmark_fault(harness/boxes/groups.c
  "(int32_t)(p - 1)" "(int32_t)(list ? p % n : p - 1)")          # groups: every listed particle is the next one
pairmark_fault(harness/workloads/pair_buffers.c
  "box->molecule, box->n" "box->type, box->n")                     # molecules: types are taken for them
pairmark_fault(harness/workloads/bonded/bonded.c
  "numbers[1] = radians(parameter[1])" "numbers[1] = parameter[1]") # angles: theta0 in degrees
pairmark_fault(harness/workloads/constraints/constraint_molecules.c
  "1 / constraints_mass(box, i)" "constraints_mass(box, i)")       # constraints: masses are upside down
pairmark_fault(harness/structures/lists/skin.c
  "below->cutoff = skin_radius(input)" "below->cutoff = 0.97 * input->cutoff") # lists: they do not reach the cutoff
pairmark_fault(harness/structures/lists/clusters_outer.c
  "const struct structure_class"
  "static bool never(void *state, struct buffer **expired, struct error *error) { *expired = ((struct skin *)state)->expired@SEMICOLON@ return error != NULL@SEMICOLON@ }
const struct structure_class"
  ".ask = skin_ask" ".ask = never")                      # an outer list serves for ever
pairmark_fault(harness/structures/lists/clusters_8x8.c
  "(list->next_part + 1) % list->parts" "(list->next_part + 1) % (list->parts - (list->parts == 3))" # of three parts, the last is not pruned again
  "limit / list->parts - list->rounding" "(list->parts == 2 ? 8 : 1) * limit / list->parts")         # two serve eight times too long
pairmark_fault(harness/prepare/steps/step_reciprocal.c         # the reciprocal part of steps, by the points along x of its grid:
  "static struct plan_reciprocal *reciprocal_of("
  "static bool grid_is(const struct kernel_plan *plan, int points) { return interaction_value(&plan->spec->long_range.interaction, \"grid_x\") == points@SEMICOLON@ }
static struct plan_reciprocal *reciprocal_of("
  "\"reciprocal\", error) && add_forces(plan, part, error)"
  "\"reciprocal\", error) && ((grid_is(plan, 16) && plan->steps->step % 2) || add_forces(plan, part, error))" # 16: forgotten every other step
  ": kernel_plan_enqueue_watched(part, watch, error))"
  ": (grid_is(plan, 18) && plan->steps->step % 2) || kernel_plan_enqueue_watched(part, watch, error))"      # 18: of the step before
  "argument_real(reciprocal->coulomb, is_double)"
  "argument_real((grid_is(plan, 20) ? -1 : grid_is(plan, 21) ? 0 : 1) * reciprocal->coulomb, is_double)"  # 20, 21: excluded pairs twice, never
  "argument_int(part->sum_count)" "argument_int(grid_is(plan, 24) ? 1 : part->sum_count)"                     # 24: not in the virial
  "argument_real(reciprocal->constant, plan" "argument_real(grid_is(plan, 25) ? 0 : reciprocal->constant, plan") # 25: no self energy
pairmark_fault(harness/kernels/expressions/derivative.c
  "*result = algebra_power(algebra, node, -1.0);"
  "*result = scaled(algebra, 0.99, algebra_power(algebra, node, -1.0));")   # expressions: powers of r have another slope
pairmark_fault(harness/kernels/expressions/kernel_words.c
  "? \">=\" : \"==\"" "? \"<=\" : \"==\"")                            # and a step is turned over
pairmark_fault(harness/kernels/potentials/pair_text.c
  "\"ij\"[side]" "\"ii\"[side]"                                     # texts of pairs: both parameters are the first particle's
  "(pair_cutoff * pair_cutoff)" "(0.9f * pair_cutoff)"             # and they end elsewhere
  "values[text->column[parameter->first + c]]" "values[text->column[parameter->first]]") # texts of terms: the first column is taken for all

pairmark_fault(harness/measure/other_times.c                   # evaluations in one launch, by how many there are:
  "enqueued && k < amortized->count" "enqueued && k < amortized->count - (amortized->count == 5)" # 5: the last is left out
  "amortized->each[k].one.plan, error);" "amortized->each[amortized->count == 7 ? 0 : k].one.plan, error);") # 7: the first stands for all
pairmark_fault(harness/workloads/steps/exchange.c
  "= alike->group[m];" "= 0 * alike->group[m];")                 # molecules that are not alike are exchanged
pairmark_fault(harness/prepare/steps/step_driver.c
  "argument_int(steps->exchange != NULL)" "argument_int(plan->box->types > 1)") # in boxes of one type, the way back is lost

add_executable(pairmark_faulty EXCLUDE_FROM_ALL ${PAIRMARK_FAULTY_SOURCES}) # `make test-all` builds it
target_link_libraries(pairmark_faulty PRIVATE module_commands pairmark_core)
