/* The coder on MSP430: calls of coder_msp430.S with what it needs in registers. Part of coder.h. */
#ifndef CODER_MSP430_H
#define CODER_MSP430_H

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

#endif
