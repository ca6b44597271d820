/* The loop over decoded instructions. See isa.h for the state it leaves. */
#ifndef ISA_AVR_EXECUTE_H
#define ISA_AVR_EXECUTE_H

struct node;

void avr_run(struct node *n);
void avr_show(struct node *n); /* isa->show */

#endif
