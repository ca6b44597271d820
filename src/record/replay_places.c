#include "record/replay_places.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"

const char *const replay_entry_names[ENTRIES] = {
    [ENTRY_READ8] = "motet_read8",       [ENTRY_READ16] = "motet_read16",       [ENTRY_BLOCK] = "motet_block",
    [ENTRY_POINTER8] = "motet_pointer8", [ENTRY_POINTER16] = "motet_pointer16", [ENTRY_WRAPPED] = "motet_wrapped",
    [ENTRY_BEGIN] = "motet_begin",       [ENTRY_IDLE] = "motet_idle",           [ENTRY_FLUSH] = "motet_flush",
    [ENTRY_FREEZE] = "motet_freeze",     [ENTRY_CLEAR] = "motet_clear",         [ENTRY_POLLED] = "motet_polled",
    [ENTRY_BREATHE] = "motet_breathe",
};

static void replay_places_add_place(struct replay *r, struct place p)
{
    r->places = memory_resize(r->places, r->place_count + 1, sizeof p);
    r->places[r->place_count++] = p;
}

static int replay_places_by_address(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return (p->address > q->address) - (p->address < q->address);
}

const struct place *replay_place_at(const struct replay *r, uint32_t address)
{
    struct place key = {.address = address};
    return bsearch(&key, r->places, r->place_count, sizeof key, replay_places_by_address);
}

/* A vector's stub is __vector_N and its handler __vector_N_motet, or motet_vector_N and motet_handler_N. */
static void find_vector(struct replay *r, const struct image *image, const struct image_symbol *s)
{
    static const struct {
        const char *stub, *handler;
    } names[] = {{"__vector_%u", "__vector_%u_motet"}, {"motet_vector_%u", "motet_handler_%u"}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned number;
        char name[40];
        if (sscanf(s->name, names[i].stub, &number) != 1)
            continue;
        snprintf(name, sizeof name, names[i].stub, number);
        if (strcmp(name, s->name) != 0)
            continue;
        snprintf(name, sizeof name, names[i].handler, number);
        const struct image_symbol *handler = image_symbol_named(image, name);
        if (handler)
            replay_places_add_place(
                r, (struct place){.address = s->address, .to = handler->address, .entry = ENTRY_VECTOR});
    }
}

/* A routine in assembly is motet_routine_NAME, its call NAME, its site motet_site_NAME. */
static void find_routine(struct replay *r, const struct image *image, const struct image_symbol *s)
{
    static const char prefix[] = "motet_routine_";
    char name[100];
    if (strncmp(s->name, prefix, strlen(prefix)) != 0)
        return;
    const char *own = s->name + strlen(prefix);
    snprintf(name, sizeof name, "motet_site_%s", own);
    const struct image_symbol *call = image_symbol_named(image, own), *site = image_symbol_named(image, name);
    if (call && site)
        replay_places_add_place(r, (struct place){.address = call->address,
                                                  .entry = ENTRY_ROUTINE,
                                                  .routine = {.call_end = call->address + call->size,
                                                              .first = s->address,
                                                              .end = s->address + s->size,
                                                              .site = site->address & 0xffff}});
}

/* A function of which only what it found is recorded; loops that became one have a number instead of a name. */
static void replay_places_find_whole(struct replay *r, const struct image_symbol *s)
{
    if (strncmp(s->name, "motet_whole_", 12) == 0)
        replay_places_add_place(r, (struct place){.address = s->address,
                                                  .entry = ENTRY_ROUTINE,
                                                  .routine = {.call_end = s->address,
                                                              .first = s->address,
                                                              .end = s->address + s->size,
                                                              .whole = true,
                                                              .calls = !isdigit((unsigned char)s->name[12])}});
}

static uint32_t replay_places_data_symbol(const struct image *image, const char *name)
{
    const struct image_symbol *s = image_symbol_named(image, name);
    return s ? s->address & 0xffff : 0;
}

static bool find_register(const struct isa *isa, const char *name, unsigned length, uint8_t *number)
{
    for (unsigned i = 0; i < isa->registers; i++)
        if (strlen(isa->register_name(i)) == length && strncmp(isa->register_name(i), name, length) == 0) {
            *number = (uint8_t)i;
            return true;
        }
    return false;
}

/* One line after its four bytes of address: REGISTER LEAVE STAY SIZE, or REGISTER ADDRESS 0 SIZE for the place of
 * its value. Returns its length, 0 if it is none. */
static size_t parse_poll(const struct isa *isa, const uint8_t *bytes, size_t size, struct place *p)
{
    char line[80], name[16], puts[2] = "";
    unsigned leave, stay, width;
    size_t length = 0;
    while (4 + length < size && length < sizeof line - 1 && bytes[4 + length] != '\n')
        length++;
    memcpy(line, bytes + 4, length);
    line[length] = 0;
    if (sscanf(line, "%15s %x %x %u %1s", name, &leave, &stay, &width, puts) < 4 || width < 1 || width > 2)
        return 0;
    *p = (struct place){
        .address = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24,
        .entry = ENTRY_POLL,
        .poll = {.size = (uint8_t)width, .leave = (uint16_t)leave, .stay = (uint16_t)stay, .puts = puts[0] == '='}};
    return find_register(isa, name, (unsigned)strlen(name), &p->poll.register_number) ? 4 + length + 1 : 0;
}

