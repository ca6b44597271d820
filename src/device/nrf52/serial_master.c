#include "device/nrf52/serial_master.h"

enum { STARTRX = 0, STARTTX = 2, START = 4, STOP = 5, SUSPEND = 7, RESUME = 8 };
enum {
    STOPPED = 1,
    ENDRX = 4,
    END = 6,
    ENDTX = 8,
    ERROR_EVENT = 9,
    STARTED = 19, /* RXSTARTED of the TWIM */
    TXSTARTED = 20,
    LASTRX = 23,
    LASTTX = 24
};
enum {
    LASTTX_STARTRX = 1 << 7,
    LASTTX_STOP = 1 << 9,
    LASTRX_STARTTX = 1 << 10,
    LASTRX_STOP = 1 << 12,
    END_START = 1 << 17
};
enum {
    ERRORSRC = 0x4c4,
    ENABLE = 0x500,
    FREQUENCY = 0x524,
    RX_PTR = 0x534,
    RX_MAX = 0x538,
    RX_AMOUNT = 0x53c,
    TX_PTR = 0x544,
    TX_MAX = 0x548,
    TX_AMOUNT = 0x54c,
    ADDRESS = 0x588,
    ORC = 0x5c0
};
enum { ROLE_ERRORSRC = NRF52_OWN, ROLE_ENABLE };
enum { TWIM = 6, SPIM = 7, ANACK = 2, DNACK = 4 };
enum serial_master_doing { DOES_NOTHING, DOES_EXCHANGE, DOES_READ, DOES_WRITE };

struct serial_master {
    uint8_t doing; /* enum serial_master_doing */
    uint8_t held;  /* the two-wire bus is ours */
};

static const struct nrf52_serial_master *serial_master_of(const struct device *d)
{
    return d->config;
}

static void serial_master_begin(struct node *n, const struct device *d, enum serial_master_doing what, uint32_t bits)
{
    struct serial_master *s = device_state(n, d);
    uint32_t frequency = nrf52_get(n, d, FREQUENCY);
    double hz = frequency == 0x0a000000 ? 16e6 : frequency == 0x14000000 ? 32e6 : frequency * 16e6 / 4294967296.0;
    if (s->doing)
        return;
    s->doing = (uint8_t)what;
    event_in(n, d, 0, CLOCK_TICK, node_ticks(n, bits / (hz < 1000 ? 1000 : hz)) + 1);
}

/* ---- SPIM ---- */

static void serial_master_exchange(struct node *n, const struct device *d)
{
    uint32_t sends = nrf52_get(n, d, TX_MAX), takes = nrf52_get(n, d, RX_MAX), all = sends > takes ? sends : takes;
    for (uint32_t i = 0; i < all; i++) {
        uint8_t out = i < sends ? nrf52_dma_fetch(n, nrf52_get(n, d, TX_PTR) + i) : (uint8_t)nrf52_get(n, d, ORC);
        uint8_t in = spi_exchange(n, serial_master_of(d)->bus, out);
        if (i < takes)
            nrf52_dma_store(n, nrf52_get(n, d, RX_PTR) + i, in);
    }
    nrf52_set(n, d, TX_AMOUNT, sends);
    nrf52_set(n, d, RX_AMOUNT, takes);
    nrf52_happens(n, d, ENDTX);
    nrf52_happens(n, d, ENDRX);
    nrf52_happens(n, d, END);
}

static void serial_master_start(struct node *n, const struct device *d)
{
    uint32_t sends = nrf52_get(n, d, TX_MAX), takes = nrf52_get(n, d, RX_MAX);
    nrf52_happens(n, d, STARTED);
    serial_master_begin(n, d, DOES_EXCHANGE, 8 * (sends > takes ? sends : takes));
}

/* ---- TWIM ---- */

static void serial_master_stop(struct node *n, const struct device *d)
{
    struct serial_master *s = device_state(n, d);
    if (s->held)
        twi_signal(n, serial_master_of(d)->bus, TWI_STOP, 0);
    s->held = 0;
    s->doing = DOES_NOTHING;
    event_cancel(n, d, 0);
    nrf52_happens(n, d, STOPPED);
}

static bool serial_master_address(struct node *n, const struct device *d, bool read)
{
    struct serial_master *s = device_state(n, d);
    uint8_t byte = (uint8_t)(nrf52_get(n, d, ADDRESS) << 1 | (read ? 1 : 0));
    s->held = 1;
    return twi_signal(n, serial_master_of(d)->bus, TWI_START, byte) & TWI_ACKNOWLEDGE;
}

static void serial_master_fail(struct node *n, const struct device *d, uint32_t why)
{
    nrf52_set(n, d, ERRORSRC, nrf52_get(n, d, ERRORSRC) | why);
    nrf52_happens(n, d, ERROR_EVENT);
}

static void serial_master_begin_twi(struct node *n, const struct device *d, bool read)
{
    nrf52_happens(n, d, read ? STARTED : TXSTARTED);
    serial_master_begin(n, d, read ? DOES_READ : DOES_WRITE, 10 + 9 * nrf52_get(n, d, read ? RX_MAX : TX_MAX));
}

static void serial_master_read_twi(struct node *n, const struct device *d)
{
    uint32_t count = nrf52_get(n, d, RX_MAX), shorts = nrf52_get(n, d, NRF52_SHORTS), i = 0;
    if (!serial_master_address(n, d, true)) {
        serial_master_fail(n, d, ANACK);
        return;
    }
    for (; i < count; i++) {
        enum twi_event how = i + 1 == count ? TWI_READ_NACKED : TWI_READ;
        nrf52_dma_store(n, nrf52_get(n, d, RX_PTR) + i, (uint8_t)twi_signal(n, serial_master_of(d)->bus, how, 0));
    }
    nrf52_set(n, d, RX_AMOUNT, i);
    nrf52_happens(n, d, LASTRX);
    if (shorts & LASTRX_STOP)
        serial_master_stop(n, d);
    else if (shorts & LASTRX_STARTTX)
        serial_master_begin_twi(n, d, false);
}

