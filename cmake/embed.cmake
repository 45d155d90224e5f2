# Puts the kernel texts, and the style of reports, the completion of words in bash, what --help says, and presets with what they take from share/ into the binary, so that it runs from anywhere.
#
# pairmark_embed(VARIABLE) sets VARIABLE to a generated C file that defines embedded_files[].
function(pairmark_embed OUTPUT)
  file(GLOB_RECURSE TEXTS CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
    ${CMAKE_SOURCE_DIR}/variants/*.cl ${CMAKE_SOURCE_DIR}/variants/*.cu ${CMAKE_SOURCE_DIR}/harness/*.cl
    ${CMAKE_SOURCE_DIR}/harness/devices/prelude_*.h
    ${CMAKE_SOURCE_DIR}/harness/answers/*.sql
    ${CMAKE_SOURCE_DIR}/harness/answers/report/*.css
    ${CMAKE_SOURCE_DIR}/share/completion/pairmark.*
    ${CMAKE_SOURCE_DIR}/share/help/*.txt
    ${CMAKE_SOURCE_DIR}/share/presets/*.txt ${CMAKE_SOURCE_DIR}/share/presets/*.csv
    ${CMAKE_SOURCE_DIR}/share/water/*.txt ${CMAKE_SOURCE_DIR}/share/water/*.csv
    ${CMAKE_SOURCE_DIR}/share/interactions/*.pair ${CMAKE_SOURCE_DIR}/share/interactions/*.dat
    ${CMAKE_SOURCE_DIR}/share/interactions/*.fs ${CMAKE_SOURCE_DIR}/share/interactions/*.sw ${CMAKE_SOURCE_DIR}/share/interactions/*.tersoff
    ${CMAKE_SOURCE_DIR}/share/interactions/*.alloy ${CMAKE_SOURCE_DIR}/share/interactions/*.eam)
  list(SORT TEXTS)
  set(SOURCE ${CMAKE_BINARY_DIR}/embedded_files.c)
  set(ABSOLUTE ${TEXTS})
  list(TRANSFORM ABSOLUTE PREPEND ${CMAKE_SOURCE_DIR}/)
  string(REPLACE ";" "," LIST "${TEXTS}")
  add_custom_command(OUTPUT ${SOURCE}
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DLIST=${LIST} -DOUTPUT=${SOURCE}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_texts.cmake
    DEPENDS ${ABSOLUTE} ${CMAKE_SOURCE_DIR}/cmake/embed_texts.cmake
    COMMENT "Embedding texts" VERBATIM)
  set(${OUTPUT} ${SOURCE} PARENT_SCOPE)
endfunction()
