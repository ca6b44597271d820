#include "rewrite/cc.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "rewrite/cc_run.h"
#include "rewrite/command.h"
#include "rewrite/cortex.h"
#include "rewrite/identity.h"
#include "rewrite/instrument.h"
#include "rewrite/interface.h"
#include "rewrite/logger.h"
#include "rewrite/loops.h"
#include "rewrite/origin.h"
#include "rewrite/needed.h"
#include "rewrite/recorder.h"
#include "rewrite/report.h"
#include "rewrite/rounds.h"
#include "rewrite/routines.h"
#include "rewrite/stamp.h"
#include "rewrite/wrappers.h"

enum { MOST_SITES = 6144 }; /* as motet_record.h has it */

/* ---- arguments by what they are for ---- */

static bool has_option(const struct command *c, const char *name)
{
    for (size_t i = 1; i < c->count; i++)
        if (strcmp(c->arguments[i], name) == 0)
            return true;
    return false;
}

static const char *rewrite_cc_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void stem_of(const char *source, char *stem, size_t size)
{
    snprintf(stem, size, "%s", rewrite_cc_base_name(source));
    char *dot = strrchr(stem, '.');
    if (dot)
        *dot = '\0';
}

static void word_source(const struct command *c, const char *source, struct words *w)
{
    const char *language = command_is_assembly(c, source) ? "assembler-with-cpp" : command_told(c, source);
    if (language) {
        cc_word(w, "-x");
        cc_word(w, "%s", language);
    }
    cc_word(w, "%s", source);
}

/* ---- one source ---- */

static int preprocess(struct run *r, const char *source, const char *object, const char *to)
{
    struct words w = {0};
    cc_step_options(&r->c, KEEP_DEPENDENCIES | KEEP_PREPROCESSOR | KEEP_INCLUDED, &w);
    bool follows = has_option(&r->c, "-MD") || has_option(&r->c, "-MMD");
    if (follows && !has_option(&r->c, "-MF")) {
        char name[4096];
        snprintf(name, sizeof name, "%s", object);
        char *dot = strrchr(name, '.');
        if (dot && !strchr(dot, '/'))
            *dot = '\0';
        cc_word(&w, "-MF");
        cc_word(&w, "%s.d", name);
    }
    if (follows && !has_option(&r->c, "-MT") && !has_option(&r->c, "-MQ")) {
        cc_word(&w, "-MT");
        cc_word(&w, "%s", object);
    }
    cc_word(&w, "-E");
    cc_word(&w, "-o");
    cc_word(&w, "%s", to);
    word_source(&r->c, source, &w);
    int status = cc_execute(&w);
    cc_words_free(&w);
    return status;
}

static void say_warnings(const struct instrumented *i)
{
    for (size_t n = 0; n < i->warning_count; n++)
        fprintf(stderr, "%s\n", i->warnings[n]);
}

static bool write_file(struct run *r, const char *path, const struct instrumented *i)
{
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(i->text, 1, i->size, f) == i->size;
    good = (!f || fclose(f) == 0) && good;
    return good || error_set(&r->e, "cannot write %s: %s", path, strerror(errno));
}

static int rewrite_cc_cannot_write(struct run *r, const char *path)
{
    error_set(&r->e, "cannot write %s: %s", path, strerror(errno));
    return cc_say_error(r);
}

/* The invariants' expressions as this source's macros make them. */
static int expand_checks(struct run *r, const char *source, unsigned number)
{
    char whole[PATH_MAX];
    const char *kind = command_is_cpp(&r->c, source) ? "cpp" : "c";
    const char *asked = cc_temporary(r, "%u-invariants.%s", number, kind);
    const char *answer = cc_temporary(r, "%u-invariants.i", number);
    if (!checks_want_macros(&r->checks) || !realpath(source, whole))
        return 0;
    struct words w = {0};
    if (!checks_ask(&r->checks, whole, asked, &r->e))
        return cc_say_error(r);
    cc_step_options(&r->c, KEEP_PREPROCESSOR | KEEP_INCLUDED, &w);
    cc_word(&w, "-E");
    cc_word(&w, "-o");
    cc_word(&w, "%s", answer);
    cc_word(&w, "%s", asked);
    int status = cc_execute(&w);
    cc_words_free(&w);
    return status || checks_take(&r->checks, answer, &r->e) ? status : cc_say_error(r);
}

