/* Memory and instructions. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dap/arguments.h"
#include "dap/dap.h"
#include "dap/text.h"

enum { MEMORY_MOST = 1 << 20, MEMORY_INSTRUCTIONS = 20000, MEMORY_LONGEST = 8 /* bytes of an instruction */ };

json_t *memory_reference(uint32_t node, uint32_t address)
{
    return json_sprintf("0x%" PRIx64, (uint64_t)node << 32 | address);
}

bool memory_referred(motet_dap *d, const char *reference, uint32_t *node, uint32_t *address, struct motet_error *e)
{
    char *end;
    uint64_t number = strtoull(reference, &end, 0);
    if (!isdigit((unsigned char)*reference) || *end || number >> 32 >= motet_timeline_count(d->timeline))
        return argument_error(e, "'%.60s' is no memory reference", reference);
    *node = (uint32_t)(number >> 32);
    *address = (uint32_t)number;
    return true;
}

/* The place of a request: reference and offset. */
static bool memory_place(motet_dap *d, const json_t *a, uint32_t *node, int64_t *address, struct motet_error *e)
{
    const char *reference = NULL;
    int64_t offset = 0;
    uint32_t base;
    if (!argument_needs(a, "memoryReference", e) || !argument_text(a, "memoryReference", &reference, e) ||
        !argument_number(a, "offset", INT32_MIN, UINT32_MAX, &offset, e) ||
        !memory_referred(d, reference, node, &base, e))
        return false;
    *address = (int64_t)base + offset;
    return true;
}

/* ---- bytes ---- */

bool memory_read(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    int64_t address, count = 0;
    uint32_t node;
    if (!memory_place(d, a, &node, &address, e) || !argument_needs(a, "count", e) ||
        !argument_number(a, "count", 0, MEMORY_MOST, &count, e))
        return false;
    if (address < 0 || address > UINT32_MAX)
        return argument_error(e, "there is no such address");
    uint8_t *bytes = memory_bytes((size_t)count + 1);
    size_t read = motet_node_look(motet_timeline_node(d->timeline, node), (uint32_t)address, bytes, (size_t)count);
    json_object_set_new(body, "address", memory_reference(node, (uint32_t)address));
    json_object_set_new(body, "data", text_base64(bytes, read));
    if (read < (size_t)count)
        json_object_set_new(body, "unreadableBytes", json_integer(count - (json_int_t)read));
    free(bytes);
    return true;
}

static bool memory_give(motet_dap *d, uint32_t node, uint32_t address, const uint8_t *bytes, size_t count,
                        struct motet_error *e)
{
    static const enum motet_input_kind kinds[] = {[MOTET_MEMORY_DATA] = MOTET_INPUT_DATA,
                                                  [MOTET_MEMORY_EEPROM] = MOTET_INPUT_EEPROM,
                                                  [MOTET_MEMORY_CODE] = MOTET_INPUT_CODE};
    const motet_node *n = motet_timeline_node(d->timeline, node);
    struct motet_memory_info info;
    enum motet_memory which;
    uint32_t at;
    if (!motet_node_locate(n, address, count, &which, &at))
        return argument_error(e, "there is no memory of %zu bytes at 0x%" PRIx32, count, address);
    if (!motet_node_memory(n, which, &info) || !info.writable)
        return argument_error(e, "the memory at 0x%" PRIx32 " cannot be written", address);
    struct motet_input i = {.kind = kinds[which], .where = at, .bytes = bytes, .size = count};
    return motet_timeline_give(d->timeline, node, &i) ||
           argument_error(e, "the node has ended, or has no power; go to another time before you change it");
}

bool memory_write(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    const char *data = NULL;
    int64_t address;
    uint32_t node;
    size_t count;
    if (!memory_place(d, a, &node, &address, e) || !argument_needs(a, "data", e) || !argument_text(a, "data", &data, e))
        return false;
    if (address < 0 || address > UINT32_MAX)
        return argument_error(e, "there is no such address");
    uint8_t *bytes = text_from_base64(data, &count);
    if (!bytes)
        return argument_error(e, "the data are not base64");
    bool good = !count || memory_give(d, node, (uint32_t)address, bytes, count, e);
    free(bytes);
    if (good)
        json_object_set_new(body, "bytesWritten", json_integer((json_int_t)count));
    if (good && d->client->invalidated)
        client_event(d->client, "invalidated", json_pack("{s:[s]}", "areas", "variables"));
    return good;
}

