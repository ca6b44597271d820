/* The build id (docs/node-logs.md): for the node in program memory, and in the ELF file in a section that is not loaded.
 * `motet cc` defines its words, or the options of another link (scripts/build-id); else they are zero. */
    .weak motet_build_id, motet_build_id16, motet_build_id32, motet_build_id48

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

    .pushsection .motet.build,"",@progbits
    .short motet_build_id, motet_build_id16, motet_build_id32, motet_build_id48
    .popsection