/* Puts the invariants into a preprocessed source. */
static int place_checks(struct run *r, const char *source, unsigned number, const char *before)
{
    if (!r->checks.count || command_is_assembly(&r->c, source))
        return 0;
    int status = expand_checks(r, source, number);
    if (status)
        return status;
    bool cpp = command_is_cpp(&r->c, source);
    enum checks_freeze freeze = r->o->record                   ? CHECKS_FREEZE_LOG
                                : r->trace.plan.function_count ? CHECKS_FREEZE_TRACE
                                                               : CHECKS_FREEZE_NOTHING;
    bool good = checks_place(&r->checks, before, r->c.target, cpp, r->c.types, freeze, &r->e) &&
                (!r->trace.plan.function_count || trace_place(&r->trace, before, r->c.target, cpp, r->c.types, &r->e));
    return good ? 0 : cc_say_error(r);
}

/* Without recording, what the compiler gets is the preprocessed source. */
static bool take_as_it_is(const char *path, struct instrumented *i, struct motet_error *e)
{
    FILE *f = fopen(path, "rb");
    *i = (struct instrumented){0};
    if (!f)
        return error_set(e, "cannot read %s: %s", path, strerror(errno));
    for (size_t got = 1; got; i->size += got) {
        i->text = memory_resize(i->text, i->size + 65536, 1);
        got = fread(i->text + i->size, 1, 65536, f);
    }
    fclose(f);
    return true;
}

/* ---- the other sources of a component ---- */

struct rewrite_cc_others {
    struct run *r;
    unsigned number;
    int status;
    struct component *component;
};

static bool rewrite_cc_read_other(void *context, const char *path)
{
    struct rewrite_cc_others *o = context;
    struct run *r = o->r;
    const char *to = cc_temporary(r, "other-%u.i", o->number++);
    struct words w = {0};
    cc_step_options(&r->c, KEEP_PREPROCESSOR | KEEP_INCLUDED, &w);
    cc_word(&w, "-E");
    cc_word(&w, "-o");
    cc_word(&w, "%s", to);
    cc_word(&w, "%s", path);
    o->status = cc_execute(&w);
    cc_words_free(&w);
    if (!o->status && !component_read(o->component, to, r->c.target, r->c.types, &r->e))
        o->status = cc_say_error(r);
    return !o->status;
}

/* What other sources of the component define, for one that belongs to it. */
static int rewrite_cc_read_others(struct run *r, const char *source)
{
    struct rewrite_cc_others o = {.r = r};
    char whole[PATH_MAX];
    const char *path = realpath(source, whole) ? whole : source;
    for (size_t i = 0; !o.status && i < r->component_count; i++) {
        o.component = &r->components[i];
        component_forget(o.component);
        if (component_has_source(o.component, path))
            component_others(o.component, source, rewrite_cc_read_other, &o);
    }
    return o.status;
}

static bool rewrite_cc_for_log(struct run *r, const char *source, const char *before,
                               const struct instrument_options *o, struct instrumented *i)
{
    char whole[PATH_MAX];
    if (!realpath(source, whole))
        snprintf(whole, sizeof whole, "%s", source);
    return interface_rewrite(before, whole, o, r->components, r->component_count, i, &r->e);
}

/* Whether the recorder of the link will read timers of 16 bits once more (target/recorder/lean_msp430.S). */
static bool takes_timers_again(const struct run *r)
{
    bool lean = has_option(&r->c, "-DMOTET_PROFILE_small") || has_option(&r->c, "-DMOTET_PROFILE_tiny") ||
                (r->o->profile && strcmp(r->o->profile, "full") != 0);
    return lean && !cc_is_avr(r) && !cc_is_cortex(r);
}

