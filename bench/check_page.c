#include <string.h>

#include "check_rows.h"

/* ---- numbers ---- */

enum { PAGE_NUMBER = 32 };

/* With a comma between thousands, as the paper has them; 0: -. */
static const char *page_number(double value, char text[PAGE_NUMBER])
{
    unsigned number = (unsigned)(value + 0.5);
    if (number >= 1000)
        snprintf(text, PAGE_NUMBER, "%u,%03u", number / 1000, number % 1000);
    else
        snprintf(text, PAGE_NUMBER, "%u", number);
    return text;
}

static const char *page_of_paper(unsigned number, char text[PAGE_NUMBER])
{
    snprintf(text, PAGE_NUMBER, "-");
    return number ? page_number(number, text) : text;
}

static bool page_in_paper(const struct bug *b)
{
    return b->paper.shortest != 0;
}

/* ---- rows ---- */

static void page_found(FILE *out, const struct row *r)
{
    char text[PAGE_NUMBER];
    fprintf(out, "| %s | %s | %u | %u of %u | ", r->bug->name, r->board, r->nodes, r->plain, r->seeds);
    if (r->deviating.is)
        fprintf(out, "%.0f | ", r->deviating.choices);
    else
        fprintf(out, "- | ");
    fprintf(out, "%u of %u | %s | %.1f s | %.1f s |\n", r->walked, r->seeds, page_number(r->events, text), r->seconds,
            r->longest);
}

/* Why a row is not met. */
static const char *page_verdict(const struct row *r)
{
    if (row_is_met(r))
        return "yes";
    if (r->walked < r->seeds)
        return "**no**: not with all seeds";
    if (r->longest > row_limit(r))
        return r->seconds > row_limit(r) ? "**no**: time" : "**no**: time of one seed";
    return !r->shortest.is                     ? "**no**: no story"
           : r->shortest.choices > ROW_CHOICES ? "**no**: choices"
                                               : "**no**: events";
}

/* The paper's model checker with as many nodes, or nearly. */
static unsigned page_model(const struct row *r)
{
    return r->bug->paper.model[r->nodes == 8];
}

static void page_short(FILE *out, const struct row *r)
{
    char text[PAGE_NUMBER];
    fprintf(out, "| %s | %s | %u | ", r->bug->name, r->board, r->nodes);
    if (r->shortest.is) {
        fprintf(out, "%.0f | %u | %s | ", r->shortest.choices, r->nodes - r->shortest.left_out,
                page_number(row_events(r), text));
        fprintf(out, "%s | ", page_number(r->shortest.timers, text));
    } else {
        fprintf(out, "- | - | - | - | ");
    }
    fprintf(out, "%.1f s | ", r->shortest.seconds);
    if (page_in_paper(r->bug)) {
        fprintf(out, "%s | ", page_of_paper(r->bug->paper.shortest, text));
        fprintf(out, "%s%s | ", page_of_paper(page_model(r), text),
                page_model(r) && row_events(r) >= page_model(r) ? " (fewer)" : "");
    } else {
        fprintf(out, "| | ");
    }
    fprintf(out, "%s |\n", page_verdict(r));
}

static void page_rows(FILE *out, const struct row *list, size_t count, void (*one)(FILE *out, const struct row *r))
{
    for (size_t i = 0; i < count; i++)
        if (list[i].taken > 0)
            one(out, &list[i]);
}

/* ---- the paper ---- */

static void page_pair(FILE *out, const unsigned pair[2])
{
    char first[PAGE_NUMBER], second[PAGE_NUMBER];
    fprintf(out, "%s / %s | ", page_of_paper(pair[0], first), page_of_paper(pair[1], second));
}

static void page_paper(FILE *out)
{
    char text[PAGE_NUMBER];
    fprintf(out,
            "\n## T-Check's table 3\n\nLi and Regehr, IPSN 2010. Events to the error, 2 / 8 nodes: Safe TOSSIM, "
            "model checking, random walk (means over 25\nruns); shortest trace of 8 nodes. -: not found. Its table 2 "
            "has liveness bugs as well, without figures.\n\n"
            "| bug of the kit | component | TOSSIM | model checking | walk | shortest |\n"
            "|---|---|---:|---:|---:|---:|\n");
    for (const struct bug *b = check_bugs; b < check_bugs + BUGS; b++) {
        fprintf(out, "| %s | %s | ", b->name, b->component);
        if (page_in_paper(b)) {
            page_pair(out, b->paper.tossim);
            page_pair(out, b->paper.model);
            page_pair(out, b->paper.walk);
            fprintf(out, "%s |\n", page_number(b->paper.shortest, text));
        } else {
            fprintf(out, "| | | |\n");
        }
    }
    fprintf(out, "\n");
}

/* ---- what T-Check could not check ---- */

static unsigned page_lines(const char *file)
{
    char path[512], line[512];
    unsigned count = 0;
    snprintf(path, sizeof path, KIT "/%s", file);
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in))
        count++;
    if (in)
        fclose(in);
    return count;
}

