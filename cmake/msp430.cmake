# MSP430 firmware from clang, lld and target/msp430: start-up code, linker script, compiler support, a small C library.
set(MSP430_TARGET ${CMAKE_SOURCE_DIR}/target/msp430)
find_program(MSP430_CLANG clang-19)
find_program(MSP430_LINKER ld.lld-19)
if(NOT MSP430_CLANG OR NOT MSP430_LINKER)
    set(MSP430_CLANG "")
    message(STATUS "No clang-19 and ld.lld-19: firmware for the MSP430 is left out")
    return()
endif()

set(MSP430_FLAGS --target=msp430 -std=gnu11 -ffunction-sections -fdata-sections -gdwarf-4 -gdwarf-aranges
    -Wall -Wextra -Werror -Wno-unknown-attributes -isystem ${MSP430_TARGET}/include -isystem /usr/msp430/include
    -I${CMAKE_SOURCE_DIR}/target/include)

# One object of the library; appends it to the list named by `into`.
function(motet_msp430_object into object source)
    file(RELATIVE_PATH target ${CMAKE_BINARY_DIR} ${object})
    add_custom_command(
        OUTPUT ${object}
        COMMAND ${MSP430_CLANG} ${MSP430_FLAGS} -Os ${ARGN} -MMD -MF ${object}.d -MT ${target} -c ${source} -o ${object}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "MSP430 ${object}"
        VERBATIM)
    set(${into} ${${into}} ${object} PARENT_SCOPE)
endfunction()

# The library, for chips with the 16-bit hardware multiplier and for those without.
foreach(multiplier none 16bit)
    set(dir ${FIRMWARE_DIR}/support-${multiplier})
    file(MAKE_DIRECTORY ${dir})
    set(objects)
    foreach(source integer.S intrinsics.S divide64.c float32.c float64.c string.c stdlib.c stdio.c)
        motet_msp430_object(objects ${dir}/${source}.o ${MSP430_TARGET}/${source} -mhwmult=${multiplier} -fno-builtin)
    endforeach()
    motet_msp430_object(objects ${dir}/multiply64.c.o ${MSP430_TARGET}/multiply64.c
                        -mhwmult=none -DFUNCTION=__motet_mpyll)
    motet_msp430_object(objects ${dir}/multiply64_hw.c.o ${MSP430_TARGET}/multiply64.c
                        -mhwmult=16bit -DFUNCTION=__mspabi_mpyll_hw)
    add_custom_command(
        OUTPUT ${dir}/support.a
        COMMAND ${CMAKE_COMMAND} -E rm -f ${dir}/support.a
        COMMAND ${CMAKE_AR} rc ${dir}/support.a ${objects}
        DEPENDS ${objects}
        COMMENT "MSP430 support routines, multiplier: ${multiplier}"
        VERBATIM)
    add_custom_target(firmware-support-${multiplier} DEPENDS ${dir}/support.a)
endforeach()
set(start)
motet_msp430_object(start ${FIRMWARE_DIR}/msp430-start.o ${MSP430_TARGET}/start.S)
add_custom_target(firmware-msp430-start DEPENDS ${start})

function(motet_msp430_elf elf chip sources options)
    set(link_options ${options})
    list(FILTER link_options INCLUDE REGEX "^-Wl,")
    list(FILTER options EXCLUDE REGEX "^-Wl,")
    string(REPLACE "-Wl," "" link_options "${link_options}")
    string(REPLACE "," ";" link_options "${link_options}")
    set(multiplier 16bit)
    if("-mhwmult=none" IN_LIST options)
        set(multiplier none)
    endif()
    get_filename_component(name ${elf} NAME_WE)
    if(F_LOGGED) # `motet cc` links, too: it asks clang, which asks for a linker of this name
        list(TRANSFORM link_options PREPEND -Wl,)
        file(MAKE_DIRECTORY ${FIRMWARE_DIR}/msp430-linker)
        file(CREATE_LINK ${MSP430_LINKER} ${FIRMWARE_DIR}/msp430-linker/msp430-elf-ld SYMBOLIC)
        add_custom_command(
            OUTPUT ${elf}
            COMMAND ${record} ${MSP430_CLANG} ${MSP430_FLAGS} -Wno-unused-command-line-argument -Os -mmcu=${chip} ${options}
                    -o ${elf} -B${FIRMWARE_DIR}/msp430-linker -nostdlib -nostartfiles -Wl,--gc-sections
                    -Wl,-L/usr/msp430/lib/ldscripts/${chip} -Wl,-T,${MSP430_TARGET}/link.x ${link_options}
                    ${FIRMWARE_DIR}/msp430-start.o ${sources} ${FIRMWARE_DIR}/support-${multiplier}/support.a
            DEPENDS ${sources} ${record_files} ${MSP430_TARGET}/link.x ${FIRMWARE_DIR}/msp430-start.o
                    ${FIRMWARE_DIR}/support-${multiplier}/support.a firmware-msp430-start firmware-support-${multiplier}
            COMMENT "Firmware ${name}"
            VERBATIM)
        return()
    endif()
    set(objects)
    foreach(source ${sources})
        motet_object(objects ${source} ${MSP430_CLANG} ${MSP430_FLAGS} -Os -mmcu=${chip} ${options})
    endforeach()
    list(APPEND objects ${own_recorder})
    set(identity)
    if(record) # the recorder comes after all objects and before the library; the build id is made of both
        motet_recorder_object(recorder ${chip} "${options}")
        list(APPEND objects ${recorder})
        set(identity ${elf}.identity)
        add_custom_command(
            OUTPUT ${identity}
            COMMAND ${CMAKE_SOURCE_DIR}/scripts/build-id ${identity} ${objects}
            DEPENDS ${objects} ${CMAKE_SOURCE_DIR}/scripts/build-id
            VERBATIM)
        list(APPEND link_options @${identity})
    endif()
    add_custom_command(
        OUTPUT ${elf}
        COMMAND ${MSP430_LINKER} --gc-sections -L /usr/msp430/lib/ldscripts/${chip} -T ${MSP430_TARGET}/link.x
                ${link_options} -o ${elf} ${FIRMWARE_DIR}/msp430-start.o ${objects}
                ${FIRMWARE_DIR}/support-${multiplier}/support.a
        DEPENDS ${objects} ${identity} ${MSP430_TARGET}/link.x ${FIRMWARE_DIR}/msp430-start.o
                ${FIRMWARE_DIR}/support-${multiplier}/support.a firmware-msp430-start firmware-support-${multiplier}
        COMMENT "Firmware ${name}"
        VERBATIM)
endfunction()
