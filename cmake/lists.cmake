# motet_list(TARGET TYPE FOLDER): generated/TYPEs.list, which names every `const struct TYPE` of the folder's sources, for the
# target's sources to include.
function(motet_list target type folder)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.c)
    set(list ${CMAKE_BINARY_DIR}/generated/${type}s.list)
    add_custom_command(
        OUTPUT ${list}
        COMMAND ${CMAKE_SOURCE_DIR}/scripts/list-of ${type} ${list} ${sources}
        DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/scripts/list-of
        VERBATIM)
    target_sources(${target} PRIVATE ${list})
    target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
