/* A list with pointers, bit-fields and 16-bit arithmetic: what it prints is the same on a chip and as a native program.
 */
#include <motet.h>
#include <stdint.h>

struct item {
    uint8_t kind;
    uint16_t value;
    struct item *next;
    uint32_t wide;
    unsigned a : 3, b : 9;
    const char *name;
};

static struct item third = {3, 300, 0, 33333, 5, 300, "three"};
static struct item list[2] = {{1, 100, &list[1], 11111, 1, 100, "one"}, {2, 200, &third, 22222, 2, 200, "two"}};

static void put(uint32_t x)
{
    char digits[11];
    int n = 0;
    do {
        digits[n++] = (char)('0' + x % 10);
        x /= 10;
    } while (x);
    while (n)
        motet_putc(digits[--n]);
    motet_putc('\n');
}

static uint32_t walk(const struct item *i)
{
    uint32_t sum = 0;
    for (; i; i = i->next) {
        sum += i->value + i->wide + i->a * i->b;
        for (const char *c = i->name; *c; c++)
            sum = sum * 31 + *c;
    }
    return sum;
}

int main(void)
{
    struct item copy = list[0];
    uint16_t x = 65535;
    x += 2;
    put(x);
    put(sizeof(int));
    copy.b = 511;
    put(walk(&copy));
    put((uint32_t)(list[1].next - &third + 7));
    motet_exit(3);
}
