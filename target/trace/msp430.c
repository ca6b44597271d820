/* The tracer on an MSP430: interrupts off and on again. Text without directives, as tracer.c. */
static inline unsigned motet_trace_off(void)
{
    unsigned status;
    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(status)::"memory");
    return status;
}

static inline void motet_trace_on(unsigned status)
{
    if (status & 8)
        __asm__ volatile("nop\n\teint\n\tnop" ::: "memory");
}

static inline unsigned motet_trace_constant(const unsigned *at)
{
    return *at;
}
