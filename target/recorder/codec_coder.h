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
#define CODER_COUNT "motet_recorder+26+" RECORDER_TEXT(MOTET_RING)
#define CODER_MOST  "motet_recorder+27+" RECORDER_TEXT(MOTET_RING)
#define CODER_OUT   "motet_recorder+28+" RECORDER_TEXT(MOTET_RING)

#ifdef __AVR__

/* r19 and r18 are added to what is low. Where every decision comes by it is not called, for time. */
#define CODER_ADD               \
    "lds r0, motet_coder\n\t"   \
    "add r0, r18\n\t"           \
    "sts motet_coder, r0\n\t"   \
    "lds r0, motet_coder+1\n\t" \
    "adc r0, r19\n\t"           \
    "sts motet_coder+1, r0\n\t"

/* The range times what is at Z, through 256: r19 and r18 are for a one. Each kind of decision has it: most of the
 * encoder's time is spent here. */
#define CODER_PRODUCT            \
    "ld r22, Z\n\t"              \
    "lds r20, motet_coder+2\n\t" \
    "lds r21, motet_coder+3\n\t" \
    "mul r21, r22\n\t"           \
    "movw r18, r0\n\t"           \
    "mul r20, r22\n\t"           \
    "add r18, r1\n\t"            \
    "clr r1\n\t"                 \
    "adc r19, r1\n\t"

/* A decision is taken whose probability is at Z: motet_code_one or motet_code_zero. All registers are kept but r0 and
 * r18 to r23, so those who call this need few others. motet_code_raw does the same with the topmost bits of r23 and
 * r22, as many as r24 says; motet_code_tree with the lowest bits of r24, the decisions being a tree at Z, of which r25
 * has twice the size. */
__attribute__((naked, used, noinline)) void motet_code(void)
{
    __asm__ volatile("motet_code_raw:\n\t"
                     "lds r20, motet_coder+2\n\t"
                     "lds r21, motet_coder+3\n\t"
                     "rjmp 2f\n"
                     "1:\n\t"
                     "lsr r21\n\t"
                     "ror r20\n\t"
                     "lsl r22\n\t"
                     "rol r23\n\t"
                     "brcc 3f\n\t"
                     "movw r18, r20\n\t"
                     "rcall motet_coder_add\n"
                     "3:\n\t"
                     "tst r21\n\t"
                     "brne 2f\n\t"
                     "rcall motet_coder_settle\n"
                     "2:\n\t"
                     "dec r24\n\t"
                     "brpl 1b\n\t"
                     "rjmp motet_coder_store\n"
                     "motet_code_tree:\n\t"
                     "sec\n\t"
                     "rol r24\n\t"
                     "1:\n\t"
                     "lsl r24\n\t"
                     "lsl r25\n\t"
                     "brcc 1b\n\t"
                     "ldi r26, 1\n\t"
                     "adiw r30, 1\n\t"
                     "2:\n\t"
                     "lsl r24\n\t"
                     "breq 4f\n\t"
                     "brcs 3f\n\t"
                     "rcall motet_code_zero\n\t"
                     "add r30, r26\n\t"
                     "adc r31, r1\n\t"
                     "lsl r26\n\t"
                     "rjmp 2b\n\t"
                     "3:\n\t"
                     "rcall motet_code_one\n\t"
                     "sec\n\t"
                     "adc r30, r26\n\t"
                     "adc r31, r1\n\t"
                     "sec\n\t"
                     "rol r26\n\t"
                     "rjmp 2b\n"
                     "4:\n\t"
                     "ret\n"
                     "motet_code_one:\n\t" CODER_PRODUCT "movw r20, r18\n\t"
                     "mov r23, r22\n\t"
                     "neg r23\n\t"
                     "swap r23\n\t"
                     "sbrc r23, 7\n\t" /* a half, and more, of what is left over counts */
                     "inc r22\n\t"
                     "andi r23, 0x0f\n\t"
                     "add r22, r23\n\t"
                     "st Z, r22\n\t"
                     "rjmp motet_coder_settle\n"
                     "motet_code_zero:\n\t" CODER_PRODUCT "sub r20, r18\n\t"
                     "sbc r21, r19\n\t"
                     "mov r23, r22\n\t"
                     "swap r23\n\t"
                     "sbrc r23, 7\n\t"
                     "dec r22\n\t"
                     "andi r23, 0x0f\n\t"
                     "sub r22, r23\n\t"
                     "st Z, r22\n\t" CODER_ADD "brcc motet_coder_settle\n\t"
                     "rcall motet_coder_carry\n"
                     "motet_coder_settle:\n\t"
                     "tst r21\n\t"
                     "brne motet_coder_store\n\t"
                     "mov r21, r20\n\t"
                     "clr r20\n"
                     "motet_coder_out:\n\t"
                     "push r30\n\t"
                     "push r31\n\t"
                     "rcall 6f\n\t"
                     "inc r18\n\t"
                     "sts " CODER_COUNT ", r18\n\t"
                     "lds r18, motet_coder+1\n\t"
                     "st Z, r18\n\t"
                     "lds r18, motet_coder\n\t"
                     "sts motet_coder+1, r18\n\t"
                     "sts motet_coder, r1\n\t"
                     "pop r31\n\t"
                     "pop r30\n"
                     "motet_coder_store:\n\t"
                     "sts motet_coder+3, r21\n\t"
                     "sts motet_coder+2, r20\n\t"
                     "ret\n"
                     "motet_coder_add:\n\t" /* and a carry goes into what has come out */
                     CODER_ADD "brcc 5f\n"
                     "motet_coder_carry:\n\t"
                     "push r30\n\t"
                     "push r31\n\t"
                     "rcall 6f\n"
                     "4:\n\t"
                     "ld r18, -Z\n\t"
                     "inc r18\n\t"
                     "st Z, r18\n\t"
                     "breq 4b\n\t"
                     "pop r31\n\t"
                     "pop r30\n"
                     "5:\n\t"
                     "ret\n"
                     "6:\n\t"
                     "lds r18, " CODER_COUNT "\n\t"
                     "mov r30, r18\n\t"
                     "ldi r31, 0\n\t"
                     "subi r30, lo8(-(" CODER_OUT "))\n\t"
                     "sbci r31, hi8(-(" CODER_OUT "))\n\t"
                     "ret");
}

