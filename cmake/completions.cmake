# Files that let shells complete motet's verbs and options: the program prints them from its own tables.
set(MOTET_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions, from the prefix")
set(COMPLETIONS)
foreach(shell bash zsh fish)
    set(file ${CMAKE_BINARY_DIR}/completions/${shell})
    add_custom_command(
        OUTPUT ${file}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completions
        COMMAND motet help --completion ${shell} > ${file}
        DEPENDS motet COMMENT "Completion for ${shell}")
    list(APPEND COMPLETIONS ${file})
endforeach()
add_custom_target(completions ALL DEPENDS ${COMPLETIONS})
install(FILES ${CMAKE_BINARY_DIR}/completions/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME motet)
install(FILES ${CMAKE_BINARY_DIR}/completions/zsh DESTINATION ${MOTET_ZSH_DIR} RENAME _motet)
install(FILES ${CMAKE_BINARY_DIR}/completions/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME motet.fish)
