/* The loop over decoded instructions. See isa.h for the state it leaves. */
#ifndef ISA_MSP430_EXECUTE_H
#define ISA_MSP430_EXECUTE_H

struct node;

void msp430_run(struct node *n);
void msp430_show(struct node *n); /* isa->show */

/* Bits of the status register have been written: the low-power bits take effect on the clocks. */
void msp430_status_written(struct node *n, unsigned old);

#endif
