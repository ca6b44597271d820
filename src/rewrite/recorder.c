#include "rewrite/recorder.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rewrite/identity.h"
#include "rewrite/near.h"
#include "rewrite/needed.h"

/* ---- files ---- */

static bool recorder_cannot_write(struct run *r, const char *path)
{
    return error_set(&r->e, "cannot write %s: %s", path, strerror(errno));
}

static bool recorder_append(struct run *r, FILE *to, const char *path)
{
    FILE *from = fopen(path, "rb");
    if (!from)
        return error_set(&r->e, "cannot read %s: %s", path, strerror(errno));
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, from)) > 0;)
        fwrite(block, 1, n, to);
    bool good = !ferror(from);
    fclose(from);
    return good || error_set(&r->e, "cannot read %s: %s", path, strerror(errno));
}

/* A copy in the folder of --keep, if there is one. */
static bool recorder_keep(struct run *r, const char *path, const char *name)
{
    char kept[PATH_MAX];
    if (!r->o->keep)
        return true;
    snprintf(kept, sizeof kept, "%s/%s", r->o->keep, name);
    FILE *f = fopen(kept, "wb");
    bool good = f && recorder_append(r, f, path);
    return (!f || fclose(f) == 0) && good ? true : recorder_cannot_write(r, kept);
}

/* ---- one source ---- */

/* Options about the application's own code: warnings, and code that the compiler adds to each function. */
static bool recorder_is_foreign(const char *a)
{
    static const char *const foreign[] = {"-W",
                                          "-pedantic",
                                          "-fstack-protector",
                                          "-finstrument-functions",
                                          "-fsanitize",
                                          "-fstack-check",
                                          "-fprofile",
                                          "-fpatchable",
                                          "--coverage",
                                          NULL};
    if (cc_starts(a, "-Wa,") || cc_starts(a, "-Wp,"))
        return false;
    for (const char *const *f = foreign; *f; f++)
        if (cc_starts(a, *f))
            return true;
    return false;
}

void recorder_options(const struct run *r, struct words *w)
{
    struct words all = {0};
    cc_step_options(&r->c, KEEP_PREPROCESSOR, &all);
    for (size_t i = 0; i < all.count; i++)
        if (i == 0 || !recorder_is_foreign(all.list[i]))
            cc_word(w, "%s", all.list[i]);
    cc_words_free(&all);
    cc_word(w, "-I%s/recorder", r->o->target_files);
    cc_word(w, "-I%s", r->folder);
    if (r->o->board) {
        char board[64];
        snprintf(board, sizeof board, "%s", r->o->board);
        for (char *b = board; *b; b++)
            *b = *b == '-' ? '_' : (char)toupper((unsigned char)*b);
        cc_word(w, "-DMOTET_BOARD_%s", board);
    }
    if (r->o->codec)
        cc_word(w, "-DMOTET_CODEC_%s", r->o->codec);
    if (r->o->waits)
        cc_word(w, "-DMOTET_WHEN_FULL_WAIT");
    if (r->o->profile)
        cc_word(w, "-DMOTET_PROFILE_%s", r->o->profile);
    needed_options(r, w);
    if (r->o->recorder_only)
        cc_word(w, "-DMOTET_BUILD_BY_LINKER");
    if (!cc_is_avr(r))
        cc_word(w, "-Wno-unused-command-line-argument");
}

/* However the application is compiled. */
static void recorder_c_options(const struct run *r, struct words *w)
{
    static const char *const avr[] = {
        "-Os", "-mcall-prologues", "-fno-move-loop-invariants", "-fno-ssa-phiopt", "-fira-algorithm=priority", NULL};
    static const char *const msp430[] = {"-Oz", "-mhwmult=none" /* see port_msp430.h */, NULL};
    cc_word(w, "-fno-lto");
    cc_word(w, "-std=gnu11");
    cc_word(w, "-ffunction-sections");
    for (const char *const *o = cc_is_avr(r) ? avr : msp430; *o; o++)
        cc_word(w, "%s", *o);
    if (cc_is_avr(r) && r->o->profile && strcmp(r->o->profile, "full") != 0) { /* smaller, and slower in the full one */
        cc_word(w, "-fno-gcse");
        cc_word(w, "-fno-tree-pre");
    }
}

