/* What programs of csmith include: its arithmetic, and a checksum that goes to Motet's console. */
#ifndef CSMITH_H
#define CSMITH_H

#include <float.h>
#include <limits.h>
#include <motet.h>
#include <stdint.h>

#define STATIC           static
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(name) (safe_##name)
#define printf(...)     ((void)0) /* only for traces */
float fabsf(float x);
double fabs(double x);
#include <safe_math.h>

static uint32_t crc32_context = 0xffffffff;

static void checksum_byte(uint8_t byte)
{
    crc32_context ^= byte;
    for (uint8_t i = 0; i < 8; i++)
        crc32_context = crc32_context & 1 ? crc32_context >> 1 ^ 0xedb88320 : crc32_context >> 1;
}

static void transparent_crc(uint64_t value, char *name, int flag)
{
    (void)name, (void)flag;
    for (uint8_t i = 0; i < 8; i++)
        checksum_byte((uint8_t)(value >> 8 * i));
}

static inline void crc32_gentab(void) {}

static inline void platform_main_begin(void) {}

static void platform_main_end(uint32_t crc, int flag)
{
    (void)flag;
    for (int8_t shift = 28; shift >= 0; shift -= 4)
        motet_putc("0123456789abcdef"[crc >> shift & 15]);
    motet_putc('\n');
    motet_exit(0);
}

#endif
