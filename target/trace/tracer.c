/* The tracer: what firmware that was built with motet cc --trace-level notes in RAM (docs/slices.md).
 *
 * Inside are the traced functions. Where control comes from outside, by a call or a return, all cells of the table are
 * compared with their shadow, and what has changed is noted. Invariant: the ring has whole records, the oldest first;
 * what the shadow has is the cells' state at the last record; after the first violation nothing changes any more.
 *
 * motet cc puts this text into one source of the firmware, after preprocessing: so it has no directives. It comes after
 * avr.c or msp430.c, and after the numbers MOTET_TRACE_RING, MOTET_TRACE_SHADOW, MOTET_TRACE_CELLS and
 * MOTET_TRACE_PLACES.
 *
 * The table has address and size of each cell. Instead of the address of a function's static variable it has a number
 * below MOTET_TRACE_PLACES: motet_trace_places has the address, once the function has run.
 *
 * A record is a byte: the number of a function that is entered from inside, or with bit 7 one that is left. Or it is 0,
 * the number of bytes that follow, a kind, and what belongs to it.
 */
enum { MOTET_ENTERED = 1, MOTET_BACK, MOTET_VALUE, MOTET_INTERRUPT, MOTET_CHANGED, MOTET_END, MOTET_SETTLED = 9 };
enum { MOTET_OTHER = 128, MOTET_CHUNK = 12 };

struct motet_trace_log {
    unsigned at, first, used; /* in the ring: after the newest record, the oldest, bytes of all */
    unsigned count;           /* of references, since the last record of the task or handler that runs */
    unsigned char lost, inside;
    unsigned char ring[MOTET_TRACE_RING], shadow[MOTET_TRACE_SHADOW + 1];
};
struct motet_trace_log motet_trace_log;
static unsigned char motet_trace_pending;               /* handlers may have changed cells since the last record */
static struct motet_trace_handler *motet_trace_unnoted; /* a handler that came while inside, and has not been noted */

static void motet_trace_put(unsigned char byte)
{
    motet_trace_log.ring[motet_trace_log.at] = byte;
    if (++motet_trace_log.at == MOTET_TRACE_RING)
        motet_trace_log.at = 0;
    motet_trace_log.used++;
}

static void motet_trace_drop(void)
{
    unsigned second = motet_trace_log.first + 1 == MOTET_TRACE_RING ? 0 : motet_trace_log.first + 1;
    unsigned size = motet_trace_log.ring[motet_trace_log.first] ? 1 : motet_trace_log.ring[second] + 2;
    motet_trace_log.first += size;
    if (motet_trace_log.first >= MOTET_TRACE_RING)
        motet_trace_log.first -= MOTET_TRACE_RING;
    motet_trace_log.used -= size;
    motet_trace_log.lost = 1;
}

static __attribute__((noinline)) void motet_trace_note(unsigned char kind, const unsigned char *bytes,
                                                       unsigned char size)
{
    if (motet_violated)
        return;
    while (MOTET_TRACE_RING - motet_trace_log.used < size + 3u)
        motet_trace_drop();
    motet_trace_put(0);
    motet_trace_put(size + 1);
    motet_trace_put(kind);
    while (size--)
        motet_trace_put(*bytes++);
}

static __attribute__((noinline)) void motet_trace_note_short(unsigned char what)
{
    if (motet_violated)
        return;
    if (motet_trace_log.used == MOTET_TRACE_RING)
        motet_trace_drop();
    motet_trace_put(what);
}

