/* The build id (docs/node-log-format.md), for the node in program memory. `motet cc` defines its words with the rest of
 * the recorder, and puts the id into the ELF file's section .motet.build. Where the recorder is made alone the options of
 * the link define them (scripts/build-id), or they are zero. */
#include "config.h"

#ifdef MOTET_BUILD_BY_LINKER
    .weak motet_build_id, motet_build_id16, motet_build_id32, motet_build_id48

    .pushsection .motet.build,"",@progbits
    .short motet_build_id, motet_build_id16, motet_build_id32, motet_build_id48
    .popsection
#endif

#ifdef __AVR__
    .pushsection .progmem.gcc_motet,"a",@progbits
#else
    .pushsection .rodata.motet_build,"a",@progbits
#endif
    .global motet_build
    .type motet_build,@object
motet_build:
    .short motet_build_id, motet_build_id16, motet_build_id32, motet_build_id48
    .size motet_build, .-motet_build
    .popsection

/* For replay: what the count begins with (config.h), and that the low byte alone is counted by rewritten code. */
    .pushsection .motet.count,"",@progbits
    .short COUNT_FIRST
    .popsection
