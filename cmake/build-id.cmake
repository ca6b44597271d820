# cmake -DSOURCES_LIST=FILE -DOUTPUT=HEADER -P build-id.cmake
# A name for what a snapshot depends on: the sources of everything that has state or changes it.
file(STRINGS ${SOURCES_LIST} sources)
set(all "")
foreach(source ${sources})
    file(SHA256 ${source} hash)
    string(APPEND all ${hash})
endforeach()
string(SHA256 id "${all}")
file(WRITE ${OUTPUT} "#define MOTET_BUILD_ID \"${id}\"\n")
