#include "device/cortex/scs.h"

#include "chip/chip.h"
#include "device/cortex/register32.h"
#include "isa/cortex/exceptions.h"
#include "isa/cortex/mpu.h"
#include "node/interrupts.h"

enum {
    ROLE_STCTRL,
    ROLE_STLOAD,
    ROLE_STVAL,
    ROLE_ENABLE = 8, /* eight of each */
    ROLE_DISABLE = 16,
    ROLE_PEND = 24,
    ROLE_UNPEND = 32,
    ROLE_ACTIVE = 40,
    ROLE_SYSTEM_PRIORITY = 48, /* twelve */
    ROLE_ICSR = 64,
    ROLE_VTOR,
    ROLE_AIRCR,
    ROLE_SCR,
    ROLE_CCR,
    ROLE_SHCSR,
    ROLE_CFSR, /* four bytes */
    ROLE_HFSR = ROLE_CFSR + 4,
    ROLE_MMFAR,
    ROLE_BFAR,
    ROLE_CPACR,
    ROLE_STIR,
    ROLE_FPCCR,
    ROLE_FPCAR,
    ROLE_FPDSCR,
    ROLE_CYCCTRL,
    ROLE_CYCCNT,
    ROLE_MPU_CTRL,
    ROLE_MPU_RNR,
    ROLE_MPU_RBAR, /* four pairs with RASR */
};

#define DWT        0xe0001000u
#define SCS        0xe000e000u
#define PRIORITIES (SCS + 0x400)

enum { EVENT_TICK };
enum { TICK_ENABLE = 1, TICK_INTERRUPT = 2, TICK_FLAG = 0x10000, TICK_MASK = 0xffffff };

struct scs {
    uint64_t zero;    /* cycle at which the timer reaches zero */
    uint32_t value;   /* of the timer while it stands still */
    uint32_t control; /* its CTRL */
    uint32_t load;
    uint32_t cycles;   /* what is added to the CPU's cycles in CYCCNT */
    uint32_t counting; /* DWT_CTRL */
};

struct scs_register {
    uint16_t offset;
    uint8_t role;
    bool reads; /* its value is worked out when it is read */
};

static const struct scs_register scs_registers[] = {
    {0x010, ROLE_STCTRL, true},       {0x014, ROLE_STLOAD, true},       {0x018, ROLE_STVAL, true},
    {0xd04, ROLE_ICSR, true},         {0xd08, ROLE_VTOR, true},         {0xd0c, ROLE_AIRCR, true},
    {0xd10, ROLE_SCR, true},          {0xd14, ROLE_CCR, true},          {0xd24, ROLE_SHCSR, true},
    {0xd2c, ROLE_HFSR, true},         {0xd34, ROLE_MMFAR, true},        {0xd38, ROLE_BFAR, true},
    {0xd88, ROLE_CPACR, true},        {0xf00, ROLE_STIR, false},        {0xf34, ROLE_FPCCR, true},
    {0xf38, ROLE_FPCAR, true},        {0xf3c, ROLE_FPDSCR, true},       {0xd94, ROLE_MPU_CTRL, true},
    {0xd98, ROLE_MPU_RNR, true},      {0xd9c, ROLE_MPU_RBAR, true},     {0xda0, ROLE_MPU_RBAR + 1, true},
    {0xda4, ROLE_MPU_RBAR + 2, true}, {0xda8, ROLE_MPU_RBAR + 3, true}, {0xdac, ROLE_MPU_RBAR + 4, true},
    {0xdb0, ROLE_MPU_RBAR + 5, true}, {0xdb4, ROLE_MPU_RBAR + 6, true}, {0xdb8, ROLE_MPU_RBAR + 7, true},
};

/* Read and written as memory: ACTLR, DFSR, AFSR, DEMCR. */
static const uint16_t scs_plain[] = {0x008, 0xd30, 0xd3c, 0xdfc};

/* Never written: ICTR, CALIB, CPUID, MPU_TYPE. */
static const uint16_t scs_constant[] = {0x004, 0x01c, 0xd00, 0xd90};

static const uint16_t scs_sets[5] = {0x100, 0x180, 0x200, 0x280, 0x300};

