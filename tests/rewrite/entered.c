/* A function with parameters and a frame, called from two places: its step stands before its first instruction. */
volatile unsigned sum;
volatile char bytes[8];

__attribute__((noinline)) static unsigned inner(unsigned n)
{
    return sum + n;
}

__attribute__((noinline)) static unsigned entered(unsigned first, unsigned char second, volatile char *third)
{
    unsigned all = 0;
    for (unsigned char i = 0; i < second; i++)
        all += inner(first + i) + (unsigned)third[i] + inner(i);
    return all;
}

int main(void)
{
    sum = entered(0x1234, 3, bytes);
    sum = entered(0x4321, 5, bytes + 1);
    for (;;)
        ;
}
