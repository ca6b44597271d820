# Register, bit and vector numbers of each AVR chip, taken from avr-libc's own headers: one generated header a chip, in
# which every register is its address in data space (chip tables include exactly one of them).
set(CHIP_REGISTERS_DIR ${CMAKE_BINARY_DIR}/registers)
find_program(AVR_GCC avr-gcc REQUIRED)
set(CHIP_REGISTERS)
foreach(chip atmega128 atmega1281 atmega2560 atmega168 atmega328p)
    set(header ${CHIP_REGISTERS_DIR}/registers/${chip}.h)
    add_custom_command(
        OUTPUT ${header}
        COMMAND sh ${CMAKE_SOURCE_DIR}/scripts/chip-registers ${AVR_GCC} ${chip} ${header}
        DEPENDS ${CMAKE_SOURCE_DIR}/scripts/chip-registers
        COMMENT "Reading avr-libc's register numbers for ${chip}")
    list(APPEND CHIP_REGISTERS ${header})
endforeach()
add_custom_target(chip_registers DEPENDS ${CHIP_REGISTERS})