static void scs_connect(const struct device *d, struct wiring *w)
{
    for (size_t i = 0; i < sizeof scs_registers / sizeof *scs_registers; i++) {
        const struct scs_register *r = &scs_registers[i];
        wire_register(w, d, SCS + r->offset, r->role, WIRE_LONG | WIRE_WRITE | (r->reads ? WIRE_READ : 0u), 0);
    }
    for (unsigned kind = 0; kind < 5; kind++)
        for (unsigned i = 0; i < 8; i++)
            wire_register(w, d, SCS + scs_sets[kind] + 4 * i, ROLE_ENABLE + 8 * kind + i,
                          WIRE_LONG | WIRE_WRITE | WIRE_READ, 0);
    for (unsigned i = 0; i < 12; i++)
        wire_register(w, d, SCS + 0xd18 + i, ROLE_SYSTEM_PRIORITY + i, WIRE_WRITE | WIRE_READ, 0);
    for (unsigned i = 0; i < 4; i++)
        wire_register(w, d, SCS + 0xd28 + i, ROLE_CFSR + i, WIRE_WRITE | WIRE_READ, 0);
    for (size_t i = 0; i < sizeof scs_plain / sizeof *scs_plain; i++)
        wire_register(w, d, SCS + scs_plain[i], 0, WIRE_LONG | WIRE_PLAIN, 0xffffffff);
    for (size_t i = 0; i < sizeof scs_constant / sizeof *scs_constant; i++)
        wire_register(w, d, SCS + scs_constant[i], 0, WIRE_LONG | WIRE_PLAIN, 0);
    wire_register(w, d, DWT, ROLE_CYCCTRL, WIRE_LONG | WIRE_WRITE | WIRE_READ, 0);
    wire_register(w, d, DWT + 4, ROLE_CYCCNT, WIRE_LONG | WIRE_WRITE | WIRE_READ, 0);
}

static void scs_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    const struct cortex_core *core = n->machine->chip->core;
    struct scs *s = device_state(n, d);
    *s = (struct scs){.counting = 0x40000000};
    register32_set(n, SCS + 0x004, (core->external + 31) / 32 - 1);
    register32_set(n, SCS + 0x01c, 0x80000000); /* no reference clock */
    register32_set(n, SCS + 0xd00, core->cpuid);
    register32_set(n, SCS + 0xd90, core->mpu ? CORTEX_MPU_REGIONS << 8 : 0);
}

/* ---- the system timer ---- */

static uint32_t scs_timer_value(const struct node *n, const struct scs *s)
{
    uint64_t now = node_cycle(n, CLOCK_IO);
    return s->control & TICK_ENABLE ? (uint32_t)(s->zero > now ? s->zero - now : 0) & TICK_MASK : s->value;
}

static void scs_timer_start(struct node *n, const struct device *d, uint32_t value)
{
    struct scs *s = device_state(n, d);
    uint64_t now = node_cycle(n, CLOCK_IO);
    s->zero = now + (value ? value : s->load + 1u);
    if (value || s->load)
        event_at(n, d, EVENT_TICK, CLOCK_IO, s->zero);
    else
        event_cancel(n, d, EVENT_TICK);
}

static void scs_timer_control(struct node *n, const struct device *d, uint32_t control)
{
    struct scs *s = device_state(n, d);
    uint32_t value = scs_timer_value(n, s), flag = s->control & TICK_FLAG;
    bool was = s->control & TICK_ENABLE;
    s->control = (control & 7) | flag;
    if (was && !(control & TICK_ENABLE)) {
        s->value = value;
        event_cancel(n, d, EVENT_TICK);
    } else if (!was && control & TICK_ENABLE) {
        scs_timer_start(n, d, s->value);
    }
}

static void scs_event(struct node *n, const struct device *d, unsigned event)
{
    (void)event;
    struct scs *s = device_state(n, d);
    s->control |= TICK_FLAG;
    if (s->control & TICK_INTERRUPT)
        cortex_exception_pend(n, CORTEX_SYSTICK, true);
    scs_timer_start(n, d, 0);
}

/* ---- interrupts ---- */

static uint32_t scs_set_of(const uint64_t *set, unsigned word)
{
    unsigned first = CORTEX_EXTERNAL + 32 * word;
    uint32_t v = 0;
    for (unsigned i = 0; i < 32 && first + i < CORTEX_EXCEPTIONS; i++)
        v |= (uint32_t)cortex_bit(set, first + i) << i;
    return v;
}

