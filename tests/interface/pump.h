/* A pump's controller (inside) and the valve it opens (outside). */
#include <stdint.h>

void pump_level(uint8_t percent); /* inside: what a sensor says */
void valve_open(uint8_t how_far); /* outside */
extern uint8_t pump_limit;        /* inside */
