/* Calls of every shape whose cost is measured: cost_inside.c is the component, cost.c calls it and is called. */
#ifndef COST_H
#define COST_H

#include <stdint.h>

struct cost_object {
    uint8_t bytes[18];
};

/* In */
void cost_in(uint8_t what);
void cost_in_task(void);
void cost_in_byte(uint8_t value);
void cost_in_word(uint16_t value);
uint8_t cost_in_byte_byte(uint8_t value);
void cost_in_bytes(const uint8_t *bytes, uint8_t length);

/* Out */
void cost_out_task(void);
uint16_t cost_out_getter(void);
void cost_out_word(uint16_t value);
uint16_t cost_out_word_word(uint16_t value);
uint16_t cost_out_timer(uint16_t timer, uint32_t ticks);
void cost_out_bytes(const uint8_t *bytes, uint8_t length);
uint8_t cost_out_send(const uint8_t *bytes, uint8_t length);
extern void (*cost_out_pointer)(uint16_t value);
extern volatile uint16_t cost_shared;

enum cost_what {
    COST_NOTHING,
    COST_TASK,
    COST_GETTER,
    COST_WORD,
    COST_WORD_WORD,
    COST_TIMER,
    COST_POINTER,
    COST_READ,
    COST_BYTES_1,
    COST_BYTES_18,
    COST_SEND_18,
    COST_COUNT
};

#endif
