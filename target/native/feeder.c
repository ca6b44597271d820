/* The feeder: what a native program has in place of its chip.
 *
 * Registers are an array; what is written to them stays there. With a log (docs/native-replay.md), reads of registers
 * and interrupts come from the feed, which src/record/feed.h describes. Invariant: the program goes on only while each
 * event it asks for is the next of the feed, and its variables are the node's at each call of motet_idle; else it says
 * what differs, and ends with status 1.
 *
 * In a component's replay (MOTET_COMPONENT), component.c has main() and what ends it instead.
 *
 * Runs on the host, compiled with each native program. Names that end in _fed are what firmware calls without that.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EXIT = 0xf8, CONSOLE = 0xf9, ENABLED = 8, ASLEEP = 0x10, LOW_POWER = 0xf0 };

#ifndef MOTET_SREG
#define MOTET_SREG 0x10000 /* the chip has its flags in no register of the data space */
#endif
enum { SREG_ENABLED = 0x80 };

uint8_t motet_registers[0x10000] = {[EXIT] = 'M', [CONSOLE] = 'T'};
uint8_t motet_uncounted;
static uint16_t status; /* as an MSP430's: interrupts on is bit 3, on every chip */

extern int firmware_main(void) __asm__("node.main");

/* ---- the feed ---- */

enum kind { END, READ, BLOCK, IDLE, CHANGE, INTERRUPT, BEGIN, TURN };
enum where { IN_CODE, IS_ASLEEP, INSIDE };
enum { WHERE = 0x7f, WRITES = 0x80 }; /* of an interrupt's c; record/feed.h says what its words are */
struct record {
    uint32_t kind, a, b, c;
};

/* Defined by the feed; a program without a log has none of it. */
extern const struct record motet_feed[] __attribute__((weak));
extern const unsigned motet_bytes[][5]
    __attribute__((weak)); /* variable, offset here, address there, mask, kind of pointer */
extern const unsigned motet_byte_count __attribute__((weak));
extern const char *const motet_names[] __attribute__((weak));
extern uint8_t *const motet_variables[] __attribute__((weak));
extern void (*const motet_handlers[])(void) __attribute__((weak));
extern const char motet_how[] __attribute__((weak));
extern const unsigned motet_together[] __attribute__((weak)); /* which of several programs, of how many, its node */

static const struct record *next; /* event */
static uint64_t taken;            /* events */
static uint64_t compared;         /* times that all variables were found to be the node's */
static uint32_t steps;            /* since the last */
static uint8_t node[0x10000];     /* the node's memory, as far as the feed tells it */
static int by_address[0x10000];   /* entry of motet_bytes, one more */

#ifndef MOTET_COMPONENT
/* Begins the last sentence. Programs of several nodes share one terminal: the sentence goes out as a whole. */
static void say_node(void)
{
    static char sentence[4096];
    setvbuf(stderr, sentence, _IOLBF, sizeof sentence);
    fprintf(stderr, "motet: ");
    if (motet_together)
        fprintf(stderr, "node %u: ", motet_together[2]);
}

/* Where the log ends. A breakpoint for debuggers. */
__attribute__((noinline)) void motet_log_ends(void)
{
    fflush(stdout);
    unsigned bytes = 0;
    for (unsigned i = 0; i < motet_byte_count; i++)
        bytes += motet_variables[motet_bytes[i][0]] != NULL;
    say_node();
    fprintf(stderr, "native replay: %u bytes of variables were the node's at each of %llu calls of motet_idle; %s\n",
            bytes, (unsigned long long)compared, motet_how);
    exit(0);
}

/* Where the program leaves the recorded run. A breakpoint for debuggers. */
__attribute__((noinline)) void motet_differs(const char *what, unsigned a, unsigned b)
{
    static const char *const kinds[] = {"the end", "a read",       "a block",  "motet_idle",
                                        "changes", "an interrupt", "the begin"};
    fflush(stdout);
    say_node();
    fprintf(stderr, "the native program differs from the log after %llu events: ", (unsigned long long)taken);
    fprintf(stderr, what, a, b);
    fprintf(stderr, "; next in the log is %s (%u, %u)\n", next->kind <= BEGIN ? kinds[next->kind] : "?",
            (unsigned)next->a, (unsigned)next->b);
    exit(1);
}
#else
void motet_log_ends(void);
void motet_differs(const char *what, unsigned a, unsigned b);
#endif