/* Rewrites a source into a preprocessed file; its path in *out, what was done in *i, to be freed if the result is 0. */
static int rewrite(struct run *r, const char *source, const char *object, unsigned number, const char **out,
                   struct instrumented *i)
{
    char stem[200];
    stem_of(source, stem, sizeof stem);
    bool assembly = command_is_assembly(&r->c, source), cpp = command_is_cpp(&r->c, source);
    const char *kind = assembly ? "s" : cpp ? "ii" : "i";
    const char *before = cc_temporary(r, "%u-%s.before.%s", number, stem, kind);
    *out = cc_temporary(r, "%u-%s.%s", number, stem, kind);
    int status = preprocess(r, source, object, before);
    if (!status)
        status = place_checks(r, source, number, before);
    if (status)
        return status;
    struct instrument_options o = {.target = r->c.target,
                                   .registers = &r->registers,
                                   .cpp = cpp,
                                   .optimises = r->c.optimises,
                                   .types = r->c.types,
                                   .watchdog = has_option(&r->c, "-DMOTET_WATCHDOG"),
                                   .chip = r->c.chip,
                                   .fed = r->o->fed,
                                   .calls_only = r->o->calls_only,
                                   .timed = r->o->clock != NULL,
                                   .stamp = r->stamp,
                                   .timers_again = takes_timers_again(r)};
    bool logs = r->o->log_interface && !assembly && !cpp;
    if (logs && (status = rewrite_cc_read_others(r, source)))
        return status;
    bool cortex = cc_is_cortex(r);
    if (!(logs                 ? rewrite_cc_for_log(r, source, before, &o, i)
          : !r->o->record      ? take_as_it_is(before, i, &r->e)
          : cortex && assembly ? take_as_it_is(before, i, &r->e)
          : cortex             ? cortex_instrument(before, &o, &r->cortex, i, &r->e)
          : assembly           ? routines_rewrite(before, source, &o, i, &r->e)
                               : instrument(before, &o, i, &r->e)))
        return cc_say_error(r);
    say_warnings(i);
    bool good = write_file(r, *out, i);
    if (good && r->o->keep) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.%s", r->o->keep, stem, kind);
        good = write_file(r, path, i);
    }
    cc_hash(r, i->text, i->size);
    if (!good)
        instrumented_free(i);
    return good ? 0 : cc_say_error(r);
}

static int compile_to_assembly(struct run *r, const char *from, const char *to, struct instrumented *i)
{
    struct words w = {0};
    cc_step_options(&r->c, 0, &w);
    if (r->o->record)
        cc_word(&w, "-ffunction-sections");
    cc_word(&w, "-S");
    cc_word(&w, "-o");
    cc_word(&w, "%s", to);
    cc_word(&w, "%s", from);
    int status = cc_execute(&w);
    cc_words_free(&w);
    unsigned entries = 0;
    bool avr = cc_is_avr(r);
    if (!status && r->o->log_interface && !wrappers_fold(to, &r->e))
        return cc_say_error(r);
    if (!status && cc_is_cortex(r))
        return cortex_sleeps(to, &r->e) ? 0 : cc_say_error(r);
    if (!status && r->o->record && !r->stamp && !rounds_copy(to, avr, &r->e))
        return cc_say_error(r);
    if (!status && r->o->record && !r->stamp &&
        !loops_move(to, avr ? ".progmem.motet_late." : ".hightext.", &entries, &r->e))
        return cc_say_error(r);
    i->steps += entries;
    return status;
}

/* What recording adds: the source is compiled once more, without. */
static bool rewrite_cc_measure(struct run *r, const char *source, const char *object, unsigned number,
                               struct sizes *added)
{
    struct words w = {0};
    struct sizes with, without;
    const char *plain = cc_temporary(r, "%u-plain.o", number);
    bool avr = cc_is_avr(r);
    cc_step_options(&r->c, KEEP_PREPROCESSOR | KEEP_INCLUDED, &w);
    cc_word(&w, "-w");
    cc_word(&w, "-c");
    cc_word(&w, "-o");
    cc_word(&w, "%s", plain);
    word_source(&r->c, source, &w);
    bool good = cc_execute(&w) == 0 && sizes_of(object, avr, &with) && sizes_of(plain, avr, &without);
    cc_words_free(&w);
    if (good)
        *added = (struct sizes){with.flash - without.flash, with.ram - without.ram};
    return good;
}

