#ifndef RATE_H
#define RATE_H

#include <stdint.h>

void rate_event(uint16_t value); /* of the component */

#endif
