# motet_firmware(NAME SOURCES files... CHIP chip [CLOCK hz] [RECORDED board | CALLS_RECORDER board [CODEC codec] [STAMP timer] | LOGGED pieces [LOG_OPTIONS options...]] [GROUP target] [OPTIONS flags...])
# Builds build/firmware/NAME.elf, for any chip: with avr-gcc for an AVR, with clang, lld and target/msp430 for an
# MSP430, with arm-none-eabi-gcc and target/cortex for a Cortex-M. OPTIONS go to the compiler, those that begin with -Wl, to the linker. RECORDED builds it through `motet cc`,
# so that it keeps a log in the flash of that board; CALLS_RECORDER only adds the recorder to sources that call it by
# themselves. LOGGED builds it through `motet cc --log-interface`, with these pieces and options. Without libclang there is none of these. All firmwares are built by
# the target `firmware`, or by GROUP. Without clang and lld the firmwares for the MSP430 are left out; MSP430_CLANG says whether they are there.
# ARM_GCC says the same of those for Cortex-M.
# -DMOTET_FIRMWARE_DIR=folder takes firmwares that another build has made from the same sources.
set(FIRMWARE_DIR ${CMAKE_BINARY_DIR}/firmware)
if(MOTET_FIRMWARE_DIR)
    set(FIRMWARE_DIR ${MOTET_FIRMWARE_DIR})
endif()
file(MAKE_DIRECTORY ${FIRMWARE_DIR}/objects)
add_custom_target(firmware ALL)
include(${CMAKE_CURRENT_LIST_DIR}/msp430.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/cortex.cmake)