/* ---- several nodes ---- */

/* Programs that keep an order: each says which tick of the plan it comes to next, one more; 0: it has not started. None
 * goes past a tick before all others have come as far. A program that has ended, or was killed, is not waited for. */
enum { TOGETHER_NODES = 256 };
struct together {
    _Atomic uint64_t comes_to[TOGETHER_NODES];
    _Atomic int32_t process[TOGETHER_NODES];
};
static struct together *together;

static uint64_t tick_of(const struct record *r)
{
    return r->kind == TURN ? ((uint64_t)r->b << 32 | r->a) + 1 : UINT64_MAX;
}

static const struct record *next_turn(const struct record *r)
{
    while (r->kind != TURN && r->kind != END)
        r += 1 + (r->kind == BLOCK ? (r->b + sizeof *r - 1) / sizeof *r : 0);
    return r;
}

static void leave_together(void)
{
    together->comes_to[motet_together[0]] = UINT64_MAX;
}

static void join_together(void)
{
    const char *path = motet_together ? getenv("MOTET_TOGETHER") : NULL;
    int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (!path)
        return;
    void *at = file >= 0 && ftruncate(file, sizeof *together) == 0
                   ? mmap(NULL, sizeof *together, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                   : MAP_FAILED;
    if (at == MAP_FAILED) {
        fprintf(stderr, "motet: cannot keep the order of the nodes: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    close(file);
    together = at;
    together->process[motet_together[0]] = getpid();
    together->comes_to[motet_together[0]] = tick_of(next_turn(motet_feed));
    atexit(leave_together);
}

static int is_behind(unsigned other, uint64_t tick)
{
    uint64_t its = together->comes_to[other];
    int process = together->process[other];
    if (its > tick || (its == tick && other > motet_together[0]))
        return 0;
    return !process || kill(process, 0) == 0 || errno != ESRCH;
}

static void wait_for_turn(void)
{
    uint64_t tick = tick_of(next);
    for (unsigned i = 0; together && i < motet_together[1]; i++)
        while (i != motet_together[0] && is_behind(i, tick))
            usleep(200);
    next++;
    if (together)
        together->comes_to[motet_together[0]] = tick_of(next_turn(next));
}

static void take(void)
{
    next++;
    taken++;
    steps = 0;
    while (next->kind == TURN)
        wait_for_turn();
    if (next->kind == END && !next->b) /* b: the firmware froze the log there, which it does again */
        motet_log_ends();
}

static int enabled(void)
{
    return (status & ENABLED) != 0;
}

static void enable(int on)
{
    status = (uint16_t)(on ? status | ENABLED : status & ~ENABLED);
    if (MOTET_SREG < sizeof motet_registers)
        motet_registers[MOTET_SREG] =
            (uint8_t)(on ? motet_registers[MOTET_SREG] | SREG_ENABLED : motet_registers[MOTET_SREG] & ~SREG_ENABLED);
}

uint8_t motet_stacked[4]; /* bytes 2 and 3: the status to which the handler returns (src/ir/build.c) */
static uint16_t woken;    /* bits of the status that a handler has cleared for when it returns */

static void deliver(void);

static int is_in_code(void)
{
    return next->kind == INTERRUPT && (next->c & WHERE) == IN_CODE && enabled();
}

static uint8_t *native_byte(const unsigned *b)
{
    return motet_variables[b[0]] ? motet_variables[b[0]] + b[1] : NULL;
}

/* The next interrupt comes after so many accesses to a byte. */
static struct {
    const uint8_t *byte; /* NULL: it does not wait for any */
    uint32_t accesses;
    int writes;
    uint8_t later; /* bytes around it that the last of them reaches only after the interrupt */
} waits;

static int waits_for_access(void)
{
    int entry = by_address[next->c >> 8 & 0xffff];
    waits.byte = next->a >> 8 && entry ? native_byte(motet_bytes[entry - 1]) : NULL;
    waits.accesses = next->a >> 8;
    waits.writes = (next->c & WRITES) != 0;
    waits.later = (uint8_t)(next->c >> 24);
    return waits.byte != NULL;
}

/* The chip has made more accesses than are made here: what compilers keep in registers is up to them. */
static void wait_no_longer(void)
{
    if (waits.byte)
        deliver();
}

/* Interrupts that came after the last step and before the next. */
static void let_in(void)
{
    if (is_in_code() && steps > next->b)
        motet_differs("%u steps were made", steps, 0);
    if (is_in_code() && steps == next->b && !waits_for_access())
        deliver();
}

static int is_last_access(const uint8_t *at, uint64_t size, int writes)
{
    return waits.byte && writes == waits.writes && waits.byte >= at && waits.byte < at + size && waits.accesses == 1;
}

static void accessed(const uint8_t *at, uint64_t size, int writes)
{
    if (is_last_access(at, size, writes))
        deliver();
    else if (waits.byte && writes == waits.writes && waits.byte >= at && waits.byte < at + size)
        waits.accesses--;
}

enum { WIDEST = 8 };

/* Copies the bytes that the access reaches after the interrupt. */
static void copy_later(uint8_t *to, const uint8_t *from, uint64_t size, int64_t byte, unsigned later)
{
    for (int64_t i = 0; i < (int64_t)size; i++) {
        int64_t offset = i - byte;
        if (offset && offset >= -4 && offset <= 4 && later >> (offset < 0 ? offset + 4 : offset + 3) & 1)
            to[i] = from[i];
    }
}

/* After a read of a variable that handlers use too. `value` is what was read; NULL: several values. */
uint64_t motet_was_read(const uint8_t *at, uint64_t size, uint8_t *value)
{
    unsigned later = value && is_last_access(at, size, 0) ? waits.later : 0;
    int64_t byte = waits.byte - at;
    accessed(at, size, 0);
    if (later)
        copy_later(value, at, size, byte, later);
    return 0;
}

/* Before and after a write. */
static uint8_t overwritten[WIDEST];
static const uint8_t *overwritten_at;

uint64_t motet_is_written(const uint8_t *at, uint64_t size)
{
    overwritten_at = size <= WIDEST && is_last_access(at, size, 1) && waits.later ? at : NULL;
    if (overwritten_at)
        memcpy(overwritten, at, size);
    return 0;
}

uint64_t motet_was_written(uint8_t *at, uint64_t size)
{
    uint8_t new[WIDEST];
    unsigned later = overwritten_at == at && is_last_access(at, size, 1) ? waits.later : 0;
    int64_t byte = waits.byte - at;
    if (later) {
        memcpy(new, at, size);
        copy_later(at, overwritten, size, byte, later);
    }
    overwritten_at = NULL;
    accessed(at, size, 1);
    if (later)
        copy_later(at, new, size, byte, later);
    return 0;
}

/* The handler of the next event, an interrupt. */
static void deliver(void)
{
    unsigned vector = next->a & 0x7f;
    waits.byte = NULL;
    uint8_t outer[sizeof motet_stacked];
    memcpy(outer, motet_stacked, sizeof outer);
    status |=
        ENABLED; /* an interrupt comes where they are on; its return leaves them so, if it does not say otherwise */
    memcpy(motet_stacked + 2, &status, sizeof status);
    if (!motet_handlers[vector])
        motet_differs("there is no handler for interrupt %u here", vector, 0);
    take();
    status &= (uint16_t)~ASLEEP;
    enable(0);
    motet_handlers[vector]();
    memcpy(&status, motet_stacked + 2, sizeof status);
    memcpy(motet_stacked, outer, sizeof outer);
    status &= (uint16_t)~woken;
    woken = 0;
    enable(enabled());
    let_in();
}

static void step(void)
{
    if (!motet_feed)
        return;
    wait_no_longer();
    steps++;
    let_in();
}

uint64_t motet_entered(void)
{
    step();
    return 0;
}

/* Interrupts that came in the recorder come at its entry. True if there was one. */
static int at_entry(void)
{
    int came = 0;
    wait_no_longer();
    while (next->kind == INTERRUPT && (next->c & WHERE) == INSIDE) {
        deliver();
        came = 1;
    }
    return came;
}

/* ---- variables ---- */

static void differs_in(const unsigned *b, unsigned here, unsigned there)
{
    char text[400];
    snprintf(text, sizeof text, "%.200s%s%.0u has 0x%%02x in byte %u, on the node 0x%%02x", motet_names[b[0]],
             b[3] ? "" : " (a pointer)", 0u, b[1]);
    motet_differs(text, here, there);
}

/* One byte, or a pointer: of those only whether they are null; two bytes there, of which this is the first. Returns how
 * many entries that were. */
static unsigned compare_one(const unsigned *b)
{
    const uint8_t *here = native_byte(b);
    if (b[3]) {
        if (here && (*here ^ node[b[2]]) & b[3])
            differs_in(b, *here & b[3], node[b[2]] & b[3]);
        return 1;
    }
    uint64_t pointer;
    if (!here)
        return 1;
    memcpy(&pointer, here, sizeof pointer);
    if (!pointer != !(node[b[2]] | node[b[2] + 1]))
        differs_in(b, pointer != 0, (node[b[2]] | node[b[2] + 1]) != 0);
    return 2;
}

/* Entries from one on that are whole bytes, one behind the other on both sides. */
static unsigned run_from(unsigned first)
{
    const unsigned *b = motet_bytes[first];
    unsigned count = 0;
    while (first + count < motet_byte_count && b[5 * count] == b[0] && b[5 * count + 1] == b[1] + count &&
           b[5 * count + 2] == b[2] + count && b[5 * count + 3] == 0xff)
        count++;
    return count;
}

static void compare(void)
{
    static unsigned *runs; /* by entry: how many follow each other from there */
    if (!runs) {
        runs = calloc(motet_byte_count + 1, sizeof *runs);
        for (unsigned i = 0; runs && i < motet_byte_count; i += runs[i] ? runs[i] : 1)
            runs[i] = run_from(i);
    }
    for (unsigned i = 0; i < motet_byte_count;) {
        const unsigned *b = motet_bytes[i], count = runs ? runs[i] : 0;
        const uint8_t *here = native_byte(b);
        if (count && (!here || memcmp(here, node + b[2], count) == 0))
            i += count;
        else
            i += compare_one(b);
    }
    compared++;
}

static void take_changes(int set)
{
    for (; next->kind == CHANGE; next++) {
        node[next->a & 0xffff] = (uint8_t)next->b;
        const unsigned *b = by_address[next->a & 0xffff] ? motet_bytes[by_address[next->a & 0xffff] - 1] : NULL;
        uint8_t *here = set && b && b[3] ? native_byte(b) : NULL;
        if (here && ((*here ^ next->b) & b[3])) /* constants are not written */
            *here = (uint8_t)((*here & ~b[3]) | (next->b & b[3]));
    }
}

/* ---- what rewritten sources call ---- */

uint64_t motet_boot_fed(void)
{
    next = motet_feed;
    join_together();
    while (next->kind == TURN)
        wait_for_turn();
    for (unsigned i = 0; i < motet_byte_count; i++)
        by_address[motet_bytes[i][2] & 0xffff] = (int)i + 1;
    take_changes(1); /* as the node was started: with an id of its own */
    if (next->kind != BEGIN)
        motet_differs("the firmware starts", 0, 0);
    take();
    return 0;
}

static uint64_t fed(unsigned site)
{
    at_entry();
    if (next->kind != READ || next->a != site)
        motet_differs("site %u is read", site, 0);
    uint64_t value = next->b;
    take();
    let_in();
    return value;
}

uint64_t motet_read8_fed(uint64_t value, uint64_t live, uint64_t site)
{
    (void)value, (void)live;
    return fed((unsigned)site);
}

uint64_t motet_read16_fed(uint64_t value, uint64_t live, uint64_t site)
{
    (void)value, (void)live;
    return fed((unsigned)site);
}

static int is_register(const volatile uint8_t *p)
{
    return p >= motet_registers && p < motet_registers + sizeof motet_registers;
}

uint64_t motet_pointer8_fed(const volatile uint8_t *p, uint64_t site)
{
    at_entry();
    return is_register(p) ? fed((unsigned)site) : *p;
}

uint64_t motet_pointer16_fed(const volatile uint8_t *p, uint64_t site)
{
    at_entry();
    return is_register(p) ? fed((unsigned)site) : p[0] | (uint64_t)p[1] << 8;
}

uint64_t motet_block_fed(uint8_t *bytes, uint64_t size, uint64_t site)
{
    at_entry();
    if (next->kind != BLOCK || next->a != site || next->b != size)
        motet_differs("a block of %u bytes is read at site %u", (unsigned)size, (unsigned)site);
    memcpy(bytes, next + 1, size);
    next += (size + sizeof *next - 1) / sizeof *next;
    take();
    let_in();
    return 0;
}

uint64_t motet_idle_fed(void)
{
    int off = !enabled(), came = 0;
    if (off && next->kind == INTERRUPT && (next->c & WHERE) == INSIDE)
        enable(1);
    came = at_entry();
    if (off)
        enable(0);
    take_changes(0);
    if (next->kind != IDLE || next->a != (uint32_t)(off && came))
        motet_differs("motet_idle is called, with %u interrupts in it", (unsigned)came, 0);
    compare();
    take();
    let_in();
    return (uint64_t)(off && came);
}

uint64_t motet_flush_fed(void)
{
    return 0;
}

/* Firmware may ask whether there is a recorder by this address. */
void motet_flush(void) {}

uint64_t motet_clear_fed(void)
{
    return 0;
}

uint64_t motet_freeze_fed(void)
{
    if (next->kind != END)
        motet_differs("the log is frozen", 0, 0);
    motet_log_ends();
    return 0;
}

/* ---- the chip ---- */

static void turned_on(int before)
{
    if (!before && enabled())
        step();
}

uint64_t motet_stored(const uint8_t *at, uint64_t size)
{
    uint64_t address = (uint64_t)(at - motet_registers);
    (void)size;
    if (address >= sizeof motet_registers)
        return 0;
    if (address == EXIT) {
        fflush(stdout);
        exit(*at);
    }
    if (address == CONSOLE) {
        putchar(*at);
        motet_registers[CONSOLE] = 'T';
    }
    if (address == MOTET_SREG) {
        int before = enabled();
        enable(*at & SREG_ENABLED);
        turned_on(before);
    }
    return 0;
}

uint64_t motet_loads(const uint8_t *at, uint64_t size)
{
    (void)at, (void)size;
    return 0;
}

uint64_t motet_enable(void)
{
    int before = enabled();
    enable(1);
    turned_on(before);
    return 0;
}

uint64_t motet_disable(void)
{
    wait_no_longer();
    enable(0);
    return 0;
}

uint64_t motet_status(void)
{
    return status;
}

extern int motet_trace_replay(void) __attribute__((weak)); /* of a program with a trace (traced.c) */

uint64_t motet_sleep(void)
{
    if (motet_trace_replay)
        return 0;
    if (!motet_feed) {
        fflush(stdout);
        exit(0);
    }
    wait_no_longer();
    if (next->kind != INTERRUPT || (next->c & WHERE) != IS_ASLEEP)
        motet_differs("the CPU sleeps", 0, 0);
    deliver();
    return 0;
}

/* Bits of the MSP430's status are changed. */
static uint64_t changed(uint16_t now)
{
    if (!(now & ENABLED))
        wait_no_longer();
    int before = enabled();
    status = now;
    if (!(status & ASLEEP))
        turned_on(before);
    while (status & ASLEEP && !motet_trace_replay)
        motet_sleep();
    return 0;
}

uint64_t motet_set_status(uint64_t bits)
{
    return changed((uint16_t)bits);
}

uint64_t motet_status_on(uint64_t bits)
{
    return changed((uint16_t)(status | bits));
}

uint64_t motet_status_off(uint64_t bits)
{
    return changed((uint16_t)(status & ~bits));
}

uint64_t motet_woken(void)
{
    woken = LOW_POWER;
    return 0;
}

/* Where the program does what C leaves undefined (--sanitize undefined): each place is said once. A breakpoint for
 * debuggers. */
__attribute__((noinline)) uint64_t motet_undefined(const char *what, const char *file, uint64_t line)
{
    enum { PLACES = 1000 };
    static struct {
        const char *what, *file;
        uint64_t line;
    } said[PLACES];
    unsigned i = 0;
    while (i < PLACES && said[i].what &&
           !(said[i].line == line && strcmp(said[i].what, what) == 0 && strcmp(said[i].file, file) == 0))
        i++;
    if (i == PLACES || said[i].what)
        return 0;
    said[i].what = what;
    said[i].file = file;
    said[i].line = line;
    fprintf(stderr, "motet: undefined behaviour: %s (%s:%llu)\n", what, file, (unsigned long long)line);
    return 0;
}

#ifndef MOTET_COMPONENT
int main(void)
{
    if (motet_trace_replay)
        return motet_trace_replay();
    if (motet_feed) /* the last records show where it ends */
        next = motet_feed;
    int result = firmware_main();
    fflush(stdout);
    return result & 0xff;
}
#endif
