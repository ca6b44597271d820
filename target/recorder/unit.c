/* The recorder's C as one translation unit: the compiler drops, inlines and specialises what it sees as a whole. Each
 * of these files also compiles by itself (tests/rewrite/sources.sh). */
#define MOTET_UNIT

#include "recorder.c"
#include "crc.c"

#ifdef __AVR__
#include "flash_at45db.c"
#include "port_avr.c"
#include "stamp_avr.c"
#else
#include "flash_m25p80.c"
#include "port_msp430.c"
#include "stamp_msp430.c"
#endif

#include "dump.c"
#include "fetch.c"
#include "ring.c"
#include "entries.c"

#if MOTET_CODEC == CODEC_PLAIN
#include "codec_plain.c"
#elif MOTET_CODEC == CODEC_TARDIS
#include "tardis_encode.c"
#include "codec_tardis.c"
#elif MOTET_CODEC == CODEC_BITS
#include "codec_bits.c"
#else
#include "coder.c"
#include "codec_model.c"
#include "codec_motet.c"
#endif

#ifdef LEAN
#include "lean_pages.c"
#include "lean_worker.c"
#else
#include "pages.c"
#include "out.c"
#include "checkpoint.c"
#include "worker.c"
#endif
#include "start.c"