/* Notes what has changed in the table; whether anything has. */
static __attribute__((noinline)) unsigned char motet_trace_compare(void)
{
    unsigned same = 0;
    unsigned char some[MOTET_CHUNK], known = 0, any = 0, *old = motet_trace_log.shadow;
    for (unsigned cell = 0; cell < MOTET_TRACE_CELLS && !motet_violated; cell++) {
        unsigned place = motet_trace_constant(&motet_trace_cells[2 * cell]);
        unsigned char *at = (unsigned char *)place;
        if (place < MOTET_TRACE_PLACES)
            at = motet_trace_places[place] ? motet_trace_places[place] : old;
        for (unsigned char *end = at + motet_trace_constant(&motet_trace_cells[2 * cell + 1]);; at++, old++) {
            unsigned char *begin = at, change;
            while (at != end && *at == *old) /* most of the time is spent here */
                at++, old++;
            same += (unsigned)(at - begin);
            if (at == end)
                break;
            change = *at ^ *old;
            *old = *at;
            any = 1;
            for (unsigned char last = 0; !last; same -= last ? same : 256) { /* 255 and no change: 256 bytes */
                last = same < 256;
                some[known++] = last ? same : 255;
                some[known++] = last ? change : 0;
                if (known == MOTET_CHUNK) {
                    motet_trace_note(MOTET_CHANGED, some, known);
                    known = 0;
                }
            }
        }
    }
    if (known)
        motet_trace_note(MOTET_CHANGED, some, known);
    motet_trace_pending = 0;
    return any;
}

static void motet_trace_crossed(unsigned char kind, unsigned char number)
{
    motet_trace_compare();
    motet_trace_note(kind, &number, 1);
    motet_trace_log.count = 0;
}

static void motet_trace_note_position(unsigned char kind, unsigned char number, unsigned count)
{
    unsigned char bytes[] = {number, count & 255, count >> 8};
    motet_trace_note(kind, bytes, sizeof bytes);
}

/* A handler is noted when it runs a traced function. Its other effects are noted where they can matter first. */
static void motet_trace_note_handler(void)
{
    struct motet_trace_handler *h = motet_trace_unnoted;
    if (!h)
        return;
    motet_trace_note_position(MOTET_INTERRUPT, h->number, h->count);
    h->noted = 1;
    motet_trace_unnoted = 0;
}

/* ---- traced functions ---- */

unsigned char motet_trace_entered(unsigned char number)
{
    unsigned status = motet_trace_off();
    unsigned char from = motet_trace_log.inside ? 0 : MOTET_OTHER;
    if (from) {
        motet_trace_note_handler();
        motet_trace_crossed(MOTET_ENTERED, number);
    } else {
        motet_trace_note_short(number);
    }
    motet_trace_log.inside = 1;
    motet_trace_log.count = 0;
    motet_trace_on(status);
    return number | from;
}

void motet_trace_left(unsigned char *mark)
{
    unsigned status = motet_trace_off();
    motet_trace_note_short(*mark | MOTET_OTHER);
    if (*mark & MOTET_OTHER)
        motet_trace_log.inside = 0;
    motet_trace_log.count = 0;
    motet_trace_on(status);
}

/* Of functions that call nothing, calls from inside are not noted: a replay makes them again. */
unsigned char motet_trace_entered_leaf(unsigned char number)
{
    return motet_trace_log.inside ? number : motet_trace_entered(number);
}

void motet_trace_left_leaf(unsigned char *mark)
{
    if (*mark & MOTET_OTHER)
        motet_trace_left(mark);
}

/* An argument of a function that was entered from outside, or a result for one inside. */
void motet_trace_value(unsigned char mark, const void *value, unsigned size, unsigned char is_pointer)
{
    const unsigned char *at = value;
    if (!(mark & MOTET_OTHER))
        return;
    unsigned status = motet_trace_off();
    for (unsigned part; size; size -= part, at += part) {
        part = size < MOTET_CHUNK ? size : MOTET_CHUNK;
        motet_trace_note(MOTET_VALUE, at, part);
    }
    motet_trace_log.count = 0;
    motet_trace_on(status);
    (void)is_pointer;
}

/* What a pointer leads to in the frame of another function. */
void motet_trace_memory(unsigned char mark, void *pointer, unsigned size)
{
    motet_trace_value(mark, *(void **)pointer, *(void **)pointer ? size : 0, 0);
}

/* ---- functions that are skipped in a replay ---- */

unsigned char motet_trace_skipped(unsigned char number)
{
    unsigned status = motet_trace_off();
    unsigned char from = motet_trace_log.inside ? MOTET_OTHER : 0;
    motet_trace_log.inside = 0;
    motet_trace_on(status);
    return number | from;
}

