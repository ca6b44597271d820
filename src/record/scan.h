/* The scan of a program that records: reads of registers in its code that are not recorded.
 *
 * It looks at each function outside the recorder, instruction by instruction. A load from an address that the code
 * itself fixes (in the instruction, or by constants just before it) is followed: it is accounted for if what it read
 * goes to an entry of the recorder, belongs to a polling loop, is masked out, or goes back to the same register.
 * Invariant: what is found is used without being recorded, on some way through the code. What it cannot follow, such as
 * a pointer that comes from elsewhere, is left to replay (replay_unknown.h).
 */
#ifndef RECORD_SCAN_H
#define RECORD_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chip;
struct image;
struct motet_error;

struct scan_read {
    uint32_t at;      /* byte address of the load */
    uint32_t address; /* of the register */
    char name[20];    /* its name, or "" */
};

struct scan {
    struct scan_read *reads;
    size_t count;
};

/* False, with a sentence, if the program cannot be scanned. */
bool scan_program(const char *path, const struct chip *chip, struct scan *s, struct motet_error *e);
void scan_free(struct scan *s);

#endif
