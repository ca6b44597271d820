#include "device/msp430/dma.h"

#include "chip/chip.h"
#include "device/msp430/clocks.h"
#include "device/msp430/shared_line.h"
#include "isa/msp430/memory.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/pins.h"

enum { DMAREQ = 1, DMAABORT = 2, DMAIE = 4, DMAIFG = 8, DMAEN = 0x10, DMALEVEL = 0x20 };
enum { SRC_BYTE = 0x40, DST_BYTE = 0x80, SRC_INCREMENT = 8, DST_INCREMENT = 10, MODE = 12 };
enum { ENNMI = 1, ROUNDROBIN = 2, DMAONFETCH = 4 };
enum { SINGLE, BLOCK, BURST, REPEATED = 4 };                      /* DMADT; 3 and 7 are as 2 and 6 */
enum { TRIGGER_REQUEST, TRIGGER_CHANNEL = 14, TRIGGER_EXTERNAL }; /* DMAxTSEL */
enum { SOURCE = 2, DESTINATION = 4, SIZE = 6 };                   /* registers, from DMAxCTL */
enum { ROLE_CHANNEL, ROLE_SELECT = MSP430_DMA_CHANNELS };
enum { SYNCHRONISE = 1, SYNCHRONISE_ASLEEP = 2, TRANSFER = 2, RELEASE = 1 }; /* MCLK cycles */
enum { BURST_TRANSFERS = 4, BURST_PAUSE = 2 };

static const double dco_start_seconds = 6e-6;

struct channel {
    uint16_t source, destination, size; /* T_SourceAdd, T_DestAdd, T_Size */
    uint16_t done;                      /* transfers of the block under way */
};

struct state {
    uint64_t period; /* of MCLK when it last ran */
    struct channel channels[MSP430_DMA_CHANNELS];
    uint16_t watched; /* triggers whose timers have been asked to tell of their flag */
    uint8_t pending;  /* channels triggered, a bit each */
    uint8_t active;   /* 1 + the channel whose block is under way */
    uint8_t turn;     /* the channel that comes first, with ROUNDROBIN */
};

static void dma_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_dma *c = d->config;
    wire_register(w, d, c->ctl0, ROLE_SELECT, WIRE_STORE | WIRE_WORD, 0x0fff);
    wire_register(w, d, c->ctl1, 0, WIRE_PLAIN | WIRE_WORD, DMAONFETCH | ROUNDROBIN | ENNMI);
    for (unsigned i = 0; i < MSP430_DMA_CHANNELS; i++) {
        wire_register(w, d, c->channels[i], ROLE_CHANNEL + i, WIRE_STORE | WIRE_WORD, 0x7fff);
        for (unsigned r = SOURCE; r <= SIZE; r += 2)
            wire_register(w, d, (uint16_t)(c->channels[i] + r), 0, WIRE_PLAIN | WIRE_WORD, 0xffff);
    }
    wire_pin(w, d, c->external, TRIGGER_EXTERNAL); /* the roles of inputs are triggers */
    wire_interrupt(w, d, c->interrupt->line, 0);
}

static void dma_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    (void)cause;
    uint64_t period = n->state->clocks[MSP430_MCLK].period;
    *s = (struct state){.period = period ? period : s->period};
}

/* ---- when ---- */

static void dma_schedule(struct node *n, const struct device *d, unsigned cycles)
{
    struct state *s = device_state(n, d);
    const struct clock *mclk = &n->state->clocks[MSP430_MCLK];
    uint64_t due;
    if (mclk->period) {
        s->period = mclk->period;
        due = clock_tick_of(mclk, node_cycle(n, MSP430_MCLK) + cycles);
    } else {
        due = node_now(n) + (cycles * s->period + CLOCK_ONE - 1) / CLOCK_ONE;
    }
    event_at(n, d, 0, CLOCK_TICK, due);
}

/* Nothing is under way and something is asked for: synchronise. */
static void dma_wake(struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    if (s->active || !s->pending || event_pending(n, d, 0))
        return;
    if (n->state->clocks[MSP430_MCLK].period) {
        dma_schedule(n, d, SYNCHRONISE);
        return;
    }
    dma_schedule(n, d, SYNCHRONISE_ASLEEP);
    if (!n->state->clocks[MSP430_SMCLK].period)
        event_at(n, d, 0, CLOCK_TICK, event_cycle(n, d, 0) + node_ticks(n, dco_start_seconds));
}

static void halt_cpu(struct node *n, unsigned cycles)
{
    if (!n->state->sleeping)
        node_stall(n, cycles);
}

/* ---- triggers ---- */

static unsigned dma_selected(const struct node *n, const struct msp430_dma *c, unsigned channel)
{
    return word_get(n, c->ctl0) >> 4 * channel & 15;
}

static bool held_back(const struct node *n, const struct msp430_dma_flag *f)
{
    if (f->timer)
        return msp430_timer_interrupts(n, f->timer, f->block);
    unsigned value = f->word ? word_get(n, f->enable_register) : n->data[f->enable_register];
    return f->enable && value & f->enable;
}

