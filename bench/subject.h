/* The subject: one Motet node, for the groups that measure nodes.
 */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include <stdint.h>

struct subject;

/* NULL if the firmware cannot be loaded; the reason is printed. */
struct subject *subject_new(const char *elf, const char *chip, uint32_t frequency);

/* Runs until the cycle; returns the cycle it stopped at, or 0 where the program faulted or ended. */
uint64_t subject_run_until(struct subject *s, uint64_t cycle);

uint64_t subject_instructions(const struct subject *s);
uint8_t subject_byte(const struct subject *s, uint32_t address); /* of data space */
uint32_t subject_address(const struct subject *s, const char *variable);

/* Takes a snapshot, or takes one and puts it back, so many times. */
void subject_take(struct subject *s, unsigned times);
void subject_take_and_restore(struct subject *s, unsigned times);
void subject_free(struct subject *s);

#endif
