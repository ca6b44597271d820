#include "merge/frames.h"

#include <string.h>

#include "part/frame154.h"
#include "part/framing.h"

enum { FRAMES_CHECK = 2 }; /* bytes of the check sequence */

/* ---- sending ---- */

/* What was being sent is in the transmit buffer: its length and the frame. */
static void frames_finish_send(struct frames *f, bool went)
{
    if (!f->sending)
        return;
    unsigned length = f->transmit_count ? f->transmit[0] & FRAMES_LONGEST : 0;
    bool whole = went && length > FRAMES_CHECK && f->transmit_count > length - FRAMES_CHECK;
    f->sink.sent(f->sink.context, f->ticket, f->transmit + 1, whole ? length - FRAMES_CHECK : 0);
    f->sending = false;
}

static void frames_begin_send(struct frames *f, bool sure)
{
    frames_finish_send(f, true);
    f->ticket = f->sink.begun(f->sink.context);
    f->sending = true;
    f->sure = sure;
    f->awaits = !f->written;
    f->written = false;
}

static void frames_put(struct frames *f, unsigned at, uint8_t byte)
{
    if (at >= sizeof f->transmit)
        return;
    f->transmit[at] = byte;
    f->transmit_count = at >= f->transmit_count ? at + 1 : f->transmit_count;
}

/* ---- receiving ---- */

static void frames_forget_received(struct frames *f)
{
    f->receive_count = 0;
    f->receive_known = true;
}

static bool frames_check_is_right(const struct frames *f)
{
    uint16_t crc = 0;
    if (f->chip == FRAMES_CC2420) /* the chip puts its verdict in place of the check sequence (SWRS041, 16.5) */
        return f->receive[f->receive_count - 1] & 0x80;
    for (unsigned i = 1; i < f->receive_count; i++)
        crc = frame154_crc(crc, f->receive[i]);
    return crc == 0;
}

static void frames_read(struct frames *f, uint8_t byte, bool known)
{
    f->receive_known &= known;
    f->receive[f->receive_count++] = byte;
    unsigned length = f->receive[0] & FRAMES_LONGEST;
    if (f->receive_count <= length)
        return;
    if (f->receive_known && length > FRAMES_CHECK && frames_check_is_right(f))
        f->sink.received(f->sink.context, f->receive + 1, length - FRAMES_CHECK);
    frames_forget_received(f);
}

/* ---- CC2420 (SWRS041, 13.3 to 13.8) ---- */

enum {
    CC2420_STXON = 4,
    CC2420_STXONCCA = 5,
    CC2420_SFLUSHRX = 8,
    CC2420_SFLUSHTX = 9,
    CC2420_STROBES = 0x10,
    CC2420_TXFIFO = 0x3e,
    CC2420_RXFIFO = 0x3f,
    CC2420_READ = 0x40,
    CC2420_RAM = 0x80,
    CC2420_TX_ACTIVE = 8,
};

static void cc2420_strobe(struct frames *f, uint8_t strobe)
{
    if (strobe == CC2420_STXON || strobe == CC2420_STXONCCA)
        frames_begin_send(f, strobe == CC2420_STXON);
    else if (strobe == CC2420_SFLUSHRX)
        frames_forget_received(f);
    else if (strobe == CC2420_SFLUSHTX) {
        frames_finish_send(f, true);
        f->transmit_count = 0;
    }
}

/* A command of one byte leaves the chip ready for the next one. */
static void cc2420_command(struct frames *f, uint8_t byte)
{
    f->command = byte;
    f->step = byte < CC2420_STROBES ? 0 : 1;
    if (byte < CC2420_STROBES)
        cc2420_strobe(f, byte);
    if (byte != CC2420_TXFIFO)
        return;
    frames_finish_send(f, true);
    if (!f->written) /* after a transmission the buffer begins anew */
        f->transmit_count = 0;
    f->written = true;
    f->address = f->transmit_count;
}

static bool cc2420_reads_frame(const struct frames *f)
{
    return f->step > 1 && f->command == (CC2420_RXFIFO | CC2420_READ);
}

static void cc2420_out(struct frames *f, uint8_t byte)
{
    if (f->step == 0) {
        cc2420_command(f, byte);
        return;
    }
    f->step++;
    if (f->command == CC2420_TXFIFO)
        frames_put(f, f->address++, byte);
    else if (f->command & CC2420_RAM && f->step == 2) /* the bank, and whether it is only read */
        f->address = byte & 0xe0 ? sizeof f->transmit : f->command & 0x7fu;
    else if (f->command & CC2420_RAM)
        frames_put(f, f->address++, byte);
    else if (f->step == 3 && (f->command & 0x3f) < CC2420_TXFIFO)
        f->step = 0; /* a register has two bytes */
}

/* The chip's status comes with each command. The first one after the strobe that says so tells whether it sends. */
static void cc2420_in(struct frames *f, uint8_t byte)
{
    bool status = f->step == 0 && f->command < CC2420_STROBES && f->command != CC2420_STXONCCA;
    if (cc2420_reads_frame(f))
        frames_read(f, byte, true);
    else if (status && f->sending && !f->sure) {
        if (byte & CC2420_TX_ACTIVE)
            f->sure = true;
        else
            frames_finish_send(f, false);
    }
}

