/* QEMU as a reference: it translates too, and counts no cycles. */
#ifndef BENCH_QEMU_H
#define BENCH_QEMU_H

#include <stdbool.h>
#include <stdint.h>

/* One of its machines: the program, and the options that make it run an ELF file, whose name comes last. */
struct qemu_machine {
    const char *program;
    const char *options[8];
    uint32_t data; /* where its monitor has address 0 of the data space */
};
extern const struct qemu_machine qemu_avr, qemu_arm;
extern const struct qemu_machine
    qemu_arm_counted; /* instructions, with -icount, so that its time is the same each time */

/* Whether its program is installed. */
bool qemu_is_there(const struct qemu_machine *m);

/* Rounds that a kernel finishes in a second of QEMU's processor time, once it has translated it. */
bool qemu_run(const struct qemu_machine *m, const char *elf, uint32_t rounds_at, double *rounds);

#endif
