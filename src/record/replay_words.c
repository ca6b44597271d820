/* How a replay ended, in words. */
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "record/replay_cores.h"
#include "record/replay_stamps.h"

static void describe(const struct node *n, const struct log_event *e, char *text, size_t size)
{
    static const char *const notices[] = {"a beginning", "a gap", "a freeze", "a checkpoint", "a reset"};
    char place[200];
    switch (e->kind) {
    case LOG_END: snprintf(text, size, "its end"); break;
    case LOG_READ:
        if (e->site == UINT32_MAX)
            snprintf(text, size, "a read");
        else
            snprintf(text, size, "a read at site %u", e->site & 0x1fff);
        break;
    case LOG_WRAPPED: snprintf(text, size, "65536 counted steps"); break;
    case LOG_NOTICE:
        snprintf(text, size, "%s", e->notice < sizeof notices / sizeof *notices ? notices[e->notice] : "a notice");
        break;
    case LOG_INTERRUPT:
        if (e->where == LOG_ASLEEP)
            snprintf(text, size, "interrupt %u waking the CPU", log_vector(e));
        else if (image_symbol_named(n->machine->image, replay_entry_names[ENTRY_POLLED]))
            snprintf(text, size, "interrupt %u, %u cycles on", log_vector(e), stamp_of(e, 1).cycles);
        else if (e->where == LOG_INSIDE)
            snprintf(text, size, "interrupt %u in the recorder, %u steps on", log_vector(e), e->count);
        else
            snprintf(text, size, "interrupt %u at %s, %u steps on", log_vector(e),
                     image_place(n->machine->image, log_address(e) * n->machine->chip->isa->address_unit, place,
                                 sizeof place),
                     e->count);
        break;
    default: snprintf(text, size, "nothing that could be an event");
    }
}

static void describe_asked(const struct node *n, const struct replay_state *s, char *text, size_t size)
{
    char place[200];
    image_place(n->machine->image, n->machine->chip->isa->pc(n), place, sizeof place);
    switch (s->asked) {
    case ENTRY_NONE: snprintf(text, size, "the CPU sleeps at %s", place); break;
    case ENTRY_READ8:
    case ENTRY_READ16:
    case ENTRY_POINTER8:
    case ENTRY_POINTER16:
    case ENTRY_BLOCK: snprintf(text, size, "execution asks for site %u", s->asked_site & 0x1fff); break;
    default: snprintf(text, size, "execution is at %s", replay_entry_names[s->asked]);
    }
}

/* Where events were executed that no check of the log has confirmed. */
static void mark_unverified(const struct node *n, const struct replay_state *s, char *text, size_t size)
{
    size_t used = strlen(text);
    double seconds = (double)s->verified_at / (double)n->machine->hz;
    if (s->end == REPLAY_GOES_ON || s->verified >= s->decoder.events)
        return;
    if (s->end == REPLAY_DIFFERS)
        snprintf(text + used, size - used, "; what was shown after event %llu (%.6f s) is not verified",
                 (unsigned long long)s->verified, seconds);
    else
        snprintf(text + used, size - used,
                 "; what was shown after event %llu (%.6f s) is not verified, since the log ends before its next check",
                 (unsigned long long)s->verified, seconds);
}

/* The node was reset within the recorder's own code, which then writes nothing of what it had; or power failed. */
static void explain_restart(const struct node *n, char *text, size_t size)
{
    enum { MOST_PAGE = 264 }; /* that is being filled, in the flash's own buffer */
    const struct image_symbol *memory = image_symbol_named(n->machine->image, "motet_recorder");
    size_t used = strlen(text);
    snprintf(text + used, size - used,
             "; the node was started again some time after that, and what it had recorded and not yet written is lost: "
             "less than %u bytes of log",
             (memory ? memory->size : 0) + MOST_PAGE);
}