static void scs_write_set(struct node *n, unsigned kind, unsigned word, uint32_t value)
{
    const struct cortex_core *core = n->machine->chip->core;
    for (uint32_t bits = value; bits; bits &= bits - 1) {
        unsigned line = 32 * word + (unsigned)__builtin_ctz(bits), e = CORTEX_EXTERNAL + line;
        if (line >= core->external)
            break;
        switch (kind) {
        case 0: cortex_exception_enable(n, e, true); break;
        case 1: cortex_exception_enable(n, e, false); break;
        case 2: cortex_exception_pend(n, e, true); break;
        case 3: {
            const struct cortex_cpu *cpu = n->cpu;
            cortex_exception_pend(n, e, cortex_bit(cpu->level, e));
            break;
        }
        default: break;
        }
    }
}

static uint32_t scs_read_icsr(const struct node *n)
{
    const struct cortex_cpu *cpu = n->cpu;
    int next = interrupts_next(n, INTERRUPT_ANY);
    uint32_t external = 0;
    for (unsigned i = 0; i < 8; i++)
        external |= scs_set_of(cpu->pending, i);
    unsigned active = 0;
    for (unsigned i = 0; i < CORTEX_EXCEPTIONS / 64; i++)
        active += (unsigned)__builtin_popcountll(cpu->active[i]);
    return cpu->exception | (active <= 1 ? 0x800u : 0) | (next == INTERRUPT_NONE ? 0 : (uint32_t)next << 12) |
           (external ? 1u << 22 : 0) | (uint32_t)cortex_bit(cpu->pending, CORTEX_SYSTICK) << 26 |
           (uint32_t)cortex_bit(cpu->pending, CORTEX_PENDSV) << 28 |
           (uint32_t)cortex_bit(cpu->pending, CORTEX_NMI) << 31;
}

static void scs_write_icsr(struct node *n, uint32_t value)
{
    if (value & 1u << 31)
        cortex_exception_pend(n, CORTEX_NMI, true);
    if (value & 1u << 28)
        cortex_exception_pend(n, CORTEX_PENDSV, true);
    else if (value & 1u << 27)
        cortex_exception_pend(n, CORTEX_PENDSV, false);
    if (value & 1u << 26)
        cortex_exception_pend(n, CORTEX_SYSTICK, true);
    else if (value & 1u << 25)
        cortex_exception_pend(n, CORTEX_SYSTICK, false);
}

static void scs_write_aircr(struct node *n, uint32_t value)
{
    struct cortex_cpu *cpu = n->cpu;
    if (value >> 16 != 0x05fa)
        return;
    cpu->group = value >> 8 & 7;
    if (value & 4)
        node_request_reset(n, RESET_SOFTWARE);
    n->cut = true;
}

static uint32_t scs_read_shcsr(const struct cortex_cpu *cpu)
{
    static const struct {
        uint8_t exception, active, pending;
    } bits[] = {{CORTEX_MEM_MANAGE, 0, 13}, {CORTEX_BUS_FAULT, 1, 14}, {CORTEX_USAGE_FAULT, 3, 12},
                {CORTEX_SVCALL, 7, 15},     {CORTEX_PENDSV, 10, 31},   {CORTEX_SYSTICK, 11, 31}};
    uint32_t v = cpu->shcsr & 0x70000;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        v |= (uint32_t)cortex_bit(cpu->active, bits[i].exception) << bits[i].active;
        if (bits[i].pending < 31)
            v |= (uint32_t)cortex_bit(cpu->pending, bits[i].exception) << bits[i].pending;
    }
    return v;
}

/* ---- memory protection ---- */

static uint32_t scs_read_mpu(const struct cortex_cpu *cpu, unsigned role)
{
    unsigned region = cpu->mpu_rnr % CORTEX_MPU_REGIONS;
    if (role == ROLE_MPU_CTRL)
        return cpu->mpu_ctrl;
    if (role == ROLE_MPU_RNR)
        return cpu->mpu_rnr;
    return (role - ROLE_MPU_RBAR) % 2 ? cpu->mpu_rasr[region] : cpu->mpu_rbar[region] | region;
}

