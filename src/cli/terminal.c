#include "terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static struct termios before;
static volatile sig_atomic_t is_raw;

static void terminal_interrupt(int signal)
{
    if (interrupted) {
        terminal_restore();
        _exit(128 + signal);
    }
    interrupted = signal;
}

void terminal_catch_signals(void)
{
    /* No SA_RESTART: a wait for a connection or for input ends. */
    struct sigaction ask = {.sa_handler = terminal_interrupt};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &ask, NULL);
    sigaction(SIGTERM, &ask, NULL);
    sigaction(SIGHUP, &ask, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

bool terminal_interrupted(void)
{
    return interrupted;
}

bool terminal_go_on(void)
{
    if (interrupted != SIGINT)
        return false;
    interrupted = 0;
    return true;
}

bool terminal_raw(void)
{
    if (!isatty(STDIN_FILENO))
        return true;
    if (tcgetpgrp(STDIN_FILENO) != getpgrp())
        return false;
    if (is_raw || tcgetattr(STDIN_FILENO, &before) != 0)
        return true;
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0) {
        is_raw = true;
        atexit(terminal_restore);
    }
    return true;
}

void terminal_restore(void)
{
    if (is_raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    is_raw = false;
}

void terminal_die_of_pipe(void)
{
    terminal_restore();
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    _exit(128 + SIGPIPE);
}

struct colours terminal_colours(void)
{
    static int coloured = -1; /* asked once: traces can be many */
    const char *no_color = coloured < 0 ? getenv("NO_COLOR") : NULL;
    if (coloured < 0)
        coloured = isatty(STDERR_FILENO) && !(no_color && *no_color);
    if (!coloured)
        return (struct colours){"", "", "", ""};
    return (struct colours){.bad = "\033[1;31m", .name = "\033[1m", .dim = "\033[2m", .off = "\033[0m"};
}
