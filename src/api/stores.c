/* Memories that keep their contents without power: what they hold, and contents from a file before the run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "base/memory.h"
#include "base/pages.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"

/* A memory, or the part of one that is meant. */
struct stores_memory {
    struct pages *pages;
    size_t first, size;
    bool program; /* it lies in program memory */
};

/* The part of program memory that firmware for this chip keeps its log in, which motet cc has noted. */
static bool stores_log(const motet_node *n, struct stores_memory *of)
{
    const struct machine *m = n->node->machine;
    const struct device *d = m->instructions[INSTRUCTION_PROGRAM].device;
    unsigned first, size;
    size_t length;
    const uint8_t *text = image_section(m->image, ".motet.log", 0, &length);
    char copy[80];
    if (!text || length >= sizeof copy || !d || d->pages == 0xff)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (sscanf(copy, "%x %x", &first, &size) != 2 || first > m->code_size || size > m->code_size - first)
        return false;
    *of = (struct stores_memory){device_pages(n->node, d), first, size, true};
    return true;
}

static bool stores_find(const motet_node *n, enum motet_store which, struct stores_memory *of)
{
    const struct machine *m = n->node->machine;
    *of = (struct stores_memory){.pages = which == MOTET_STORE_EEPROM ? node_eeprom(n->node) : NULL};
    for (size_t i = 0; which != MOTET_STORE_EEPROM && !of->pages && i < m->device_count; i++)
        if (m->devices[i].part && m->devices[i].pages != 0xff && m->devices[i].type->memory == MEMORY_DATA_FLASH)
            of->pages = device_pages(n->node, &m->devices[i]);
    of->size = of->pages ? pages_size(of->pages) : 0;
    return of->pages || (which != MOTET_STORE_EEPROM && stores_log(n, of));
}

/* "the EEPROM of uno" */
static const char *stores_name(const motet_node *n, enum motet_store which, char text[80])
{
    struct stores_memory of;
    const char *flash = stores_find(n, which, &of) && of.program ? "log in the flash" : "serial flash memory";
    snprintf(text, 80, "the %s of %.40s", which == MOTET_STORE_EEPROM ? "EEPROM" : flash,
             motet_machine_board(n->machine));
    return text;
}

size_t motet_node_store(const motet_node *n, enum motet_store which, void *bytes, size_t size)
{
    struct stores_memory of;
    if (!stores_find(n, which, &of))
        return 0;
    pages_read(of.pages, of.first, bytes, size < of.size ? size : of.size);
    return of.size;
}

static void stores_write_page(motet_node *n, const struct stores_memory *to, const uint8_t *bytes, size_t at,
                              size_t count)
{
    uint8_t old[PAGES_SIZE];
    pages_read(to->pages, to->first + at, old, count);
    if (memcmp(old, bytes + at, count) == 0)
        return;
    pages_write(to->pages, to->first + at, bytes + at, count);
    if (to->program)
        n->node->machine->chip->isa->reprogrammed(n->node, (uint32_t)(to->first + at), (uint32_t)count);
}

bool node_store_fill(motet_node *n, enum motet_store which, const uint8_t *bytes, size_t size, struct motet_error *e)
{
    struct stores_memory to;
    char name[80];
    if (!stores_find(n, which, &to))
        return error_set(e, "%s has no %s", motet_machine_board(n->machine),
                         which == MOTET_STORE_EEPROM ? "EEPROM" : "serial flash memory");
    if (size != to.size)
        return error_set(e, "%zu bytes do not fit %s, which has %zu", size, stores_name(n, which, name), to.size);
    if (motet_network_now(n->network) > 0)
        return error_set(e, "%s can be filled only before the run", stores_name(n, which, name));
    node_before_input(n);
    for (size_t at = 0; at < size; at += PAGES_SIZE) /* pages that stay as they are stay shared */
        stores_write_page(n, &to, bytes, at, size - at < PAGES_SIZE ? size - at : PAGES_SIZE);
    node_note(n, (struct saved_input){.kind = SAVED_STORE, .where = which, .bytes = bytes, .size = size});
    node_touched(n);
    return true;
}

/* ---- from a file ---- */

enum { STORES_FILE_LIMIT = 1 << 26 };

static uint8_t *stores_read(const char *path, size_t *size, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t room = 0, got = 1;
    *size = 0;
    if (!f) {
        error_set(e, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    while (got && *size <= STORES_FILE_LIMIT) {
        bytes = memory_grow(bytes, &room, *size, 1);
        *size += got = fread(bytes + *size, 1, room - *size, f);
    }
    bool failed = ferror(f);
    if (failed)
        error_set(e, "cannot read %s: %s", path, strerror(errno));
    else if (*size > STORES_FILE_LIMIT)
        failed = !error_set(e, "%s: is larger than any memory that Motet knows", path);
    fclose(f);
    if (!failed)
        return bytes;
    free(bytes);
    return NULL;
}

/* Puts the segments of an image over the bytes. Files made of an ELF file have EEPROM at its place there. */
static bool stores_lay(const struct image *i, uint32_t base, uint8_t *to, size_t size, struct motet_error *e)
{
    const struct image_segment *s;
    size_t count = image_segments(i, &s);
    for (size_t k = 0; k < count; k++) {
        uint32_t at = base && s[k].address >= base ? s[k].address - base : s[k].address;
        if (at >= size || s[k].size > size - at)
            return error_set(e, "%s: %u bytes at 0x%x reach beyond the memory's %zu bytes", image_path(i), s[k].size,
                             s[k].address, size);
        memcpy(to + at, s[k].bytes, s[k].size);
    }
    return true;
}

static bool stores_is_text(const uint8_t *bytes, size_t size)
{
    return size > 1 && (bytes[0] == ':' || (bytes[0] == 'S' && bytes[1] >= '0' && bytes[1] <= '9'));
}

static bool stores_fill_from_text(motet_node *n, enum motet_store which, const char *path, const uint8_t *bytes,
                                  size_t size, struct motet_error *e)
{
    struct image *i = image_parse(path, bytes, size, e);
    if (!i)
        return false;
    size_t all = motet_node_store(n, which, NULL, 0);
    uint8_t *whole = memory_array(all, 1);
    uint32_t base = which == MOTET_STORE_EEPROM ? n->node->machine->chip->isa->spaces.eeprom : 0;
    motet_node_store(n, which, whole, all);
    bool good = stores_lay(i, base, whole, all, e) && node_store_fill(n, which, whole, all, e);
    free(whole);
    image_free(i);
    return good;
}

bool motet_node_store_load(motet_node *n, enum motet_store which, const char *path, struct motet_error *e)
{
    size_t size, all = motet_node_store(n, which, NULL, 0);
    uint8_t *bytes = stores_read(path, &size, e);
    char name[80];
    bool good = false;
    if (bytes && all && size != all && stores_is_text(bytes, size))
        good = stores_fill_from_text(n, which, path, bytes, size, e);
    else if (bytes && all && size != all)
        error_set(e, "%s has %zu bytes, but %s has %zu; give all of it, or the bytes that differ as Intel HEX", path,
                  size, stores_name(n, which, name), all);
    else if (bytes)
        good = node_store_fill(n, which, bytes, size, e);
    free(bytes);
    return good;
}
