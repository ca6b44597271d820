/* The coder on AVR: calls of coder_avr.S with what it needs in registers. Part of coder.h. */
#ifndef CODER_AVR_H
#define CODER_AVR_H

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

#endif
