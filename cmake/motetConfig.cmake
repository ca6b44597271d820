# find_package(motet): the imported target motet::motet, the shared library with its headers.
include(${CMAKE_CURRENT_LIST_DIR}/motetTargets.cmake)
