#include "monitor/handler.h"

#include <stdlib.h>
#include <string.h>

uint32_t handler_behind(const motet_machine *m, uint32_t entry)
{
    struct motet_instruction i;
    if (!motet_machine_instruction(m, entry, &i) || i.kind != MOTET_CODE_INSTRUCTION)
        return entry;
    const char *to = strstr(i.text, "jmp 0x");
    return to ? (uint32_t)strtoul(to + 4, NULL, 16) : entry;
}
