#include "replay_native.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "sentence.h"

enum { TRIAL_SECONDS = 600 }; /* of processor time: a program that never comes to the next event */

/* ---- processes ---- */

static pid_t replay_native_start(const char *program, const char *debugger)
{
    pid_t child = fork();
    if (child == 0) {
        char *const plain[] = {(char *)program, NULL}, *const debugged[] = {(char *)debugger, (char *)program, NULL};
        execvp(debugger ? debugger : program, debugger ? debugged : plain);
        _exit(127);
    }
    return child;
}

/* The exit status of the program, or of a debugger on it. */
static int replay_native_wait(pid_t child, const char *debugger)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return complain("the native program cannot be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && debugger)
        return complain("%s cannot be started", debugger);
    return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_FAULT;
}

/* ---- trying ---- */

static void replay_native_try_here(const char *program, const char *said)
{
    const struct rlimit limit = {TRIAL_SECONDS, TRIAL_SECONDS};
    int file = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600), nothing = open("/dev/null", O_WRONLY);
    unsetenv("MOTET_TOGETHER");
    setrlimit(RLIMIT_CPU, &limit);
    if (file < 0 || nothing < 0 || dup2(file, STDERR_FILENO) < 0 || dup2(nothing, STDOUT_FILENO) < 0)
        _exit(127);
    execl(program, program, (char *)NULL);
    _exit(127);
}

/* Whether the program leaves the recorded run; the sentence is its own. Faults that a sanitizer finds are none. */
static bool replay_native_differs(const char *program, char *text, size_t size)
{
    char said[PATH_MAX], line[1024];
    bool differs = false;
    int status = 0;
    snprintf(said, sizeof said, "%s.said", program);
    pid_t child = fork();
    if (child == 0)
        replay_native_try_here(program, said);
    if (child > 0 && waitpid(child, &status, 0) == child) {
        FILE *f = fopen(said, "r");
        while (f && fgets(line, sizeof line, f)) {
            const char *at = strstr(line, "differs from the log");
            if (at) {
                differs = true;
                snprintf(text, size, "%s", at);
                text[strcspn(text, "\n")] = '\0';
            }
        }
        if (f)
            fclose(f);
        if (!differs && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
            differs = true;
            snprintf(text, size, "does not come to the log's next event");
        }
    }
    unlink(said);
    return differs;
}

/* 0, or a complaint. */
static int replay_native_try(const struct replay_native *n, const char *program)
{
    char text[1024];
    if (n->partial || !replay_native_differs(program, text, sizeof text))
        return 0;
    unlink(program);
    return complain("this log cannot be replayed natively to its end: the program %s. motet replay without --native "
                    "replays it; --partial makes the program all the same",
                    text);
}

/* ---- one log ---- */

int replay_native_one(const struct replay_native *n, const char *debugger, bool tried, replay_native_make *make,
                      void *context)
{
    struct motet_error e = {""};
    struct motet_native program = n->program;
    char made[] = "/tmp/motet-native-XXXXXX";
    bool runs = !program.output;
    int file = runs ? mkstemp(made) : -1;
    if (runs && file < 0)
        return complain("cannot write to /tmp");
    if (runs) {
        close(file);
        program.output = made;
    }
    int status = make(context, &program, &e) ? 0 : complain("%s", e.text);
    if (!status && tried)
        status = replay_native_try(n, program.output);
    if (!status && runs)
        status = replay_native_wait(replay_native_start(made, debugger), debugger);
    if (runs)
        unlink(made);
    return status;
}

/* ---- several ---- */

struct replay_native_set {
    const struct replay_native *n;
    struct network_replay *replay;
    char folder[32];
    char **programs;
    pid_t *children;
    size_t count;
};

static int replay_native_make_all(struct replay_native_set *s)
{
    struct motet_error e = {""};
    int status = 0;
    for (size_t i = 0; !status && i < s->count; i++) {
        struct motet_native program = s->n->program;
        uint32_t id;
        char path[PATH_MAX];
        motet_network *alone = replay_network_alone(s->replay, i, &id, &e);
        snprintf(path, sizeof path, "%s%s%" PRIu32, program.output ? program.output : s->folder,
                 program.output ? "." : "/", id);
        s->programs[i] = cli_text(path, strlen(path));
        program.output = s->programs[i];
        program.number = (uint32_t)i;
        program.nodes = (uint32_t)s->count;
        program.id = id;
        status = alone && motet_native_replay(alone, &program, &e) ? replay_native_try(s->n, s->programs[i])
                                                                   : complain("node %" PRIu32 ": %s", id, e.text);
        motet_network_free(alone);
    }
    return status;
}

static int replay_native_run_all(struct replay_native_set *s, const char *debugger)
{
    int status = 0;
    char order[sizeof s->folder + 8];
    snprintf(order, sizeof order, "%s/order", s->folder);
    setenv("MOTET_TOGETHER", order, 1);
    for (size_t i = 0; i < s->count; i++)
        s->children[i] = replay_native_start(s->programs[i], i ? NULL : debugger);
    for (size_t i = 0; i < s->count; i++) {
        int one = replay_native_wait(s->children[i], i ? NULL : debugger);
        status = one ? one : status;
    }
    unsetenv("MOTET_TOGETHER");
    unlink(order);
    return status;
}

int replay_native_network(const struct replay_native *n, struct debug_options *o, const char *time,
                          const char *const *logs)
{
    struct motet_error e = {""};
    struct replay_native_set s = {.n = n, .folder = "/tmp/motet-native-XXXXXX"};
    s.replay = replay_network_open(&o->run, time, logs, &e);
    if (!s.replay)
        return complain("%s", e.text);
    while (logs[s.count])
        s.count++;
    s.programs = cli_array(s.count, sizeof *s.programs);
    s.children = cli_array(s.count, sizeof *s.children);
    int status = s.count > MOTET_NATIVE_NODES
                     ? complain("no more than %d nodes can be replayed natively together", MOTET_NATIVE_NODES)
                 : !mkdtemp(s.folder) ? complain("cannot write to /tmp")
                                      : replay_native_make_all(&s);
    if (!status && !n->program.output)
        status = replay_native_run_all(&s, o->exec);
    for (size_t i = 0; i < s.count; i++) {
        if (s.programs[i] && !n->program.output)
            unlink(s.programs[i]);
        free(s.programs[i]);
    }
    rmdir(s.folder);
    free(s.programs);
    free(s.children);
    replay_network_close(s.replay);
    return status;
}