static bool recorder_is_c(const char *file)
{
    return file[strlen(file) - 1] == 'c';
}

/* A file of target/recorder into assembly. */
static int recorder_translate(struct run *r, const char *file, const char *to)
{
    struct words w = {0};
    recorder_options(r, &w);
    if (recorder_is_c(file))
        recorder_c_options(r, &w);
    cc_word(&w, recorder_is_c(file) ? "-S" : "-E");
    cc_word(&w, "-o");
    cc_word(&w, "%s", to);
    cc_word(&w, "-x");
    cc_word(&w, recorder_is_c(file) ? "c" : "assembler-with-cpp");
    cc_word(&w, "%s/recorder/%s", r->o->target_files, file);
    int status = cc_execute(&w);
    cc_words_free(&w);
    return status;
}

/* ---- what the sources include ---- */

static bool recorder_write_chip(struct run *r)
{
    const char *path = cc_temporary(r, "motet_chip.h");
    FILE *f = fopen(path, "w");
    bool good = f && facts_write(&r->registers.facts, &r->registers, r->c.chip, cc_is_avr(r), r->stamp, f, &r->e);
    if (!f || (fclose(f) != 0 && good))
        return recorder_cannot_write(r, path);
    return good && recorder_keep(r, path, "motet_chip.h");
}

/* Texts "->NAME NUMBER" in the assembly of offsets.c, where some compilers put a # before a number. */
static bool recorder_write_offsets(struct run *r, const char *assembly)
{
    const char *path = cc_temporary(r, "motet_offsets.h");
    FILE *from = fopen(assembly, "r"), *to = fopen(path, "w");
    char line[512], name[64];
    long number;
    unsigned count = 0;
    if (to)
        fprintf(to, "/* Numbers of C for assembly, by motet cc from offsets.c. */\n");
    while (from && to && fgets(line, sizeof line, from))
        if (sscanf(line, " .ascii \"->%63s %*[#]%ld", name, &number) == 2 ||
            sscanf(line, " .ascii \"->%63s %ld", name, &number) == 2)
            count += fprintf(to, "#define %s 0x%lx\n", name, number & 0xffff) > 0; /* of 16 bits, on all of them */
    if (from)
        fclose(from);
    if (!to || fclose(to) != 0)
        return recorder_cannot_write(r, path);
    if (!count)
        return error_set(&r->e, "%s has made no assembly of offsets.c that has its numbers", r->c.arguments[0]);
    return recorder_keep(r, path, "motet_offsets.h");
}

static int recorder_prepare(struct run *r)
{
    const char *assembly = cc_temporary(r, "offsets.s");
    if (!recorder_write_chip(r))
        return cc_say_error(r);
    int status = recorder_translate(r, "offsets.c", assembly);
    return status || recorder_write_offsets(r, assembly) ? status : cc_say_error(r);
}

/* ---- all of them ---- */

/* Each source of the chip's family, in the order of the list, into one file. */
static int recorder_translate_all(struct run *r, FILE *list, FILE *to)
{
    char line[256], family[16], file[64];
    unsigned number = 0;
    int status = 0;
    while (!status && fgets(line, sizeof line, list)) {
        if (line[0] == '#' || sscanf(line, "%15s %63s", family, file) != 2)
            continue;
        if (strcmp(family, "all") != 0 && strcmp(family, r->c.target) != 0)
            continue;
        const char *made = cc_temporary(r, "recorder-%u.s", number++);
        status = recorder_translate(r, file, made);
        if (!status && !recorder_append(r, to, made))
            status = cc_say_error(r);
    }
    return status;
}

