/* The memory of the recorder, and its counters, which belong to the application. */
#include "recorder.h"

__attribute__((section(".noinit"))) struct recorder motet_recorder;

volatile uint16_t motet_count;
volatile uint8_t motet_uncounted;