static inline uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    (void)c;
    if (bit)
        __asm__ volatile("call motet_code_one" ::"z"(probability)
                         : "r0", "r18", "r19", "r20", "r21", "r22", "r23", "memory");
    else
        __asm__ volatile("call motet_code_zero" ::"z"(probability)
                         : "r0", "r18", "r19", "r20", "r21", "r22", "r23", "memory");
    return bit;
}

static inline uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result)
{
    register uint8_t count __asm__("r24") = bits;
    register uint16_t top __asm__("r22") = value;
    (void)c, (void)result;
    __asm__ volatile("call motet_code_raw" : "+r"(count), "+r"(top)::"r0", "r18", "r19", "r20", "r21", "memory");
    return 0;
}

static inline uint8_t model_tree(struct coder *c, uint8_t *tree, uint8_t end, uint8_t value)
{
    register uint8_t bits __asm__("r24") = value, twice __asm__("r25") = (uint8_t)(end << 1);
    (void)c;
    __asm__ volatile("call motet_code_tree"
                     : "+z"(tree), "+r"(bits), "+r"(twice)::"r0", "r18", "r19", "r20", "r21", "r22", "r23", "r26",
                       "memory");
    return value;
}

static inline void coder_settle(void)
{
    __asm__ volatile("call motet_coder_out" ::: "r0", "r18", "r19", "r20", "r21", "memory");
}

#elif defined CODER_ASSEMBLY

/* A decision is taken whose probability is at r12: motet_code_one or motet_code_zero. All registers are kept but r11
 * and r13 to r15. motet_code_raw does the same with the topmost bits of r13, as many as r12 says; motet_code_tree with
 * the lowest bits of r14, the decisions being a tree at r12, of which r13 has twice the size. Between motet_product and
 * motet_product_end the multiplier must be nobody else's: an interrupt there leads back to the beginning
 * (port_msp430.h). */
