/* Whether a shared object may be a part, as far as its file shows. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "api/part.h"

/* ---- variables that can change ---- */

/* Written by the loader alone, which makes them read-only. */
static bool part_file_is_constant(const char *section)
{
    static const char *const names[] = {".data.rel.ro", ".init_array", ".fini_array",     ".dynamic", ".got",
                                        ".ctors",       ".dtors",      ".tm_clone_table", ".jcr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(section, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* What start-up code of the toolchain has in every shared object. */
static bool part_file_is_toolchain(const char *symbol)
{
    return strncmp(symbol, "completed.", 10) == 0 || strcmp(symbol, "__dso_handle") == 0 ||
           strcmp(symbol, "__TMC_END__") == 0;
}

static bool part_file_is_variable(Elf *elf, size_t names, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    int type = GELF_ST_TYPE(symbol->st_info);
    Elf_Scn *section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
    if ((type != STT_OBJECT && type != STT_TLS && type != STT_COMMON) || symbol->st_shndx == SHN_UNDEF || !section ||
        !gelf_getshdr(section, &header))
        return false;
    const char *name = elf_strptr(elf, names, header.sh_name);
    return header.sh_flags & SHF_WRITE && name && !part_file_is_constant(name);
}

static bool part_file_variables(Elf *elf, size_t names, Elf_Scn *section, const GElf_Shdr *header,
                                struct motet_error *e)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < count; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) ? elf_strptr(elf, header->sh_link, symbol.st_name) : NULL;
        if (name && part_file_is_variable(elf, names, &symbol) && !part_file_is_toolchain(name))
            return error_set(e,
                             "has a variable '%.60s' that can change; snapshots would not hold it. Put it into the "
                             "part's state, or make it const",
                             name);
    }
    return true;
}

/* ---- functions of others ---- */

struct part_file_call {
    const char *name, *instead;
};

static const struct part_file_call forbidden[] = {
    {"time", "use motet_part_now"},
    {"clock", "use motet_part_now"},
    {"clock_gettime", "use motet_part_now"},
    {"gettimeofday", "use motet_part_now"},
    {"rand", "use motet_part_random"},
    {"srand", "use motet_part_random"},
    {"random", "use motet_part_random"},
    {"srandom", "use motet_part_random"},
    {"drand48", "use motet_part_random"},
    {"getrandom", "use motet_part_random"},
    {"getentropy", "use motet_part_random"},
    {"arc4random", "use motet_part_random"},
    {"malloc", "put what changes into the part's state"},
    {"calloc", "put what changes into the part's state"},
    {"realloc", "put what changes into the part's state"},
    {"aligned_alloc", "put what changes into the part's state"},
    {"strdup", "put what changes into the part's state"},
    {"strtok", "put what changes into the part's state"},
    {"mmap", "put what changes into the part's state"},
    {"_Znwm", "put what changes into the part's state"},
    {"_Znam", "put what changes into the part's state"},
    {"getenv", "let a parameter of its table say it"},
    {"fopen", "let a parameter or a quantity of its table say it"},
    {"open", "let a parameter or a quantity of its table say it"},
    {"read", "let a parameter or a quantity of its table say it"},
    {"socket", "let a parameter or a quantity of its table say it"},
};

static bool part_file_calls(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct motet_error *e)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        for (size_t k = 0; name && k < sizeof forbidden / sizeof *forbidden; k++)
            if (strcmp(name, forbidden[k].name) == 0)
                return error_set(e, "calls %s, which the node's state and seed do not determine; %s", name,
                                 forbidden[k].instead);
    }
    return true;
}

/* ---- the file ---- */

struct part_file {
    Elf *elf;
    size_t size;  /* of the file */
    size_t names; /* section of the sections' names */
    bool symbols, exports, data;
};

/* One section: its bytes are there, and it has nothing that a part may not have. */
static bool part_file_section(struct part_file *f, Elf_Scn *section, struct motet_error *e)
{
    GElf_Shdr h;
    const char *name = gelf_getshdr(section, &h) ? elf_strptr(f->elf, f->names, h.sh_name) : NULL;
    if (!name || (h.sh_type != SHT_NOBITS && (h.sh_offset > f->size || h.sh_size > f->size - h.sh_offset)))
        return error_set(e, "is damaged or not complete");
    f->symbols |= h.sh_type == SHT_SYMTAB;
    f->exports |= h.sh_type == SHT_DYNSYM;
    f->data |= h.sh_flags & SHF_WRITE && h.sh_size && !part_file_is_constant(name);
    if (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM)
        return true;
    return part_file_variables(f->elf, f->names, section, &h, e) &&
           (h.sh_type == SHT_SYMTAB || part_file_calls(f->elf, section, &h, e));
}

static bool part_file_look(struct part_file *f, struct motet_error *e)
{
    GElf_Ehdr head;
    if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &head) || head.e_type != ET_DYN)
        return error_set(e, "is not a shared object; cc -shared -fPIC makes one");
    if (elf_getshdrstrndx(f->elf, &f->names) != 0)
        return error_set(e, "is damaged or not complete");
    for (Elf_Scn *section = elf_nextscn(f->elf, NULL); section; section = elf_nextscn(f->elf, section))
        if (!part_file_section(f, section, e))
            return false;
    if (!f->exports)
        return error_set(e, "is damaged or not complete");
    if (f->data && !f->symbols)
        return error_set(e, "is stripped, so its variables cannot be checked; keep its symbols");
    return true;
}

bool part_file_check(const char *path, struct digest *digest, struct motet_error *e)
{
    struct part_file f = {.size = 0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set(e, "cannot be read: %s", strerror(errno));
    elf_version(EV_CURRENT);
    f.elf = elf_begin(file, ELF_C_READ, NULL);
    const char *bytes = f.elf ? elf_rawfile(f.elf, &f.size) : NULL;
    *digest = digest_of(bytes, f.size);
    bool good = bytes ? part_file_look(&f, e) : error_set(e, "cannot be read, or is not a shared object");
    elf_end(f.elf);
    close(file);
    return good;
}
