# cmake -DSOURCE=FOLDER -DOUTPUT=HEADER -P commit.cmake
# The commit of the sources, for `motet --version`; written only where it differs, so that nothing is compiled for it twice.
cmake_minimum_required(VERSION 3.18)
set(commit "no commit")
execute_process(COMMAND git -c safe.directory=* -C ${SOURCE} describe --always --dirty=+changes --match=none --abbrev=12
                OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status)
if(status EQUAL 0 AND EXISTS ${SOURCE}/.git)
    set(commit "${found}")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define MOTET_COMMIT \"@commit@\"\n" @ONLY)
