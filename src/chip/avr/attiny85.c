/* ATtiny85, from its datasheet; register and vector numbers from avr-libc. */
#include "registers/attiny85.h"

#include "chip/avr/tinyx5.h"

const struct chip chip_attiny85 = {TINYX5_CHIP, .name = "attiny85"};