/* The text that an object was made of, for native replay. */
static bool note_source(struct run *r, const char *assembly, const char *from, unsigned number)
{
    char head[400];
    int length = snprintf(head, sizeof head, "%s %s", r->c.target, r->c.chip[0] ? r->c.chip : "-");
    for (size_t i = 0; r->c.types[i]; i++)
        length += snprintf(head + length, sizeof head - (size_t)length, " %.40s", r->c.types[i]);
    return origin_source(assembly, from, cc_temporary(r, "%u.zst", number), head);
}

/* A rewritten source `from`, which was `source`, into an object. */
static int compile(struct run *r, const char *source, const char *from, unsigned number, const char *to,
                   struct instrumented *i)
{
    bool assembly = command_is_assembly(&r->c, source);
    const char *between = assembly ? from : cc_temporary(r, "%u.s", number);
    struct sizes added;
    int status = assembly ? 0 : compile_to_assembly(r, from, between, i);
    if (assembly && cc_is_cortex(r) && !cortex_sleeps(between, &r->e))
        status = cc_say_error(r);
    bool is_c = !assembly && !command_is_cpp(&r->c, source);
    bool component = r->o->log_interface && i->functions; /* code of it is there */
    bool traced = r->trace.plan.function_count > 0;
    if (!status &&
        ((r->o->record && !origin_note(between)) ||
         (is_c && !cc_is_cortex(r) && (r->o->record || component || traced) && !note_source(r, between, from, number))))
        status = rewrite_cc_cannot_write(r, between);
    if (!status)
        status = cc_assemble(r, between, to);
    if (status || !r->report.file)
        return status;
    bool known = rewrite_cc_measure(r, source, to, number, &added);
    if (known && sizes_note(between, &added))
        status = cc_assemble(r, between, to);
    if (known) {
        r->added.flash += added.flash;
        r->added.ram += added.ram;
    }
    r->unknown += !known;
    report_source(&r->report, source, i, known ? &added : NULL);
    return status;
}

/* One source, from its text to assembly or an object. */
static int translate(struct run *r, const char *source, const char *named, unsigned number, const char *to,
                     bool assembly)
{
    const char *from;
    struct instrumented i;
    int status = rewrite(r, source, named, number, &from, &i);
    if (status)
        return status;
    if (assembly) {
        status = command_is_assembly(&r->c, source) ? !write_file(r, to, &i) : compile_to_assembly(r, from, to, &i);
        if (!status && r->o->record && !origin_note(to))
            status = rewrite_cc_cannot_write(r, to);
        report_source(&r->report, source, &i, NULL);
    } else {
        status = compile(r, source, from, number, to, &i);
    }
    instrumented_free(&i);
    return status;
}

static int compile_sources(struct run *r)
{
    if (r->c.sources > 1 && r->c.output) {
        error_set(&r->e, "-o with -c and several sources: the compiler would not take this either");
        return cc_say_error(r);
    }
    unsigned number = 0;
    for (size_t i = 1; i < r->c.count; i++) {
        if (!r->c.is_source[i])
            continue;
        char stem[200], object[256];
        stem_of(r->c.arguments[i], stem, sizeof stem);
        bool assembly = r->c.stage == STAGE_ASSEMBLY;
        snprintf(object, sizeof object, "%s.%s", stem, assembly ? "s" : "o");
        const char *to = r->c.output ? r->c.output : object;
        int status = translate(r, r->c.arguments[i], to, number++, to, assembly);
        if (status)
            return status;
    }
    return 0;
}

/* ---- the recorder, and the link ---- */

