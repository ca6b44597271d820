#include "qemu.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

const struct qemu_machine qemu_avr = {"qemu-system-avr", {"-machine", "uno", "-bios"}, 0x800000};
const struct qemu_machine qemu_arm = {"qemu-system-arm", {"-machine", "mps2-an386", "-kernel"}, 0};
const struct qemu_machine qemu_arm_counted = {
    "qemu-system-arm", {"-machine", "mps2-an386", "-icount", "shift=4,sleep=off", "-kernel"}, 0};

struct qemu {
    const struct qemu_machine *machine;
    pid_t child;
    FILE *to, *from; /* its monitor */
};

bool qemu_is_there(const struct qemu_machine *m)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", m->program);
    return system(command) == 0;
}

static void qemu_execute(const struct qemu_machine *m, const char *elf)
{
    static const char *const quiet[] = {"-display", "none", "-serial", "null", "-monitor", "stdio"};
    const char *arguments[24] = {m->program};
    size_t count = 1;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        arguments[count++] = quiet[i];
    for (size_t i = 0; m->options[i]; i++)
        arguments[count++] = m->options[i];
    arguments[count] = elf;
    execvp(m->program, (char *const *)arguments);
    _exit(127);
}

static bool qemu_start(struct qemu *q, const char *elf)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0)
        return false;
    q->child = fork();
    if (q->child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        qemu_execute(q->machine, elf);
    }
    close(in[0]);
    close(out[1]);
    q->to = fdopen(in[1], "w");
    q->from = fdopen(out[0], "r");
    return q->child > 0 && q->to && q->from;
}

static void qemu_end(struct qemu *q)
{
    if (q->child > 0) {
        kill(q->child, SIGKILL);
        waitpid(q->child, NULL, 0);
    }
    if (q->to)
        fclose(q->to);
    if (q->from)
        fclose(q->from);
}

/* The counter of rounds now, and the processor time until now. */
static bool qemu_look(struct qemu *q, uint32_t at, unsigned *rounds, double *seconds)
{
    char line[256];
    struct timespec t;
    clockid_t clock;
    unsigned low, high;
    fprintf(q->to, "x /2xb 0x%x\n", q->machine->data + at);
    fflush(q->to);
    while (fgets(line, sizeof line, q->from)) {
        const char *values = strstr(line, ": 0x");
        if (!values || sscanf(values, ": 0x%x 0x%x", &low, &high) != 2)
            continue;
        *rounds = low | high << 8;
        if (clock_getcpuclockid(q->child, &clock) != 0 || clock_gettime(clock, &t) != 0)
            return false;
        *seconds = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
        return true;
    }
    return false;
}

static void qemu_wait(unsigned milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, (long)(milliseconds % 1000) * 1000000}, NULL);
}

bool qemu_run(const struct qemu_machine *m, const char *elf, uint32_t rounds_at, double *rounds)
{
    struct qemu q = {.machine = m};
    unsigned first = 0, last = 0;
    double from = 0, to = 0;
    bool good = qemu_start(&q, elf);
    if (good) {
        qemu_wait(200);
        good = qemu_look(&q, rounds_at, &first, &from);
        qemu_wait(bench_checking ? 100 : 700);
        good = good && qemu_look(&q, rounds_at, &last, &to) && to > from;
    }
    qemu_end(&q);
    if (good)
        *rounds = (double)(uint16_t)(last - first) / (to - from);
    return good ? true : bench_wrong("%s did not run %s", m->program, elf);
}
