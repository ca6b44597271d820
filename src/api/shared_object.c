/* Shared objects, and a sentence where one crashes. */
#include "api/shared_object.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "api/handles.h"
#include "base/memory.h"

struct function {
    char *name;
    uintptr_t start, end; /* as loaded */
};

struct shared_object {
    void *library;
    const char *kind;
    char *path;
    uintptr_t base;
    struct function *functions;
    size_t function_count, function_room;
    struct shared_object *next;
};

/* Signals have no context: the loaded files, and the one being loaded, for motet_plugins_explain_crashes. The only
 * such variables in the library; a lock keeps loading in several threads apart. */
static struct shared_object *loaded;
static const struct shared_object *loading;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- names of functions, static ones too ---- */

static void take_symbols(struct shared_object *p, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        p->functions = memory_grow(p->functions, &p->function_room, p->function_count, sizeof *p->functions);
        uintptr_t start = p->base + (uintptr_t)symbol.st_value;
        p->functions[p->function_count++] =
            (struct function){memory_string(name ? name : "?"), start, start + (uintptr_t)symbol.st_size};
    }
}

static void read_symbols(struct shared_object *p)
{
    int file = open(p->path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    for (Elf_Scn *section = elf ? elf_nextscn(elf, NULL) : NULL; section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            take_symbols(p, elf, section, &header);
    }
    elf_end(elf);
    if (file >= 0)
        close(file);
}

/* ---- crashes ---- */

static const char *signal_name(int number)
{
    switch (number) {
    case SIGSEGV: return "it used memory that is not there";
    case SIGBUS: return "it used memory that is not there";
    case SIGFPE: return "it divided by zero or the like";
    case SIGILL: return "it executed an invalid instruction";
    default: return "it aborted";
    }
}

static const struct shared_object *owner(uintptr_t pc, const char **function)
{
    Dl_info info;
    if (!dladdr((void *)pc, &info))
        return NULL;
    for (const struct shared_object *p = loaded; p; p = p->next) {
        if (p->base != (uintptr_t)info.dli_fbase)
            continue;
        *function = info.dli_sname ? info.dli_sname : "?";
        for (size_t i = 0; i < p->function_count; i++)
            if (pc >= p->functions[i].start && pc < p->functions[i].end)
                *function = p->functions[i].name;
        return p;
    }
    return NULL;
}

/* Where a call to nowhere came from, which a backtrace cannot tell. */
static uintptr_t caller(const ucontext_t *c)
{
#if defined __x86_64__
    uintptr_t at = (uintptr_t)c->uc_mcontext.gregs[REG_RSP], pc = 0;
    if (c->uc_mcontext.gregs[REG_RIP] == 0)
        memcpy(&pc, (const void *)at, sizeof pc);
    return pc;
#elif defined __aarch64__
    return c->uc_mcontext.pc == 0 ? c->uc_mcontext.regs[30] : 0;
#else
    (void)c;
    return 0;
#endif
}

static void end_with(const char *text, int length)
{
    if (write(STDERR_FILENO, text, (size_t)length) >= 0)
        _exit(2);
    _exit(2);
}

/* The outermost function of the plugin on the stack is the callback. */
static void crashed(int number, siginfo_t *info, void *context)
{
    void *stack[64];
    int depth = backtrace(stack, 64);
    const struct shared_object *who = NULL;
    const char *function = "?";
    char text[1200];
    (void)info;
    if (loading)
        end_with(text, snprintf(text, sizeof text,
                                "motet: the %s %s crashed while it was loaded: %s. Nothing has run; the file may be "
                                "damaged, or mend what it does at its start\n",
                                loading->kind, loading->path, signal_name(number)));
    who = owner(caller(context), &function);
    for (int i = 0; i < depth; i++) {
        const char *name;
        const struct shared_object *p = owner((uintptr_t)stack[i], &name);
        if (p && *name == '?') /* after the end of the function that has called abort(), which never returns */
            p = owner((uintptr_t)stack[i] - 1, &name);
        if (!p && who)
            break;
        if (p) {
            who = p;
            function = name;
        }
    }
    if (who)
        end_with(text, snprintf(text, sizeof text,
                                "motet: the %s %s crashed in its callback %s: %s. The run has ended; mend the "
                                "%s, or run without it\n",
                                who->kind, who->path, function, signal_name(number), who->kind));
    signal(number, SIG_DFL);
    raise(number);
}

void motet_plugins_explain_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char room[1 << 16]; /* for a plugin that has used up the stack */
    void *warm[4];
    backtrace(warm, 4); /* loads what it needs while memory is sound */
    sigaltstack(&(stack_t){.ss_sp = room, .ss_size = sizeof room}, NULL);
    struct sigaction action = {.sa_sigaction = crashed, .sa_flags = SA_NODEFER | SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

/* ---- life ---- */

const char *shared_object_path(const struct shared_object *o)
{
    return o->path;
}

void *shared_object_symbol(const struct shared_object *o, const char *name)
{
    return dlsym(o->library, name);
}

bool shared_object_say(const struct shared_object *o, struct motet_error *e, const char *what)
{
    return error_set(e, "the %s %s %s", o->kind, o->path, what);
}

static bool shared_object_load(struct shared_object *o, shared_object_check *check, void *context,
                               struct motet_error *e)
{
    struct link_map *map;
    o->library = dlopen(o->path, RTLD_NOW | RTLD_LOCAL);
    if (!o->library)
        return error_set(e, "the %s %s cannot be loaded: %s", o->kind, o->path, dlerror());
    if (dlinfo(o->library, RTLD_DI_LINKMAP, &map) == 0)
        o->base = (uintptr_t)map->l_addr;
    return check(o, context, e);
}

struct shared_object *shared_object_open(const char *kind, const char *path, shared_object_check *check, void *context,
                                         struct motet_error *e)
{
    struct shared_object *o = memory_new(sizeof *o);
    o->kind = kind;
    o->path = memory_format("%s%s", strchr(path, '/') ? "" : "./", path); /* else it is looked for elsewhere */
    pthread_mutex_lock(&lock);
    loading = o;
    bool good = shared_object_load(o, check, context, e);
    loading = NULL;
    pthread_mutex_unlock(&lock);
    if (!good) {
        shared_object_close(o);
        return NULL;
    }
    read_symbols(o);
    pthread_mutex_lock(&lock);
    o->next = loaded;
    loaded = o;
    pthread_mutex_unlock(&lock);
    return o;
}

void shared_object_close(struct shared_object *o)
{
    if (!o)
        return;
    pthread_mutex_lock(&lock);
    for (struct shared_object **at = &loaded; *at; at = &(*at)->next)
        if (*at == o) {
            *at = o->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < o->function_count; i++)
        free(o->functions[i].name);
    free(o->functions);
    if (o->library)
        dlclose(o->library);
    free(o->path);
    free(o);
}
