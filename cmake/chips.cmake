# Register, bit and vector numbers of each AVR chip, taken from avr-libc's own headers: one generated header a chip, in
# which every register is its address in data space (chip tables include exactly one of them). A chip's table has the
# name of its chip: src/chip/avr/CHIP.c, src/chip/msp430/CHIP.c.
set(CHIP_REGISTERS_DIR ${CMAKE_BINARY_DIR}/registers)
find_program(AVR_GCC avr-gcc REQUIRED)
set(CHIP_REGISTERS)
file(GLOB tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/chip/avr/at*.c)
foreach(table ${tables})
    get_filename_component(chip ${table} NAME_WE)
    set(header ${CHIP_REGISTERS_DIR}/registers/${chip}.h)
    add_custom_command(
        OUTPUT ${header}
        COMMAND sh ${CMAKE_SOURCE_DIR}/scripts/chip-registers ${AVR_GCC} ${chip} ${header}
        DEPENDS ${CMAKE_SOURCE_DIR}/scripts/chip-registers
        COMMENT "Reading avr-libc's register numbers for ${chip}")
    list(APPEND CHIP_REGISTERS ${header})
endforeach()
# Those of the MSP430 chips likewise, from the headers of package msp430mcu.
set(MSP430_INCLUDE_DIR /usr/msp430/include)
file(GLOB tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/chip/msp430/msp430*.c)
foreach(table ${tables})
    get_filename_component(chip ${table} NAME_WE)
    set(header ${CHIP_REGISTERS_DIR}/registers/${chip}.h)
    add_custom_command(
        OUTPUT ${header}
        COMMAND sh ${CMAKE_SOURCE_DIR}/scripts/chip-registers-msp430 ${CMAKE_C_COMPILER} ${MSP430_INCLUDE_DIR} ${chip} ${header}
        DEPENDS ${CMAKE_SOURCE_DIR}/scripts/chip-registers-msp430
        COMMENT "Reading msp430mcu's register numbers for ${chip}")
    list(APPEND CHIP_REGISTERS ${header})
endforeach()
add_custom_target(chip_registers DEPENDS ${CHIP_REGISTERS})
