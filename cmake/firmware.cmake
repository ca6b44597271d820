# motet_firmware(NAME SOURCES files... CHIP chip [CLOCK hz] [OPTIONS flags...])
# Builds build/firmware/NAME.elf for an AVR chip with avr-gcc. All firmwares are built by the target `firmware`.
set(FIRMWARE_DIR ${CMAKE_BINARY_DIR}/firmware)
file(MAKE_DIRECTORY ${FIRMWARE_DIR})
add_custom_target(firmware ALL)

function(motet_firmware name)
    cmake_parse_arguments(F "" "CHIP;CLOCK" "SOURCES;OPTIONS" ${ARGN})
    if(NOT F_CLOCK)
        set(F_CLOCK 16000000)
    endif()
    set(sources)
    foreach(source ${F_SOURCES})
        list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    endforeach()
    set(elf ${FIRMWARE_DIR}/${name}.elf)
    add_custom_command(
        OUTPUT ${elf}
        COMMAND ${AVR_GCC} -mmcu=${F_CHIP} -DF_CPU=${F_CLOCK}UL -std=gnu11 -Os -gdwarf-4 -Wall -Wextra -Werror
                -I${CMAKE_SOURCE_DIR}/target/include -MMD -MF ${elf}.d -MT ${elf}
                ${F_OPTIONS} -o ${elf} ${sources} -lm
        DEPENDS ${sources}
        DEPFILE ${elf}.d
        COMMENT "Firmware ${name}"
        VERBATIM)
    add_custom_target(firmware-${name} DEPENDS ${elf})
    add_dependencies(firmware firmware-${name})
endfunction()
