/* "MAC Security Operations (Encryption and Authentication)": the AES engine on its own, and in line on the frame in a
 * FIFO, in counter mode, for a CBC-MAC, and both (CCM). */
#include "part/cc2420_internal.h"

#include <string.h>

#include "part/aes.h"

enum { MODE_OFF, MODE_CBC_MAC, MODE_CTR, MODE_CCM };

#define BLOCK_SECONDS 14e-6 /* table 7: 14 us for one block, about as much for each of a frame */

/* A frame in a FIFO: a ring for reception, plain for transmission. */
struct span {
    uint8_t *ring;
    unsigned head, length; /* of the frame without its length byte and check sequence */
};

static uint8_t *cc2420_security_byte_of(const struct span *f, unsigned i)
{
    return &f->ring[(f->head + 1 + i) % FIFO_SIZE];
}

struct chain {
    uint8_t state[AES_BLOCK];
    unsigned fill;
    const uint8_t *key;
};

static void chain_add(struct chain *c, uint8_t byte)
{
    c->state[c->fill++] ^= byte;
    if (c->fill == AES_BLOCK) {
        aes_encrypt(c->key, c->state);
        c->fill = 0;
    }
}

static void chain_pad(struct chain *c)
{
    while (c->fill)
        chain_add(c, 0);
}

/* ---- the two halves ---- */

static void keystream(const uint8_t *key, const uint8_t *nonce, unsigned counter, uint8_t out[AES_BLOCK])
{
    memcpy(out, nonce, AES_BLOCK);
    out[0] &= 7; /* L; what else CBC-MAC needs of the flags is not for the counter */
    out[14] = (uint8_t)(counter >> 8);
    out[15] = (uint8_t)counter;
    aes_encrypt(key, out);
}

/* Bytes from `from` up to `to`, with the counter from 1 on. */
static void counter_mode(const struct span *f, unsigned from, unsigned to, const uint8_t *key, const uint8_t *nonce)
{
    uint8_t stream[AES_BLOCK];
    for (unsigned i = from; i < to; i++) {
        if ((i - from) % AES_BLOCK == 0)
            keystream(key, nonce, 1 + (i - from) / AES_BLOCK, stream);
        *cc2420_security_byte_of(f, i) ^= stream[(i - from) % AES_BLOCK];
    }
}

/* B0, the authenticated bytes with their length, and the message, each padded (RFC 3610, 2.2). */
static void ccm_chain(struct chain *c, const struct span *f, unsigned plain, unsigned to, const uint8_t *nonce,
                      unsigned m)
{
    unsigned text = to - plain;
    chain_add(c, (uint8_t)((plain ? 0x40 : 0) | m << 3 | (nonce[0] & 7)));
    for (int i = 1; i < 14; i++)
        chain_add(c, nonce[i]);
    chain_add(c, (uint8_t)(text >> 8));
    chain_add(c, (uint8_t)text);
    if (plain) {
        chain_add(c, 0);
        chain_add(c, (uint8_t)plain);
        for (unsigned i = 0; i < plain; i++)
            chain_add(c, *cc2420_security_byte_of(f, i));
        chain_pad(c);
    }
    for (unsigned i = plain; i < to; i++)
        chain_add(c, *cc2420_security_byte_of(f, i));
    chain_pad(c);
}

static void mac_chain(struct chain *c, const struct span *f, unsigned from, unsigned to, bool head)
{
    if (head)
        chain_add(c, (uint8_t)(to - from));
    for (unsigned i = from; i < to; i++)
        chain_add(c, *cc2420_security_byte_of(f, i));
    chain_pad(c);
}

/* ---- in line ---- */

