#include "rewrite/origin.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char made[] = ".motet.made";

bool origin_note(const char *assembly)
{
    FILE *f = fopen(assembly, "ab");
    bool good = f && fprintf(f, "\n\t.section\t%s,\"\",@progbits\n", made) > 0;
    return (!f || fclose(f) == 0) && good;
}

static bool origin_is_other_file(Elf *object)
{
    size_t names;
    bool code = false;
    if (elf_kind(object) != ELF_K_ELF || elf_getshdrstrndx(object, &names) != 0)
        return false;
    for (Elf_Scn *s = NULL; (s = elf_nextscn(object, s));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(s, &header) ? elf_strptr(object, names, header.sh_name) : NULL;
        if (!name)
            continue;
        if (strcmp(name, made) == 0)
            return false;
        code = code || (header.sh_flags & SHF_EXECINSTR && header.sh_size) || strncmp(name, ".gnu.lto_", 9) == 0;
    }
    return code;
}

bool origin_is_other(const char *path, char *member, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *whole = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL), *part;
    bool other = whole && origin_is_other_file(whole);
    Elf_Cmd next = ELF_C_READ;
    snprintf(member, size, "%s", "");
    while (!other && next != ELF_C_NULL && elf_kind(whole) == ELF_K_AR && (part = elf_begin(file, next, whole))) {
        const Elf_Arhdr *header = elf_getarhdr(part);
        other = origin_is_other_file(part);
        if (other && header)
            snprintf(member, size, "%s", header->ar_name);
        next = elf_next(part);
        elf_end(part);
    }
    elf_end(whole);
    if (file >= 0)
        close(file);
    return other;
}
