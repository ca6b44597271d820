#include "api/layout.h"

#include <string.h>

#include "base/pack.h"
#include "build_id.h"
#include "node/device.h"

struct digest layout_of(const motet_machine *const *machines, size_t count)
{
    struct pack p = {.bytes = NULL};
    const uint16_t order = 0x0102;
    pack_text(&p, MOTET_BUILD_ID);
    pack_bytes(&p, &order, sizeof order); /* as the host has it */
    pack_number(&p, sizeof(void *) << 8 | sizeof(long), 4);
    for (size_t i = 0; i < count; i++) {
        const struct machine *m = machines[i]->machine;
        pack_count(&p, m->arena_size);
        pack_count(&p, m->data_offset);
        pack_count(&p, m->pages_count);
        for (size_t d = 0; d < m->device_count; d++) {
            pack_text(&p, m->devices[d].name);
            pack_count(&p, m->devices[d].state_offset);
        }
    }
    struct digest d = digest_of(p.bytes, p.count);
    pack_free(&p);
    return d;
}