/* The same program without recording, if all of it is in the command. */
static bool link_plain(struct run *r, struct sizes *plain)
{
    struct words w = {0};
    const char *program = cc_temporary(r, "plain.elf");
    bool whole = r->c.sources > 0;
    cc_word(&w, "%s", r->c.arguments[0]);
    for (size_t i = 1; i < r->c.count; i++) {
        bool next = false;
        const char *a = r->c.arguments[i];
        whole = whole && !r->c.is_object[i];
        if (strcmp(a, "-o") == 0)
            i++;
        else if (cc_is_dependency_option(a, &next))
            i += next;
        else if (!cc_starts(a, "-o"))
            cc_word(&w, "%s", a);
    }
    cc_word(&w, "-w");
    cc_word(&w, "-o");
    cc_word(&w, "%s", program);
    bool good = whole && cc_execute(&w) == 0 && sizes_of(program, cc_is_avr(r), plain);
    cc_words_free(&w);
    return good;
}

static void say_program(struct run *r, const char *program, const char *recorder)
{
    char cycles[4096];
    bool avr = cc_is_avr(r);
    struct sizes all, own, plain, added;
    if (!r->report.file)
        return;
    bool known = sizes_of(recorder, avr, &own), has_all = program && sizes_of(program, avr, &all);
    snprintf(cycles, sizeof cycles, "%s/recorder/cycles.txt", r->o->target_files);
    if (known)
        added = (struct sizes){r->added.flash + own.flash, r->added.ram + own.ram};
    bool summed = known && has_all && !r->unknown, linked = has_all && link_plain(r, &plain);
    if (linked)
        added = (struct sizes){all.flash - plain.flash, all.ram - plain.ram};
    struct report_program p = {
        .name = program ? program : recorder,
        .family = r->c.target,
        .cycles = cycles,
        .all = has_all ? &all : NULL,
        .recorder = known ? &own : NULL,
        .added = summed || linked ? &added : NULL,
        .waits = r->o->waits,
        .profile = r->o->profile,
        .stamp = r->o->stamp,
        .unknown = linked ? 0 : r->unknown,
    };
    report_program(&r->report, &p);
}

/* What the recorder takes with a profile, for a hint. */
static bool recorder_sizes(struct run *r, const char *profile, struct sizes *sizes)
{
    const struct cc_options *o = r->o;
    struct cc_options other = *o;
    const char *object = cc_temporary(r, "other-recorder.o");
    other.profile = profile;
    other.keep = NULL;
    other.waits = true;
    r->o = &other;
    bool good = recorder_make(r, object) == 0 && sizes_of(object, cc_is_avr(r), sizes);
    r->o = o;
    return good;
}

/* The link has failed. If it succeeds where the chip's memories are larger, the program does not fit: says by how much,
 * and what the recorder would take with other profiles. */
static void say_what_fits(struct run *r, struct words *w, const char *recorder)
{
    static const char *const smaller[] = {"small", "tiny", NULL};
    const char *program = cc_temporary(r, "larger.elf");
    long has = r->registers.facts.ram_last - r->registers.facts.ram_first + 1;
    struct sizes all, own, other;
    cc_word(w, "-Wl,--defsym=__DATA_REGION_LENGTH__=0xf000");
    cc_word(w, "-Wl,--defsym=__TEXT_REGION_LENGTH__=0x7f0000");
    cc_word(w, "-w");
    cc_word(w, "-o");
    cc_word(w, "%s", program);
    if (!cc_is_avr(r) || cc_execute_quietly(w) != 0 || !sizes_of(program, true, &all) ||
        !sizes_of(recorder, true, &own))
        return;
    fprintf(stderr, "motet cc: the program does not fit the %s: it takes %ld bytes of flash, and %ld of RAM, ",
            r->c.chip, all.flash, all.ram);
    if (all.ram > has)
        fprintf(stderr, "%ld more than there are, without any stack", all.ram - has);
    else
        fprintf(stderr, "of %ld", has);
    fprintf(stderr, "; the recorder has %ld and %ld of them", own.flash, own.ram);
    bool less = !r->o->profile;
    for (const char *const *p = smaller; *p; p++) {
        if (less && recorder_sizes(r, *p, &other))
            fprintf(stderr, ", with --profile %s %ld and %ld", *p, other.flash, other.ram);
        less |= r->o->profile && strcmp(r->o->profile, *p) == 0;
    }
    fprintf(stderr, "\n");
}

/* A handler for all vectors that have none (BADISR_vect) does not know which interrupt came. So each of these gets a
 * stub of its own. Which they are is known once the program is linked. */
