/* Interrupts off and on again, for the processor at hand. */
#ifndef KIT_CPU_H
#define KIT_CPU_H

#ifdef __AVR__
#include "avr/cpu.h"
#elif defined __arm__
#include "cortex/cpu.h"
#else
#include "msp430/cpu.h"
#endif

#endif
