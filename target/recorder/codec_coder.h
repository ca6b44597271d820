/* A range coder of 16 bits with carries (G. N. N. Martin, 1979), whose decisions cost a multiplication of 16 by 8 bits.
 *
 * Part of codec_encode.h. A carry goes back through the bytes that have come out: out_carry(). Invariant: the last byte
 * that has come out and those before it up to one that is not 0xff may still change, all others not. */
struct coder {
    uint16_t low, range;
};

#if defined __AVR__ || (defined __MSP430__ && defined MPY_) /* in assembly, known by this name */
#define CODER_ASSEMBLY
#define CODER_LINKAGE
#else
#define CODER_LINKAGE static
#endif
CODER_LINKAGE struct coder motet_coder __attribute__((section(".noinit")));
#define K motet_coder

/* Of struct recorder. */
#define CODER_FIRST "motet_recorder+26+" RECORDER_TEXT(MOTET_RING)
#define CODER_COUNT "motet_recorder+27+" RECORDER_TEXT(MOTET_RING)
#define CODER_OUT   "motet_recorder+28+" RECORDER_TEXT(MOTET_RING)

#ifdef __AVR__

/* Whether a decision is for the bit in r24, whose probability is at Z. All registers are kept but r0 and r18 to r23: so
 * those who call this need few others. Of motet_coder_settle and motet_coder_carry all but r18 and r19. */
__attribute__((naked, used, noinline)) void motet_code(void)
{
    __asm__ volatile("ld r18, Z\n\t"
                     "mov r19, r18\n\t"
                     "lds r20, motet_coder+2\n\t"
                     "lds r21, motet_coder+3\n\t"
                     "mul r21, r18\n\t"
                     "movw r22, r0\n\t"
                     "mul r20, r18\n\t"
                     "add r22, r1\n\t"
                     "clr r1\n\t"
                     "adc r23, r1\n\t" /* the range times p / 256 is for a one */
                     "tst r24\n\t"
                     "breq 1f\n\t"
                     "movw r20, r22\n\t"
                     "neg r19\n\t"
                     "swap r19\n\t"
                     "andi r19, 0x0f\n\t"
                     "add r18, r19\n\t"
                     "st Z, r18\n\t"
                     "rjmp 2f\n"
                     "1:\n\t"
                     "sub r20, r22\n\t"
                     "sbc r21, r23\n\t"
                     "swap r19\n\t"
                     "andi r19, 0x0f\n\t"
                     "sub r18, r19\n\t"
                     "st Z, r18\n\t"
                     "lds r18, motet_coder\n\t"
                     "lds r19, motet_coder+1\n\t"
                     "add r18, r22\n\t"
                     "adc r19, r23\n\t"
                     "sts motet_coder+1, r19\n\t"
                     "sts motet_coder, r18\n\t"
                     "brcc 2f\n\t"
                     "rcall motet_coder_carry\n"
                     "2:\n\t"
                     "tst r21\n\t"
                     "brne 3f\n\t"
                     "rcall motet_coder_settle\n\t"
                     "mov r21, r20\n\t"
                     "clr r20\n"
                     "3:\n\t"
                     "sts motet_coder+3, r21\n\t"
                     "sts motet_coder+2, r20\n\t"
                     "ret\n"
                     "motet_coder_carry:\n\t"
                     "push r30\n\t"
                     "push r31\n\t"
                     "rcall 6f\n"
                     "4:\n\t"
                     "ld r18, -Z\n\t"
                     "inc r18\n\t"
                     "st Z, r18\n\t"
                     "breq 4b\n\t"
                     "rjmp 5f\n"
                     "motet_coder_settle:\n\t"
                     "push r30\n\t"
                     "push r31\n\t"
                     "rcall 6f\n\t"
                     "inc r18\n\t"
                     "sts " CODER_COUNT ", r18\n\t"
                     "lds r18, motet_coder+1\n\t"
                     "st Z, r18\n\t"
                     "lds r18, motet_coder\n\t"
                     "sts motet_coder+1, r18\n\t"
                     "sts motet_coder, r1\n"
                     "5:\n\t"
                     "pop r31\n\t"
                     "pop r30\n\t"
                     "ret\n"
                     "6:\n\t"
                     "lds r18, " CODER_COUNT "\n\t"
                     "lds r30, " CODER_FIRST "\n\t"
                     "add r30, r18\n\t"
                     "ldi r31, 0\n\t"
                     "subi r30, lo8(-(" CODER_OUT "))\n\t"
                     "sbci r31, hi8(-(" CODER_OUT "))\n\t"
                     "ret");
}

static inline uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    register uint8_t given __asm__("r24") = bit;
    (void)c;
    __asm__ volatile("call motet_code" ::"z"(probability), "r"(given)
                     : "r0", "r18", "r19", "r20", "r21", "r22", "r23", "memory");
    return bit;
}

static inline void coder_settle(void)
{
    __asm__ volatile("call motet_coder_settle" ::: "r18", "r19", "memory");
}

static inline void coder_carry(void)
{
    __asm__ volatile("call motet_coder_carry" ::: "r18", "r19", "memory");
}