static int link_default(struct run *r, struct words *w, const char *program)
{
    enum { MOST_VECTORS = 128 };
    uint32_t handler, none, is;
    if (!sizes_symbol(program, "__vector_default_motet", &handler) || !sizes_symbol(program, "__bad_interrupt", &none))
        return 0;
    const char *text = cc_temporary(r, "vectors.s"), *object = cc_temporary(r, "vectors.o");
    FILE *f = fopen(text, "w");
    if (f)
        fprintf(f, "\t.section .text.motet_vectors,\"ax\",@progbits\n");
    for (unsigned v = 1; f && v < MOST_VECTORS; v++) {
        char name[32];
        snprintf(name, sizeof name, "__vector_%u", v);
        if (!sizes_symbol(program, name, &is) || is != none)
            continue;
        fprintf(f,
                "\t.global %s\n\t.type %s,@function\n%s:\n\tpush r24\n\tldi r24,%u\n\tcall motet_enter\n\tpop r24\n\t"
                "jmp __vector_default_motet\n",
                name, name, name, v);
        cc_word(w, "-Wl,--defsym=%s_motet=__vector_default_motet", name);
    }
    if (!f || fclose(f) != 0)
        return rewrite_cc_cannot_write(r, text);
    int status = cc_assemble(r, text, object);
    cc_word(w, "%s", object);
    return status ? status : cc_execute(w);
}

/* Whether the object was compiled with the stamps that the program is to have. */
static int check_object(struct run *r, const char *path)
{
    bool stamped = sizes_section(path, ".motet.stamps") != 0;
    if (stamped == (r->stamp != 0) || (!stamped && !sizes_begin_with(path, ".motet.")))
        return 0;
    error_set(&r->e,
              stamped ? "%s was compiled with --stamp; link it so, too"
                      : "%s was compiled without --stamp; compile it so, too, or link without",
              path);
    return cc_say_error(r);
}

static bool rewrite_cc_is_other(const char *path)
{
    char member[64];
    if (!origin_is_other(path, member, sizeof member))
        return false;
    bool inner = member[0] != '\0';
    fprintf(stderr,
            "motet cc: warning: %s%s%s%s was not made by motet cc: what it reads from registers is not recorded, and "
            "its replay "
            "may not fit\n",
            path, inner ? "(" : "", member, inner ? ")" : "");
    return true;
}

/* After the recorder lies code that does not count: libraries, and objects that motet cc has not made. */
static void link_recorder(struct words *w, const char *recorder, struct words *others)
{
    cc_word(w, "%s", recorder);
    for (size_t i = 0; i < others->count; i++)
        cc_word(w, "%s", others->list[i]);
    cc_words_free(others);
}

/* Where all sources are in the command, an invariant must have found its place. */
static int all_checks_are_placed(struct run *r)
{
    bool whole = r->c.sources > 0;
    for (size_t i = 1; i < r->c.count; i++)
        whole = whole && !r->c.is_object[i];
    for (size_t i = 0; whole && i < r->checks.count; i++)
        if (!r->checks.list[i].placed) {
            error_set(&r->e,
                      "invariant '%s': no source has a place for it: a function of that name, with a statement that "
                      "may change a variable of it",
                      r->checks.list[i].s.text);
            return cc_say_error(r);
        }
    return 0;
}

/* Nothing is linked in. A program that does not fit is not left behind. */
static int link_plainly(struct run *r, struct words *w)
{
    const char *program = r->c.output ? r->c.output : "a.out";
    if (!r->o->fits)
        return cc_execute(w);
    int status = cc_execute_quietly(w);
    if (!status && !r->o->fits(r->o->context, program, r->c.chip)) {
        unlink(program);
        status = 2;
    }
    return status;
}

