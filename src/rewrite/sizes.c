#include "rewrite/sizes.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct object {
    char *bytes;
    size_t size;
    const Elf32_Shdr *sections;
    unsigned count;
    const char *names;
    size_t names_size;
};

static bool read_object(struct object *o, const char *path)
{
    *o = (struct object){0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    size_t room = 0;
    for (size_t got = 1; got; o->size += got) {
        o->bytes = memory_grow(o->bytes, &room, o->size + 65536, 1);
        got = fread(o->bytes + o->size, 1, room - o->size, f);
    }
    fclose(f);
    const Elf32_Ehdr *h = (const Elf32_Ehdr *)o->bytes;
    if (o->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS32 ||
        h->e_shoff % 4 != 0 || h->e_shoff > o->size || h->e_shnum > (o->size - h->e_shoff) / sizeof *o->sections ||
        h->e_shstrndx >= h->e_shnum)
        return false;
    o->sections = (const Elf32_Shdr *)(o->bytes + h->e_shoff);
    o->count = h->e_shnum;
    const Elf32_Shdr *n = &o->sections[h->e_shstrndx];
    if (n->sh_offset > o->size || n->sh_size > o->size - n->sh_offset || !n->sh_size ||
        o->bytes[n->sh_offset + n->sh_size - 1] != '\0')
        return false;
    o->names = o->bytes + n->sh_offset;
    o->names_size = n->sh_size;
    return true;
}

static const char *sizes_name_of(const struct object *o, const Elf32_Shdr *s)
{
    return s->sh_name < o->names_size ? o->names + s->sh_name : "";
}

bool sizes_of(const char *path, bool avr, struct sizes *s)
{
    struct object o;
    *s = (struct sizes){0};
    bool good = read_object(&o, path);
    for (unsigned i = 0; good && i < o.count; i++) {
        const Elf32_Shdr *h = &o.sections[i];
        if (!(h->sh_flags & SHF_ALLOC))
            continue;
        /* Constants of an AVR are copied to RAM: its instructions cannot reach them in flash as in other memory. */
        bool copied = avr && strncmp(sizes_name_of(&o, h), ".rodata", 7) == 0;
        bool loaded = strcmp(sizes_name_of(&o, h), ".noinit") != 0; /* in objects for the MSP430 it has bytes */
        if (h->sh_type != SHT_NOBITS && loaded)
            s->flash += h->sh_size;
        if (h->sh_flags & SHF_WRITE || copied)
            s->ram += h->sh_size;
    }
    free(o.bytes);
    return good;
}

/* Sections whose names are the same up to so many characters. */
static unsigned long sizes_bytes_of(const char *path, const char *name, size_t length)
{
    struct object o;
    unsigned long size = 0;
    bool good = read_object(&o, path);
    for (unsigned i = 0; good && i < o.count; i++)
        if (strncmp(sizes_name_of(&o, &o.sections[i]), name, length) == 0)
            size += o.sections[i].sh_size;
    free(o.bytes);
    return size;
}

unsigned long sizes_section(const char *path, const char *name)
{
    return sizes_bytes_of(path, name, strlen(name) + 1);
}

unsigned long sizes_begin_with(const char *path, const char *name)
{
    return sizes_bytes_of(path, name, strlen(name));
}

static bool has_symbol(const struct object *o, const Elf32_Shdr *table, const char *name, uint32_t *value)
{
    const Elf32_Shdr *s = table->sh_link < o->count ? &o->sections[table->sh_link] : NULL;
    if (!s || table->sh_offset > o->size || table->sh_size > o->size - table->sh_offset || table->sh_offset % 4 != 0 ||
        s->sh_offset > o->size || s->sh_size > o->size - s->sh_offset || !s->sh_size ||
        o->bytes[s->sh_offset + s->sh_size - 1] != '\0')
        return false;
    const Elf32_Sym *symbols = (const Elf32_Sym *)(o->bytes + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
        if (symbols[i].st_name < s->sh_size && symbols[i].st_shndx != SHN_UNDEF &&
            strcmp(o->bytes + s->sh_offset + symbols[i].st_name, name) == 0) {
            *value = symbols[i].st_value;
            return true;
        }
    return false;
}

bool sizes_symbol(const char *path, const char *name, uint32_t *value)
{
    struct object o;
    bool found = false, good = read_object(&o, path);
    for (unsigned i = 0; good && i < o.count && !found; i++)
        found = o.sections[i].sh_type == SHT_SYMTAB && has_symbol(&o, &o.sections[i], name, value);
    free(o.bytes);
    return found;
}

const char *sizes_variables(const char *path, uint32_t ram_first, uint32_t ram_last, uint32_t *first, uint32_t *end,
                            bool *good)
{
    static char kept[64];
    struct object o;
    kept[0] = '\0';
    *first = *end = 0;
    *good = read_object(&o, path);
    for (unsigned i = 0; *good && i < o.count; i++) {
        const Elf32_Shdr *h = &o.sections[i];
        const char *name = sizes_name_of(&o, h);
        if (!(h->sh_flags & SHF_ALLOC) || !h->sh_size || h->sh_addr < ram_first || h->sh_addr > ram_last)
            continue;
        if (strstr(name, "noinit"))
            snprintf(kept, sizeof kept, "%s", name);
        if (h->sh_type == SHT_NOBITS && !strstr(name, "bss"))
            continue; /* room for heap or stack */
        *first = *first && *first < h->sh_addr ? *first : h->sh_addr;
        *end = *end > h->sh_addr + h->sh_size ? *end : h->sh_addr + h->sh_size;
    }
    free(o.bytes);
    return kept[0] ? kept : NULL;
}

uint64_t sizes_hash(const char *path)
{
    struct object o;
    bool good = read_object(&o, path);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; good && i < o.count; i++) {
        const Elf32_Shdr *h = &o.sections[i];
        bool loaded = h->sh_flags & SHF_ALLOC && h->sh_type != SHT_NOBITS && h->sh_offset <= o.size &&
                      h->sh_size <= o.size - h->sh_offset;
        hash = (hash ^ (loaded ? h->sh_addr : 0)) * UINT64_C(0x100000001b3);
        for (size_t k = 0; loaded && k < h->sh_size; k++)
            hash = (hash ^ (uint8_t)o.bytes[h->sh_offset + k]) * UINT64_C(0x100000001b3);
    }
    free(o.bytes);
    return hash;
}

bool sizes_loads(const char *path, uint32_t first, uint32_t size)
{
    struct object o;
    bool good = read_object(&o, path), loads = false;
    const Elf32_Ehdr *h = (const Elf32_Ehdr *)o.bytes;
    good =
        good && h->e_phoff % 4 == 0 && h->e_phoff <= o.size && h->e_phnum <= (o.size - h->e_phoff) / sizeof(Elf32_Phdr);
    for (unsigned i = 0; good && i < h->e_phnum; i++) {
        const Elf32_Phdr *p = (const Elf32_Phdr *)(o.bytes + h->e_phoff) + i;
        loads |= p->p_type == PT_LOAD && p->p_filesz && p->p_paddr < first + size && p->p_paddr + p->p_filesz > first;
    }
    free(o.bytes);
    return loads;
}

bool sizes_growth(const char *path, struct sizes *sum)
{
    struct object o;
    bool found = false, good = read_object(&o, path);
    for (unsigned i = 0; good && i < o.count; i++) {
        const Elf32_Shdr *h = &o.sections[i];
        long flash, ram;
        char text[64];
        if (strcmp(sizes_name_of(&o, h), ".motet.growth") != 0 || h->sh_offset > o.size || h->sh_size >= sizeof text ||
            h->sh_size > o.size - h->sh_offset)
            continue;
        snprintf(text, sizeof text, "%.*s", (int)h->sh_size, o.bytes + h->sh_offset);
        if (sscanf(text, "%ld %ld", &flash, &ram) == 2) {
            sum->flash += flash;
            sum->ram += ram;
            found = true;
        }
    }
    free(o.bytes);
    return found;
}

bool sizes_note(const char *assembly, const struct sizes *added)
{
    FILE *f = fopen(assembly, "ab");
    bool good = f && fprintf(f, "\n\t.section\t.motet.growth,\"\",@progbits\n\t.ascii\t\"%ld %ld\"\n", added->flash,
                             added->ram) > 0;
    return (!f || fclose(f) == 0) && good;
}

char *sizes_bytes(const char *path, const char *name, size_t *size)
{
    struct object o;
    char *bytes = NULL;
    bool good = read_object(&o, path);
    for (unsigned i = 0; good && !bytes && i < o.count; i++) {
        const Elf32_Shdr *h = &o.sections[i];
        if (strcmp(sizes_name_of(&o, h), name) != 0 || h->sh_offset > o.size || h->sh_size > o.size - h->sh_offset)
            continue;
        *size = h->sh_size;
        bytes = memory_bytes(h->sh_size + 1);
        memcpy(bytes, o.bytes + h->sh_offset, h->sh_size);
        bytes[h->sh_size] = '\0';
    }
    free(o.bytes);
    return bytes;
}

char *sizes_undefined(const char *path, size_t *size)
{
    struct object o;
    char *names = NULL;
    size_t room = 0;
    bool good = read_object(&o, path);
    *size = 0;
    for (unsigned i = 0; good && i < o.count; i++) {
        const Elf32_Shdr *table = &o.sections[i], *s = table->sh_link < o.count ? &o.sections[table->sh_link] : NULL;
        if (table->sh_type != SHT_SYMTAB || !s || table->sh_offset > o.size || table->sh_offset % 4 != 0 ||
            table->sh_size > o.size - table->sh_offset || s->sh_offset > o.size || s->sh_size > o.size - s->sh_offset ||
            !s->sh_size || o.bytes[s->sh_offset + s->sh_size - 1] != '\0')
            continue;
        const Elf32_Sym *symbols = (const Elf32_Sym *)(o.bytes + table->sh_offset);
        for (size_t k = 1; k < table->sh_size / sizeof *symbols; k++) {
            if (symbols[k].st_shndx != SHN_UNDEF || symbols[k].st_name >= s->sh_size)
                continue;
            const char *name = o.bytes + s->sh_offset + symbols[k].st_name;
            size_t length = strlen(name) + 1;
            names = memory_grow(names, &room, *size + length, 1);
            memcpy(names + *size, name, length);
            *size += length;
        }
    }
    free(o.bytes);
    return names;
}
