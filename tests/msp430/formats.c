/* <inttypes.h>: the same numbers come out on the target and on the host. */
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    int8_t a = -128;
    uint8_t b = 200;
    int16_t c = -32768;
    uint16_t d = 0xfedc;
    int32_t e = INT32_C(-2147483647) - 1;
    uint32_t f = UINT32_C(0xfedcba98);
    int64_t g = INT64_C(-1234567890123456789);
    uint64_t h = UINT64_C(0xfedcba9876543210);
    printf("%" PRId8 " %" PRIi8 " %" PRIu8 " %" PRIo8 " %" PRIx8 " %" PRIX8 "\n", a, a, b, b, b, b);
    printf("%" PRId16 " %" PRIi16 " %" PRIu16 " %" PRIo16 " %" PRIx16 " %" PRIX16 "\n", c, c, d, d, d, d);
    printf("%" PRId32 " %" PRIi32 " %" PRIu32 " %" PRIo32 " %" PRIx32 " %" PRIX32 "\n", e, e, f, f, f, f);
    printf("%" PRId64 " %" PRIi64 " %" PRIu64 " %" PRIo64 " %" PRIx64 " %" PRIX64 "\n", g, g, h, h, h, h);
    printf("%" PRIdMAX " %" PRIuMAX " %" PRIxPTR "\n", (intmax_t)g, (uintmax_t)h, (uintptr_t)0x1234);
    return 0;
}