void motet_trace_back(unsigned char *mark)
{
    if (!(*mark & MOTET_OTHER))
        return;
    unsigned status = motet_trace_off();
    motet_trace_crossed(MOTET_BACK, *mark & ~MOTET_OTHER);
    motet_trace_log.inside = 1;
    motet_trace_on(status);
}

/* Of a function that changes no cell. */
void motet_trace_back_still(unsigned char *mark)
{
    unsigned char number = *mark & ~MOTET_OTHER;
    if (!(*mark & MOTET_OTHER))
        return;
    unsigned status = motet_trace_off();
    motet_trace_note(MOTET_BACK, &number, 1);
    motet_trace_log.inside = 1;
    motet_trace_log.count = 0;
    motet_trace_on(status);
}

/* ---- handlers ---- */

static void motet_trace_position(struct motet_trace_handler *h, unsigned char number)
{
    h->number = number;
    h->inside = motet_trace_log.inside;
    h->count = motet_trace_log.count;
    h->noted = 0;
    h->outer = motet_trace_unnoted;
    if (h->inside)
        motet_trace_unnoted = h;
    motet_trace_log.count = 0;
}

static void motet_trace_resume(const struct motet_trace_handler *h)
{
    motet_trace_log.inside = h->inside;
    motet_trace_log.count = h->count;
    motet_trace_unnoted = h->outer;
}

unsigned char motet_trace_interrupt(struct motet_trace_handler *h, unsigned char number)
{
    unsigned status = motet_trace_off();
    motet_trace_position(h, number);
    if (h->inside)
        motet_trace_note_handler();
    else
        motet_trace_crossed(MOTET_ENTERED, number);
    motet_trace_log.inside = 1;
    motet_trace_on(status);
    return number;
}

void motet_trace_returns(struct motet_trace_handler *h)
{
    unsigned status = motet_trace_off();
    motet_trace_note_short(h->number | MOTET_OTHER);
    motet_trace_resume(h);
    motet_trace_on(status);
}

unsigned char motet_trace_interrupt_skipped(struct motet_trace_handler *h, unsigned char number)
{
    unsigned status = motet_trace_off();
    motet_trace_position(h, number);
    motet_trace_log.inside = 0;
    motet_trace_on(status);
    return number;
}

void motet_trace_returns_skipped(struct motet_trace_handler *h)
{
    unsigned status = motet_trace_off();
    if (h->noted)
        motet_trace_crossed(MOTET_BACK, h->number);
    else if (h->inside)
        motet_trace_pending = 1;
    motet_trace_resume(h);
    motet_trace_on(status);
}

/* A handler that neither changes a cell nor runs a traced function: what it calls is outside. */
void motet_trace_interrupt_quiet(struct motet_trace_handler *h)
{
    unsigned status = motet_trace_off();
    h->inside = motet_trace_log.inside;
    motet_trace_log.inside = 0;
    motet_trace_on(status);
}

void motet_trace_returns_quiet(struct motet_trace_handler *h)
{
    motet_trace_log.inside = h->inside;
}

/* ---- references, the end, reading out ---- */

/* A counted read: no handler comes between the count and the read. */
unsigned motet_trace_reads(void)
{
    unsigned status = motet_trace_off();
    if (motet_trace_pending && motet_trace_compare())
        motet_trace_note_position(MOTET_SETTLED, 0, motet_trace_log.count);
    motet_trace_log.count++;
    return status;
}

void motet_trace_read(unsigned status)
{
    motet_trace_on(status);
}

void motet_trace_count(void)
{
    motet_trace_on(motet_trace_reads());
}

void motet_trace_end(unsigned char invariant)
{
    unsigned status = motet_trace_off();
    if (!motet_violated)
        motet_trace_crossed(MOTET_END, invariant);
    motet_violated = motet_violated ? motet_violated : invariant;
    motet_trace_on(status);
}

void motet_trace_send(void (*put)(unsigned char))
{
    for (unsigned i = 0; i < sizeof motet_trace_log; i++)
        put(((unsigned char *)&motet_trace_log)[i]);
}
