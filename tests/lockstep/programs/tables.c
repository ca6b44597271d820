/* Constants in program memory, near and (where there is more than 64 KB) far. */
#include <avr/pgmspace.h>
#include <stdint.h>

static const uint8_t bytes[256] PROGMEM = {[0] = 1, [1] = 2, [100] = 50, [255] = 200};
static const uint16_t words[64] PROGMEM = {[3] = 0x1234, [63] = 0xfedc};
static const float numbers[4] PROGMEM = {1.5f, -2.25f, 1e6f, 0.0f};
static const __flash uint32_t flash[8] = {[2] = 0xdeadbeef};

#ifdef __AVR_HAVE_ELPM__
static const char far_text[] __attribute__((section(".far"))) = "far away"; /* at 0x18000 */

static uint8_t reads_far(void)
{
    uint_farptr_t at = pgm_get_far_address(far_text);
    char copy[9];
    memcpy_PF(copy, at, sizeof copy);
    uint8_t same = 1;
    for (uint8_t i = 0; i < sizeof copy; i++)
        same &= copy[i] == (char)pgm_read_byte_far(at + i);
    return same && copy[0] == 'f' && copy[8] == 0 && pgm_read_word_far(at) == ('f' | 'a' << 8);
}
#else
static uint8_t reads_far(void)
{
    return 1;
}
#endif

int main(void)
{
    uint16_t sum = 0;
    for (uint16_t i = 0; i < sizeof bytes; i++)
        sum += pgm_read_byte(&bytes[i]);
    if (sum != 253)
        return 1;
    if (pgm_read_word(&words[3]) != 0x1234 || pgm_read_word(&words[63]) != 0xfedc || pgm_read_word(&words[9]) != 0)
        return 2;
    if (pgm_read_float(&numbers[1]) != -2.25f || flash[2] != 0xdeadbeef || flash[7] != 0)
        return 3;
    return reads_far() ? 0 : 4;
}
