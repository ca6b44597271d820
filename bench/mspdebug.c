#include "mspdebug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* Each `run` ends where a round does. */
static bool write_script(const char *path, const char *elf, unsigned rounds, uint16_t address, unsigned size)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "prog %s\nsetbreak kernel_round_done\n", elf);
    for (unsigned i = 0; i <= rounds; i++) /* the last is not counted: its round is about to be noted down */
        fprintf(f, "run\n");
    fprintf(f, "md 0x%04x %u\n", address, size);
    return fclose(f) == 0;
}

/* Rows of memory: ` 01100: 11 22 ... |..|`. */
static void read_row(const char *line, uint16_t address, uint8_t *bytes, unsigned size)
{
    unsigned at, value;
    int used;
    if (!strchr(line, '|') || sscanf(line, " %x:%n", &at, &used) != 1)
        return;
    for (line += used; at - address < size && sscanf(line, " %2x%n", &value, &used) == 1; at++, line += used)
        bytes[at - address] = (uint8_t)value;
}

static double seconds_of(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static bool run_script(const char *script, uint16_t address, uint8_t *bytes, unsigned size, double *seconds)
{
    int ends[2], status;
    char command[64], line[256];
    snprintf(command, sizeof command, "read %s", script);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        execlp("mspdebug", "mspdebug", "-n", "-q", "sim", command, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    while (f && fgets(line, sizeof line, f))
        read_row(line, address, bytes, size);
    if (f)
        fclose(f);
    struct rusage usage;
    bool good = child > 0 && wait4(child, &status, 0, &usage) == child && status == 0;
    *seconds = good ? seconds_of(&usage) : 0;
    return good;
}

bool mspdebug_run(const char *elf, unsigned rounds, uint16_t address, uint8_t *bytes, unsigned size, double *seconds)
{
    char script[] = "/tmp/motet-bench-XXXXXX";
    int fd = mkstemp(script);
    bool good = fd >= 0 && close(fd) == 0 && write_script(script, elf, rounds, address, size) &&
                run_script(script, address, bytes, size, seconds);
    unlink(script);
    return good ? true : bench_wrong("mspdebug did not run %s; is the package mspdebug installed?", elf);
}
