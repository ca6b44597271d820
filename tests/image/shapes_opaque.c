#include <stdint.h>

struct opaque {
    uint16_t before;
    uint8_t inside;
};

uint8_t opaque_inside(const struct opaque *o);
uint8_t opaque_inside(const struct opaque *o)
{
    return o->inside;
}
