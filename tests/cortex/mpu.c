/* The memory protection unit: what it denies to privileged and to unprivileged code, in Motet and in QEMU. */
#include <stdint.h>

#include "port.h"

#define REG(address) (*(volatile uint32_t *)(address))

/* QEMU prints for privileged code alone, so all is printed at the end. */
static char text[8192];
static volatile unsigned used;

static void put(char c)
{
    text[used++] = c;
}

static void print(const char *s)
{
    while (*s)
        put(*s++);
}

static void hex(uint32_t v)
{
    for (int i = 28; i >= 0; i -= 4)
        put("0123456789abcdef"[v >> i & 15]);
}

static uint8_t area[4096] __attribute__((aligned(4096)));
static volatile unsigned denials;

__attribute__((used)) static void denied(uint32_t *frame)
{
    uint32_t status = REG(0xe000ed28);
    denials++;
    print("denied ");
    hex(status);
    if (status & 0x80) {
        print(" at ");
        hex(REG(0xe000ed34) - (uint32_t)(uintptr_t)area);
    }
    put('\n');
    REG(0xe000ed28) = status;
    if (status & 1)
        frame[6] = frame[5] & ~1u; /* back to the caller */
    else
        frame[6] += 2;
}

__attribute__((naked)) void on_mem_manage(void);
__attribute__((naked)) void on_mem_manage(void)
{
    __asm__ volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n b denied");
}

/* Makes the caller privileged. */
__attribute__((naked)) void on_svc(void);
__attribute__((naked)) void on_svc(void)
{
    __asm__ volatile("mrs r0, control\n bic r0, #1\n msr control, r0\n bx lr");
}

__attribute__((noinline)) static uint32_t peek(const uint8_t *at)
{
    uint32_t v = 0;
    __asm__ volatile("ldr %0, [%1]\n" : "+l"(v) : "l"(at) : "memory");
    return v;
}

__attribute__((noinline)) static void poke(uint8_t *at, uint32_t v)
{
    __asm__ volatile("str %0, [%1]\n" : : "l"(v), "l"(at) : "memory");
}

static void region(unsigned number, uint32_t base, unsigned bits, uint32_t attributes)
{
    REG(0xe000ed9c) = base | 0x10 | number;
    REG(0xe000eda0) = attributes | (bits - 1) << 1 | 1;
}

static void try(const char *what, uint32_t offset)
{
    unsigned before = denials;
    print(what);
    put(' ');
    hex(offset);
    poke(area + offset, 0x11111111 + offset);
    print(denials == before ? " written" : "");
    before = denials;
    uint32_t v = peek(area + offset);
    print(denials == before ? " read " : "");
    hex(v);
    put('\n');
}

static void try_all(const char *who)
{
    static const uint16_t offsets[] = {0, 252, 256, 260, 512, 1020, 1536, 2048, 2560, 3072, 4088};
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++)
        try(who, offsets[i]);
#ifndef QEMU /* which remembers what it allows by pages of 1 KB, whatever their parts */
    print("only Motet: ");
    try(who, 1024);
    print("only Motet: ");
    try(who, 1280);
#endif
}

#define AP(n) ((uint32_t)(n) << 24)
#define XN    (1u << 28)

int main(void)
{
    uint32_t at = (uint32_t)(uintptr_t)area;
    hex(REG(0xe000ed90));
    put('\n');
    REG(0xe000ed24) |= 1 << 16; /* MemManage */
    region(0, 0, 29, AP(6));    /* code: read by all */
    region(1, 0x20000000, 29, AP(3));
    region(2, at, 12, AP(3) | XN);
    region(3, at + 256, 8, AP(5));                /* privileged code reads */
    region(4, at + 1024, 10, AP(1) | 0xa5u << 8); /* privileged code alone, but for half of the parts */
    region(5, at + 2048, 9, AP(0));               /* nobody */
    region(6, at + 3072, 5, AP(2));               /* unprivileged code reads */
    region(7, 0x40000000, 29, AP(3));
    for (unsigned i = 0; i < 8; i++) {
        REG(0xe000ed98) = i;
        hex(REG(0xe000ed9c) - (i > 1 && i < 7 ? at : 0));
        put(' ');
        hex(REG(0xe000eda0));
        put('\n');
    }
    try_all("off");
    REG(0xe000ed94) = 5;
    __asm__ volatile("dsb\n isb");
    try_all("privileged");
    poke(area + 16, 0x47704770); /* bx lr */
    ((void (*)(void))(uintptr_t)(area + 17))();
    print("back from RAM\n");
    __asm__ volatile("msr control, %0\n isb" : : "r"(1));
    try_all("unprivileged");
    __asm__ volatile("svc 0" : : : "r0", "memory");
    REG(0xe000ed94) = 0;
    __asm__ volatile("dsb\n isb");
    try_all("off again");
    ((void (*)(void))(uintptr_t)(area + 17))();
    for (unsigned i = 0; i < used; i++)
        port_put(text[i]);
    port_number(denials);
    port_put('\n');
    port_end(0);
    return 0;
}
