/* Executes a word that is no instruction. */
static __attribute__((noinline)) void damaged(void)
{
    __asm__ volatile(".word 0xff0f");
}

int main(void)
{
    damaged();
    __asm__ volatile("nop");
    return 0;
}
