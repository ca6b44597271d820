/* Where the recorder's own memory begins and ends: all of it is in one section of one object, which checkpoints leave
 * out (checkpoint.c). */
#ifdef __AVR__
    .pushsection .noinit,"aw",@nobits
#else
    .pushsection .noinit,"aw",@progbits
#endif
    .global motet_own, motet_own_end
motet_own:
    .subsection 1
motet_own_end:
    .popsection