#elif defined CODER_ASSEMBLY

/* Whether a decision is for the bit in r13, whose probability is at r12. All registers are kept but r11, r14 and r15;
 * of motet_coder_settle and motet_coder_carry all but r11. Between motet_product and motet_product_end the multiplier
 * must be nobody else's: an interrupt there leads back to the beginning (port_msp430.h). */
__attribute__((naked, used, noinline)) void motet_code(void)
{
    __asm__ volatile("mov.b @r12, r14\n\t"
                     "swpb r14\n\t"
                     "mov &motet_coder+2, r15\n"
                     "motet_product:\n\t"
                     "mov r15, &0x130\n\t"
                     "mov r14, &0x138\n\t"
                     "mov &0x13c, r11\n" /* the range times p / 256 is for a one */
                     "motet_product_end:\n\t"
                     "swpb r14\n\t"
                     "tst.b r13\n\t"
                     "jz 1f\n\t"
                     "mov r11, r15\n\t"
                     "mov.b r14, r11\n\t"
                     "inv.b r11\n\t"
                     "inc.b r11\n\t"
                     "clrc\n\t"
                     "rrc.b r11\n\t"
                     "rra.b r11\n\t"
                     "rra.b r11\n\t"
                     "rra.b r11\n\t"
                     "add.b r11, r14\n\t"
                     "jmp 3f\n"
                     "1:\n\t"
                     "sub r11, r15\n\t"
                     "add r11, &motet_coder\n\t"
                     "jnc 2f\n\t"
                     "call #motet_coder_carry\n"
                     "2:\n\t"
                     "mov.b r14, r11\n\t"
                     "clrc\n\t"
                     "rrc.b r11\n\t"
                     "rra.b r11\n\t"
                     "rra.b r11\n\t"
                     "rra.b r11\n\t"
                     "sub.b r11, r14\n"
                     "3:\n\t"
                     "mov.b r14, 0(r12)\n\t"
                     "cmp #0x100, r15\n\t"
                     "jhs 4f\n\t"
                     "call #motet_coder_settle\n\t"
                     "swpb r15\n"
                     "4:\n\t"
                     "mov r15, &motet_coder+2\n\t"
                     "ret\n"
                     "motet_coder_carry:\n\t"
                     "mov.b &" CODER_FIRST ", r11\n\t"
                     "push r11\n\t"
                     "mov.b &" CODER_COUNT ", r11\n\t"
                     "add @sp+, r11\n"
                     "5:\n\t"
                     "dec r11\n\t"
                     "inc.b " CODER_OUT "(r11)\n\t"
                     "jz 5b\n\t"
                     "ret\n"
                     "motet_coder_settle:\n\t"
                     "mov.b &" CODER_FIRST ", r11\n\t"
                     "push r11\n\t"
                     "mov.b &" CODER_COUNT ", r11\n\t"
                     "add @sp+, r11\n\t"
                     "mov.b &motet_coder+1, " CODER_OUT "(r11)\n\t"
                     "inc.b &" CODER_COUNT "\n\t"
                     "mov.b &motet_coder, r11\n\t"
                     "swpb r11\n\t"
                     "mov r11, &motet_coder\n\t"
                     "ret");
}

static inline uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    register uint8_t *at __asm__("r12") = probability;
    register uint8_t given __asm__("r13") = bit;
    (void)c;
    __asm__ volatile("call #motet_code" ::"r"(at), "r"(given) : "r11", "r14", "r15", "memory", "cc");
    return bit;
}

static inline void coder_settle(void)
{
    __asm__ volatile("call #motet_coder_settle" ::: "r11", "memory", "cc");
}

static inline void coder_carry(void)
{
    __asm__ volatile("call #motet_coder_carry" ::: "r11", "memory", "cc");
}

#else

static inline void coder_settle(void)
{
    out((uint8_t)(K.low >> 8));
    K.low = (uint16_t)(K.low << 8);
}

static inline void coder_carry(void)
{
    out_carry();
}

static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    uint8_t p = *probability;
    uint16_t bound = (uint16_t)((uint32_t)K.range * p >> 8); /* is for a one */
    (void)c;
    if (bit) {
        K.range = bound;
        *probability = (uint8_t)(p + ((uint8_t)-p >> 4));
    } else {
        K.range -= bound;
        *probability = (uint8_t)(p - (p >> 4));
        K.low += bound;
        if (K.low < bound)
            coder_carry();
    }
    if (K.range < 0x100) {
        coder_settle();
        K.range = (uint16_t)(K.range << 8);
    }
    return bit;
}

#endif

static __attribute__((noinline)) uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result)
{
    uint16_t range = K.range;
    (void)c, (void)result;
    for (; bits; bits--) {
        range >>= 1;
        if (value & 0x8000) {
            uint16_t low = K.low + range;
            K.low = low;
            if (low < range)
                coder_carry();
        }
        value = (uint16_t)(value << 1);
        if ((uint8_t)(range >> 8) == 0) {
            coder_settle();
            range = (uint16_t)(range << 8);
        }
    }
    K.range = range;
    return 0;
}
