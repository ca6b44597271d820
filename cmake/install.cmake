# What `cmake --install` puts where. Everything is found relative to the program, so an installation can be moved.
install(TARGETS motet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS motet_shared EXPORT motetTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/libmotet.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET motet_rewrite)
    install(TARGETS motet_rewrite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/motet)
endif()
if(TARGET motet_llvm)
    install(TARGETS motet_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/motet)
endif()
if(TARGET motet_translate)
    install(TARGETS motet_translate LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/motet)
endif()
if(TARGET motet_mpi)
    install(TARGETS motet_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/motet)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/motet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_SOURCE_DIR}/docs/wireshark-cc1000.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/motet)

# What runs on nodes: the recorder, the headers for firmware, the runtime of the MSP430, and the registers of chips.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/target DESTINATION ${CMAKE_INSTALL_DATADIR}/motet)

# For programs that use the library: pkg-config and find_package(motet), both relative to where they lie.
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/motet.pc.in ${CMAKE_BINARY_DIR}/motet.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/motet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/motetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/motetConfig.cmake ${CMAKE_BINARY_DIR}/motetConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/motet)
install(EXPORT motetTargets NAMESPACE motet:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/motet)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/checking DESTINATION ${CMAKE_INSTALL_DATADIR}/motet/examples)