__attribute__((naked, used, noinline)) void motet_code(void)
{
    __asm__ volatile("motet_code_raw:\n\t"
                     "mov &motet_coder+2, r15\n\t"
                     "jmp 3f\n"
                     "1:\n\t"
                     "clrc\n\t"
                     "rrc r15\n\t"
                     "rla r13\n\t"
                     "jnc 2f\n\t"
                     "add r15, &motet_coder\n\t"
                     "jnc 2f\n\t"
                     "call #motet_coder_carry\n"
                     "2:\n\t"
                     "cmp #0x100, r15\n\t"
                     "jhs 3f\n\t"
                     "call #motet_coder_settle\n"
                     "3:\n\t"
                     "dec.b r12\n\t"
                     "jge 1b\n\t"
                     "mov r15, &motet_coder+2\n\t"
                     "ret\n"
                     "motet_code_tree:\n\t"
                     "push r10\n\t"
                     "push r9\n\t"
                     "setc\n\t"
                     "rlc.b r14\n\t"
                     "1:\n\t"
                     "rla.b r14\n\t"
                     "rla.b r13\n\t"
                     "jnc 1b\n\t"
                     "mov.b r14, r10\n\t"
                     "mov #1, r9\n\t"
                     "inc r12\n\t"
                     "2:\n\t"
                     "rla.b r10\n\t"
                     "jz 4f\n\t"
                     "jc 3f\n\t"
                     "call #motet_code_zero\n\t"
                     "add r9, r12\n\t"
                     "rla r9\n\t"
                     "jmp 2b\n\t"
                     "3:\n\t"
                     "call #motet_code_one\n\t"
                     "add r9, r12\n\t"
                     "inc r12\n\t"
                     "rla r9\n\t"
                     "inc r9\n\t"
                     "jmp 2b\n\t"
                     "4:\n\t"
                     "pop r9\n\t"
                     "pop r10\n\t"
                     "ret\n\t"
                     "motet_code_one:\n\t"
                     "setc\n\t"
                     "jmp 1f\n"
                     "motet_code_zero:\n\t"
                     "clrc\n"
                     "1:\n\t" /* C says which, and stays until it is asked for */
                     "mov.b @r12, r13\n\t"
                     "mov r13, r14\n\t"
                     "swpb r14\n\t"
                     "mov &motet_coder+2, r15\n"
                     "motet_product:\n\t"
                     "mov r15, &0x130\n\t"
                     "mov r14, &0x138\n\t"
                     "mov &0x13c, r11\n" /* the range times p / 256 is for a one */
                     "motet_product_end:\n\t"
                     "jc 2f\n\t"
                     "rrc.b r13\n\t"
                     "rra.b r13\n\t"
                     "rra.b r13\n\t"
                     "rra.b r13\n\t"
                     "adc.b r13\n\t" /* a half, and more, of what is left over counts */
                     "sub.b r13, 0(r12)\n\t"
                     "sub r11, r15\n\t"
                     "add r11, &motet_coder\n\t"
                     "jnc motet_coder_settle\n\t"
                     "call #motet_coder_carry\n\t"
                     "jmp motet_coder_settle\n"
                     "2:\n\t"
                     "inv.b r13\n\t"
                     "inc.b r13\n\t" /* never zero: C is clear */
                     "rrc.b r13\n\t"
                     "rra.b r13\n\t"
                     "rra.b r13\n\t"
                     "rra.b r13\n\t"
                     "addc.b r13, 0(r12)\n\t"
                     "mov r11, r15\n"
                     "motet_coder_settle:\n\t"
                     "mov r15, &motet_coder+2\n\t"
                     "cmp #0x100, r15\n\t"
                     "jhs 3f\n\t"
                     "swpb r15\n\t"
                     "mov r15, &motet_coder+2\n"
                     "motet_coder_out:\n\t"
                     "mov.b &" CODER_COUNT ", r11\n\t"
                     "mov.b &motet_coder+1, " CODER_OUT "(r11)\n\t"
                     "inc.b &" CODER_COUNT "\n\t"
                     "mov.b &motet_coder, r11\n\t"
                     "swpb r11\n\t"
                     "mov r11, &motet_coder\n"
                     "3:\n\t"
                     "ret\n"
                     "motet_coder_carry:\n\t"
                     "mov.b &" CODER_COUNT ", r11\n"
                     "4:\n\t"
                     "dec r11\n\t"
                     "inc.b " CODER_OUT "(r11)\n\t"
                     "jz 4b\n\t"
                     "ret");
}

static inline uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    register uint8_t *at __asm__("r12") = probability;
    (void)c;
    if (bit)
        __asm__ volatile("call #motet_code_one" ::"r"(at) : "r11", "r13", "r14", "r15", "memory", "cc");
    else
        __asm__ volatile("call #motet_code_zero" ::"r"(at) : "r11", "r13", "r14", "r15", "memory", "cc");
    return bit;
}

static inline uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result)
{
    register uint8_t count __asm__("r12") = bits;
    register uint16_t top __asm__("r13") = value;
    (void)c, (void)result;
    __asm__ volatile("call #motet_code_raw" : "+r"(count), "+r"(top)::"r11", "r14", "r15", "memory", "cc");
    return 0;
}

static inline uint8_t model_tree(struct coder *c, uint8_t *tree, uint8_t end, uint8_t value)
{
    register uint8_t *at __asm__("r12") = tree;
    register uint8_t twice __asm__("r13") = (uint8_t)(end << 1), bits __asm__("r14") = value;
    (void)c;
    __asm__ volatile("call #motet_code_tree" : "+r"(at), "+r"(twice), "+r"(bits)::"r11", "r15", "memory", "cc");
    return value;
}

static inline void coder_settle(void)
{
    __asm__ volatile("call #motet_coder_out" ::: "r11", "r14", "memory", "cc");
}

#else

static void coder_settle(void)
{
    out((uint8_t)(K.low >> 8));
    K.low = (uint16_t)(K.low << 8);
}

static void coder_add(uint16_t number)
{
    K.low += number;
    if (K.low < number)
        out_carry();
}

static void coder_normalize(void)
{
    if (K.range < 0x100) {
        coder_settle();
        K.range = (uint16_t)(K.range << 8);
    }
}

static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    uint8_t p = *probability;
    uint16_t bound = (uint16_t)((uint32_t)K.range * p >> 8); /* is for a one */
    (void)c;
    if (bit) {
        K.range = bound;
        *probability = (uint8_t)(p + ((256 - p + 8) >> 4));
    } else {
        K.range -= bound;
        *probability = (uint8_t)(p - ((p + 8) >> 4));
        coder_add(bound);
    }
    coder_normalize();
    return bit;
}

static uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result)
{
    (void)c, (void)result;
    for (; bits; bits--) {
        K.range >>= 1;
        if (value & 0x8000)
            coder_add(K.range);
        value = (uint16_t)(value << 1);
        coder_normalize();
    }
    return 0;
}

#endif
