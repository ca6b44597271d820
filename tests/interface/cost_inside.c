#include "cost.h"

static uint8_t bytes[18];
static volatile uint16_t last;

void cost_in(uint8_t what)
{
    switch (what) {
    case COST_TASK: cost_out_task(); break;
    case COST_GETTER: last = cost_out_getter(); break;
    case COST_WORD: cost_out_word(300); break;
    case COST_WORD_WORD: last = cost_out_word_word(300); break;
    case COST_TIMER: last = cost_out_timer(300, 70000); break;
    case COST_POINTER: cost_out_pointer(300); break;
    case COST_READ: last = cost_shared; break;
    case COST_BYTES_1: cost_out_bytes(bytes, 1); break;
    case COST_BYTES_18: cost_out_bytes(bytes, 18); break;
    case COST_SEND_18: last = cost_out_send(bytes, 18); break;
    }
}

void cost_in_task(void)
{
    last = 1;
}

void cost_in_byte(uint8_t value)
{
    last = value;
}

void cost_in_word(uint16_t value)
{
    last = value;
}

uint8_t cost_in_byte_byte(uint8_t value)
{
    last = value;
    return value;
}

void cost_in_bytes(const uint8_t *at, uint8_t length)
{
    last = (uint16_t)(uintptr_t)at + length;
}
