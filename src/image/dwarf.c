/* Debug information: where it is, and what of it libdw may read. What libdw refuses is left out. */
#include "image/internal.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <string.h>

/* What libdw would decompress, or look for in other files, is not handed to it: the first may be of any size, the
 * second would make what an image says depend on more than the image. */
static bool libdw_may_read(Elf *elf)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr s;
        const char *name = gelf_getshdr(scn, &s) ? elf_strptr(elf, names, s.sh_name) : NULL;
        if (!name)
            return false;
        if (strcmp(name, ".gnu_debugaltlink") == 0 || strncmp(name, ".zdebug", 7) == 0)
            return false;
        if (strncmp(name, ".debug", 6) == 0 && (s.sh_flags & SHF_COMPRESSED || s.sh_type == SHT_NOBITS))
            return false;
    }
    return true;
}

bool dwarf_zero_is_nowhere(const struct image *i)
{
    const struct image_symbol *vectors = image_symbol_named(i, "__vectors");
    return !i->target->code_at_zero || (vectors && vectors->address == 0);
}

/* The bytes of a section in libelf's own copy of the file, where they can be changed before libdw sees them. */
static uint8_t *section_named(Elf *elf, const char *wanted, size_t *size)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr s;
        const char *name = gelf_getshdr(scn, &s) ? elf_strptr(elf, names, s.sh_name) : NULL;
        Elf_Data *data = name && strcmp(name, wanted) == 0 ? elf_rawdata(scn, NULL) : NULL;
        if (data && data->d_buf) {
            *size = data->d_size;
            return data->d_buf;
        }
    }
    return NULL;
}

void dwarf_load(struct image *i, Elf *elf)
{
    struct growing lines = {0};
    size_t size, strings_size;
    const uint8_t *stabs = section_named(elf, ".stab", &size);
    const uint8_t *strings = section_named(elf, ".stabstr", &strings_size);
    if (stabs && strings)
        lines_from_stabs(i, stabs, size, (const char *)strings, strings_size, &lines);

    bool may_read = libdw_may_read(elf);
    uint8_t *section = may_read ? section_named(elf, ".debug_frame", &size) : NULL;
    if (section)
        frames_load(i, section, size);
    section = may_read ? section_named(elf, ".debug_line", &size) : NULL;
    if (section)
        lines_discard(i, section, size);
    Dwarf *dwarf = may_read ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf) {
        lines_from_dwarf(i, dwarf, &lines);
        variables_load(i, dwarf);
        dwarf_end(dwarf);
    }
    lines_set(i, &lines);
}
