/* The tracer on an AVR: interrupts off and on again; constants are in flash, below 64 KB. Text without directives, as
 * tracer.c. */
static inline unsigned motet_trace_off(void)
{
    unsigned char status = *(volatile unsigned char *)0x5f;
    __asm__ volatile("cli" ::: "memory");
    return status;
}

static inline void motet_trace_on(unsigned status)
{
    __asm__ volatile("" ::: "memory");
    *(volatile unsigned char *)0x5f = (unsigned char)status;
}

static inline unsigned motet_trace_constant(const unsigned *at)
{
    unsigned value;
    __asm__("lpm %A0, Z+\n\tlpm %B0, Z" : "=&r"(value), "+z"(at));
    return value;
}