static void serial_master_write_twi(struct node *n, const struct device *d)
{
    uint32_t count = nrf52_get(n, d, TX_MAX), shorts = nrf52_get(n, d, NRF52_SHORTS), i = 0;
    bool taken = serial_master_address(n, d, false);
    for (; taken && i < count; i++)
        taken = twi_signal(n, serial_master_of(d)->bus, TWI_WRITE, nrf52_dma_fetch(n, nrf52_get(n, d, TX_PTR) + i)) &
                TWI_ACKNOWLEDGE;
    nrf52_set(n, d, TX_AMOUNT, i);
    if (!taken) {
        serial_master_fail(n, d, i ? DNACK : ANACK);
        return;
    }
    nrf52_happens(n, d, LASTTX);
    if (shorts & LASTTX_STOP)
        serial_master_stop(n, d);
    else if (shorts & LASTTX_STARTRX)
        serial_master_begin_twi(n, d, true);
}

/* ---- the device ---- */

static void serial_master_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t plain[] = {0x508,  0x50c,  0x510, 0x514, 0x518, FREQUENCY, RX_PTR,  RX_MAX, 0x540,
                                     TX_PTR, TX_MAX, 0x550, 0x554, 0x560, 0x564,     ADDRESS, ORC};
    nrf52_block_wire(w, d, 1u << STARTRX | 1u << STARTTX | 1u << START | 1u << STOP | 1u << SUSPEND | 1u << RESUME,
                     1u << STOPPED | 1u << ENDRX | 1u << END | 1u << ENDTX | 1u << ERROR_EVENT | 1u << 18 |
                         1u << STARTED | 1u << TXSTARTED | 1u << LASTRX | 1u << LASTTX,
                     LASTTX_STARTRX | 1 << 8 | LASTTX_STOP | LASTRX_STARTTX | LASTRX_STOP | END_START);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        nrf52_plain(w, d, plain[i], 0xffffffff);
    nrf52_plain(w, d, RX_AMOUNT, 0);
    nrf52_plain(w, d, TX_AMOUNT, 0);
    nrf52_told(w, d, ERRORSRC, ROLE_ERRORSRC, WIRE_WRITE);
    nrf52_told(w, d, ENABLE, ROLE_ENABLE, WIRE_STORE);
    wire_spi_bus(w, d, serial_master_of(d)->bus);
    if (serial_master_of(d)->twi)
        wire_twi(w, d, serial_master_of(d)->bus, 0);
}

static void serial_master_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct serial_master *s = device_state(n, d);
    (void)cause;
    *s = (struct serial_master){0};
    nrf52_set(n, d, FREQUENCY, 0x04000000);
    for (uint32_t offset = 0x508; offset <= 0x514; offset += 4)
        nrf52_set(n, d, offset, 0xffffffff);
}

static void serial_master_event(struct node *n, const struct device *d, unsigned event)
{
    struct serial_master *s = device_state(n, d);
    unsigned doing = s->doing;
    (void)event;
    s->doing = DOES_NOTHING;
    if (doing == DOES_EXCHANGE)
        serial_master_exchange(n, d);
    else if (doing == DOES_READ)
        serial_master_read_twi(n, d);
    else
        serial_master_write_twi(n, d);
    if (doing == DOES_EXCHANGE && nrf52_get(n, d, NRF52_SHORTS) & END_START)
        serial_master_start(n, d);
}

static void serial_master_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    uint32_t enabled = nrf52_get(n, d, ENABLE) & 15;
    (void)old;
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role == ROLE_ERRORSRC) {
        nrf52_set(n, d, ERRORSRC, nrf52_get(n, d, ERRORSRC) & ~value);
    } else if (role == ROLE_ENABLE) {
        if (value && (value & 15) != SPIM && !((value & 15) == TWIM && serial_master_of(d)->twi))
            node_unspecified(n, d, 0);
    } else if (value & 1 && enabled == SPIM) {
        if (role == START)
            serial_master_start(n, d);
        else if (role == STOP)
            serial_master_stop(n, d);
    } else if (value & 1 && enabled == TWIM) {
        if (role == STARTRX || role == STARTTX)
            serial_master_begin_twi(n, d, role == STARTRX);
        else if (role == STOP)
            serial_master_stop(n, d);
        else if (role == SUSPEND)
            node_unspecified(n, d, 1);
    }
}

/* Nothing on the bus is for it: it is no slave. */
static unsigned serial_master_twi(struct node *n, const struct device *d, unsigned role, enum twi_event event,
                                  uint8_t byte)
{
    (void)n, (void)d, (void)role, (void)byte;
    return event == TWI_READ || event == TWI_READ_NACKED ? 0xff : 0;
}

static const char *const serial_master_unspecified[] = {
    "a serial interface is enabled as SPI or TWI without EasyDMA, or as a slave, which Motet does not have; only SPIM "
    "(7) "
    "and TWIM (6) are there",
    "the TWIM is suspended, which Motet does not have: it goes on",
};

const struct device_type nrf52_serial_master = {
    .name = "serial master",
    .state_size = sizeof(struct serial_master),
    .events = 1,
    .connect = serial_master_connect,
    .reset = serial_master_reset,
    .event = serial_master_event,
    .write = serial_master_write,
    .twi = serial_master_twi,
    .unspecified = serial_master_unspecified,
};
