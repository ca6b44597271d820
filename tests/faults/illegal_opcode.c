/* Executes a word that is no instruction. */
static __attribute__((noinline)) void damaged(void)
{
#ifdef __AVR__
    __asm__ volatile(".word 0xff0f");
#else
    __asm__ volatile(".word 0x0f0f");
#endif
}

int main(void)
{
    damaged();
    __asm__ volatile("nop");
    return 0;
}
