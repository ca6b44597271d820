/* Feeds: a log in the order in which a native program takes it (target/native/feeder.c, docs/native-replay.md).
 *
 * A log places interrupts by machine addresses, and a native program has others. So the replay on the simulated chip
 * goes first and says where each interrupt came in steps that both programs make alike: entries of functions that the
 * compiler never put into others, and moments at which interrupts are enabled again; and, where handler and code after
 * the last step use the same variable, after which access to it. Invariant: each event is there once, in the order of
 * the log; at each call of motet_idle all changes of the variables since the last one are there too.
 */
#ifndef RECORD_FEED_H
#define RECORD_FEED_H

#include "node/node.h"
#include "record/replay.h"

/* A record has four words of 32 bits: the kind, and what feeder.c says of it. */
enum feed_kind { FEED_END, FEED_READ, FEED_BLOCK, FEED_IDLE, FEED_CHANGE, FEED_INTERRUPT, FEED_BEGIN, FEED_TURN };
enum feed_where { FEED_IN_CODE, FEED_ASLEEP, FEED_INSIDE };
/* Of an interrupt: `a` has the vector and, from bit 8 on, after how many accesses it came; `b` the steps before it; `c`
 * where it came, whether these accesses write, from bit 8 on their data address, and from bit 24 on which bytes around
 * it the last of them reached only after the interrupt (feed_accesses_torn). */
enum { FEED_WHERE = 0x7f, FEED_WRITES = 0x80, FEED_MOST = 0xffffff };

/* Of a turn, in a replay with a plan (record/replay.h): `a` and `b` are the tick before which what follows does not
 * come, low word first. */
struct feed_record {
    uint32_t kind, a, b, c;
};

struct feed;

/* `compared`: a byte for each data address, not 0 where a variable lies that the native program has too; of numbers
 * with several bytes 1, 2, 3... */
struct feed *feed_new(struct node *n, struct replay *r, const uint8_t *compared);
void feed_free(struct feed *f);

/* A function whose entries are steps. */
void feed_step_at(struct feed *f, uint32_t address, uint32_t size);

/* To be called before each instruction, with all of the node in its arena. */
void feed_instruction(struct feed *f, uint32_t pc);

/* To be called for each access to data that an instruction makes. */
void feed_access(struct feed *f, uint32_t address, unsigned size, bool writes);

/* Whether an interrupt has its place by accesses to a byte; that byte's data address. */
bool feed_is_placed(const struct feed_record *r, uint32_t *address);

/* The data address of a variable, as nodes have it, from the address that a file has for it. */
uint32_t feed_data_address(uint32_t address);

/* The address of a register by its name, of the list in the firmware's file. */
bool feed_register(const struct replay *r, const char *name, uint32_t *address);

/* After the replay: all records, the last is FEED_END. */
const struct feed_record *feed_records(struct feed *f, size_t *count);

#endif