static void dma_request(struct node *n, const struct device *d, unsigned channel)
{
    const struct msp430_dma *c = d->config;
    struct state *s = device_state(n, d);
    if (!(word_get(n, c->channels[channel]) & DMAEN) || word_get(n, (uint16_t)(c->channels[channel] + SIZE)) == 0)
        return;
    s->pending |= (uint8_t)(1u << channel);
    dma_wake(n, d);
}

static const struct device *dma_find(const struct node *n)
{
    for (size_t i = 0; i < n->machine->device_count; i++)
        if (n->machine->devices[i].type == &msp430_dma)
            return &n->machine->devices[i];
    return NULL;
}

static void trigger_all(struct node *n, const struct device *d, unsigned trigger)
{
    const struct msp430_dma *c = d->config;
    for (unsigned i = 0; i < MSP430_DMA_CHANNELS; i++)
        if (dma_selected(n, c, i) == trigger && !held_back(n, &c->flags[trigger]))
            dma_request(n, d, i);
}

void msp430_dma_trigger(struct node *n, unsigned trigger)
{
    const struct device *d = dma_find(n);
    if (d)
        trigger_all(n, d, trigger);
}

static void clear_flag(struct node *n, const struct msp430_dma_flag *f)
{
    if (f->timer)
        msp430_timer_clear_flag(n, f->timer, f->block);
    else if (!f->flag)
        return;
    else if (f->word)
        node_write_word(n, f->flag_register, (uint16_t)(node_read_word(n, f->flag_register) & ~f->flag));
    else
        node_write(n, f->flag_register, (uint8_t)(node_read(n, f->flag_register) & ~f->flag));
}

/* ---- transfers ---- */

static unsigned dma_moved(unsigned address, unsigned how, bool byte)
{
    unsigned step = byte ? 1 : 2;
    return how == 3 ? address + step : how == 2 ? address - step : address;
}

static void dma_transfer(struct node *n, const struct msp430_dma *c, struct channel *t, unsigned channel)
{
    unsigned ctl = word_get(n, c->channels[channel]);
    bool from_byte = ctl & SRC_BYTE, to_byte = ctl & DST_BYTE;
    uint16_t pc = (uint16_t)n->machine->chip->isa->pc(n);
    uint16_t from = from_byte ? t->source : t->source & 0xfffe, to = to_byte ? t->destination : t->destination & 0xfffe;
    uint16_t value = msp430_load(n, pc, from, from_byte ? 1 : 2);
    t->source = (uint16_t)dma_moved(t->source, ctl >> SRC_INCREMENT & 3, from_byte);
    t->destination = (uint16_t)dma_moved(t->destination, ctl >> DST_INCREMENT & 3, to_byte);
    msp430_store(n, pc, to, to_byte ? value & 0xff : value, to_byte ? 1 : 2);
}

/* DMAEN was set, or a block is complete: the working registers start anew. */
static void dma_load(struct node *n, const struct msp430_dma *c, struct channel *t, unsigned channel)
{
    uint16_t ctl = c->channels[channel];
    t->source = word_get(n, ctl + SOURCE);
    t->destination = word_get(n, ctl + DESTINATION);
    t->done = 0;
}

static bool dma_on(const struct node *n, const struct msp430_dma *c, unsigned channel)
{
    return word_get(n, c->channels[channel]) & DMAEN;
}

static void dma_complete(struct node *n, const struct device *d, unsigned channel)
{
    const struct msp430_dma *c = d->config;
    struct state *s = device_state(n, d);
    uint16_t ctl = c->channels[channel];
    unsigned value = word_get(n, ctl), next = (channel + 1) % MSP430_DMA_CHANNELS;
    bool rises = !(value & DMAIFG);
    value |= DMAIFG;
    if (!(value >> MODE & REPEATED))
        value &= ~(unsigned)DMAEN;
    word_set(n, ctl, value);
    word_set(n, ctl + SIZE, s->channels[channel].size);
    dma_load(n, c, &s->channels[channel], channel);
    msp430_shared_line_update(n, c->interrupt);
    if (rises && dma_selected(n, c, next) == TRIGGER_CHANNEL)
        dma_request(n, d, next);
}

static void dma_finish(struct node *n, const struct device *d, unsigned channel)
{
    const struct msp430_dma *c = d->config;
    struct state *s = device_state(n, d);
    s->active = 0;
    s->turn = (uint8_t)((channel + 1) % MSP430_DMA_CHANNELS);
    halt_cpu(n, RELEASE);
    bool level = word_get(n, c->channels[channel]) & DMALEVEL;
    if (level && dma_selected(n, c, channel) == TRIGGER_EXTERNAL && pin_level(n, c->external))
        dma_request(n, d, channel);
    if (s->pending)
        dma_schedule(n, d, TRANSFER + RELEASE + SYNCHRONISE);
}