/* ---- AT86RF230 (5131E, 6.2) ---- */

enum {
    RF230_REGISTER = 0x80,
    RF230_WRITE = 0x40,
    RF230_BUFFER = 0x20,
    RF230_TRX_STATE = 2,
    RF230_TX_START = 2,
    RF230_PLL_ON = 9,
    RF230_TX_ARET_ON = 0x19,
    RF230_CHANNEL_BUSY = 3,
};

static bool rf230_is_buffer(uint8_t command, bool write)
{
    return (command & 0xe0) == (RF230_BUFFER | (write ? RF230_WRITE : 0));
}

static void rf230_command(struct frames *f, uint8_t byte)
{
    f->command = byte;
    if (rf230_is_buffer(byte, false))
        frames_forget_received(f);
    if (!rf230_is_buffer(byte, true))
        return;
    if (!f->awaits)
        frames_finish_send(f, true);
    f->written = !f->awaits;
    f->awaits = false;
    f->transmit_count = 0;
}

static void rf230_out(struct frames *f, uint8_t byte)
{
    if (f->step++ == 0)
        rf230_command(f, byte);
    else if (rf230_is_buffer(f->command, true))
        frames_put(f, f->step - 2, byte);
    else if (f->command == (RF230_REGISTER | RF230_WRITE | RF230_TRX_STATE)) {
        f->may_start = (byte & 0x1f) == RF230_PLL_ON || (byte & 0x1f) == RF230_TX_ARET_ON;
        if ((byte & 0x1f) == RF230_TX_START)
            frames_begin_send(f, true);
    }
}

static bool rf230_reads_frame(const struct frames *f)
{
    return f->step > 1 && rf230_is_buffer(f->command, false);
}

/* The state's register also says how the last transmission went (TRAC_STATUS). */
static void rf230_in(struct frames *f, uint8_t byte)
{
    if (rf230_reads_frame(f))
        frames_read(f, byte, true);
    else if (f->step == 2 && f->command == (RF230_REGISTER | RF230_TRX_STATE) && byte >> 5 == RF230_CHANNEL_BUSY)
        frames_finish_send(f, false);
}

/* ---- CC1000: bits, most significant first ---- */

enum {
    CC1000_LEAD = 3,  /* a byte of preamble and the delimiter, before what is kept of a stream */
    CC1000_SYNC = 96, /* bits in which a driver waits for the delimiter after a preamble: it may have missed some */
    TINYOS_SOURCE = 2,
    TINYOS_TYPE = 6,
    TINYOS_DATA = 7,
    TINYOS_CHECK = 2,
};

static bool cc1000_synchronises(struct frames_stream *s)
{
    uint32_t delimiter = s->window & 0xffff, preamble = s->window >> 16;
    bool follows = preamble == 0xaaaa || preamble == 0x5555;
    s->waits = delimiter == 0xaaaa || delimiter == 0x5555 ? CC1000_SYNC : s->waits ? s->waits - 1 : 0;
    if (!(follows || (s->waits && !s->inside)) || (delimiter != 0x33cc && delimiter != 0xcc33))
        return false;
    *s = (struct frames_stream){.window = s->window,
                                .inside = true,
                                .inverted = delimiter == 0x33cc ? 0 : 0xff,
                                .left = 8,
                                .bytes = {0xaa, 0x33, 0xcc},
                                .count = CC1000_LEAD};
    return true;
}

/* As a data frame of IEEE 802.15.4: without a number, in TinyOS's network. Returns its length, 0 if it is too long. */
static size_t cc1000_of_tinyos(const uint8_t *from, size_t count, uint8_t frame[FRAMES_LONGEST])
{
    const uint8_t header[] = {0x41,
                              0x88,
                              0,
                              0x22,
                              0,
                              from[1],
                              from[0],
                              from[TINYOS_SOURCE + 1],
                              from[TINYOS_SOURCE],
                              0x3f,
                              from[TINYOS_TYPE]};
    size_t data = count - TINYOS_DATA - TINYOS_CHECK;
    if (sizeof header + data > FRAMES_LONGEST)
        return 0;
    memcpy(frame, header, sizeof header);
    memcpy(frame + sizeof header, from + TINYOS_DATA, data);
    return sizeof header + data;
}

/* A frame is complete. Returns its length without the check sequence. */
static size_t cc1000_frame(const struct frames_stream *s, uint8_t frame[FRAMES_LONGEST])
{
    struct motet_framing is = framing_find(s->bytes, s->count);
    if (is.format == MOTET_FRAMING_TINYOS)
        return cc1000_of_tinyos(s->bytes + is.start, is.count, frame);
    if (is.format != MOTET_FRAMING_KIT)
        return 0;
    memcpy(frame, s->bytes + is.start, is.count - FRAMES_CHECK);
    return is.count - FRAMES_CHECK;
}

