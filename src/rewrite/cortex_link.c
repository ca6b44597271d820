/* Links for Cortex-M: the recorder's objects, and facts of the program that the recorder must know. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rewrite/cortex.h"
#include "rewrite/recorder.h"

static bool cortex_link_header(struct run *r)
{
    const char *path = cc_temporary(r, "motet_chip.h");
    FILE *f = fopen(path, "w");
    if (f)
        cortex_chip_write(&r->cortex, f);
    return (f && fclose(f) == 0) || error_set(&r->e, "cannot write %s: %s", path, strerror(errno));
}

/* A file of target/recorder/cortex into an object. */
static int cortex_link_compile(struct run *r, const char *file, const char *object)
{
    struct words w = {0};
    char path[PATH_MAX];
    bool is_c = file[strlen(file) - 1] == 'c';
    snprintf(path, sizeof path, "%s/recorder/cortex/%s", r->o->target_files, file);
    recorder_options(r, &w);
    cc_word(&w, "-Os");
    cc_word(&w, "-fno-lto");
    cc_word(&w, "-fno-common");
    if (is_c) {
        cc_word(&w, "-std=gnu11");
        cc_word(&w, "-ffreestanding");
        cc_word(&w, "-fno-builtin");
        cc_word(&w, "-fno-tree-loop-distribute-patterns"); /* loops must not become calls of a library */
        cc_word(&w, "-ffunction-sections");
        cc_word(&w, "-fdata-sections");
    }
    cc_word(&w, "-c");
    cc_word(&w, "-o");
    cc_word(&w, "%s", object);
    cc_word(&w, "%s", path);
    int status = cc_execute(&w);
    cc_words_free(&w);
    if (!status)
        cc_hash_file(r, path);
    return status;
}

/* The build id and what start-up code initialises, for the node and for the host; and where the log is. */
static int cortex_link_facts(struct run *r, const char *object, uint32_t first, uint32_t end)
{
    const char *path = cc_temporary(r, "facts.s");
    uint64_t id = r->identity ? r->identity : 1;
    FILE *f = fopen(path, "w");
    for (unsigned pass = 0; f && pass < 2; pass++) {
        fprintf(f, pass ? "\t.section .motet.build,\"\",%%progbits\n"
                        : "\t.section .rodata.motet_build,\"a\",%%progbits\n\t.balign 4\n\t.global motet_build\n"
                          "motet_build:\n");
        for (unsigned bit = 0; bit < 64; bit += 16)
            fprintf(f, "\t.short 0x%x\n", (unsigned)(id >> bit & 0xffff));
    }
    if (f)
        fprintf(f,
                "\t.global motet_ram_first, motet_ram_last\n\t.set motet_ram_first, 0x%x\n\t.set motet_ram_last, 0x%x\n"
                "\t.section .motet.log,\"\",%%progbits\n\t.ascii \"0x%x 0x%x 0x%x 0x%x\\n\"\n",
                first, end, r->cortex.log_first, r->cortex.log_size, first, end);
    if (!f || fclose(f) != 0) {
        error_set(&r->e, "cannot write %s: %s", path, strerror(errno));
        return cc_say_error(r);
    }
    return cc_assemble(r, path, object);
}

static bool cortex_link_check(struct run *r, const char *program, uint32_t *first, uint32_t *end)
{
    const struct cortex_chip *c = &r->cortex;
    bool good;
    const char *kept = sizes_variables(program, c->ram_first, c->ram_last, first, end, &good);
    if (!good)
        return error_set(&r->e, "%s: the linker's output cannot be read", program);
    if (kept)
        return error_set(&r->e,
                         "%s: section %s keeps its contents over a reset, which is not recorded on Cortex-M; let "
                         "start-up code initialise these variables",
                         program, kept);
    if (sizes_loads(program, c->log_first, c->log_size))
        return error_set(&r->e, "%s: the program reaches into the flash from 0x%x to 0x%x, which is the log's", program,
                         c->log_first, c->log_first + c->log_size - 1);
    return true;
}

int cortex_link(struct run *r, struct words *w, const char *program)
{
    char flash[32];
    uint32_t first, end;
    snprintf(flash, sizeof flash, "flash_%s.c", r->cortex.flash);
    const char *const files[] = {"entries.S", "recorder.c", "pages.c", flash};
    int status = cortex_link_header(r) ? 0 : cc_say_error(r);
    for (unsigned i = 0; !status && i < sizeof files / sizeof *files; i++) {
        const char *object = cc_temporary(r, "recorder-%u.o", i);
        status = cortex_link_compile(r, files[i], object);
        cc_word(w, "%s", object);
    }
    /* Where the variables lie is known once it is linked; then it is linked again, with the same layout. */
    const char *facts = cc_temporary(r, "facts.o");
    cc_word(w, "%s", facts);
    if (!status && !(status = cortex_link_facts(r, facts, r->cortex.ram_first, r->cortex.ram_first)))
        status = cc_execute(w);
    if (!status && !cortex_link_check(r, program, &first, &end)) {
        unlink(program);
        return cc_say_error(r);
    }
    if (status)
        return status;
    uint64_t hash = sizes_hash(program); /* options of the compiler are in it, too */
    cc_hash(r, &hash, sizeof hash);
    status = cortex_link_facts(r, facts, first, end);
    return status ? status : cc_execute(w);
}
