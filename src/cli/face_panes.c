/* The debugger on a whole terminal: source, variables, the call stack, nodes and packets, and a line for commands. */
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "face.h"
#include "memory.h"
#include "motet/inspect.h"
#include "sentence.h"

enum { COMMAND = 256, TEXT = 16384, NODES_TEXT = 1 << 20, HISTORY = 100, ENTER = '\n', ESCAPE_DELAY = 25 };

struct screen {
    motet_session *session;
    struct face *face;
    char command[COMMAND];
    size_t length;
    char history[HISTORY][COMMAND];
    unsigned history_count, history_at;
    char *log; /* all output of the session */
    size_t log_count;
    char *nodes;        /* NODES_TEXT bytes: a line for each node */
    int nodes_top;      /* the line that is the pane's first */
    int nodes_rows;     /* of the pane, without its title */
    int nodes_selected; /* the line of the selected node when it was drawn last; -1: not yet */
};

/* ---- drawing ---- */

struct pane {
    int top, left, rows, columns;
};

static void title(const struct pane *p, const char *text)
{
    attron(A_REVERSE);
    mvhline(p->top, p->left, ' ', p->columns);
    mvaddnstr(p->top, p->left + 1, text, p->columns - 2);
    attroff(A_REVERSE);
}

static void face_panes_put(const struct pane *p, int row, const char *text, size_t length)
{
    int column = 0;
    if (row < 1 || row >= p->rows)
        return;
    move(p->top + row, p->left);
    for (size_t i = 0; i < length && column < p->columns - 1; i++) {
        int blanks = text[i] == '\t' ? 8 - column % 8 : 0;
        for (int k = 0; k < blanks && column < p->columns - 1; k++, column++)
            addch(' ');
        if (!blanks && (unsigned char)text[i] >= ' ') {
            addch((unsigned char)text[i]);
            column++;
        }
    }
}

/* The lines of a text; the last ones where `tail`. */
static void face_panes_put_text(const struct pane *p, const char *text, bool tail)
{
    int lines = 0, skip = 0, row = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    if (tail && lines > p->rows - 1)
        skip = lines - (p->rows - 1);
    while (*text && row < p->rows) {
        size_t length = strcspn(text, "\n");
        if (skip > 0)
            skip--;
        else
            face_panes_put(p, row++, text, length);
        text += length + (text[length] == '\n');
    }
}

static void draw_answer(struct screen *s, const struct pane *p, const char *name, const char *command)
{
    char text[TEXT];
    motet_session_ask(s->session, command, text, sizeof text);
    title(p, name);
    face_panes_put_text(p, text, false);
}

static void draw_source(struct screen *s, const struct pane *p)
{
    const char *file;
    unsigned line;
    char text[512], number[600];
    if (!motet_session_place(s->session, &file, &line)) {
        draw_answer(s, p, "instructions", "x/60i $pc");
        return;
    }
    const char *slash = strrchr(file, '/');
    title(p, slash ? slash + 1 : file);
    FILE *f = motet_source_open(file);
    if (!f) {
        snprintf(text, sizeof text, "%s cannot be read; line %u\n", file, line);
        face_panes_put_text(p, text, false);
        return;
    }
    unsigned half = (unsigned)(p->rows / 2), first = line > half ? line - half : 1;
    for (unsigned at = 1; fgets(text, sizeof text, f) && at < first + (unsigned)p->rows; at++) {
        if (at < first)
            continue;
        if (at == line)
            attron(A_BOLD);
        int length =
            snprintf(number, sizeof number, "%c%c%5u  %s", motet_session_has_break(s->session, file, at) ? '*' : ' ',
                     at == line ? '>' : ' ', at, text);
        face_panes_put(p, 1 + (int)(at - first), number, (size_t)length);
        attroff(A_BOLD);
    }
    fclose(f);
}

/* A line for each node. The pane moves with PgUp and PgDn, and to the node that is selected when that is another. */
static void draw_nodes(struct screen *s, const struct pane *p)
{
    char name[80];
    int lines = 0, selected = 0;
    motet_session_ask(s->session, "nodes", s->nodes, NODES_TEXT);
    for (const char *line = s->nodes; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        selected = *line == '*' ? lines : selected;
        lines++;
    }
    s->nodes_rows = p->rows > 1 ? p->rows - 1 : 1;
    if (selected != s->nodes_selected && (selected < s->nodes_top || selected >= s->nodes_top + s->nodes_rows))
        s->nodes_top = selected - s->nodes_rows / 2;
    s->nodes_selected = selected;
    int last = lines - s->nodes_rows > 0 ? lines - s->nodes_rows : 0;
    s->nodes_top = s->nodes_top < 0 ? 0 : s->nodes_top > last ? last : s->nodes_top;
    if (last)
        snprintf(name, sizeof name, "nodes %d to %d of %d (PgUp, PgDn)", s->nodes_top + 1, s->nodes_top + s->nodes_rows,
                 lines);
    title(p, last ? name : "nodes");
    const char *from = s->nodes;
    for (int i = 0; i < s->nodes_top; i++)
        from = strchr(from, '\n') + 1;
    face_panes_put_text(p, from, false);
}

static void draw_log(struct screen *s, const struct pane *p)
{
    title(p, "said");
    if (s->log)
        face_panes_put_text(p, s->log, true);
}

