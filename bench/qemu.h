/* QEMU's AVR machine as a reference: it translates too, and counts no cycles. */
#ifndef BENCH_QEMU_H
#define BENCH_QEMU_H

#include <stdbool.h>
#include <stdint.h>

/* Whether qemu-system-avr is installed. */
bool qemu_is_there(void);

/* Rounds that a kernel finishes in a second of QEMU's processor time, once it has translated it. */
bool qemu_run(const char *elf, uint16_t rounds_at, double *rounds);

#endif
