/* Calls through a null pointer: the peripherals are no program. */
static void (*volatile handler)(void);

static __attribute__((noinline)) void dispatch(void)
{
    handler();
    __asm__ volatile("nop");
}

int main(void)
{
    dispatch();
    return 0;
}
