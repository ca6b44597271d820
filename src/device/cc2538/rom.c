#include "device/cc2538/rom.h"

#include <string.h>

#include "node/wiring.h"

enum { TABLE = 0x48, CODE = 0x70 };

/* Addresses of the functions in the order of the table, with the bit of Thumb. */
static const uint32_t rom_table[] = {0x71, 0x95, 0x9b, 0xa1, 0xc9, 0xf7, 0xff, 0x11d, 0x12f, 0x10d};

/* clang-format off */
static const uint16_t rom_code[] = {
    /* 070: crc32(data, count) */
    0xb510, /* 070 push {r4, lr} */
    0xf06f, 0x0200, /* 072 mvn r2, #0 */
    0x4c34, /* 076 ldr r4, [pc] */
    0xb151, /* 078 cbz r1, 90 */
    0xf810, 0x3b01, /* 07a ldrb r3, [r0], #1 */
    0x3901, /* 07e subs r1, #1 */
    0x405a, /* 080 eors r2, r3 */
    0x2308, /* 082 movs r3, #8 */
    0x0852, /* 084 lsrs r2, r2, #1 */
    0xbf28, /* 086 it cs */
    0x4062, /* 088 eorcs r2, r4 */
    0x3b01, /* 08a subs r3, #1 */
    0xd1fa, /* 08c bne 84 */
    0xe7f3, /* 08e b 78 */
    0x43d0, /* 090 mvns r0, r2 */
    0xbd10, /* 092 pop {r4, pc} */
    /* 094: get_flash_size() */
    0xf44f, 0x2000, /* 094 mov r0, #524288 */
    0x4770, /* 098 bx lr */
    /* 09a: get_chip_id() */
    0xf64b, 0x1064, /* 09a movw r0, #47460 */
    0x4770, /* 09e bx lr */
    /* 0a0: page_erase(address, size) */
    0xb510, /* 0a0 push {r4, lr} */
    0x4c2a, /* 0a2 ldr r4, [pc] */
    0xf5a0, 0x1000, /* 0a4 sub r0, r0, #2097152 */
    0x2900, /* 0a8 cmp r1, #0 */
    0xdd0b, /* 0aa ble c4 */
    0x0882, /* 0ac lsrs r2, r0, #2 */
    0x6062, /* 0ae str r2, [r4, #4] */
    0x2205, /* 0b0 movs r2, #5 */
    0x6022, /* 0b2 str r2, [r4, #0] */
    0x6822, /* 0b4 ldr r2, [r4, #0] */
    0x0612, /* 0b6 lsls r2, r2, #24 */
    0xd4fc, /* 0b8 bmi b4 */
    0xf500, 0x6000, /* 0ba add r0, r0, #2048 */
    0xf5a1, 0x6100, /* 0be sub r1, r1, #2048 */
    0xe7f1, /* 0c2 b a8 */
    0x2000, /* 0c4 movs r0, #0 */
    0xbd10, /* 0c6 pop {r4, pc} */
    /* 0c8: program_flash(data, address, count) */
    0xb530, /* 0c8 push {r4, r5, lr} */
    0x4c20, /* 0ca ldr r4, [pc] */
    0xf5a1, 0x1100, /* 0cc sub r1, r1, #2097152 */
    0x2a00, /* 0d0 cmp r2, #0 */
    0xdd0c, /* 0d2 ble ee */
    0x088b, /* 0d4 lsrs r3, r1, #2 */
    0x6063, /* 0d6 str r3, [r4, #4] */
    0x2306, /* 0d8 movs r3, #6 */
    0x6023, /* 0da str r3, [r4, #0] */
    0xf850, 0x5b04, /* 0dc ldr r5, [r0], #4 */
    0x60a5, /* 0e0 str r5, [r4, #8] */
    0x6823, /* 0e2 ldr r3, [r4, #0] */
    0x061b, /* 0e4 lsls r3, r3, #24 */
    0xd4fc, /* 0e6 bmi e2 */
    0x3104, /* 0e8 adds r1, #4 */
    0x3a04, /* 0ea subs r2, #4 */
    0xe7f0, /* 0ec b d0 */
    0x2304, /* 0ee movs r3, #4 */
    0x6023, /* 0f0 str r3, [r4, #0] */
    0x2000, /* 0f2 movs r0, #0 */
    0xbd30, /* 0f4 pop {r4, r5, pc} */
    /* 0f6: reset_device() */
    0x4816, /* 0f6 ldr r0, [pc] */
    0x4916, /* 0f8 ldr r1, [pc] */
    0x6001, /* 0fa str r1, [r0, #0] */
    0xe7fe, /* 0fc b fc */
    /* 0fe: memset(to, value, count) */
    0x4603, /* 0fe mov r3, r0 */
    0xb11a, /* 100 cbz r2, 10a */
    0xf803, 0x1b01, /* 102 strb r1, [r3], #1 */
    0x3a01, /* 106 subs r2, #1 */
    0xe7fa, /* 108 b 100 */
    0x4770, /* 10a bx lr */
    /* 10c: memmove(to, from, count); with `to` below `from` it goes on in memcpy */
    0x4288, /* 10c cmp r0, r1 */
    0xd905, /* 10e bls 11c */
    0xb11a, /* 110 cbz r2, 11a */
    0x3a01, /* 112 subs r2, #1 */
    0x5c8b, /* 114 ldrb r3, [r1, r2] */
    0x5483, /* 116 strb r3, [r0, r2] */
    0xe7fa, /* 118 b 110 */
    0x4770, /* 11a bx lr */
    /* 11c: memcpy(to, from, count) */
    0x4684, /* 11c mov ip, r0 */
    0xb12a, /* 11e cbz r2, 12c */
    0xf811, 0x3b01, /* 120 ldrb r3, [r1], #1 */
    0xf80c, 0x3b01, /* 124 strb r3, [ip], #1 */
    0x3a01, /* 128 subs r2, #1 */
    0xe7f8, /* 12a b 11e */
    0x4770, /* 12c bx lr */
    /* 12e: memcmp(a, b, count) */
    0xb510, /* 12e push {r4, lr} */
    0x4604, /* 130 mov r4, r0 */
    0x2000, /* 132 movs r0, #0 */
    0xb132, /* 134 cbz r2, 144 */
    0xf814, 0x0b01, /* 136 ldrb r0, [r4], #1 */
    0xf811, 0x3b01, /* 13a ldrb r3, [r1], #1 */
    0x3a01, /* 13e subs r2, #1 */
    0x1ac0, /* 140 subs r0, r0, r3 */
    0xd0f7, /* 142 beq 134 */
    0xbd10, /* 144 pop {r4, pc} */
    0x0000, /* 146 .short 0x0000 */
    /* 148: constants */
    0x8320, 0xedb8,
    0x3008, 0x400d,
    0xed0c, 0xe000,
    0x0004, 0x05fa,
};
/* clang-format on */

void cc2538_rom_put(struct wiring *w)
{
    struct machine *m = w->machine;
    memcpy(m->flash + TABLE, rom_table, sizeof rom_table);
    memcpy(m->flash + CODE, rom_code, sizeof rom_code);
    memset(m->flash_known + TABLE, FLASH_DATA, sizeof rom_table);
    memset(m->flash_known + CODE, FLASH_CODE, sizeof rom_code);
}