/* A write to RBAR with its bit 4 chooses the region too. */
static void scs_write_mpu(struct node *n, unsigned role, uint32_t value)
{
    const struct cortex_core *core = n->machine->chip->core;
    struct cortex_cpu *cpu = n->cpu;
    if (!core->mpu)
        return;
    if (role == ROLE_MPU_CTRL) {
        cpu->mpu_ctrl = value & 7;
    } else if (role == ROLE_MPU_RNR) {
        cpu->mpu_rnr = value & 0xff;
    } else if ((role - ROLE_MPU_RBAR) % 2) {
        cpu->mpu_rasr[cpu->mpu_rnr % CORTEX_MPU_REGIONS] = value & 0x173fff3f;
    } else {
        cpu->mpu_rnr = value & 0x10 ? value & 15 : cpu->mpu_rnr;
        cpu->mpu_rbar[cpu->mpu_rnr % CORTEX_MPU_REGIONS] = value & 0xffffffe0;
    }
    if (cpu->mpu_ctrl || role == ROLE_MPU_CTRL)
        cortex_mpu_changed(n);
}

/* ---- registers ---- */

static uint32_t *scs_word_of(struct cortex_cpu *cpu, unsigned role)
{
    switch (role) {
    case ROLE_VTOR: return &cpu->vtor;
    case ROLE_SCR: return &cpu->scr;
    case ROLE_CCR: return &cpu->ccr;
    case ROLE_HFSR: return &cpu->hfsr;
    case ROLE_MMFAR: return &cpu->mmfar;
    case ROLE_BFAR: return &cpu->bfar;
    case ROLE_CPACR: return &cpu->cpacr;
    case ROLE_FPCCR: return &cpu->fpccr;
    case ROLE_FPCAR: return &cpu->fpcar;
    case ROLE_FPDSCR: return &cpu->fpdscr;
    default: return NULL;
    }
}

static uint32_t scs_address_of(unsigned role)
{
    for (size_t i = 0; i < sizeof scs_registers / sizeof *scs_registers; i++)
        if (scs_registers[i].role == role)
            return SCS + scs_registers[i].offset;
    return SCS;
}

static uint32_t scs_value(struct node *n, struct scs *s, unsigned role)
{
    struct cortex_cpu *cpu = n->cpu;
    uint32_t *word = scs_word_of(cpu, role), v;
    if (word)
        return *word;
    switch (role) {
    case ROLE_STCTRL:
        v = s->control | 4;
        s->control &= ~(uint32_t)TICK_FLAG;
        return v;
    case ROLE_STLOAD: return s->load;
    case ROLE_STVAL: return scs_timer_value(n, s);
    case ROLE_ICSR: return scs_read_icsr(n);
    case ROLE_AIRCR: return 0xfa050000u | (uint32_t)cpu->group << 8;
    case ROLE_SHCSR: return scs_read_shcsr(cpu);
    default: return role >= ROLE_MPU_CTRL ? scs_read_mpu(cpu, role) : 0;
    }
}

static void scs_read(struct node *n, const struct device *d, unsigned role)
{
    struct scs *s = device_state(n, d);
    const struct cortex_cpu *cpu = n->cpu;
    if (role >= ROLE_ENABLE && role < ROLE_SYSTEM_PRIORITY) {
        unsigned kind = (role - ROLE_ENABLE) / 8, word = role % 8;
        const uint64_t *set = kind < 2 ? cpu->enabled : kind < 4 ? cpu->pending : cpu->active;
        register32_set(n, SCS + scs_sets[kind] + 4 * word, scs_set_of(set, word));
    } else if (role >= ROLE_SYSTEM_PRIORITY && role < ROLE_ICSR) {
        unsigned i = role - ROLE_SYSTEM_PRIORITY;
        n->data[map_place(n->machine, SCS + 0xd18 + i)] = cortex_exception_priority(n, 4 + i);
    } else if (role >= ROLE_CFSR && role < ROLE_HFSR) {
        unsigned i = role - ROLE_CFSR;
        n->data[map_place(n->machine, SCS + 0xd28 + i)] = (uint8_t)(cpu->cfsr >> 8 * i);
    } else if (role == ROLE_CYCCTRL) {
        register32_set(n, DWT, s->counting);
    } else if (role == ROLE_CYCCNT) {
        register32_set(n, DWT + 4, s->counting & 1 ? (uint32_t)node_cycle(n, CLOCK_CPU) + s->cycles : s->cycles);
    } else {
        register32_set(n, scs_address_of(role), scs_value(n, s, role));
    }
}