function(motet_firmware name)
    if(MOTET_FIRMWARE_DIR)
        add_custom_target(firmware-${name})
        return()
    endif()
    cmake_parse_arguments(F "WAITS" "CHIP;CLOCK;RECORDED;CALLS_RECORDER;CODEC;STAMP;PROFILE;GROUP;LOGGED" "SOURCES;OPTIONS;LOG_OPTIONS"
                          ${ARGN})
    set(record)
    set(record_files)
    set(own_recorder)
    if(F_RECORDED OR F_CALLS_RECORDER)
        if(NOT TARGET motet_rewrite)
            return()
        endif()
        set(record $<TARGET_FILE:motet> cc --board ${F_RECORDED}${F_CALLS_RECORDER})
        if(F_CODEC)
            list(APPEND record --codec ${F_CODEC})
        endif()
        if(F_STAMP)
            list(APPEND record --stamp ${F_STAMP})
        endif()
        if(F_PROFILE)
            list(APPEND record --profile ${F_PROFILE})
        endif()
        if(F_WAITS)
            list(APPEND record --when-full wait)
        endif()
        list(APPEND record --)
        file(GLOB record_files LIST_DIRECTORIES false CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/target/recorder/* ${CMAKE_SOURCE_DIR}/target/recorder/cortex/*
             ${CMAKE_SOURCE_DIR}/target/registers/${F_CHIP}.txt)
        # The program only hands on to the module: a change of it alone asks for no new firmware.
        list(APPEND record_files motet_rewrite)
    endif()
    if(F_CALLS_RECORDER)
        motet_recorder_object(own_recorder ${F_CHIP} "${F_OPTIONS}")
        set(record)
        set(record_files)
    endif()
    if(F_LOGGED)
        if(NOT TARGET motet_rewrite)
            return()
        endif()
        set(record $<TARGET_FILE:motet> cc --log-interface ${F_LOGGED} ${F_LOG_OPTIONS} --)
        file(GLOB record_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/target/interface/*
             ${CMAKE_SOURCE_DIR}/target/registers/${F_CHIP}.txt)
        list(APPEND record_files motet_rewrite)
    endif()
    set(sources)
    foreach(source ${F_SOURCES})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND sources ${source})
    endforeach()
    set(elf ${FIRMWARE_DIR}/${name}.elf)
    if(F_CHIP MATCHES "^msp430")
        if(NOT MSP430_CLANG)
            return()
        endif()
        motet_msp430_elf(${elf} ${F_CHIP} "${sources}" "${F_OPTIONS}")
    elseif(EXISTS ${CMAKE_SOURCE_DIR}/target/cortex/${F_CHIP}.ld)
        if(NOT ARM_GCC)
            return()
        endif()
        motet_cortex_elf(${elf} ${F_CHIP} "${sources}" "${F_OPTIONS}")
    else()
        motet_avr_elf(${elf} ${F_CHIP} "${F_CLOCK}" "${sources}" "${F_OPTIONS}")
    endif()
    add_custom_target(firmware-${name} DEPENDS ${elf})
    if(NOT F_GROUP)
        set(F_GROUP firmware)
    endif()
    add_dependencies(${F_GROUP} firmware-${name})
endfunction()

# motet_object(INTO SOURCE COMPILER...): one object of a firmware, by `record` and the compiler with its options; appends
# it to the list INTO. Firmwares of one folder share the objects that are compiled alike: those of the kit are in dozens.
# The definition of a kit's variant counts only for sources that name it; no header of the kit does.
function(motet_object into source)
    set(command ${record} ${ARGN})
    foreach(definition ${command})
        if(definition MATCHES "^-D(BUG_[A-Z_]+|LPL)(=|$)")
            file(STRINGS ${source} named REGEX "${CMAKE_MATCH_1}" LIMIT_COUNT 1)
            if(NOT named)
                list(REMOVE_ITEM command "${definition}")
            endif()
        endif()
    endforeach()
    string(SHA1 key "${CMAKE_CURRENT_SOURCE_DIR} ${source} ${command}")
    string(SUBSTRING ${key} 0 16 key)
    cmake_path(GET source FILENAME file)
    set(object ${FIRMWARE_DIR}/objects/${file}-${key}.o)
    get_property(known GLOBAL PROPERTY motet_object_${key})
    if(NOT known)
        set_property(GLOBAL PROPERTY motet_object_${key} TRUE)
        file(RELATIVE_PATH target ${CMAKE_BINARY_DIR} ${object})
        add_custom_command(
            OUTPUT ${object}
            COMMAND ${command} -MMD -MF ${object}.d -MT ${target} -c ${source} -o ${object}
            DEPENDS ${source} ${record_files}
            DEPFILE ${object}.d
            COMMENT "Object ${file} for ${name}"
            VERBATIM)
    endif()
    set(${into} ${${into}} ${object} PARENT_SCOPE)
endfunction()

# motet_recorder_object(INTO CHIP OPTIONS): the recorder alone, by `record` of motet_firmware; sets INTO to its object. Of
# the options those count that choose what the recorder does. Firmwares with the same recorder share its object.
function(motet_recorder_object into chip options)
    list(FILTER options INCLUDE REGEX "^-DMOTET_")
    list(REMOVE_ITEM record --)
    set(compiler ${AVR_GCC} -std=gnu11 -gdwarf-4 -Wall -Wextra -Werror)
    if(chip MATCHES "^msp430")
        set(compiler ${MSP430_CLANG} ${MSP430_FLAGS})
    endif()
    set(command ${record} --recorder -- ${compiler} -Os -mmcu=${chip} ${options})
    string(SHA1 key "${CMAKE_CURRENT_SOURCE_DIR} ${command}")
    string(SUBSTRING ${key} 0 16 key)
    set(object ${FIRMWARE_DIR}/objects/recorder-${key}.o)
    get_property(known GLOBAL PROPERTY motet_object_${key})
    if(NOT known)
        set_property(GLOBAL PROPERTY motet_object_${key} TRUE)
        add_custom_command(
            OUTPUT ${object}
            COMMAND ${command} -c -o ${object}
            DEPENDS ${record_files}
            COMMENT "Recorder for ${name}"
            VERBATIM)
    endif()
    set(${into} ${object} PARENT_SCOPE)
endfunction()

# `record`, `record_files` and `own_recorder`, of motet_firmware: what stands before the compiler, what that depends on,
# and an object to be linked last before the library.
function(motet_avr_elf elf chip clock sources options)
    if(NOT clock)
        set(clock 16000000)
    endif()
    get_filename_component(name ${elf} NAME_WE)
    set(compiler ${AVR_GCC} -mmcu=${chip} -DF_CPU=${clock}UL -std=gnu11 -Os -gdwarf-4 -Wall -Wextra -Werror
        -I${CMAKE_SOURCE_DIR}/target/include ${options})
    if(record) # `motet cc` sees the whole program at once; of several sources gcc lists the headers of the last one only
        set(folders)
        foreach(source ${sources})
            cmake_path(GET source PARENT_PATH folder)
            list(APPEND folders ${folder}/*.h)
        endforeach()
        list(REMOVE_DUPLICATES folders)
        if(sources MATCHES "/firmware/kit/")
            list(APPEND folders ${CMAKE_SOURCE_DIR}/firmware/kit/board/*.h)
        endif()
        file(GLOB headers CONFIGURE_DEPENDS ${folders})
        file(RELATIVE_PATH target ${CMAKE_BINARY_DIR} ${elf})
        add_custom_command(
            OUTPUT ${elf}
            COMMAND ${record} ${compiler} -MMD -MF ${elf}.d -MT ${target} -o ${elf} ${sources} ${own_recorder} -lm
            DEPENDS ${sources} ${headers} ${own_recorder} ${record_files}
            DEPFILE ${elf}.d
            COMMENT "Firmware ${name}"
            VERBATIM)
        return()
    endif()
    set(objects)
    set(compile ${compiler})
    list(FILTER compile EXCLUDE REGEX "^-Wl,")
    foreach(source ${sources})
        motet_object(objects ${source} ${compile})
    endforeach()
    add_custom_command(
        OUTPUT ${elf}
        COMMAND ${compiler} -o ${elf} ${objects} ${own_recorder} -lm
        DEPENDS ${objects} ${own_recorder}
        COMMENT "Firmware ${name}"
        VERBATIM)
endfunction()
