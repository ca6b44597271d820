#include "rewrite/origin.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/memory.h"

static const char made[] = ".motet.made";

bool origin_note(const char *assembly)
{
    FILE *f = fopen(assembly, "ab");
    bool good = f && fprintf(f, "\n\t.section\t%s,\"\"\n", made) > 0;
    return (!f || fclose(f) == 0) && good;
}

static char *origin_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0 && ftell(f) >= 0) {
        *size = (size_t)ftell(f);
        rewind(f);
        text = memory_bytes(*size + 1);
        *size = fread(text, 1, *size, f);
    }
    if (f)
        fclose(f);
    return text;
}

static bool origin_write(const char *path, const char *mode, const void *bytes, size_t size)
{
    FILE *f = fopen(path, mode);
    bool good = f && fwrite(bytes, 1, size, f) == size;
    return (!f || fclose(f) == 0) && good;
}

bool origin_source(const char *assembly, const char *source, const char *between, const char *head)
{
    size_t size;
    char *text = origin_read(source, &size);
    if (!text)
        return false;
    size_t room = ZSTD_compressBound(size);
    void *small = memory_bytes(room);
    size_t stored = ZSTD_compress(small, room, text, size, 9);
    char *section = memory_format("\n\t.section\t.motet.source,\"\",@progbits\n\t.ascii \"%zu %zu %s\\n\"\n"
                                  "\t.incbin \"%s\"\n",
                                  stored, size, head, between);
    bool good = !ZSTD_isError(stored) && origin_write(between, "wb", small, stored) &&
                origin_write(assembly, "ab", section, strlen(section));
    free(section);
    free(small);
    free(text);
    return good;
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