static void scs_write_cycles(struct node *n, struct scs *s, unsigned role, uint32_t value)
{
    uint32_t now = (uint32_t)node_cycle(n, CLOCK_CPU), count = s->counting & 1 ? now + s->cycles : s->cycles;
    if (role == ROLE_CYCCNT)
        count = value;
    else
        s->counting = 0x40000000 | (value & 1);
    s->cycles = s->counting & 1 ? count - now : count;
}

static void scs_write_word(struct node *n, unsigned role, uint32_t value)
{
    static const struct {
        uint8_t role;
        uint32_t mask;
    } masks[] = {{ROLE_VTOR, 0x3fffff80},   {ROLE_SCR, 0x16},         {ROLE_CCR, 0x31b},
                 {ROLE_CPACR, 0x00f00000},  {ROLE_FPCCR, 0xc000007b}, {ROLE_FPCAR, 0xfffffff8},
                 {ROLE_FPDSCR, 0x07c00000}, {ROLE_MMFAR, 0xffffffff}, {ROLE_BFAR, 0xffffffff}};
    struct cortex_cpu *cpu = n->cpu;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        if (masks[i].role == role)
            *scs_word_of(cpu, role) = value & masks[i].mask;
    if (role == ROLE_HFSR)
        cpu->hfsr &= ~value;
}

static void scs_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    struct scs *s = device_state(n, d);
    struct cortex_cpu *cpu = n->cpu;
    if (role >= ROLE_ENABLE && role < ROLE_SYSTEM_PRIORITY) {
        scs_write_set(n, (role - ROLE_ENABLE) / 8, role % 8, value);
    } else if (role >= ROLE_SYSTEM_PRIORITY && role < ROLE_ICSR) {
        cortex_exception_set_priority(n, 4 + role - ROLE_SYSTEM_PRIORITY, (uint8_t)value);
    } else if (role >= ROLE_CFSR && role < ROLE_HFSR) {
        cpu->cfsr &= ~(value << 8 * (role - ROLE_CFSR));
    } else {
        switch (role) {
        case ROLE_STCTRL: scs_timer_control(n, d, value); break;
        case ROLE_STLOAD: s->load = value & TICK_MASK; break;
        case ROLE_STVAL:
            s->value = 0;
            s->control &= ~(uint32_t)TICK_FLAG;
            if (s->control & TICK_ENABLE)
                scs_timer_start(n, d, 0);
            break;
        case ROLE_ICSR: scs_write_icsr(n, value); break;
        case ROLE_AIRCR: scs_write_aircr(n, value); break;
        case ROLE_SHCSR:
            cpu->shcsr = value & 0x70000;
            cortex_exception_changed(n);
            break;
        case ROLE_STIR: scs_write_set(n, 2, (value & 0x1ff) / 32, 1u << (value & 31)); break;
        case ROLE_CYCCTRL:
        case ROLE_CYCCNT: scs_write_cycles(n, s, role, value); break;
        default:
            if (role >= ROLE_MPU_CTRL)
                scs_write_mpu(n, role, value);
            else
                scs_write_word(n, role, value);
            break;
        }
    }
}

const struct device_type cortex_scs = {
    .name = "system control",
    .core = true,
    .state_size = sizeof(struct scs),
    .events = 1,
    .connect = scs_connect,
    .reset = scs_reset,
    .event = scs_event,
    .read = scs_read,
    .write = scs_write,
};

/* ---- priorities of the interrupts, a byte each ---- */

static void scs_priorities_connect(const struct device *d, struct wiring *w)
{
    for (unsigned i = 0; i < CORTEX_EXCEPTIONS - CORTEX_EXTERNAL; i++)
        wire_register(w, d, PRIORITIES + i, i, WIRE_WRITE | WIRE_READ, 0);
}

static void scs_priorities_read(struct node *n, const struct device *d, unsigned role)
{
    (void)d;
    n->data[map_place(n->machine, PRIORITIES + role)] = cortex_exception_priority(n, CORTEX_EXTERNAL + role);
}

static void scs_priorities_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)d, (void)old;
    const struct cortex_core *core = n->machine->chip->core;
    if (role < core->external)
        cortex_exception_set_priority(n, CORTEX_EXTERNAL + role, (uint8_t)value);
}

const struct device_type cortex_priorities = {
    .name = "priorities",
    .core = true,
    .connect = scs_priorities_connect,
    .read = scs_priorities_read,
    .write = scs_priorities_write,
};
