# cmake -DSOURCES_LIST=FILE -DOUTPUT=HEADER -DNAME=MACRO -P build-id.cmake
# A name for some sources: a hash of their hashes, in the order of the list.
file(STRINGS ${SOURCES_LIST} sources)
set(all "")
foreach(source ${sources})
    file(SHA256 ${source} hash)
    string(APPEND all ${hash})
endforeach()
string(SHA256 id "${all}")
file(WRITE ${OUTPUT} "#define ${NAME} \"${id}\"\n")
