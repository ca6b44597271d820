/* Unwinding where avr-gcc's call frame information is not enough: see unwind_avr.c. */
#ifndef IMAGE_UNWIND_H
#define IMAGE_UNWIND_H

#include "image/target.h"

#define AVR_DATA_SPACE 0x800000u /* where avr-libc's linker scripts put data addresses */

extern const struct unwinder unwinder_avr;

#endif
