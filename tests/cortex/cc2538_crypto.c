/* The AES and SHA module of the CC2538 against vectors of FIPS-197, SP 800-38A and C, GCM's authors (McGrew and Viega),
 * and FIPS 180-4: each prints a line, and a wrong one says so. */
#include <stdint.h>

#include "port.h"

#define REG(address)   (*(volatile uint32_t *)(0x4008b000 + (address)))
#define CLOCK(address) (*(volatile uint32_t *)(address))
enum { KEYS = 1, AES = 2, HASH = 4, RESULT = 1, IN_DONE = 2 };
enum { ENCRYPT = 4, CBC = 0x20, CTR = 0x40, WIDE = 0x180, CBC_MAC = 0x8000, GCM = 0x30000, CCM = 0x40000 };
#define SAVE  0x20000000u
#define READY 0x40000000u

static uint8_t in[128] __attribute__((aligned(4))), aside[64] __attribute__((aligned(4))),
    out[128] __attribute__((aligned(4))), other[32] __attribute__((aligned(4)));
static uint32_t tag[4];
static volatile unsigned taken, vector;

void on_irq(void);
void on_irq(void)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    vector = number - 16;
    taken++;
    REG(0x784) = 0;
}

static void check(const char *what, int good)
{
    port_print(what);
    port_print(good ? " good\n" : " WRONG\n");
}

static unsigned digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10u;
}

