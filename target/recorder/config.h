/* What a build chooses: the codec, sizes, and what is left out. For C and for assembly.
 *
 * motet_chip.h has the facts of the chip; `motet cc` writes it from target/registers/CHIP.txt. Every name here can be
 * set by -D in the compiler's command instead. Invariant: all of the recorder is compiled with the same choices.
 */
#ifndef CONFIG_H
#define CONFIG_H

#if defined __AVR__
#include <avr/io.h>
#include "motet_chip.h"
#elif defined __MSP430__
#include "motet_chip.h"
#endif

/* ---- the codec ---- */

#define CODEC_PLAIN  0
#define CODEC_TARDIS 1
#define CODEC_MOTET  3 /* 2 was another format of the same name */
#if defined MOTET_CODEC_tardis
#define MOTET_CODEC CODEC_TARDIS
#elif defined MOTET_CODEC_plain
#define MOTET_CODEC CODEC_PLAIN
#elif defined MOTET_CODEC_motet
#define MOTET_CODEC CODEC_MOTET
#elif defined CHIP_CODEC
#define MOTET_CODEC CHIP_CODEC
#else
#define MOTET_CODEC CODEC_MOTET
#endif
#if MOTET_CODEC == CODEC_TARDIS && defined __AVR_3_BYTE_PC__
#error "the tardis codec knows addresses of 16 bits; record with another"
#endif

/* The motet codec in assembly. That of an MSP430 needs the hardware multiplier. */
#if MOTET_CODEC == CODEC_MOTET && (defined __AVR__ || defined CHIP_MULTIPLIER)
#define CODER_ASSEMBLY
#endif

/* ---- sizes ---- */

/* Bytes of events that wait for the next idle moment; a multiple of four. */
#ifndef MOTET_RING
#if MOTET_CODEC == CODEC_PLAIN
#define MOTET_RING CHIP_RING_PLAIN
#elif MOTET_CODEC == CODEC_TARDIS
#define MOTET_RING CHIP_RING_TARDIS
#else
#define MOTET_RING CHIP_RING_MOTET
#endif
#endif

/* So many bytes are worth waking the worker for. */
#ifndef MOTET_BATCH
#if MOTET_RING > 512
#define MOTET_BATCH 160
#else
#define MOTET_BATCH 96
#endif
#endif

/* From here on the ring comes before an interrupt that the application waits for. */
#ifndef MOTET_URGENT
#define MOTET_URGENT (MOTET_RING / 4 * 3)
#endif

#define NEARLY 200 /* bytes that are left where the ring counts as nearly full, before the firmware comes to rest */
#define SCARCE 32  /* bytes that are left where the ports leave the work to C */

/* Bytes of the worker's stack (worker.h). */
#ifndef MOTET_STACK
#ifdef __AVR__
#define MOTET_STACK 136
#else
#define MOTET_STACK 168
#endif
#endif

/* Bytes that may be encoded ahead of what the flash can take; at least what a unit and the end of a part can become.
 * On an MSP430 the radio has the flash's bus: what it holds up is encoded. */
#ifndef MOTET_AHEAD
#if MOTET_CODEC == CODEC_TARDIS
#define MOTET_AHEAD 132
#elif MOTET_CODEC == CODEC_MOTET && defined __MSP430__
#define MOTET_AHEAD 136
#elif MOTET_CODEC == CODEC_MOTET
#define MOTET_AHEAD 72
#else
#define MOTET_AHEAD 32
#endif
#endif

/* ---- the serial port that a log can be fetched through (dump.h) ---- */

#if !defined MOTET_NO_DUMP && \
    ((defined __AVR__ && defined UDR0 && defined RXC0) || (defined __MSP430__ && defined MOTET_BOARD_TELOSB))
#define DUMP_PORT
#endif

/* ---- how the sources are put together ---- */

/* What one file of the recorder offers another. All of them are one translation unit (unit.c), in which the compiler
 * makes more of what it sees: the recorder is an eighth larger if each file is compiled by itself. */
#ifdef MOTET_UNIT
#define PRIVATE static __attribute__((unused))
#else
#define PRIVATE
#endif

/* What is called from several places is there once: the recorder is to be small, and most of it is not in a hurry. */
#define SMALL __attribute__((noinline, unused))

#endif