static int link_all(struct run *r)
{
    struct words w = {0}, others = {0};
    unsigned number = 0;
    bool linked = false;
    int status = 0;
    const char *recorder = cc_temporary(r, "motet-recorder.o");
    identity_add_options(r);
    cc_word(&w, "%s", r->c.arguments[0]);
    for (size_t i = 1; !status && i < r->c.count; i++) {
        bool next;
        if (r->o->record && r->c.is_library[i] && !linked && !cc_is_cortex(r)) {
            link_recorder(&w, recorder, &others);
            linked = true;
        }
        if (cc_is_dependency_option(r->c.arguments[i], &next)) {
            i += next;
        } else if (cc_starts(r->c.arguments[i], "-x")) { /* all that is left are objects */
            i += !r->c.arguments[i][2];
        } else if (r->o->record && strcmp(r->c.arguments[i], "-mrelax") == 0) {
            ;
        } else if (r->c.is_source[i]) {
            const char *object = cc_temporary(r, "%u.o", number);
            status = translate(r, r->c.arguments[i], r->c.output ? r->c.output : "a.out", number++, object, false);
            cc_word(&w, "%s", object);
        } else {
            if (cc_is_linker_argument(&r->c, i))
                cc_hash_file(r, r->c.arguments[i]);
            if (!status && r->o->record && r->c.is_object[i])
                status = check_object(r, r->c.arguments[i]);
            if (r->report.file && r->c.is_object[i])
                r->unknown += !sizes_growth(r->c.arguments[i], &r->added);
            bool file = r->c.is_object[i] || r->c.is_library[i];
            bool other = r->o->record && file && r->c.arguments[i][0] != '-' && rewrite_cc_is_other(r->c.arguments[i]);
            cc_word(other && !linked ? &others : &w, "%s", r->c.arguments[i]);
        }
    }
    if (!status)
        status = all_checks_are_placed(r);
    if (!r->o->record) {
        if (!status && r->o->log_interface)
            status = logger_link(r, &w, r->c.output ? r->c.output : "a.out");
        else if (!status)
            status = link_plainly(r, &w);
        cc_words_free(&w);
        return status;
    }
    if (cc_is_cortex(r)) {
        for (size_t i = 0; i < others.count; i++)
            cc_word(&w, "%s", others.list[i]);
        cc_words_free(&others);
        if (!status)
            status = cortex_link(r, &w, r->c.output ? r->c.output : "a.out");
        cc_words_free(&w);
        return status;
    }
    if (!linked)
        link_recorder(&w, recorder, &others);
    needed_look(r, &w, recorder);
    if (!status)
        status = recorder_make(r, recorder);
    if (!status) {
        if (cc_is_avr(r)) /* with calls made short it leads jumps between sections astray */
            cc_word(&w, "-Wl,--no-relax");
        status = cc_execute(&w);
        if (status)
            say_what_fits(r, &w, recorder);
    }
    if (!status)
        status = link_default(r, &w, r->c.output ? r->c.output : "a.out");
    unsigned long sites = status ? 0 : sizes_section(r->c.output ? r->c.output : "a.out", ".motet.sites.id");
    if (sites > MOST_SITES) {
        unlink(r->c.output ? r->c.output : "a.out");
        error_set(&r->e, "the program has %lu places that are recorded, %u is the most that a log can tell apart",
                  sites, MOST_SITES);
        status = cc_say_error(r);
    }
    if (!status)
        say_program(r, r->c.output ? r->c.output : "a.out", recorder);
    if (!status && r->o->look && !r->o->look(r->o, r->c.output ? r->c.output : "a.out", r->c.chip, r->report.file)) {
        unlink(r->c.output ? r->c.output : "a.out");
        status = 2;
    }
    cc_words_free(&w);
    return status;
}

static bool load_registers(struct run *r)
{
    if (!r->c.chip[0])
        return error_set(&r->e, "the command does not name the chip; give -mmcu=CHIP");
    char path[4096];
    snprintf(path, sizeof path, "%s/registers/%s.txt", r->o->target_files, r->c.chip);
    if (access(path, R_OK) != 0)
        return error_set(&r->e, "there is no register file for %s (%s); chips that have one are in %s/registers",
                         r->c.chip, path, r->o->target_files);
    return cc_is_cortex(r) ? cortex_chip_load(&r->cortex, path, &r->e) : registers_load(&r->registers, path, &r->e);
}

