/* Plugins: shared objects that put taps on nodes, and a sentence where one crashes. */
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
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

struct motet_plugin {
    void *library;
    char *path, *options;
    bool (*start)(motet_node *n, const char *options, struct motet_error *e);
    uintptr_t base;
    struct function *functions;
    size_t function_count, function_room;
    struct motet_plugin *next;
};

/* Signals have no context: the loaded plugins, and the file being loaded, for motet_plugins_explain_crashes. The only
 * such variables in the library; a lock keeps loading in several threads apart. */
static struct motet_plugin *loaded;
static const char *loading;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- names of functions, static ones too ---- */

static void take_symbols(struct motet_plugin *p, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
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

static void read_symbols(struct motet_plugin *p)
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

static const struct motet_plugin *owner(uintptr_t pc, const char **function)
{
    Dl_info info;
    if (!dladdr((void *)pc, &info))
        return NULL;
    for (const struct motet_plugin *p = loaded; p; p = p->next) {
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
    const struct motet_plugin *who = NULL;
    const char *function = "?";
    char text[1200];
    (void)info;
    if (loading)
        end_with(text,
                 snprintf(text, sizeof text,
                          "motet: the plugin %s crashed while it was loaded: %s. Nothing has run; the file may be "
                          "damaged, or mend what it does at its start\n",
                          loading, signal_name(number)));
    who = owner(caller(context), &function);
    for (int i = 0; i < depth; i++) {
        const char *name;
        const struct motet_plugin *p = owner((uintptr_t)stack[i], &name);
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
                                "motet: the plugin %s crashed in its callback %s: %s. The run has ended; mend the "
                                "plugin, or run without it\n",
                                who->path, function, signal_name(number)));
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

static bool plugin_say(struct motet_error *e, const char *path, const char *what)
{
    snprintf(e->text, sizeof e->text, "the plugin %s %s", path, what);
    return false;
}

static bool connect_plugin(struct motet_plugin *p, struct motet_error *e)
{
    char what[200];
    unsigned (*version)(void);
    *(void **)&version = dlsym(p->library, "motet_plugin_version");
    *(void **)&p->start = dlsym(p->library, "motet_plugin_start");
    if (!version || !p->start) {
        snprintf(what, sizeof what, "has no function %s; see docs/instrumentation.md for the two it needs",
                 version ? "motet_plugin_start" : "motet_plugin_version");
        return plugin_say(e, p->path, what);
    }
    unsigned is = version();
    if (is == MOTET_PLUGIN_VERSION)
        return true;
    snprintf(what, sizeof what, "was made for version %u of the interface, and this is version %u; compile it anew", is,
             MOTET_PLUGIN_VERSION);
    return plugin_say(e, p->path, what);
}

motet_plugin *motet_plugin_load(const char *path, const char *options, struct motet_error *e)
{
    Dl_info info;
    struct motet_plugin *p = memory_new(sizeof *p);
    p->path = memory_format("%s%s", strchr(path, '/') ? "" : "./", path); /* else it is looked for elsewhere */
    p->options = memory_string(options ? options : "");
    pthread_mutex_lock(&lock);
    loading = path;
    p->library = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
    if (!p->library)
        snprintf(e->text, sizeof e->text, "the plugin %s cannot be loaded: %s", path, dlerror());
    bool good = p->library && connect_plugin(p, e);
    loading = NULL;
    pthread_mutex_unlock(&lock);
    if (!good) {
        motet_plugin_free(p);
        return NULL;
    }
    void *start;
    memcpy(&start, &p->start, sizeof start);
    if (dladdr(start, &info))
        p->base = (uintptr_t)info.dli_fbase;
    read_symbols(p);
    pthread_mutex_lock(&lock);
    p->next = loaded;
    loaded = p;
    pthread_mutex_unlock(&lock);
    return p;
}

bool motet_plugin_start_on(const motet_plugin *p, motet_node *n, struct motet_error *e)
{
    struct motet_error why = {""};
    if (p->start(n, p->options, &why))
        return true;
    snprintf(e->text, sizeof e->text, "the plugin %s: %.900s", p->path,
             *why.text ? why.text : "it does not start, and does not say why");
    return false;
}

void motet_plugin_free(motet_plugin *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&lock);
    for (struct motet_plugin **at = &loaded; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < p->function_count; i++)
        free(p->functions[i].name);
    free(p->functions);
    if (p->library)
        dlclose(p->library);
    free(p->path);
    free(p->options);
    free(p);
}