static void draw(struct screen *s)
{
    char now[400];
    int rows, columns;
    getmaxyx(stdscr, rows, columns);
    erase();
    if (rows < 8 || columns < 40) {
        mvaddnstr(0, 0, "the terminal is too small", columns > 0 ? columns : 0);
        refresh();
        return;
    }
    int right = columns * 3 / 5, height = rows - 2, upper = height * 2 / 3, third = height / 3;
    draw_source(s, &(struct pane){0, 0, upper, right});
    draw_log(s, &(struct pane){upper, 0, height - upper, right});
    draw_answer(s, &(struct pane){0, right, third, columns - right}, "variables", "info locals");
    draw_answer(s, &(struct pane){third, right, height / 4, columns - right}, "stack", "where");
    int at = third + height / 4, left_over = height - at;
    draw_nodes(s, &(struct pane){at, right, left_over / 2, columns - right});
    draw_answer(s, &(struct pane){at + left_over / 2, right, left_over - left_over / 2, columns - right}, "packets",
                "packets known");
    motet_session_ask(s->session, "when", now, sizeof now);
    attron(A_REVERSE);
    mvhline(rows - 2, 0, ' ', columns);
    mvaddnstr(rows - 2, 1, now, (int)strcspn(now, "\n") < columns - 2 ? (int)strcspn(now, "\n") : columns - 2);
    attroff(A_REVERSE);
    mvaddnstr(rows - 1, 0, "(motet) ", columns - 1);
    addnstr(s->command, columns - 10);
    refresh();
}

/* ---- commands ---- */

static void take_output(struct screen *s)
{
    struct face *f = s->face;
    if (!f->output_count)
        return;
    s->log = cli_resized(s->log, s->log_count + f->output_count + 1, 1);
    memcpy(s->log + s->log_count, f->output, f->output_count + 1);
    s->log_count += f->output_count;
    f->output_count = 0;
}

static bool face_panes_obey(struct screen *s)
{
    if (s->length) {
        unsigned at = s->history_count < HISTORY ? s->history_count++ : HISTORY - 1;
        if (at == HISTORY - 1)
            memmove(s->history, s->history + 1, (HISTORY - 1) * sizeof s->history[0]);
        memcpy(s->history[at], s->command, sizeof s->command);
    }
    s->history_at = s->history_count;
    face_interrupted(NULL);
    bool more = motet_session_command(s->session, s->command);
    take_output(s);
    s->length = 0;
    s->command[0] = 0;
    return more;
}

static void recall(struct screen *s, int by)
{
    if ((by < 0 && s->history_at == 0) || (by > 0 && s->history_at >= s->history_count))
        return;
    s->history_at += (unsigned)by;
    if (s->history_at == s->history_count)
        s->command[0] = 0;
    else
        memcpy(s->command, s->history[s->history_at], sizeof s->command);
    s->length = strlen(s->command);
}

static void face_panes_complete(struct screen *s)
{
    char *found = motet_session_complete(s->session, s->command, 0);
    const char *space = strrchr(s->command, ' ');
    size_t keep = space ? (size_t)(space + 1 - s->command) : 0;
    if (found && keep + strlen(found) + 1 < sizeof s->command) {
        strcpy(s->command + keep, found);
        s->length = strlen(s->command);
    }
    free(found);
}

static bool press(struct screen *s, int key)
{
    static const struct {
        int key;
        const char *command;
    } keys[] = {{KEY_F(5), "continue"},
                {KEY_F(6), "next"},
                {KEY_F(7), "step"},
                {KEY_F(8), "finish"},
                {KEY_F(9), "reverse-step"},
                {KEY_F(10), "reverse-next"},
                {KEY_F(11), "reverse-continue"},
                {KEY_F(1), "help"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (key == keys[i].key) {
            s->length = (size_t)snprintf(s->command, sizeof s->command, "%s", keys[i].command);
            return face_panes_obey(s);
        }
    if (key == ENTER || key == '\r' || key == KEY_ENTER)
        return face_panes_obey(s);
    if (key == KEY_UP || key == KEY_DOWN)
        recall(s, key == KEY_UP ? -1 : 1);
    else if (key == KEY_PPAGE || key == KEY_NPAGE)
        s->nodes_top += key == KEY_PPAGE ? -s->nodes_rows : s->nodes_rows;
    else if (key == '\t')
        face_panes_complete(s);
    else if ((key == KEY_BACKSPACE || key == 127 || key == 8) && s->length)
        s->command[--s->length] = 0;
    else if (key == 21) /* Ctrl-U */
        s->command[s->length = 0] = 0;
    else if (key == 12) /* Ctrl-L: draws everything again */
        clearok(stdscr, TRUE);
    else if (key == 4 && !s->length) /* Ctrl-D */
        return false;
    else if (key >= ' ' && key < 127 && s->length + 1 < sizeof s->command) {
        s->command[s->length++] = (char)key;
        s->command[s->length] = 0;
    }
    return true;
}

int face_panes(struct face *f, motet_session *session)
{
    struct screen s = {.session = session, .face = f, .nodes_selected = -1};
    const char *terminal = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !terminal || !*terminal)
        return complain("--tui needs a terminal; --line works anywhere");
    setlocale(LC_CTYPE, "");
    f->panes = true;
    face_catch_interrupts();
    set_escdelay(ESCAPE_DELAY);
    SCREEN *screen = newterm(NULL, stdout, stdin);
    if (!screen)
        return complain("--tui does not know the terminal '%s'; --line works anywhere", terminal);
    s.nodes = cli_array(NODES_TEXT, 1);
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    bool more = true;
    while (more) {
        draw(&s);
        int key = getch();
        if (key == ERR)
            more = !feof(stdin) && isatty(STDIN_FILENO);
        else if (key != KEY_RESIZE)
            more = press(&s, key);
    }
    endwin();
    delscreen(screen);
    free(s.nodes);
    free(s.log);
    return 0;
}