/* ---- instructions ---- */

static unsigned memory_size(const motet_node *n, int64_t address)
{
    struct motet_instruction i;
    return address >= 0 && address <= UINT32_MAX && motet_node_instruction(n, (uint32_t)address, &i) ? i.size : 0;
}

/* Whether instructions from `from` on lead exactly to `to`; how many there are. */
static bool memory_leads(const motet_node *n, int64_t from, int64_t to, int64_t *count)
{
    *count = 0;
    while (from < to) {
        unsigned size = memory_size(n, from);
        if (!size)
            return false;
        from += size;
        (*count)++;
    }
    return from == to;
}

/* The address that lies so many instructions before another, and how many it could not go. Instructions have several
 * lengths, so it begins far enough before, where that leads to the address. */
static int64_t memory_back(const motet_node *n, int64_t address, int64_t wanted, int64_t *missing)
{
    int64_t from = address - MEMORY_LONGEST * wanted, count = 0;
    for (from = from < 0 ? 0 : from; from < address && !memory_leads(n, from, address, &count);)
        from++;
    for (; count > wanted; count--)
        from += memory_size(n, from);
    *missing = from < address ? wanted - count : wanted;
    return from < address ? from : address;
}

static json_t *memory_invalid(uint32_t node, int64_t address)
{
    json_t *one = json_pack("{s:s, s:s}", "instruction", "(no memory)", "presentationHint", "invalid");
    json_object_set_new(one, "address", memory_reference(node, address < 0 ? 0 : (uint32_t)address));
    return one;
}

static json_t *memory_instruction(motet_dap *d, uint32_t node, uint32_t address, const struct motet_instruction *i,
                                  const char **file)
{
    json_t *one = json_object();
    char bytes[4 * sizeof i->bytes] = "", text[sizeof i->text + sizeof bytes];
    for (unsigned k = 0; k < i->size; k++)
        snprintf(bytes + 3 * (size_t)k, 4, "%02x ", i->bytes[k]);
    bytes[3 * i->size - 1] = '\0';
    snprintf(text, sizeof text, "%s%s", i->kind == MOTET_CODE_INSTRUCTION ? i->text : ".byte ",
             i->kind == MOTET_CODE_INSTRUCTION ? "" : bytes);
    json_object_set_new(one, "address", memory_reference(node, address));
    json_object_set_new(one, "instructionBytes", text_string(bytes));
    json_object_set_new(one, "instruction", text_string(text));
    if (i->label)
        json_object_set_new(one, "symbol", text_string(i->label));
    if (i->file && (!*file || strcmp(*file, i->file) != 0))
        json_object_set_new(one, "location", look_source_of(i->file));
    if (i->file) {
        *file = i->file;
        json_object_set_new(one, "line", json_integer(dap_line_out(d, i->line)));
    }
    return one;
}

bool memory_disassemble(motet_dap *d, const json_t *a, json_t *body, struct motet_error *e)
{
    int64_t address, skipped = 0, count = 0, missing = 0;
    uint32_t node;
    const char *file = NULL;
    json_t *list = json_array();
    json_object_set_new(body, "instructions", list);
    if (!memory_place(d, a, &node, &address, e) || !argument_needs(a, "instructionCount", e) ||
        !argument_number(a, "instructionCount", 0, MEMORY_INSTRUCTIONS, &count, e) ||
        !argument_number(a, "instructionOffset", -MEMORY_INSTRUCTIONS, MEMORY_INSTRUCTIONS, &skipped, e))
        return false;
    const motet_node *n = motet_timeline_node(d->timeline, node);
    if (skipped < 0)
        address = memory_back(n, address, -skipped, &missing);
    for (; skipped > 0; skipped--)
        address += memory_size(n, address) ? memory_size(n, address) : 2;
    for (; count > 0; count--) {
        struct motet_instruction i;
        bool there =
            !missing && address >= 0 && address <= UINT32_MAX && motet_node_instruction(n, (uint32_t)address, &i);
        json_array_append_new(list, there ? memory_instruction(d, node, (uint32_t)address, &i, &file)
                                          : memory_invalid(node, address - missing));
        if (missing)
            missing--;
        else
            address += there ? i.size : 2;
    }
    return true;
}