static unsigned bytes(uint8_t *to, const char *hex)
{
    unsigned count = 0;
    for (; hex[0]; hex += 2)
        to[count++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
    return count;
}

static int are(const void *got, const char *hex)
{
    const uint8_t *byte = got;
    for (; hex[0]; hex += 2)
        if (*byte++ != (digit(hex[0]) << 4 | digit(hex[1])))
            return 0;
    return 1;
}

static void channel(unsigned number, const void *address, unsigned length)
{
    REG(0x20 * number) = 1;
    REG(0x20 * number + 4) = (uint32_t)(uintptr_t)address;
    REG(0x20 * number + 0xc) = length;
}

static uint32_t result(void)
{
    while (!(REG(0x790) & RESULT))
        ;
    uint32_t errors = REG(0x790) & ~3u;
    REG(0x788) = 0xffffffff;
    REG(0x700) = 0;
    return errors;
}

static uint32_t key(unsigned area, const char *hex)
{
    unsigned count = bytes(in, hex), size = count == 16 ? 1 : count == 24 ? 2 : 3, areas = size == 1 ? 1 : 3;
    REG(0x784) = RESULT | IN_DONE;
    REG(0x700) = KEYS;
    if ((REG(0x408) & 3) != size)
        REG(0x408) = size;
    REG(0x404) = areas << area;
    REG(0x400) = areas << area;
    for (; count % 16; count++)
        in[count] = 0;
    channel(0, in, count);
    return result();
}

/* All data at once; 0, or errors. */
static uint32_t crypt(uint32_t control, unsigned area, const char *iv, const char *adata, const char *data)
{
    unsigned aside_length = bytes(aside, adata);
    REG(0x784) = RESULT | IN_DONE;
    REG(0x700) = AES;
    REG(0x788) = 0xffffffff;
    REG(0x40c) = area;
    while (REG(0x40c) & 0x80000000)
        ;
    if (REG(0x790) & 0x20000000) {
        REG(0x788) = 0xffffffff;
        REG(0x700) = 0;
        return 0x20000000;
    }
    uint32_t words[4] = {0};
    bytes((uint8_t *)words, iv);
    for (unsigned i = 0; i < 4; i++)
        REG(0x540 + 4 * i) = words[i];
    REG(0x550) = control;
    unsigned length = bytes(in, data);
    REG(0x554) = length;
    REG(0x558) = 0;
    REG(0x55c) = aside_length;
    if (aside_length) {
        channel(0, aside, aside_length);
        while (!(REG(0x790) & IN_DONE))
            ;
        REG(0x788) = IN_DONE;
    }
    REG(0x784) = RESULT;
    if (length) {
        channel(0, in, length);
        if (!(control & CBC_MAC))
            channel(1, out, length);
    }
    uint32_t errors = result();
    if (control & SAVE && !errors) {
        while (!(REG(0x550) & READY))
            ;
        for (unsigned i = 0; i < 4; i++)
            tag[i] = REG(0x570 + 4 * i);
        errors = REG(0x550) & READY;
    }
    return errors;
}

#define KEY_38A "2b7e151628aed2a6abf7158809cf4f3c"
#define TEXT    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
#define IV_CBC  "000102030405060708090a0b0c0d0e0f"
#define CBC_OUT "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
#define IV_CTR  "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define CTR_OUT "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"

static void blocks(void)
{
    static const char plain[] = "00112233445566778899aabbccddeeff";
    uint32_t bad = key(2, "000102030405060708090a0b0c0d0e0f");
    check("key", !bad && REG(0x404) == 4);
    bad = crypt(ENCRYPT, 2, "", "", plain);
    check("ecb", !bad && are(out, "69c4e0d86a7b0430d8cdb78070b4c55a"));
    bad = crypt(0, 2, "", "", "69c4e0d86a7b0430d8cdb78070b4c55a");
    check("ecb back", !bad && are(out, plain));
    check("no key", crypt(ENCRYPT, 3, "", "", plain) == 0x20000000);
    REG(0x700) = KEYS;
    REG(0x400) = 4;
    REG(0x784) = RESULT;
    channel(0, in, 16);
    check("occupied", result() == 0x40000000);
    bad = key(0, "000102030405060708090a0b0c0d0e0f1011121314151617");
    check("192 bits forget the others", !bad && REG(0x404) == 3);
    bad = crypt(ENCRYPT, 0, "", "", plain);
    check("ecb 192", !bad && are(out, "dda97ca4864cdfe06eaf70a0ec0d7191"));
    bad = key(4, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    bad |= crypt(0, 4, "", "", "8ea2b7ca516745bfeafc49904b496089");
    check("ecb 256 back", !bad && are(out, plain));
}

static void chains(void)
{
    uint32_t bad = key(0, KEY_38A) | crypt(CBC | ENCRYPT, 0, IV_CBC, "", TEXT);
    check("cbc", !bad && are(out, CBC_OUT));
    bad = crypt(CBC, 0, IV_CBC, "", CBC_OUT);
    check("cbc back", !bad && are(out, TEXT));
    bad = crypt(CTR | WIDE | ENCRYPT, 0, IV_CTR, "", TEXT);
    check("ctr", !bad && are(out, CTR_OUT));
    out[20] = 0x55;
    bad = crypt(CTR | WIDE, 0, IV_CTR, "", "874d6191b620e3261bef6864990db6ce9806f66b");
    check("ctr, part of a block", !bad && are(out, "6bc1bee22e409f96e93d7e117393172aae2d8a5755"));
    bad = crypt(CBC_MAC | SAVE | ENCRYPT, 0, IV_CBC, "", TEXT);
    check("cbc-mac", !bad && are(tag, "5086cb9b507219ee95db113a917678b2"));
}

/* SP 800-38C, examples 1 and 2: the widths of the length and of the tag are in the control word. */
static void counters_with_sums(void)
{
    uint32_t first = CCM | CTR | WIDE | SAVE | 7 << 19 | 1 << 22, second = CCM | CTR | WIDE | SAVE | 6 << 19 | 2 << 22;
    uint32_t bad = key(1, "404142434445464748494a4b4c4d4e4f");
    bad |= crypt(first | ENCRYPT, 1, "07101112131415160000000000000000", "0001020304050607", "20212223");
    check("ccm", !bad && are(out, "7162015b") && are(tag, "4dac255d"));
    bad = crypt(first, 1, "07101112131415160000000000000000", "0001020304050607", "7162015b");
    check("ccm back", !bad && are(out, "20212223") && are(tag, "4dac255d"));
    bad = crypt(second | ENCRYPT, 1, "06101112131415161700000000000000", "000102030405060708090a0b0c0d0e0f",
                "202122232425262728292a2b2c2d2e2f");
    check("ccm 2", !bad && are(out, "d2a1f0e051ea5f62081a7792073d593d") && are(tag, "1fc64fbfaccd"));
    bad = key(0, "feffe9928665731c6d6a8f9467308308");
    bad |= crypt(GCM | CTR | SAVE | ENCRYPT, 0, "cafebabefacedbaddecaf88800000001",
                 "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                 "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16a"
                 "edf5aa0de657ba637b39");
    check("gcm", !bad && are(tag, "5bc94fbc3221a5db94fae95ae7121a47") &&
                     are(out, "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a"
                              "5aac84aa051ba30b396a0aac973d58e091"));
}

static uint32_t hash(const void *from, unsigned length, unsigned mode, unsigned total)
{
    REG(0x784) = RESULT;
    REG(0x700) = 0x80000000u | HASH;
    REG(0x644) = mode;
    REG(0x648) = 8 * total;
    REG(0x64c) = 0;
    REG(0x640) = total ? 0x80 : 0;
    channel(0, from, length);
    channel(1, other, 32);
    return result();
}

static void hashes(void)
{
    static char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    static uint8_t many[192];
    uint32_t bad = hash(text, 3, 9, 3);
    check("sha-256", !bad && are(other, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    bad = hash(text, 56, 9, 56);
    check("sha-256, two blocks",
          !bad && are(other, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    for (unsigned i = 0; i < sizeof many; i++)
        many[i] = 'a';
    uint8_t whole[32];
    bad = hash(many, 130, 9, 130);
    for (unsigned i = 0; i < 32; i++)
        whole[i] = other[i];
    bad |= hash(many, 64, 9, 0);
    for (unsigned i = 0; i < 8; i++)
        REG(0x650 + 4 * i) = ((uint32_t *)(void *)other)[i];
    bad |= hash(many, 66, 8, 130);
    int same = 1;
    for (unsigned i = 0; i < 32; i++)
        same &= whole[i] == other[i];
    check("sha-256 in two pieces", !bad && same);
}

/* The end as an interrupt, and a transfer that reaches for flash. */
static void signals(void)
{
    CLOCK(0xe000e280 + 4 * (143 / 32)) = 1u << 143 % 32; /* what came before is forgotten */
    CLOCK(0xe000e100 + 4 * (143 / 32)) = 1u << 143 % 32;
    REG(0x780) = 1;
    REG(0x784) = RESULT;
    REG(0x700) = AES;
    REG(0x40c) = 0;
    REG(0x550) = ENCRYPT;
    REG(0x554) = 16;
    channel(0, in, 16);
    check("busy", (REG(0x018) & 1) && !taken);
    channel(1, out, 16);
    while (!taken)
        ;
    check("interrupt", taken == 1 && vector == 143 && !(REG(0x018) & 3));
    REG(0x788) = 3;
    REG(0x784) = RESULT;
    channel(1, out, 16);
    CLOCK(0xe000e180 + 4 * (143 / 32)) = 1u << 143 % 32;
    channel(0, (const void *)0x200000, 16);
    check("bus error", result() == 0x80000000);
    CLOCK(0x400d2054) = 2;
    CLOCK(0x400d2054) = 0;
    check("reset", REG(0x404) == 0);
}

int main(void)
{
    CLOCK(0x400d2048) = 2;
    blocks();
    chains();
    counters_with_sums();
    hashes();
    signals();
    REG(0x560) = 1; /* data by a register: reported */
    port_end(0);
    return 0;
}
