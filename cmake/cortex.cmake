# Cortex-M firmware from Debian's gcc and target/cortex: start-up code and a linker script for each chip. Debian's compiler
# comes without a C library: memory functions are those of target/msp430, which are plain C.
find_program(ARM_GCC arm-none-eabi-gcc)
if(NOT ARM_GCC)
    set(ARM_GCC "")
    message(STATUS "No arm-none-eabi-gcc: firmware for Cortex-M is left out")
    return()
endif()

set(CORTEX_TARGET ${CMAKE_SOURCE_DIR}/target/cortex)
set(nrf52840_CORE cortex-m4)
set(cc2538_CORE cortex-m3)
set(CORTEX_FLAGS -mthumb -std=gnu11 -ffreestanding -fbuiltin -ffunction-sections -fdata-sections -Os
    -gdwarf-4 -Wall -Wextra -Werror -isystem ${MSP430_TARGET}/include -I${CMAKE_SOURCE_DIR}/target/include)

function(motet_cortex_elf elf chip sources options)
    set(flags -mcpu=${${chip}_CORE} ${CORTEX_FLAGS})
    set(compile ${ARM_GCC} ${flags} ${options})
    list(FILTER compile EXCLUDE REGEX "^-Wl,")
    get_filename_component(name ${elf} NAME_WE)
    set(objects)
    foreach(source ${CORTEX_TARGET}/start.c ${sources})
        motet_object(objects ${source} ${compile})
    endforeach()
    # The loops in it must not become calls of themselves.
    motet_object(objects ${MSP430_TARGET}/string.c ${ARM_GCC} ${flags} -fno-builtin
                 -fno-tree-loop-distribute-patterns)
    add_custom_command(
        OUTPUT ${elf}
        COMMAND ${record} ${ARM_GCC} ${flags} ${options} -nostdlib -T ${CORTEX_TARGET}/${chip}.ld -Wl,--gc-sections -o ${elf}
                ${objects} -lgcc
        DEPENDS ${objects} ${CORTEX_TARGET}/${chip}.ld ${record_files}
        COMMENT "Firmware ${name}"
        VERBATIM)
endfunction()