static bool fits_board(struct run *r)
{
    return !r->o->chip || !r->c.chip[0] || strcmp(r->o->chip, r->c.chip) == 0 ||
           error_set(&r->e, "board %s has an %s, the command is for an %s (-mmcu)", r->o->board, r->o->chip, r->c.chip);
}

static bool rewrite_cc_component(struct run *r)
{
    char folder[PATH_MAX], *copy = memory_string(r->o->log_interface), *rest = copy, *text;
    bool good = true;
    snprintf(folder, sizeof folder, "%s/interface", r->o->target_files);
    r->logged = memory_string("");
    while (good && (text = strsep(&rest, ":"))) {
        if (r->component_count == COMPONENTS_MOST) {
            good = error_set(&r->e, "--log-interface '%s' has more than %d components", r->o->log_interface,
                             COMPONENTS_MOST);
            break;
        }
        struct component *c = &r->components[r->component_count++];
        good = component_make(c, text, folder, &r->e);
        char *longer = memory_format("%s%s%s", r->logged, c == r->components ? "" : ":", c->target);
        free(r->logged);
        r->logged = longer;
    }
    free(copy);
    if (good && r->component_count > 1 && r->o->fed)
        good =
            error_set(&r->e, "a node replays one component: --replay-interface '%s' has several", r->o->log_interface);
    return good;
}

static int carry_out(struct run *r)
{
    if (r->o->recorder_only && cc_is_cortex(r)) {
        error_set(&r->e, "--recorder: for Cortex-M the recorder is made where the program is linked");
        return cc_say_error(r);
    }
    if (r->o->recorder_only) {
        const char *to = r->c.output ? r->c.output : "motet-recorder.o";
        int status = recorder_make(r, to);
        if (!status)
            say_program(r, NULL, to);
        return status;
    }
    if (r->c.stage == STAGE_LINK)
        return link_all(r);
    return compile_sources(r);
}

int motet_rewrite_cc(const struct cc_options *o, char **arguments, size_t count)
{
    struct run r = {.o = o,
                    .needed = ~0u,
                    .trace = {.ring = o->ring, .target_files = o->target_files},
                    .identity = UINT64_C(0xcbf29ce484222325)};
    bool works = o->record || o->invariant_count || o->log_interface;
    bool parsed = command_parse(&r.c, arguments, count, &r.e);
    if (parsed && cc_is_cortex(&r) && o->chip)
        snprintf(r.c.chip, sizeof r.c.chip, "%s", o->chip);
    if (!parsed || !fits_board(&r) || (works && cc_is_cortex(&r) && !cortex_allows(&r))) {
        command_free(&r.c);
        return cc_say_error(&r);
    }
    int status;
    bool passes = (!o->record && !o->invariant_count && !o->log_interface) ||
                  (!o->recorder_only && (r.c.stage == STAGE_PREPROCESS || r.c.stage == STAGE_OTHER ||
                                         (r.c.stage != STAGE_LINK && !r.c.sources)));
    if (passes) {
        struct words whole = {0};
        for (size_t i = 0; i < count; i++)
            cc_word(&whole, "%s", arguments[i]);
        status = cc_execute(&whole);
        cc_words_free(&whole);
    } else {
        bool ready =
            ((!o->record && !o->log_interface) || load_registers(&r)) &&
            (!o->log_interface || rewrite_cc_component(&r)) &&
            checks_make(&r.checks, o->invariants, o->invariant_count, o->clock, &r.e) &&
            (!o->plan || trace_load(&r.trace, o->plan, &r.e)) &&
            (!o->stamp || cc_is_cortex(&r) || (r.stamp = stamp_timer(o->stamp, r.c.chip, &r.registers.facts, &r.e))) &&
            report_open(&r.report, o->report, o->json, &r.e) && cc_make_folder(&r);
        status = ready ? carry_out(&r) : cc_say_error(&r);
        if (ready)
            cc_clean(&r);
        report_close(&r.report);
    }
    registers_free(&r.registers);
    cortex_chip_free(&r.cortex);
    checks_free(&r.checks);
    for (size_t i = 0; i < r.component_count; i++)
        component_free(&r.components[i]);
    free(r.logged);
    trace_free(&r.trace);
    command_free(&r.c);
    return status;
}