/* Eight bits of a stream. `*begins`: a delimiter is among them. Returns the length of the frame that ends with them. */
static size_t cc1000_take(struct frames_stream *s, uint8_t byte, uint8_t frame[FRAMES_LONGEST], bool *begins)
{
    size_t count = 0;
    *begins = false;
    for (unsigned i = 0; i < 8; i++, byte = (uint8_t)(byte << 1)) {
        s->window = s->window << 1 | byte >> 7;
        bool delimiter = cc1000_synchronises(s); /* also in a frame, of which bytes were missed */
        *begins |= delimiter;
        if (delimiter || !s->inside || --s->left)
            continue;
        s->left = 8;
        s->bytes[s->count++] = (uint8_t)(s->window ^ s->inverted);
        count = cc1000_frame(s, frame);
        s->inside = !count && s->count < FRAMES_STREAM;
        if (count)
            return count;
    }
    return 0;
}

static void cc1000_out(struct frames *f, uint8_t byte)
{
    uint8_t frame[FRAMES_LONGEST];
    bool begins;
    size_t count = cc1000_take(&f->out, byte, frame, &begins);
    if (begins) {
        if (f->sending)
            f->sink.sent(f->sink.context, f->ticket, frame, 0);
        f->ticket = f->sink.begun(f->sink.context);
        f->sending = true;
    } else if (f->sending && (count || !f->out.inside)) {
        f->sink.sent(f->sink.context, f->ticket, frame, count);
        f->sending = false;
    }
}

static void cc1000_in(struct frames *f, uint8_t byte)
{
    uint8_t frame[FRAMES_LONGEST];
    bool begins;
    size_t count = cc1000_take(&f->in, byte, frame, &begins);
    if (begins && f->sending) /* what it sends comes back on the same line */
        f->in.inside = false;
    if (count)
        f->sink.received(f->sink.context, frame, count);
}

/* ---- */

void frames_begin(struct frames *f, enum frames_chip chip, struct frames_sink sink)
{
    *f = (struct frames){.chip = chip, .sink = sink, .answer_known = true, .receive_known = true};
    f->selected = chip == FRAMES_CC1000;
}

/* A byte that the firmware did not read, or whose value it did not use. */
static void frames_unknown_answer(struct frames *f)
{
    bool reads = f->chip == FRAMES_CC2420      ? cc2420_reads_frame(f)
                 : f->chip == FRAMES_AT86RF230 ? rf230_reads_frame(f)
                                               : false;
    if (!f->answer_known && f->selected && reads)
        frames_read(f, 0, false);
    f->answer_known = true;
}

void frames_select(struct frames *f, bool selected)
{
    if (f->selected == selected)
        return;
    frames_unknown_answer(f);
    f->selected = selected;
    f->step = 0;
}

void frames_out(struct frames *f, uint8_t byte)
{
    frames_unknown_answer(f);
    if (!f->selected)
        return;
    if (f->chip == FRAMES_CC2420)
        cc2420_out(f, byte);
    else if (f->chip == FRAMES_AT86RF230)
        rf230_out(f, byte);
    else
        cc1000_out(f, byte);
    f->answer_known = false;
}

void frames_in(struct frames *f, uint8_t byte)
{
    if (f->answer_known || !f->selected)
        return;
    f->answer_known = true;
    if (f->chip == FRAMES_CC2420)
        cc2420_in(f, byte);
    else if (f->chip == FRAMES_AT86RF230)
        rf230_in(f, byte);
    else
        cc1000_in(f, byte);
}

void frames_start(struct frames *f)
{
    if (f->chip == FRAMES_AT86RF230 && f->may_start)
        frames_begin_send(f, true);
}

void frames_end(struct frames *f)
{
    if (f->chip == FRAMES_CC1000 && f->sending)
        f->sink.sent(f->sink.context, f->ticket, f->out.bytes, 0);
    else
        frames_finish_send(f, true);
}

/* ---- frames ---- */

enum { FRAMES_NO_ADDRESS, FRAMES_SHORT = 2, FRAMES_LONG };

bool frames_is_acknowledgement(const uint8_t *frame, size_t count)
{
    return count && frame154_type(frame) == FRAME154_ACK;
}

bool frames_source(const uint8_t *frame, size_t count, uint16_t *address)
{
    if (count < 3)
        return false;
    unsigned to = frame[1] >> 2 & 3, from = frame[1] >> 6 & 3;
    size_t at = 3 + (to == FRAMES_LONG ? 10u : to == FRAMES_SHORT ? 4u : 0u);
    if (!(frame[0] & FRAME154_INTRA_PAN) || to == FRAMES_NO_ADDRESS)
        at += 2;
    if (from != FRAMES_SHORT || at + 2 > count)
        return false;
    *address = (uint16_t)(frame[at] | frame[at + 1] << 8);
    return true;
}

size_t frames_header(const uint8_t *frame, size_t count)
{
    enum { TINYOS_NETWORK = 0x3f };
    size_t header = count > 2 ? frame154_header_length(frame) : count;
    if (header < count && frame[header] == TINYOS_NETWORK)
        header++;
    return header < count ? header : count;
}
