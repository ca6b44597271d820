/* The recorder's check, without the recorder's choices. Part of out.h. */
#ifndef CRC16_H
#define CRC16_H

#ifndef CONFIG_H
#define CONFIG_H
#endif
#define PRIVATE static __attribute__((unused))
#define SMALL   __attribute__((noinline, unused))
#include "../recorder/crc.c"

#endif