static void page_code(FILE *out)
{
    static const char *const files[][2] = {
        {"avr/clock_async.c", "the clock: an asynchronous timer, its compare interrupt, its busy flags"},
        {"avr/uart.c", "serial port of the AVR"},
        {"avr/adc.c", "converter of the AVR"},
        {"avr/spi.c", "SPI of the AVR"},
        {"avr/start.c", "what runs before main"},
        {"avr/micaz_radio.c", "the CC2420's pins and its capture interrupt on MICAz"},
        {"msp430/telosb.c", "clocks, timers, serial port and converter of the MSP430"},
        {"msp430/spi.c", "SPI of the MSP430"},
        {"msp430/telosb_radio.c", "the CC2420's pins and its capture interrupt on Telos B"},
        {"cc2420.c", "driver of the CC2420: commands, buffers, acknowledgements, overflow"},
        {"flash_at45db.c", "driver of MICAz's flash memory"},
        {"flash_m25p80.c", "driver of Telos B's flash memory"},
        {"task.c", "the scheduler with its sleep, interrupted anywhere"},
    };
    fprintf(out,
            "## Code that T-Check could not check\n\n"
            "T-Check ran in TOSSIM, so drivers of timers, pins, buses and radios were replaced by models (its table "
            "4,\n\"hardware only\": 769 to 4,143 lines an application). Here the binary that ships is executed, so "
            "these run in\nevery check, and with `--preempt` interrupts come between their instructions:\n\n"
            "| file of the kit | lines | what it is |\n|---|---:|---|\n");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        fprintf(out, "| `%s` | %u | %s |\n", files[i][0], page_lines(files[i][0]), files[i][1]);
    fprintf(out, "\nSo do the compiler's start-up code, its library, and stack overflow as an error.\n");
}

/* ---- all of it ---- */

static void page_head(FILE *out, unsigned seeds)
{
    fprintf(out,
            "# Checking: figures\n\n"
            "Written by `make bench ONLY=check`; do not edit. [checking.md](checking.md) explains the words, "
            "[kit.md](kit.md) the bugs.\n\n"
            "- Every figure is of `motet check` with default options, one worker. All times are processor time.\n"
            "- A row has up to %u seeds: fewer, but %d at least, where they take long.\n"
            "- An event is a task or an interrupt. Interrupts of timers are counted apart: nearly all keep the kit's "
            "clock.\n"
            "- Serial bugs need one node, reading-index a base station, link-gap and link-repair a grid.\n",
            seeds, ROW_LEAST_SEEDS);
}

static void page_progress(FILE *out, const struct row *list, size_t count)
{
    double taken = 0;
    size_t done = 0, met = 0;
    for (size_t i = 0; i < count; i++) {
        taken += list[i].taken;
        done += list[i].taken > 0;
        met += list[i].taken > 0 && row_is_met(&list[i]);
    }
    fprintf(out, "\n%zu of %zu rows meet the goal. All of this took %.0f minutes of processor time.\n", met, done,
            taken / 60);
    if (done < count)
        fprintf(out,
                "The run was ended early: %zu of %zu rows are missing. `make bench ONLY=check` goes on with them.\n",
                count - done, count);
}

void page_write(FILE *out, const struct row *list, size_t count, unsigned seeds)
{
    page_head(out, seeds);
    fprintf(out,
            "\n## How they are found\n\n"
            "- *plain*: seeds with which a run without any choice shows the bug, boot times drawn at random.\n"
            "- *deviations*: the fewest, by `--deviations` within 4 s (2 for two nodes of dip and dhv, else 1; -: not "
            "with so few, or not within %d s).\n"
            "- *walks*: seeds with which it is found. Then the mean events of the failing walk from the steady state, "
            "the mean time to find it, and the time of the seed that took longest.\n\n"
            "| bug | board | nodes | plain | deviations | walks | events | time | longest |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
            ROW_FOR_DEVIATIONS);
    page_rows(out, list, count, page_found);
    fprintf(out,
            "\n## How short the stories are\n\n"
            "What minimisation leaves of seed 0:\n\n"
            "- *choices*, and *needed*: the nodes that are switched on;\n"
            "- *events* from the first choice to the error (without a choice: from the steady state), then those of "
            "timers;\n"
            "- *time* for all of it, with the search. After %d s it is ended with what there is (-: nothing yet);\n"
            "- *paper*: T-Check's shortest trace, which is of 8 nodes; and what its model checker found with as many "
            "nodes (\"fewer\" where that is not more than here);\n"
            "- *met*: found with all seeds, with dip and dhv within 10 s, with the others within 5 minutes; at most %d "
            "choices; fewer events than T-Check's shortest trace.\n\n"
            "| bug | board | nodes | choices | needed | events | of timers | time | paper | model checking | met |\n"
            "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
            ROW_FOR_SHORTEST, ROW_CHOICES);
    page_rows(out, list, count, page_short);
    page_progress(out, list, count);
    page_paper(out);
    page_code(out);
}
