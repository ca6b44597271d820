/* ELF: what is to be loaded, and the device. The headers are checked here against the size of the file, so that what
 * comes after (symbols, DWARF) deals with sections that exist. */
#include "base/memory.h"
#include "image/internal.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The instruction set, by its number in the header. */
static bool target_find(struct image *i, unsigned machine, struct motet_error *e)
{
    char known[128];
    size_t used = 0;
    for (unsigned k = 0; image_targets[k]; k++) {
        const struct image_target *t = image_targets[k];
        if (t->elf_machine == machine) {
            i->target = t;
            return true;
        }
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s (%u)", k ? " nor " : "", t->name, t->elf_machine);
    }
    return error_set(e, "this ELF file is for machine %u, neither %s", machine, known);
}

static bool header_check(struct image *i, const void *bytes, size_t size, struct motet_error *e)
{
    Elf32_Ehdr h;
    if (size < sizeof h)
        return error_set(e, "the file is cut: an ELF header has %zu bytes, the file only %zu", sizeof h, size);
    memcpy(&h, bytes, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS32 || h.e_ident[EI_DATA] != ELFDATA2LSB)
        return error_set(
            e, "this ELF file is not 32-bit little-endian, hence not for AVR or MSP430; was it built for the host?");
    if (!target_find(i, h.e_machine, e))
        return false;
    const char *refusal = i->target->refusal ? i->target->refusal(h.e_flags) : NULL;
    if (refusal)
        return error_set(e, "%s", refusal);
    if (h.e_type == ET_REL)
        return error_set(e, "this is an object file that has not been linked; link it and give the result");
    if (h.e_type != ET_EXEC)
        return error_set(e, "this ELF file is of type %u, not an executable (%u)", h.e_type, ET_EXEC);
    if (h.e_phnum == 0 || h.e_phentsize != sizeof(Elf32_Phdr))
        return error_set(
            e, "this ELF file has no program headers, so nothing says what to load; link it and give the result");
    if (h.e_shoff && h.e_shentsize != sizeof(Elf32_Shdr))
        return error_set(e, "the ELF section headers have %u bytes each, not %zu; the file is damaged", h.e_shentsize,
                         sizeof(Elf32_Shdr));
    uint64_t programs_end = h.e_phoff + (uint64_t)h.e_phnum * sizeof(Elf32_Phdr);
    uint64_t sections_end = h.e_shoff + (uint64_t)h.e_shnum * sizeof(Elf32_Shdr);
    uint64_t end = programs_end > sections_end ? programs_end : sections_end;
    if (end > size)
        return error_set(e, "the file is cut or damaged: its headers end at byte %" PRIu64 ", but it has %zu bytes",
                         end, size);
    i->elf_flags = h.e_flags;
    return true;
}

static bool segment_add(struct growing *segments, const GElf_Phdr *p, const uint8_t *bytes, size_t size,
                        struct motet_error *e)
{
    if (p->p_type != PT_LOAD || p->p_filesz == 0)
        return true;
    if (p->p_offset > size || p->p_filesz > size - p->p_offset)
        return error_set(e, "the file is cut or damaged: a segment's bytes end at %" PRIu64 ", but it has %zu bytes",
                         (uint64_t)(p->p_offset + p->p_filesz), size);
    if (p->p_memsz < p->p_filesz)
        return error_set(e, "the segment at 0x%x has more bytes in the file than in memory; the file is damaged",
                         (unsigned)p->p_paddr);
    if (p->p_vaddr > IMAGE_ADDRESS_LIMIT || p->p_memsz > IMAGE_ADDRESS_LIMIT - p->p_vaddr)
        return error_set(e, "the segment that runs at 0x%x, of %u bytes, lies beyond the machine's addresses",
                         (unsigned)p->p_vaddr, (unsigned)p->p_memsz);
    struct image_segment *s = growing_add(segments, sizeof *s);
    *s = (struct image_segment){
        .address = (uint32_t)p->p_paddr,
        .run_address = (uint32_t)p->p_vaddr,
        .size = (uint32_t)p->p_filesz,
        .executable = p->p_flags & PF_X,
        .bytes = bytes + p->p_offset,
    };
    return true;
}

static bool segments_load(struct image *i, Elf *elf, const uint8_t *bytes, size_t size, struct motet_error *e)
{
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return error_set(e, "its program headers cannot be read: %s", elf_errmsg(-1));
    struct growing segments = {0};
    bool loaded = true;
    for (size_t n = 0; loaded && n < count; n++) {
        GElf_Phdr p;
        if (!gelf_getphdr(elf, (int)n, &p))
            loaded = error_set(e, "program header %zu cannot be read: %s", n, elf_errmsg(-1));
        else
            loaded = segment_add(&segments, &p, bytes, size, e);
    }
    loaded = loaded && segments_set(i, &segments, e);
    growing_free(&segments);
    if (!loaded)
        return false;
    /* Only now is it known that the segments do not overlap, hence that their copies are no larger than 16 MB. */
    struct image_segment *s = (struct image_segment *)i->segments;
    for (size_t n = 0; n < i->segment_count; n++)
        s[n].bytes = store_copy(&i->store, s[n].bytes, s[n].size);
    return true;
}

