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

/* ---- profiles (motet cc --profile) ---- */

#if defined MOTET_PROFILE_tiny
#undef MOTET_CODEC_plain
#define MOTET_CODEC_plain
#define PROFILE_RING 128
#elif defined MOTET_PROFILE_small
#ifndef MOTET_CODEC_plain
#define MOTET_CODEC_bits
#endif
#if defined __MSP430__ && defined MOTET_CODEC_bits /* what waits is encoded: the bus may be the radio's for long */
#define PROFILE_RING 128
#else
#define PROFILE_RING 256
#endif
#endif
#ifdef PROFILE_RING
#define LEAN /* no thread, one stream of pages (lean.h) */
#undef MOTET_NO_CHECKPOINT
#define MOTET_NO_CHECKPOINT
#undef MOTET_NO_DUMP
#define MOTET_NO_DUMP
#ifndef MOTET_RING
#define MOTET_RING PROFILE_RING
#endif
#endif

/* ---- the codec ---- */

#define CODEC_PLAIN  0
#define CODEC_TARDIS 1
#define CODEC_MOTET  3 /* 2 was another format of the same name, as 4 was of the next */
#define CODEC_BITS   6
#if defined MOTET_CODEC_bits
#define MOTET_CODEC CODEC_BITS
#elif defined MOTET_CODEC_tardis
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
/* The bits codec in assembly. */
#if MOTET_CODEC == CODEC_BITS && (defined __AVR__ || defined __MSP430__)
#define BITS_ASSEMBLY
#endif

/* Interrupts and reads are put into the ring by assembly alone (lean_avr.S, lean_msp430.S); on MSP430 counts, too. */
#if defined LEAN && (defined __AVR__ || defined __MSP430__)
#define ENTERS_ALL
#define READS_ALL
#if defined __MSP430__
#define COUNTS_ALL
#endif
#endif
/* Events are encoded with interrupts on (lean_msp430.S). */
#if defined LEAN && defined BITS_ASSEMBLY && defined __MSP430__
#define ENCODES_ON
#endif

/* ---- sizes ---- */

/* Places of the table of guesses: with codec motet 256 or 128, which a log says. */
#ifndef MOTET_PLACES
#if MOTET_CODEC == CODEC_BITS
#define MOTET_PLACES 128
#else
#define MOTET_PLACES 256
#endif
#endif

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

/* What counts them. */
#ifdef LEAN
#if MOTET_RING != 256 && MOTET_RING != 128 && MOTET_RING != 64
#error "profiles small and tiny have a ring of 64, 128 or 256 bytes"
#endif
#define RING_SIZE uint8_t
#else
#define RING_SIZE uint16_t
#endif

/* So many bytes are worth waking the worker for. */
#ifndef MOTET_BATCH
#if MOTET_RING > 512
#define MOTET_BATCH 160
#elif MOTET_RING > 256
#define MOTET_BATCH 96
#else
#define MOTET_BATCH (MOTET_RING / 4)
#endif
#endif

/* From here on the ring comes before an interrupt that the application waits for. */
#ifndef MOTET_URGENT
#if defined MOTET_WHEN_FULL_WAIT || (defined LEAN && defined __MSP430__)
/* interrupts that come while reads wait for the flash have room; so have reads that are in a hurry (lean_msp430.S) */
#define MOTET_URGENT (MOTET_RING / 2)
#else
#define MOTET_URGENT (MOTET_RING / 4 * 3)
#endif
#endif

/* Bytes that are left where the ring counts as nearly full, before the first interrupt. */
#define NEARLY (MOTET_RING < 400 ? MOTET_RING / 2 : 200)
/* Bytes that are left where the ports leave the work to C, which may let the worker go on. */
#define SCARCE (MOTET_RING - MOTET_URGENT)

/* Breaths of the worker (worker.h) in an entry: with interrupts on, and off. */
#ifndef MOTET_BREATHS
#define MOTET_BREATHS 4
#endif
#ifndef MOTET_BREATHS_OFF
#ifdef __MSP430__ /* its radio has the flash's bus for long: what comes meanwhile has to be encoded where it happens \
                   */
#define MOTET_BREATHS_OFF 12
#else
#define MOTET_BREATHS_OFF 2
#endif
#endif

/* What has no room is waited for (--when-full wait). */
#ifdef MOTET_WHEN_FULL_WAIT
#define WHEN_FULL_WAITS 1
#else
#define WHEN_FULL_WAITS 0
#endif

/* Bytes of the worker's stack (worker.h), or of the encoder's alone (lean_msp430.S). */
#ifndef MOTET_STACK
#ifdef LEAN
#define MOTET_STACK 44
#elif defined __AVR__
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
#define MOTET_AHEAD 120
#elif MOTET_CODEC == CODEC_MOTET
#define MOTET_AHEAD 72
#elif MOTET_CODEC == CODEC_BITS && defined __MSP430__
#define MOTET_AHEAD 202
#elif MOTET_CODEC == CODEC_BITS
#define MOTET_AHEAD 48
#elif defined LEAN
#define MOTET_AHEAD 24
#else
#define MOTET_AHEAD 32
#endif
#endif

/* Bytes that go to the flash at once, which interrupts are off for: less than 200 microseconds (docs/recorder.md). */
#ifndef MOTET_PIECE
#if defined LEAN && defined __MSP430__ /* interrupts are let in between bytes, here and in the next but one */
#define MOTET_PIECE 24
#elif defined LEAN
#define MOTET_PIECE 8
#elif defined __MSP430__
#define MOTET_PIECE (MOTET_CODEC == CODEC_MOTET ? 80 : 32)
#elif defined MOTET_BOARD_UNO_FLASH || defined MOTET_BOARD_MEGA_FLASH /* have twice the clock of the others */
#define MOTET_PIECE 32
#else
#define MOTET_PIECE 12
#endif
#endif

/* ---- the serial port that a log can be fetched through (dump.h) ---- */

#if !defined MOTET_NO_DUMP && \
    ((defined __AVR__ && defined UDR0 && defined RXC0) || (defined __MSP430__ && defined MOTET_BOARD_TELOSB))
#define DUMP_PORT
#endif

/* ---- entries ---- */

/* MOTET_WITHOUT_PAGE, _BLOCK, _POINTER8, _POINTER16, _FREEZE and _CLEAR leave out the entry of that name. `motet cc`
 * defines those that no file of a link calls (src/rewrite/needed.h). */

/* What motet_count begins with at each event. Its low byte comes round some steps later, where motet_wrapped is called:
 * so the worker can go on soon after an interrupt, also in loops that do not make 256 rounds until the next; a step may
 * stand for eight rounds (src/rewrite/rounds.h). Positions are told less this. */
#ifdef LEAN
#define COUNT_SOON 0xe0
#else
#define COUNT_SOON 0xf8
#endif
#ifdef MOTET_STAMP
#define COUNT_FIRST 0
#else
#define COUNT_FIRST COUNT_SOON
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