static bool find_polls(struct replay *r, const struct image *image, const struct isa *isa, struct motet_error *e)
{
    size_t size, length;
    const uint8_t *bytes;
    struct place p;
    for (size_t i = 0; (bytes = image_section(image, ".motet.polls", i, &size)); i++)
        for (size_t at = 0; at + 5 < size; at += length) {
            length = parse_poll(isa, bytes + at, size - at, &p);
            if (!length)
                return error_set(e, "%s: the list of polling loops cannot be read; build it again with this motet cc",
                                 image_path(image));
            replay_places_add_place(r, p);
        }
    return true;
}

/* What comes compiled waits in its own way. */
static void find_waits(struct replay *r, const struct image *image, const struct isa *isa)
{
    const struct image_segment *s;
    size_t count = image_segments(image, &s);
    for (size_t i = 0; isa->waits && i < count; i++)
        for (uint32_t at = 0; s[i].executable && at < s[i].size; at += 2) {
            struct place p = {.address = s[i].address + at, .entry = ENTRY_POLL, .poll = {.waits = true}};
            if (isa->waits(s[i].bytes, s[i].size, at, &p.poll.wait))
                replay_places_add_place(r, p);
        }
}

/* What motet_count begins with: a word. Firmware built before has none, and counts in all 16 bits where the CPU has
 * words. */
static void replay_places_find_count(struct replay *r, const struct image *image)
{
    size_t size;
    const uint8_t *word = image_section(image, ".motet.count", 0, &size);
    bool known = word && size >= 2;
    r->count_first = known ? word[0] | (unsigned)word[1] << 8 : 0;
    r->count_wraps = known || r->by_bytes ? 0x100 : 0;
}

static bool find_entries(struct replay *r, const struct image *image, struct motet_error *e)
{
    const struct image_symbol *s;
    size_t count = image_symbols(image, &s);
    for (unsigned i = 1; i < ENTRY_VECTOR; i++) {
        const struct image_symbol *entry = image_symbol_named(image, replay_entry_names[i]);
        if (!entry && (i == ENTRY_BEGIN || i == ENTRY_IDLE))
            return error_set(e, "%s does not record: it has no %s; build it with motet cc --record", image_path(image),
                             replay_entry_names[i]);
        if (entry) /* the linker leaves out what is not called */
            replay_places_add_place(r, (struct place){.address = entry->address, .entry = (enum entry)i});
    }
    for (size_t i = 0; i < count; i++)
        find_vector(r, image, &s[i]), find_routine(r, image, &s[i]), replay_places_find_whole(r, &s[i]);
    r->idle = image_symbol_named(image, replay_entry_names[ENTRY_IDLE])->address;
    r->count = replay_places_data_symbol(image, "motet_count");
    replay_places_find_count(r, image);
    r->uncounted = replay_places_data_symbol(image, "motet_uncounted");
    r->stamped = image_symbol_named(image, replay_entry_names[ENTRY_POLLED]) != NULL;
    r->first = replay_places_data_symbol(image, "__data_start");
    r->last = replay_places_data_symbol(image, "__bss_end");
    return true;
}

bool replay_find_places(struct replay *r, const struct image *image, const struct isa *isa, struct motet_error *e)
{
    if (!find_entries(r, image, e) || !find_polls(r, image, isa, e))
        return false;
    find_waits(r, image, isa);
    qsort(r->places, r->place_count, sizeof *r->places, replay_places_by_address);
    return true;
}

/* ---- sites ---- */

enum { SITE_NUMBER = 0x1fff }; /* the bits of a site above it say what kind of register it reads */

/* The lines of the section with texts; another one, with as many zeros, numbers them. */
static const uint8_t *replay_site_lines(const struct image *image, size_t *size)
{
    const uint8_t *bytes;
    for (size_t i = 0; (bytes = image_section(image, ".motet.sites", i, size)); i++)
        if (*size && bytes[0] && !bytes[*size - 1])
            return bytes;
    return NULL;
}

/* A line is the place, the register, and what else the report says, with tabs between them. */
void replay_find_sites(struct replay *r, const struct image *image)
{
    size_t size;
    const uint8_t *bytes = replay_site_lines(image, &size);
    if (!bytes)
        return;
    r->site_names = memory_copy(bytes, size);
    for (char *line = r->site_names; line < r->site_names + size;) {
        char *next = line + strlen(line) + 1, *name = strchr(line, '\t');
        r->sites = memory_resize(r->sites, r->site_count + 1, sizeof *r->sites);
        r->sites[r->site_count++] = name ? name + 1 : "";
        if (name && (name = strchr(name + 1, '\t')))
            *name = '\0';
        line = next;
    }
}

const char *replay_site_name(const struct replay *r, unsigned site)
{
    return (site & SITE_NUMBER) < r->site_count ? r->sites[site & SITE_NUMBER] : "";
}