static void explain_end(const struct node *n, char *text, size_t size)
{
    const struct replay_state *s = replay_state_of(n);
    char has[300], asks[300], place[200];
    unsigned long long events = s->decoder.events;
    describe(n, &s->decoder.next, has, sizeof has);
    describe_asked(n, s, asks, sizeof asks);
    image_place(n->machine->image, n->machine->chip->isa->pc(n), place, sizeof place);
    text[0] = 0;
    switch ((enum replay_end)s->end) {
    case REPLAY_GOES_ON: break;
    case REPLAY_LOG_ENDED:
        snprintf(text, size, "the log ends after %llu events, at %s", events, place);
        if (s->restarted)
            explain_restart(n, text, size);
        break;
    case REPLAY_FROZEN: snprintf(text, size, "the firmware froze the log after %llu events", events); break;
    case REPLAY_GAP:
        snprintf(text, size, "the recorder lost what came after event %llu: its memory was full%s", events,
                 image_symbol_named(n->machine->image, replay_entry_names[ENTRY_POLLED])
                     ? ", or the timer that tells cycles had not the CPU's clock"
                     : "");
        break;
    case REPLAY_RESET: snprintf(text, size, "the node was reset after event %llu", events); break;
    case REPLAY_CONTINUES:
        snprintf(text, size,
                 "the part ends with a checkpoint after %llu events, but the part that begins there is lost", events);
        break;
    case REPLAY_DIFFERS:
        switch ((enum replay_difference)s->difference) {
        case REPLAY_OTHER_EVENT:
            snprintf(text, size, "after event %llu the log has %s, but %s", events, has, asks);
            break;
        case REPLAY_NOT_ACCEPTED:
            snprintf(text, size, "after event %llu the log has %s, where the CPU accepts none", events, has);
            break;
        case REPLAY_OTHER_MEMORY:
            snprintf(
                text, size,
                "the variables at the start are not those of the node that recorded; what did it have (--id, --set)?");
            break;
        case REPLAY_NEVER_COMES:
            snprintf(text, size, "after event %llu the log has %s, which execution never reaches (now at %s)", events,
                     has, place);
            break;
        case REPLAY_UNCERTAIN:
            snprintf(text, size,
                     "after event %llu the log has %s, in code that does not count, and nothing tells in which of "
                     "several passes it came",
                     events, has);
            break;
        case REPLAY_BAD_LOG: snprintf(text, size, "event %llu of the log is none that could be", events + 1); break;
        case REPLAY_CHANGED:
            snprintf(text, size,
                     "the events up to %llu are not those that the recorder made its check of: the log was changed "
                     "after it was written, or other code was executed",
                     events);
            break;
        case REPLAY_NOT_BEGUN:
            snprintf(text, size, "the recorder is entered at %s before motet_boot has started it", place);
            break;
        case REPLAY_NO_CHECKPOINT:
            snprintf(text, size,
                     "the checkpoint that the part begins with cannot be used: it is not whole, or not what "
                     "its digest says; take an earlier or a later part (--part)");
            break;
        case REPLAY_OTHER_CHECKPOINT:
            if (!s->asked_site) {
                snprintf(
                    text, size,
                    "after event %llu a checkpoint was taken that cannot be used: it is not whole, or not what its "
                    "digest says",
                    events);
                break;
            }
            snprintf(text, size, "after event %llu a checkpoint was taken, and memory was another at %s", events,
                     image_place(n->machine->image, n->machine->chip->isa->spaces.data + s->asked_site, place,
                                 sizeof place));
            break;
        case REPLAY_UNRECORDED: unknown_explain(n, &s->unknown, text, size); break;
        case REPLAY_SAME: break;
        }
    }
}

char *replay_explain(const struct node *n, char *text, size_t size)
{
    explain_end(n, text, size);
    if (n->machine->log->type == &replay_cores_type && replay_state_of(n)->end == REPLAY_DIFFERS) {
        char own[1024];
        replay_cores_explain(n, own, sizeof own);
        if (own[0])
            snprintf(text, size, "%s", own);
    }
    mark_unverified(n, replay_state_of(n), text, size);
    return text;
}
