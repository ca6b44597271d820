/* Addresses: which register of the chip an lvalue of the program is, however it is written: PINB, *(volatile uint8_t
 * *)0x36, ADC12MEM[i], *(flags_t *)&TIFR, ((struct usart *)0x70)->rctl, *(uint16_t *)((char *)0x140 + i).
 *
 * Invariant: what is found to be a register is one in every run; what is not found may still be one, if it is reached
 * through a pointer whose value only the run knows.
 */
#ifndef REWRITE_ADDRESS_H
#define REWRITE_ADDRESS_H

#include "rewrite/registers.h"
#include "rewrite/tree.h"

struct place {
    bool in_file;
    struct chip_register is; /* if it is in the chip's file; of the bytes that are read */
    char name[24];
    unsigned shift;  /* of a bit-field: its lowest bit in what `is` describes */
    bool computed;   /* one of several registers: an index decides while running */
    int32_t address; /* the lowest it can be */
};

bool address_of_register(struct tree *t, const struct registers *r, int node, struct place *at);

/* Whether a pointer expression leads to a register for sure. */
bool address_leads_to_register(struct tree *t, const struct registers *r, int node);

/* The address of an lvalue that is one in every run, whatever lies there. */
bool address_of_lvalue(struct tree *t, int node, uint32_t *address);

#endif