static void in_line(struct cc2420 *s, const struct span *f, bool receive)
{
    unsigned control = s->registers[SECCTRL0], mode = control & 3, m = control >> 2 & 7;
    unsigned from = s->registers[SECCTRL1] >> (receive ? 0 : 8) & 0x7f, mic = mode == MODE_CTR ? 0 : 2 * m + 2;
    bool second_key = control & (receive ? SECCTRL0_RXKEY : SECCTRL0_TXKEY);
    const uint8_t *key = s->ram + (second_key ? RAM_KEY1 : RAM_KEY0);
    const uint8_t *nonce = s->ram + (receive ? RAM_RXNONCE : RAM_TXNONCE);
    struct chain c = {.key = key};
    if (mode == MODE_OFF || f->length < mic || from > f->length - mic)
        return;
    unsigned to = f->length - mic;
    if (receive && mode != MODE_CBC_MAC)
        counter_mode(f, from, to, key, nonce);
    if (mode == MODE_CCM)
        ccm_chain(&c, f, from, to, nonce, m);
    else if (mode == MODE_CBC_MAC)
        mac_chain(&c, f, from, to, control & SECCTRL0_CBC_HEAD);
    if (mode == MODE_CCM) {
        uint8_t stream[AES_BLOCK];
        keystream(key, nonce, 0, stream);
        for (unsigned i = 0; i < mic; i++)
            c.state[i] ^= stream[i];
    }
    if (!receive && mode != MODE_CBC_MAC)
        counter_mode(f, from, to, key, nonce);
    bool right = true;
    for (unsigned i = 0; i < mic; i++) {
        right &= *cc2420_security_byte_of(f, to + i) == c.state[i];
        if (!receive)
            *cc2420_security_byte_of(f, to + i) = c.state[i];
    }
    if (receive && mic)
        *cc2420_security_byte_of(f, to + mic - 1) = right ? 0x00 : 0xff; /* the last byte of the code tells */
}

static struct span cc2420_security_frame_of(struct cc2420 *s, bool receive)
{
    struct span f = {.ring = s->ram + (receive ? RAM_RXFIFO : RAM_TXFIFO), .head = receive ? s->rx_head : 0};
    unsigned length = f.ring[f.head] & 0x7f;
    f.length = length < 2 ? 0 : length - 2;
    return f;
}

/* ---- the strobes ---- */

static void cc2420_security_apply(struct cc2420 *s, enum cc2420_security what)
{
    if (what == SECURITY_ALONE) {
        bool second_key = s->registers[SECCTRL0] & SECCTRL0_SAKEY;
        aes_encrypt(s->ram + (second_key ? RAM_KEY1 : RAM_KEY0), s->ram + RAM_SABUF);
        return;
    }
    bool receive = what == SECURITY_RECEIVE;
    struct span f = cc2420_security_frame_of(s, receive);
    in_line(s, &f, receive);
    if (!receive && (s->registers[SECCTRL0] & 3) && s->tx_count < f.length + 1)
        s->tx_count = (uint8_t)(f.length + 1); /* the authentication code was added */
}

/* What is in line for transmission has to be there in time for the first byte: its result is there at once, only the
 * engine stays busy. */
void cc2420_secure(struct node *n, const struct device *d, enum cc2420_security what)
{
    struct cc2420 *s = device_state(n, d);
    unsigned blocks = 1;
    if (s->security)
        return;
    uses_blind(n);
    if (what != SECURITY_ALONE) {
        struct span f = cc2420_security_frame_of(s, what == SECURITY_RECEIVE);
        unsigned passes = (s->registers[SECCTRL0] & 3) == MODE_CCM ? 2 : 1;
        blocks = passes * (f.length / AES_BLOCK + 1);
    }
    s->security = (uint8_t)what;
    if (what == SECURITY_TRANSMIT)
        cc2420_security_apply(s, what);
    event_in(n, d, EVENT_SECURITY, CLOCK_TICK, node_ticks(n, BLOCK_SECONDS * blocks));
}

void cc2420_secured(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->security != SECURITY_TRANSMIT)
        cc2420_security_apply(s, (enum cc2420_security)s->security);
    s->security = SECURITY_NONE;
}
