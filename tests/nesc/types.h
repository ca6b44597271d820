/* Types of a small system in nesC, in the manner of TinyOS. */
#ifndef TYPES_H
#define TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t bool;
enum { FALSE = 0, TRUE = 1 };
enum { SUCCESS = 0, FAIL = 1, EBUSY = 5 };
typedef uint8_t error_t @combine("both");

error_t both(error_t a, error_t b)
{
    return a == b ? a : FAIL;
}

typedef struct {
    int unused;
} TTick;

enum { REPORT_READINGS = 6 };

/* As it goes out: big and little endian numbers, and bits, at any address. */
typedef nx_struct report
{
    nx_uint8_t mark;
    nx_uint16_t count;
    nxle_uint32_t time;
    nx_uint8_t kind : 3;
    nx_uint8_t urgent : 1;
    nx_uint16_t readings[REPORT_READINGS];
    nx_uint8_t check;
}
report_t;

#include "hardware.h"

#endif
