/* Numbers of C that assembly needs: offsets of members, and constants.
 *
 * `motet cc` compiles this to assembly and makes motet_offsets.h of the texts that begin with "->": a #define for each.
 * No code of it gets into a program.
 */
#include "codec.h"
#include "codec_motet.h"
#include "coder.h"
#include "dump.h"
#include "lean.h"
#include "port.h"
#include "recorder.h"
#include "stamp.h"

#define NUMBER_OF(name, value) __asm__ volatile("\n\t.ascii \"->" #name " %0\"" ::"i"(value))
#define CONSTANT(name)         NUMBER_OF(name, name)
#define MEMBER(name, type, at) NUMBER_OF(name, offsetof(type, at))

void offsets(void);
void offsets(void)
{
    CONSTANT(UNIT);
    CONSTANT(WIDE);
    CONSTANT(AGAIN);
    CONSTANT(CLASS_BITS);
    CONSTANT(EVENT_AGAIN);
    CONSTANT(EVENT_WRAPPED);
    CONSTANT(EVENT_INSIDE);
    CONSTANT(EVENT_WOKE);
    CONSTANT(EVENT_LIBRARY);
    CONSTANT(EVENT_INTERRUPT);
    CONSTANT(RECORDING);
    CONSTANT(LOSING);
    CONSTANT(LOST);
#ifndef LEAN
    MEMBER(R_HEAD, struct recorder, head);
#endif
    MEMBER(R_FILL, struct recorder, fill);
    MEMBER(R_STATE, struct recorder, state);
    MEMBER(R_INSIDE, struct recorder, inside);
    MEMBER(R_BUSY, struct recorder, busy);
    MEMBER(R_IDLE, struct recorder, idle);
#if defined __MSP430__ && !defined MOTET_STAMP
    MEMBER(R_MEASURES, struct recorder, measures);
#endif
    MEMBER(R_AGAIN_SITE, struct recorder, again_site);
    MEMBER(R_AGAIN_NEXT, struct recorder, again_next);
    MEMBER(R_AGAIN_COUNT, struct recorder, again_count);
    MEMBER(R_VECTOR, struct recorder, vector);
    MEMBER(R_CALLER, struct recorder, caller);
    MEMBER(R_HOST, struct recorder, host);
#ifndef LEAN
    MEMBER(R_WORKER, struct recorder, worker);
#ifdef __MSP430__
    MEMBER(R_HOLDS, struct recorder, holds);
#endif
    MEMBER(R_OUT_MOST, struct recorder, out_most);
#endif
    MEMBER(R_STUB, struct recorder, stub);
    MEMBER(R_WINDOW, struct recorder, window);
#ifndef READS_ALL
    MEMBER(R_AFTER, struct recorder, after);
#endif
#ifdef __AVR_3_BYTE_PC__
    MEMBER(R_WINDOW_HIGH, struct recorder, window_high);
#endif
    MEMBER(R_ENTERED, struct recorder, entered);
    MEMBER(R_LIVES, struct recorder, lives);
#ifdef MOTET_STAMP
    MEMBER(R_BREATHES, struct recorder, breathes);
    CONSTANT(STAMP_SOON);
#elif !defined COUNTS_ALL
    MEMBER(R_MIXED, struct recorder, mixed);
#if defined READS_ALL && defined __AVR__
    MEMBER(R_HASHED, struct recorder, hashed);
#endif
#endif
    MEMBER(R_RESTING, struct recorder, resting);
    MEMBER(R_RING, struct recorder, ring);
    MEMBER(R_TAIL, struct recorder, tail);
    MEMBER(R_OUT_COUNT, struct recorder, out_count);
    MEMBER(R_OUT, struct recorder, out);
#ifdef LEAN
    MEMBER(R_OUT_FROM, struct recorder, out_from);
    CONSTANT(OUT_ROOM);
    CONSTANT(CODEC_MOST);
    CONSTANT(PIECE);
    MEMBER(R_PATIENT, struct recorder, patient);
    MEMBER(R_CAME, struct recorder, came);
    MEMBER(R_COMPARED, struct recorder, compared);
    MEMBER(R_COMPARES, struct recorder, compares);
    CONSTANT(HOST_BRIEF);
    CONSTANT(HOST_PATIENT);
    CONSTANT(HOST_ROOM);
    CONSTANT(HOST_CALL);
    CONSTANT(HOST_HASH);
    CONSTANT(HOST_IDLES);
    MEMBER(R_OPEN, struct recorder, events_page.open);
    MEMBER(R_INDEX, struct recorder, events_page.h.index);
    MEMBER(R_CONFIRMED, struct recorder, confirmed);
    CONSTANT(PAGE_OPEN);
#ifdef __MSP430__
    CONSTANT(LEAN_AGAIN);
    CONSTANT(RADIO_CS);
    MEMBER(R_ON, struct recorder, on);
    MEMBER(R_SENDING, struct recorder, sending);
    MEMBER(R_HOLDS, struct recorder, holds);
    MEMBER(R_PAGE_CHECK, struct recorder, events_page.h.check);
    MEMBER(R_PAGE_USED, struct recorder, events_page.h.used);
#endif
#ifdef ENCODES_ON
    MEMBER(R_LIMIT, struct recorder, limit);
    MEMBER(R_ENCODER, struct recorder, encoder);
    MEMBER(R_HOSTED, struct recorder, hosted);
    MEMBER(R_STACK_END, struct recorder, stack[MOTET_STACK / 2]);
#endif
#endif
    NUMBER_OF(DUMP_FIRST, DUMP_FIRST);
#ifdef DUMP_PORT
    MEMBER(D_MATCHED, struct dump, matched);
    MEMBER(D_WANTED, struct dump, wanted);
#endif
    MEMBER(K_LOW, struct coder, low);
    MEMBER(K_RANGE, struct coder, range);
    MEMBER(C_LEFT, struct codec, left);
    MEMBER(C_SITE, struct codec, site);
    MEMBER(C_VALUE, struct codec, value);
    MEMBER(C_HITS, struct codec, hits);
    MEMBER(C_AT, struct codec, at);
    MEMBER(C_TABLE, struct codec, predictor.table);
    MEMBER(C_RECENT, struct codec, predictor.recent);
    MEMBER(C_LONGER, struct codec, predictor.longer);
    MEMBER(C_CHECK, struct codec, predictor.check);
    MEMBER(C_POSITION, struct codec, predictor.position);
    MEMBER(C_NARROW, struct codec, predictor.narrow);
    MEMBER(C_WIDE, struct codec, predictor.wide);
#if MOTET_CODEC == CODEC_BITS
    MEMBER(R_CODER, struct recorder, coder);
#endif
    MEMBER(B_LEFT, struct bits_coder, left);
    MEMBER(B_SITE, struct bits_coder, site);
    MEMBER(B_VALUE, struct bits_coder, value);
    MEMBER(B_BYTE, struct bits_coder, byte);
    MEMBER(B_USED, struct bits_coder, used);
    MEMBER(B_AT, struct bits_coder, at);
    MEMBER(B_HITS, struct bits_coder, model.hits);
    MEMBER(B_CONTEXT, struct bits_coder, model.context);
    MEMBER(B_USUAL, struct bits_coder, model.usual);
    MEMBER(B_LITERALS, struct bits_coder, model.literals);
    MEMBER(B_EXPECTED, struct bits_coder, model.expected);
    MEMBER(B_TABLE, struct bits_coder, model.predictor.table);
    MEMBER(B_RECENT, struct bits_coder, model.predictor.recent);
    MEMBER(B_LONGER, struct bits_coder, model.predictor.longer);
    MEMBER(B_CHECK, struct bits_coder, model.predictor.check);
    MEMBER(B_POSITION, struct bits_coder, model.predictor.position);
    MEMBER(B_NARROW, struct bits_coder, model.predictor.narrow);
    MEMBER(B_WIDE, struct bits_coder, model.predictor.wide);
    CONSTANT(FIELD_WHERE);
    CONSTANT(FIELD_ADDRESS);
    CONSTANT(FIELD_COUNT);
    CONSTANT(FIELD_SP);
    CONSTANT(FIELD_LENGTH);
    CONSTANT(FIELDS);
    CONSTANT(NUMBER_NARROW);
    CONSTANT(NUMBER_TIMER);
    CONSTANT(NUMBER_WIDE);
    CONSTANT(BITS_AT);
    CONSTANT(BITS_AT_INSIDE);
    CONSTANT(BITS_AT_LIBRARY);
    CONSTANT(BITS_PLACES);
    CONSTANT(BITS_POSITIONS);
    CONSTANT(BITS_EXPECTED);
    CONSTANT(BITS_MOST_HITS);
    CONSTANT(BITS_MOST_USUAL);
    CONSTANT(BITS_WAKE);
    CONSTANT(BITS_COUNTED);
    CONSTANT(BITS_OTHER_NOTHING);
    CONSTANT(BITS_OTHER_NOTICE);
    CONSTANT(BITS_OTHER_WRAPPED);
    CONSTANT(BITS_OTHER_ANEW);
    CONSTANT(EVENT_NOTICE);
    CONSTANT(EVENT_BLOCK);
    CONSTANT(NOTICE_CHECK);
    CONSTANT(SYMBOL);
    CONSTANT(RIGHT_ONCE);
    CONSTANT(SITE_WIDE);
    CONSTANT(SITE_DATA);
    CONSTANT(COUNTED);
    CONSTANT(MOST_HITS);
    CONSTANT(SITE_WAKE);
    CONSTANT(SITE_CLASS);
    CONSTANT(SITE_TIMER);
    CONSTANT(SURE);
    CONSTANT(SYMBOL_SIGN);
    CONSTANT(STEP_WRONG);
    CONSTANT(NO_VECTOR);
#ifdef __AVR__
    NUMBER_OF(SLEEP_CONTROL, _SFR_MEM_ADDR(SLEEP_CONTROL));
    NUMBER_OF(SLEEP_ENABLE, SE);
    CONSTANT(SLEEP_OPCODE);
    CONSTANT(IN_R0_SREG);
#else
    CONSTANT(PUSH_SR);
#endif
}
