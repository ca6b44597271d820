/* Writes a member of a structure that is not there. */
#include <stdint.h>
#include <stddef.h>

struct route {
    uint8_t parent, etx;
};

static struct route *volatile best = NULL;

static __attribute__((noinline)) void update(struct route *r, uint8_t etx)
{
    r->etx = etx;
}

int main(void)
{
    update(best, 0x42);
    return 0;
}