static int recorder_collect(struct run *r, const char *to)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/recorder/sources.txt", r->o->target_files);
    FILE *list = fopen(path, "r"), *f = list ? fopen(to, "wb") : NULL;
    int status = 0;
    if (!list)
        error_set(&r->e, "cannot read %s: %s", path, strerror(errno));
    else if (!f)
        recorder_cannot_write(r, to);
    else
        status = recorder_translate_all(r, list, f);
    bool good = list && f;
    if (list)
        fclose(list);
    if (f && fclose(f) != 0)
        good = recorder_cannot_write(r, to);
    return good ? status : cc_say_error(r);
}

/* The build id: symbols, which the recorder has in its constants, and the section by which the ELF file is known. It is
 * here because --gc-sections keeps such a section only beside code that is kept, and only if it has no relocations.
 * Immediate operands have 16 bits: the id is given a word at a time. The symbols are weak, as the recorder declares the
 * first: LLVM's assembler does not let a name change that. */
bool recorder_add_build_id(struct run *r, const char *assembly)
{
    FILE *f = identity_add_assembly(r, assembly) ? fopen(assembly, "ab") : NULL;
    uint64_t id = r->identity ? r->identity : 1;
    for (unsigned bit = 0; f && bit < 64; bit += 16) {
        char name[32] = "motet_build_id";
        if (bit)
            snprintf(name, sizeof name, "motet_build_id%u", bit);
        fprintf(f, "\t.weak %s\n\t.set %s, 0x%x\n", name, name, (unsigned)(id >> bit & 0xffff));
    }
    if (f)
        fprintf(f, "\t.section .motet.build,\"\",@progbits\n");
    for (unsigned bit = 0; f && bit < 64; bit += 16)
        fprintf(f, "\t.short 0x%x\n", (unsigned)(id >> bit & 0xffff));
    return (f && fclose(f) == 0) || recorder_cannot_write(r, assembly);
}

/* The chip's registers, for replay: which bits of which it cannot know unless they were recorded. */
static bool recorder_add_registers(struct run *r, const char *assembly)
{
    FILE *f = fopen(assembly, "ab");
    if (f)
        fprintf(f, "\t.section .motet.registers,\"\",@progbits\n");
    for (size_t i = 0; f && i < r->registers.count; i++) {
        const struct chip_register *one = &r->registers.list[i];
        fprintf(f, "\t.ascii \"0x%x %u 0x%x %s\\n\"\n", one->address, one->size, one->bits, one->name);
    }
    return (f && fclose(f) == 0) || recorder_cannot_write(r, assembly);
}

/* The names of the recorder's functions, which are not the application's code. */
static bool recorder_add_functions(struct run *r, const char *assembly)
{
    char line[512], name[128], *text = NULL;
    size_t size;
    FILE *from = fopen(assembly, "r"), *to = memory_must(open_memstream(&text, &size));
    fprintf(to, "\t.section .motet.recorder,\"\",@progbits\n");
    while (from && fgets(line, sizeof line, from))
        if (sscanf(line, " .type %127[^, \t] , @function", name) == 1 && strstr(line, "@function"))
            fprintf(to, "\t.ascii \"%s\\n\"\n", name);
    if (from)
        fclose(from);
    memory_written(to);
    FILE *f = from ? fopen(assembly, "ab") : NULL;
    if (f)
        fputs(text, f);
    free(text);
    return (f && fclose(f) == 0) || recorder_cannot_write(r, assembly);
}

int recorder_make(struct run *r, const char *to)
{
    int status = recorder_prepare(r);
    const char *assembly = cc_temporary(r, "motet-recorder.s");
    if (!status)
        status = recorder_collect(r, assembly);
    if (status)
        return status;
    if ((cc_is_avr(r) && !near_calls(assembly, &r->e)) || !recorder_add_functions(r, assembly) ||
        !recorder_add_registers(r, assembly) || (!r->o->recorder_only && !recorder_add_build_id(r, assembly)) ||
        !recorder_keep(r, assembly, "motet-recorder.s"))
        return cc_say_error(r);
    return cc_assemble(r, assembly, to);
}
