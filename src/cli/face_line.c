/* The debugger in lines. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <editline/readline.h>

#include "face.h"
#include "memory.h"

static volatile sig_atomic_t asked;
static motet_session *completed; /* libedit's functions know no context, and there is one session a process */

static void face_line_interrupt(int signal)
{
    (void)signal;
    asked = 1;
}

void face_catch_interrupts(void)
{
    struct sigaction a = {.sa_handler = face_line_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &a, NULL);
}

bool face_interrupted(void *context)
{
    (void)context;
    bool was = asked;
    asked = 0;
    return was;
}

static void face_line_say(void *context, const char *text)
{
    struct face *f = context;
    size_t length = strlen(text);
    if (!f->panes) {
        fputs(text, stdout);
        return;
    }
    if (f->output_room - f->output_count <= length) {
        f->output_room = 2 * (f->output_room + length + 256);
        f->output = cli_resized(f->output, f->output_room, 1);
    }
    memcpy(f->output + f->output_count, text, length + 1);
    f->output_count += length;
}

struct motet_session_face face_of(struct face *f)
{
    return (struct motet_session_face){.context = f, .say = face_line_say, .interrupted = face_interrupted};
}

/* ---- completion ---- */

static char *candidate(const char *word, int state)
{
    static size_t number;
    (void)word;
    if (state == 0)
        number = 0;
    char *line = cli_text(rl_line_buffer, (size_t)rl_point);
    char *found = motet_session_complete(completed, line, number++);
    free(line);
    return found;
}

static char **face_line_complete(const char *word, int start, int end)
{
    (void)start, (void)end;
    rl_attempted_completion_over = 1;
    return rl_completion_matches(word, candidate);
}

/* ---- history ---- */

static const char *history_file(char *path, size_t size)
{
    const char *home = getenv("HOME");
    if (!home || (size_t)snprintf(path, size, "%s/.motet_history", home) >= size)
        return NULL;
    return path;
}

/* ---- lines ---- */

static int edited_lines(struct face *f, motet_session *s)
{
    char path[512], *line;
    const char *file = history_file(path, sizeof path);
    bool more = true;
    completed = s;
    rl_readline_name = "motet";
    rl_attempted_completion_function = face_line_complete;
    using_history();
    if (file)
        read_history(file);
    while (more && (line = readline("(motet) "))) {
        face_interrupted(NULL);
        if (*line)
            add_history(line);
        more = motet_session_command(s, line);
        f->flush(f->context);
        fflush(stdout);
        free(line);
    }
    if (file)
        write_history(file);
    return 0;
}

static int plain_lines(struct face *f, motet_session *s)
{
    char *line = NULL;
    size_t room = 0;
    bool more = true;
    signal(SIGINT, SIG_DFL); /* while it waits for a line, Ctrl-C ends it */
    while (more && getline(&line, &room, stdin) >= 0) {
        face_catch_interrupts();
        face_interrupted(NULL);
        more = motet_session_command(s, line);
        signal(SIGINT, SIG_DFL);
        f->flush(f->context);
        fflush(stdout);
    }
    free(line);
    return 0;
}

int face_lines(struct face *f, motet_session *s)
{
    face_catch_interrupts();
    motet_session_command(s, "frame");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? edited_lines(f, s) : plain_lines(f, s);
}