static bool sections_check(Elf *elf, size_t size, struct motet_error *e)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr s;
        if (!gelf_getshdr(scn, &s))
            return error_set(e, "section header %zu cannot be read: %s", elf_ndxscn(scn), elf_errmsg(-1));
        if (s.sh_type == SHT_NOBITS || s.sh_type == SHT_NULL)
            continue;
        if (s.sh_offset > size || s.sh_size > size - s.sh_offset)
            return error_set(e,
                             "the file is cut or damaged: section %zu ends at byte %" PRIu64 ", but it has %zu bytes",
                             elf_ndxscn(scn), (uint64_t)(s.sh_offset + s.sh_size), size);
    }
    return true;
}

static uint32_t elf_word(const uint8_t *p)
{
    return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The descriptor holds six words (start and size of flash, RAM and EEPROM), then a table of offsets that opens with its
 * own size in bytes, then a table of strings; the first offset is that of the device's name. */
static const char *device_from_note(struct image *i, const uint8_t *descriptor, size_t size)
{
    enum { MEMORIES = 6 * 4 };
    if (size < MEMORIES + 8)
        return NULL;
    uint32_t table = elf_word(descriptor + MEMORIES), offset = elf_word(descriptor + MEMORIES + 4);
    if (table < 8 || table > size - MEMORIES || offset >= size - MEMORIES - table)
        return NULL;
    const char *name = (const char *)descriptor + MEMORIES + table + offset;
    size_t room = size - MEMORIES - table - offset;
    size_t length = strnlen(name, room);
    char text[32];
    if (length == 0 || length == room || length >= sizeof text)
        return NULL;
    snprintf(text, sizeof text, "%s", name);
    for (const char *c = text; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789", *c))
            return NULL;
    return store_string(&i->store, text);
}

static void device_load(struct image *i, Elf *elf)
{
    size_t names;
    if (!i->target->device_note || elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr s;
        const char *name = gelf_getshdr(scn, &s) ? elf_strptr(elf, names, s.sh_name) : NULL;
        if (!name || strcmp(name, i->target->device_note) != 0 || s.sh_type != SHT_NOTE)
            continue;
        Elf_Data *data = elf_rawdata(scn, NULL);
        const uint8_t *note = data ? data->d_buf : NULL;
        enum { HEADER = 12, OWNER = 4 };
        if (!note || data->d_size < HEADER + OWNER || elf_word(note) != OWNER ||
            memcmp(note + HEADER, i->target->device_owner, OWNER) != 0)
            continue;
        size_t room = data->d_size - HEADER - OWNER, size = elf_word(note + 4);
        i->device = device_from_note(i, note + HEADER + OWNER, size < room ? size : room);
    }
}

/* What the section headers say holds variables. They stay in a stripped file, whose program headers avr-strip damages.
 */
static void writable_load(struct image *i, Elf *elf)
{
    struct growing ranges = {0};
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr s;
        bool variables = gelf_getshdr(scn, &s) && (s.sh_flags & SHF_ALLOC) && (s.sh_flags & SHF_WRITE) && s.sh_size;
        if (!variables || s.sh_addr > IMAGE_ADDRESS_LIMIT || s.sh_size > IMAGE_ADDRESS_LIMIT - s.sh_addr)
            continue;
        struct image_range *r = growing_add(&ranges, sizeof *r);
        *r = (struct image_range){(uint32_t)s.sh_addr, (uint32_t)s.sh_size};
    }
    i->writable_count = ranges.count;
    i->writable = growing_keep(&ranges, sizeof *i->writable, &i->store);
}

/* What the rewriter has left for replay. */
static void sections_load(struct image *i, Elf *elf)
{
    size_t names;
    struct growing kept = {0};
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr s;
        const char *name = gelf_getshdr(scn, &s) ? elf_strptr(elf, names, s.sh_name) : NULL;
        if (!name || strncmp(name, ".motet.", 7) != 0 || s.sh_type != SHT_PROGBITS || (s.sh_flags & SHF_ALLOC))
            continue;
        Elf_Data *data = elf_rawdata(scn, NULL);
        if (!data || !data->d_buf)
            continue;
        struct image_section *k = growing_add(&kept, sizeof *k);
        *k = (struct image_section){store_string(&i->store, name), store_copy(&i->store, data->d_buf, data->d_size),
                                    data->d_size};
    }
    i->section_count = kept.count;
    i->sections = growing_keep(&kept, sizeof *i->sections, &i->store);
}

bool elf_load(struct image *i, const void *bytes, size_t size, struct motet_error *e)
{
    if (!header_check(i, bytes, size, e))
        return false;
    elf_version(EV_CURRENT);
    void *copy = memory_bytes(size); /* libelf is not promised to leave its memory alone */
    memcpy(copy, bytes, size);
    Elf *elf = elf_memory(copy, size);
    bool loaded = elf || error_set(e, "the ELF file cannot be read: %s", elf_errmsg(-1));
    loaded = loaded && segments_load(i, elf, bytes, size, e) && sections_check(elf, size, e);
    if (loaded) {
        device_load(i, elf);
        writable_load(i, elf);
        sections_load(i, elf);
        symbols_load(i, elf);
        dwarf_load(i, elf);
    }
    elf_end(elf);
    free(copy);
    return loaded;
}
