# What `cmake --install` puts where. Everything is found relative to the program, so an installation can be moved.
install(TARGETS motet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS motet_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET motet_rewrite)
    install(TARGETS motet_rewrite LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/motet)
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/motet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# What runs on nodes: the recorder, the headers for firmware, the runtime of the MSP430, and the registers of chips.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/target DESTINATION ${CMAKE_INSTALL_DATADIR}/motet)
