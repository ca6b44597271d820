/* Floating point: libgcc's and avr-libc's routines over ordinary, tiny, huge and special values. */
#include <math.h>
#include <stdint.h>

static volatile float values[] = {0.0f,  -0.0f, 1.0f,   -1.5f,    3.14159265f, 1e-38f, 1e-42f,
                                  3e38f, 1e10f, -7e-5f, INFINITY, 16777216.0f, 0.1f,   123456.789f};
enum { COUNT = sizeof values / sizeof values[0] };

static volatile float sum;
static volatile int32_t whole;

static uint8_t near(float a, float b)
{
    return fabs(a - b) <= 1e-5f * fabs(b);
}

static uint8_t functions(void)
{
    volatile float one = 1.0f, two = 2.0f, half = 0.5f;
    return near((float)sqrt(two), 1.41421356f) && near((float)exp(one), 2.71828183f) &&
           near((float)log(two), 0.69314718f) && near((float)sin(half), 0.47942554f) &&
           near((float)cos(half), 0.87758256f) && near((float)atan2(one, two), 0.46364761f) &&
           near((float)pow(two, half), 1.41421356f);
}

int main(void)
{
    for (uint8_t i = 0; i < COUNT; i++)
        for (uint8_t j = 0; j < COUNT; j++) {
            float a = values[i], b = values[j];
            if ((a < b) == (a >= b) || (a > b) != (b < a))
                return 1;
            sum = a + b;
            sum = a - b;
            sum = a * b;
            sum = b == 0.0f ? a : a / b;
            whole += (int32_t)(a * 0.5f);
        }
    if (!near(values[4] * values[4], 9.8696044f) || (int32_t)values[13] != 123456)
        return 2;
    return functions() ? 0 : 3;
}