/* The channel with the highest priority: 0, 1, 2, or in turn (8.2.4). */
static unsigned dma_choose(const struct node *n, const struct msp430_dma *c, const struct state *s)
{
    unsigned first = word_get(n, c->ctl1) & ROUNDROBIN ? s->turn : 0;
    for (unsigned i = 0; i < MSP430_DMA_CHANNELS; i++) {
        unsigned channel = (first + i) % MSP430_DMA_CHANNELS;
        if (s->pending >> channel & 1)
            return channel;
    }
    return 0;
}

static unsigned dma_start(struct node *n, const struct device *d)
{
    const struct msp430_dma *c = d->config;
    struct state *s = device_state(n, d);
    unsigned channel = dma_choose(n, c, s), trigger = dma_selected(n, c, channel);
    s->pending &= (uint8_t) ~(1u << channel);
    s->active = (uint8_t)(channel + 1);
    word_set(n, c->channels[channel], word_get(n, c->channels[channel]) & ~(unsigned)DMAREQ);
    if (!held_back(n, &c->flags[trigger]))
        clear_flag(n, &c->flags[trigger]);
    return channel;
}

/* ENNMI lets a non-maskable interrupt end what is under way (8.2.6). */
static bool aborted(struct node *n, const struct msp430_dma *c, struct state *s)
{
    if (!(word_get(n, c->ctl1) & ENNMI) || !interrupts_asks(n, c->nmi_line) || !s->active)
        return false;
    uint16_t ctl = c->channels[s->active - 1];
    word_set(n, ctl, word_get(n, ctl) | DMAABORT);
    s->active = 0;
    return true;
}

static void dma_event(struct node *n, const struct device *d, unsigned which)
{
    (void)which;
    const struct msp430_dma *c = d->config;
    struct state *s = device_state(n, d);
    if (aborted(n, c, s) || (!s->active && !s->pending))
        return;
    unsigned channel = s->active ? s->active - 1u : dma_start(n, d);
    struct channel *t = &s->channels[channel];
    uint16_t ctl = c->channels[channel], size = ctl + SIZE;
    unsigned mode = word_get(n, ctl) >> MODE & 7, left = (word_get(n, size) - 1u) & 0xffff;
    halt_cpu(n, TRANSFER);
    dma_transfer(n, c, t, channel);
    word_set(n, size, left);
    t->done++;
    bool whole = left == 0, bursts = (mode & 3) >= BURST, burst = bursts && t->done % BURST_TRANSFERS == 0;
    if (whole)
        dma_complete(n, d, channel);
    bool goes_on = dma_on(n, c, channel) && (mode & 3) != SINGLE && (!whole || (bursts && mode & REPEATED));
    if (goes_on)
        dma_schedule(n, d, burst ? TRANSFER + BURST_PAUSE : TRANSFER);
    else
        dma_finish(n, d, channel);
}

/* ---- registers and inputs ---- */

/* Timers tell of a flag only while a channel waits for it. */
static void watch_timers(struct node *n, const struct device *d)
{
    const struct msp430_dma *c = d->config;
    struct state *s = device_state(n, d);
    unsigned wanted = 0;
    for (unsigned i = 0; i < MSP430_DMA_CHANNELS; i++)
        if (dma_on(n, c, i))
            wanted |= 1u << dma_selected(n, c, i);
    for (unsigned t = 0; t < MSP430_DMA_TRIGGERS; t++) {
        const struct msp430_dma_flag *f = &c->flags[t];
        bool want = wanted >> t & 1;
        if (!f->timer || want == (s->watched >> t & 1))
            continue;
        s->watched ^= (uint16_t)(1u << t);
        msp430_timer_watch(n, f->timer, f->block, MSP430_TIMER_FLAG, want ? d : NULL, t);
    }
}

static void write_channel(struct node *n, const struct device *d, unsigned channel, unsigned value, unsigned old)
{
    const struct msp430_dma *c = d->config;
    struct state *s = device_state(n, d);
    bool level = dma_selected(n, c, channel) == TRIGGER_EXTERNAL && value & DMALEVEL && pin_level(n, c->external);
    if (value & ~old & DMAEN) {
        s->channels[channel].size = word_get(n, (uint16_t)(c->channels[channel] + SIZE));
        dma_load(n, c, &s->channels[channel], channel);
    }
    if (!(value & DMAEN))
        s->pending &= (uint8_t) ~(1u << channel);
    if ((value & DMAREQ && dma_selected(n, c, channel) == TRIGGER_REQUEST) || level)
        dma_request(n, d, channel);
    msp430_shared_line_update(n, c->interrupt);
}

static void dma_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct state *s = device_state(n, d);
    if (n->state->clocks[MSP430_MCLK].period)
        s->period = n->state->clocks[MSP430_MCLK].period;
    if (role < ROLE_SELECT)
        write_channel(n, d, role - ROLE_CHANNEL, value, old);
    watch_timers(n, d);
}

static void dma_input(struct node *n, const struct device *d, unsigned trigger, bool level)
{
    if (level)
        trigger_all(n, d, trigger);
}

const struct device_type msp430_dma = {
    .name = "dma",
    .state_size = sizeof(struct state),
    .events = 1,
    .connect = dma_connect,
    .reset = dma_reset,
    .event = dma_event,
    .write = dma_write,
    .input = dma_input,
};
