/* Between the two halves of serial.h: serial_receive.c and serial_send.c. Called with interrupts off. */
#ifndef KIT_SERIAL_INTERNAL_H
#define KIT_SERIAL_INTERNAL_H

#include <stdint.h>

void serial_answer(uint8_t token);       /* send an acknowledgement */
void serial_acknowledged(uint8_t token); /* one has come */
int16_t serial_next(void);               /* the next byte on the line, negative if none */

#endif
