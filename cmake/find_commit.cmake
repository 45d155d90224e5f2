# cmake -DROOT=... -DGIT=... -DOUTPUT=file.h -P find_commit.cmake: writes the header where it changed.
set(COMMIT "")
if(GIT AND EXISTS ${ROOT}/.git)
  execute_process(COMMAND ${GIT} -C ${ROOT} rev-parse HEAD
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${ROOT} status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE CHANGES OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(COMMIT AND CHANGES)
    string(APPEND COMMIT "-dirty")
  endif()
endif()
set(TEXT "/* Generated from the state of the repository. */\n#define PAIRMARK_GIT_COMMIT \"${COMMIT}\"\n")
set(OLD "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} OLD)
endif()
if(NOT OLD STREQUAL TEXT)
  file(WRITE ${OUTPUT} "${TEXT}")
endif()
