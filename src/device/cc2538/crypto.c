#include "device/cc2538/crypto.h"

#include <string.h>

#include "device/cc2538/crypto_engine.h"
#include "device/cc2538/sys_ctrl.h"
#include "isa/cortex/memory.h"
#include "node/machine.h"
#include "part/sha256.h"

enum {
    CHANNEL = 0x20, /* from one to the next */
    CTRL = 0x00,
    EXTADDR = 0x04,
    DMALENGTH = 0x0c,
    DMAC_STATUS = 0x18,
    DMAC_SWRES = 0x1c,
    DMAC_MST_RUNPARAMS = 0x78,
    DMAC_PERSR = 0x7c,
    DMAC_OPTIONS = 0xf8,
    DMAC_VERSION = 0xfc,
    WRITE_AREA = 0x400,
    WRITTEN_AREA = 0x404,
    KEY_SIZE = 0x408,
    READ_AREA = 0x40c,
    AES_KEY2 = 0x500,
    AES_IV = 0x540,
    AES_CTRL = 0x550,
    AES_C_LENGTH_0 = 0x554,
    AES_C_LENGTH_1 = 0x558,
    AES_AUTH_LENGTH = 0x55c,
    AES_DATA = 0x560,
    AES_TAG = 0x570,
    HASH_DATA = 0x600,
    HASH_IO_BUF_CTRL = 0x640,
    HASH_MODE_IN = 0x644,
    HASH_LENGTH_L = 0x648,
    HASH_LENGTH_H = 0x64c,
    HASH_DIGEST = 0x650,
    ALG_SEL = 0x700,
    PROT_EN = 0x704,
    SW_RESET = 0x740,
    INT_CFG = 0x780,
    INT_EN = 0x784,
    INT_CLR = 0x788,
    INT_SET = 0x78c,
    INT_STAT = 0x790,
    CTRL_OPTIONS = 0x7f8,
    CTRL_VERSION = 0x7fc,
};
#define SRSEC 0x400d2054u /* of the system control: reset of this module */

enum {
    ROLE_LENGTH, /* of channel 0 and 1 */
    ROLE_STATUS = 2,
    ROLE_DMA_RESET,
    ROLE_WRITTEN,
    ROLE_KEY_SIZE,
    ROLE_READ_AREA,
    ROLE_AES_CTRL,
    ROLE_IV_3,
    ROLE_TAG_3,
    ROLE_DATA,
    ROLE_HASH_CONTROL,
    ROLE_HASH_MODE,
    ROLE_SW_RESET,
    ROLE_INT_EN,
    ROLE_INT_CLR,
    ROLE_INT_SET,
    ROLE_SRSEC,
};
enum { EVENT_DONE };
enum { AREAS = 8, ENABLED = 1, SELECT_KEYS = 1, SELECT_AES = 2, SELECT_HASH = 4 };
enum { INT_RESULT = 1, INT_IN_DONE = 2, LEVEL = 1 };
enum { HASH_NEW = 1, HASH_PAD_DMA = 0x80, HASH_INPUT_READY = 4, HASH_OUTPUT_FULL = 1 };
#define SELECT_TAG      0x80000000u
#define ERROR_BUS       0x80000000u
#define ERROR_KEY_WRITE 0x40000000u
#define ERROR_KEY_READ  0x20000000u
#define CONTEXT_READY   0x80000000u

/* Chosen by Motet: cycles of the system clock. */
enum { CYCLES_BEGIN = 16, CYCLES_AES = 32, CYCLES_HASH = 80 };

struct crypto {
    struct crypto_engine engine;
    uint8_t keys[AREAS][AES_BLOCK];
    uint8_t begun;          /* a message of the AES engine */
    uint8_t authenticating; /* its first piece is still to come */
    uint32_t to_authenticate;
    uint64_t to_crypt;
    uint32_t hash[SHA256_WORDS];
};

static uint32_t crypto_channel(const struct node *n, const struct device *d, unsigned channel, uint32_t offset)
{
    return block32_get(n, d, CHANNEL * channel + offset);
}

static void crypto_get_bytes(const struct node *n, const struct device *d, uint32_t offset, uint8_t *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = (uint8_t)(block32_get(n, d, offset + i / 4 * 4) >> 8 * (i % 4));
}

static void crypto_set_bytes(struct node *n, const struct device *d, uint32_t offset, const uint8_t *from,
                             unsigned count)
{
    for (unsigned i = 0; i < count; i += 4)
        block32_set(n, d, offset + i,
                    from[i] | (uint32_t)from[i + 1] << 8 | (uint32_t)from[i + 2] << 16 | (uint32_t)from[i + 3] << 24);
}

/* ---- interrupts ---- */

static void crypto_ask(struct node *n, const struct device *d)
{
    uint32_t asks = block32_get(n, d, INT_STAT) & block32_get(n, d, INT_EN);
    cc2538_interrupt(n, CC2538_AES, asks);
    if (!(block32_get(n, d, INT_CFG) & LEVEL))
        cc2538_interrupt(n, CC2538_AES, false); /* a pulse */
}

/* What is not enabled is not shown either; errors always are. */
static void crypto_flag(struct node *n, const struct device *d, uint32_t bits)
{
    uint32_t shown = bits & (block32_get(n, d, INT_EN) | ERROR_BUS | ERROR_KEY_WRITE | ERROR_KEY_READ);
    block32_set(n, d, INT_STAT, block32_get(n, d, INT_STAT) | shown);
    crypto_ask(n, d);
}

/* ---- transfers ---- */

static bool crypto_reaches(const struct node *n, uint32_t address, uint32_t count)
{
    const struct region *ram = n->machine->ram;
    return address >= ram->first && address - ram->first <= ram->size && count <= ram->size - (address - ram->first);
}

static void crypto_fetch(struct node *n, uint32_t address, uint8_t *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = (uint8_t)cortex_load_any(n, 0, address + i, 1, false);
}

static void crypto_store(struct node *n, uint32_t address, const uint8_t *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cortex_store_any(n, 0, address + i, from[i], 1, false);
}

static void crypto_stop_channels(struct node *n, const struct device *d)
{
    for (unsigned channel = 0; channel < 2; channel++)
        block32_set(n, d, CHANNEL * channel + DMALENGTH, 0);
    event_cancel(n, d, EVENT_DONE);
}

static bool crypto_has_output(const struct node *n, const struct device *d)
{
    const struct crypto *s = device_state(n, d);
    uint32_t to = block32_get(n, d, ALG_SEL);
    if (to & SELECT_HASH)
        return to & SELECT_TAG;
    if (!(to & SELECT_AES) || block32_get(n, d, AES_CTRL) & CRYPTO_CBC_MAC)
        return false;
    bool both = block32_get(n, d, AES_CTRL) & (CRYPTO_CCM | CRYPTO_GCM);
    return s->begun ? !s->to_authenticate : !both || !block32_get(n, d, AES_AUTH_LENGTH);
}

static void crypto_plan(struct node *n, const struct device *d)
{
    uint32_t in = crypto_channel(n, d, 0, DMALENGTH), out = crypto_channel(n, d, 1, DMALENGTH);
    unsigned block = block32_get(n, d, ALG_SEL) & SELECT_HASH ? SHA256_BLOCK : AES_BLOCK;
    unsigned each = block == AES_BLOCK ? CYCLES_AES : CYCLES_HASH;
    if (!in || (crypto_has_output(n, d) && !out) || event_pending(n, d, EVENT_DONE))
        return;
    event_in(n, d, EVENT_DONE, CLOCK_IO, CYCLES_BEGIN + (in + block - 1) / block * each);
}

/* ---- the store of keys ---- */

static unsigned crypto_key_areas(const struct node *n, const struct device *d)
{
    return (block32_get(n, d, KEY_SIZE) & 3) == 1 ? 1 : 2;
}

/* The areas must be free, and the transfer as long as they are. */
static void crypto_take_keys(struct node *n, const struct device *d, uint32_t from, uint32_t count)
{
    struct crypto *s = device_state(n, d);
    uint32_t areas = block32_get(n, d, WRITE_AREA), written = block32_get(n, d, WRITTEN_AREA);
    uint32_t wanted = (uint32_t)__builtin_popcount(areas) * AES_BLOCK;
    bool good = count == wanted && !(areas & written);
    for (unsigned area = 0; good && area < AREAS; area++)
        if (areas >> area & 1) {
            crypto_fetch(n, from, s->keys[area], AES_BLOCK);
            from += AES_BLOCK;
        }
    if (good)
        block32_set(n, d, WRITTEN_AREA, written | areas);
    block32_set(n, d, WRITE_AREA, 0);
    crypto_flag(n, d, INT_RESULT | INT_IN_DONE | (good ? 0 : ERROR_KEY_WRITE));
}

static void crypto_read_key(struct node *n, const struct device *d, uint32_t area)
{
    struct crypto *s = device_state(n, d);
    unsigned areas = crypto_key_areas(n, d), size = block32_get(n, d, KEY_SIZE) & 3;
    uint32_t needed = ((1u << areas) - 1) << (area & 15);
    block32_set(n, d, READ_AREA, area & 15);
    if ((block32_get(n, d, WRITTEN_AREA) & needed) != needed || (area & 15) + areas > AREAS || !size) {
        crypto_flag(n, d, ERROR_KEY_READ);
        return;
    }
    memcpy(s->engine.key, s->keys[area & 15], (size_t)areas * AES_BLOCK);
    s->engine.key_bytes = (uint8_t)(8 * (size + 1));
    block32_set(n, d, AES_CTRL, (block32_get(n, d, AES_CTRL) & ~0x18u) | size << 3);
}

/* ---- AES ---- */

static void crypto_begin(struct node *n, const struct device *d)
{
    struct crypto *s = device_state(n, d);
    uint8_t vector[AES_BLOCK];
    uint32_t control = block32_get(n, d, AES_CTRL);
    bool both = control & (CRYPTO_CCM | CRYPTO_GCM);
    if (s->begun)
        return;
    s->begun = s->authenticating = 1;
    s->engine.control = control;
    s->to_crypt = block32_get(n, d, AES_C_LENGTH_0) | (uint64_t)(block32_get(n, d, AES_C_LENGTH_1) & 0x1fffffff) << 32;
    s->to_authenticate = both ? block32_get(n, d, AES_AUTH_LENGTH) : 0;
    crypto_get_bytes(n, d, AES_IV, vector, AES_BLOCK);
    crypto_engine_begin(&s->engine, vector, s->to_crypt, s->to_authenticate);
}

static void crypto_finish(struct node *n, const struct device *d)
{
    struct crypto *s = device_state(n, d);
    uint8_t tag[AES_BLOCK];
    s->begun = 0;
    if (s->engine.control & CRYPTO_SAVE_CONTEXT) {
        crypto_set_bytes(n, d, AES_IV, s->engine.vector, AES_BLOCK);
        if (crypto_engine_has_tag(&s->engine)) {
            crypto_engine_tag(&s->engine, tag);
            crypto_set_bytes(n, d, AES_TAG, tag, AES_BLOCK);
        }
        block32_set(n, d, AES_CTRL, block32_get(n, d, AES_CTRL) | CRYPTO_SAVED_READY);
    }
    crypto_flag(n, d, INT_RESULT);
}

/* Pieces of any length, a few blocks at a time. */
static void crypto_run_aes(struct node *n, const struct device *d, uint32_t from, uint32_t count, uint32_t to,
                           uint32_t room)
{
    struct crypto *s = device_state(n, d);
    uint8_t bytes[3 * AES_BLOCK];
    crypto_begin(n, d);
    bool plain = s->to_authenticate > 0;
    for (uint32_t done = 0, piece; done < count; done += piece) {
        /* the first authenticated block of CCM has two bytes of length in it, or six */
        unsigned most =
            plain && s->authenticating ? (s->engine.control & CRYPTO_CCM ? AES_BLOCK - 2 : AES_BLOCK) : 3 * AES_BLOCK;
        if (plain && s->authenticating && s->engine.authenticated >= 0xff00 && s->engine.control & CRYPTO_CCM)
            most = AES_BLOCK - 6;
        piece = count - done < most ? count - done : most;
        crypto_fetch(n, from + done, bytes, piece);
        if (plain) {
            crypto_engine_authenticate(&s->engine, bytes, piece, s->authenticating);
            s->authenticating = 0;
            continue;
        }
        crypto_engine_crypt(&s->engine, bytes, piece);
        if (done < room)
            crypto_store(n, to + done, bytes, room - done < piece ? room - done : piece);
    }
    if (plain)
        s->to_authenticate -= count < s->to_authenticate ? count : s->to_authenticate;
    else
        s->to_crypt -= count < s->to_crypt ? count : s->to_crypt;
    crypto_flag(n, d, INT_IN_DONE);
    if (!s->to_authenticate && !s->to_crypt)
        crypto_finish(n, d);
}

/* ---- SHA-256 ---- */

static void crypto_show_hash(struct node *n, const struct device *d)
{
    const struct crypto *s = device_state(n, d);
    for (unsigned i = 0; i < SHA256_WORDS; i++)
        block32_set(n, d, HASH_DIGEST + 4 * i, __builtin_bswap32(s->hash[i]));
}

/* The length in bits is that of the whole message (FIPS 180-4, 5.1.1). */
static void crypto_pad_hash(struct node *n, const struct device *d, uint8_t last[SHA256_BLOCK], unsigned used)
{
    struct crypto *s = device_state(n, d);
    uint64_t bits = block32_get(n, d, HASH_LENGTH_L) | (uint64_t)block32_get(n, d, HASH_LENGTH_H) << 32;
    memset(last + used, 0, SHA256_BLOCK - used);
    last[used] = 0x80;
    if (used >= SHA256_BLOCK - 8) {
        sha256_block(s->hash, last);
        memset(last, 0, SHA256_BLOCK);
    }
    for (unsigned i = 0; i < 8; i++)
        last[SHA256_BLOCK - 1 - i] = (uint8_t)(bits >> 8 * i);
    sha256_block(s->hash, last);
}

static void crypto_run_hash(struct node *n, const struct device *d, uint32_t from, uint32_t count, uint32_t to,
                            uint32_t room)
{
    struct crypto *s = device_state(n, d);
    uint8_t block[SHA256_BLOCK], digest[4 * SHA256_WORDS];
    uint32_t control = block32_get(n, d, HASH_IO_BUF_CTRL);
    if (block32_get(n, d, HASH_MODE_IN) & HASH_NEW)
        sha256_begin(s->hash);
    else
        for (unsigned i = 0; i < SHA256_WORDS; i++)
            s->hash[i] = __builtin_bswap32(block32_get(n, d, HASH_DIGEST + 4 * i));
    uint32_t done = 0;
    for (; count - done >= SHA256_BLOCK; done += SHA256_BLOCK) {
        crypto_fetch(n, from + done, block, SHA256_BLOCK);
        sha256_block(s->hash, block);
    }
    if (control & HASH_PAD_DMA) {
        crypto_fetch(n, from + done, block, count - done);
        crypto_pad_hash(n, d, block, count - done);
    }
    block32_set(n, d, HASH_MODE_IN, block32_get(n, d, HASH_MODE_IN) & ~(uint32_t)HASH_NEW);
    block32_set(n, d, HASH_IO_BUF_CTRL, HASH_INPUT_READY | HASH_OUTPUT_FULL);
    crypto_show_hash(n, d);
    crypto_get_bytes(n, d, HASH_DIGEST, digest, sizeof digest);
    crypto_store(n, to, digest, room < sizeof digest ? room : sizeof digest);
    crypto_flag(n, d, INT_IN_DONE | INT_RESULT);
}

/* ---- events ---- */

static void crypto_event(struct node *n, const struct device *d, unsigned event)
{
    uint32_t in = crypto_channel(n, d, 0, DMALENGTH), from = crypto_channel(n, d, 0, EXTADDR);
    bool output = crypto_has_output(n, d);
    uint32_t out = output ? crypto_channel(n, d, 1, DMALENGTH) : 0, to = crypto_channel(n, d, 1, EXTADDR);
    (void)event;
    block32_set(n, d, DMALENGTH, 0);
    if (output)
        block32_set(n, d, CHANNEL + DMALENGTH, 0);
    if (!crypto_reaches(n, from, in) || (out && !crypto_reaches(n, to, out))) {
        block32_set(n, d, DMAC_PERSR, 0x1000);
        crypto_flag(n, d, ERROR_BUS | INT_RESULT | INT_IN_DONE);
        return;
    }
    switch (block32_get(n, d, ALG_SEL) & 7) {
    case SELECT_KEYS: crypto_take_keys(n, d, from, in); break;
    case SELECT_AES: crypto_run_aes(n, d, from, in, to, out); break;
    case SELECT_HASH: crypto_run_hash(n, d, from, in, to, out); break;
    default: node_unspecified(n, d, 1); break;
    }
}

/* ---- registers ---- */

static void crypto_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t plain[] = {
        CTRL,           EXTADDR,         CHANNEL + CTRL, CHANNEL + EXTADDR, WRITE_AREA,    AES_C_LENGTH_0,
        AES_C_LENGTH_1, AES_AUTH_LENGTH, HASH_LENGTH_L,  HASH_LENGTH_H,     ALG_SEL,       PROT_EN,
        INT_CFG,        AES_KEY2,        AES_KEY2 + 4,   AES_KEY2 + 8,      AES_KEY2 + 12, AES_KEY2 + 16,
        AES_KEY2 + 20,  AES_KEY2 + 24,   AES_KEY2 + 28,  DMAC_MST_RUNPARAMS};
    static const uint16_t constant[] = {DMAC_PERSR, DMAC_OPTIONS, DMAC_VERSION, INT_STAT, CTRL_OPTIONS, CTRL_VERSION};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        block32_plain(w, d, plain[i], 0xffffffff);
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        block32_plain(w, d, constant[i], 0);
    for (unsigned i = 0; i < 2; i++)
        block32_told(w, d, CHANNEL * i + DMALENGTH, ROLE_LENGTH + i, WIRE_STORE);
    block32_told(w, d, DMAC_STATUS, ROLE_STATUS, WIRE_READ);
    block32_told(w, d, DMAC_SWRES, ROLE_DMA_RESET, WIRE_WRITE);
    block32_told(w, d, WRITTEN_AREA, ROLE_WRITTEN, WIRE_WRITE);
    block32_told(w, d, KEY_SIZE, ROLE_KEY_SIZE, WIRE_STORE);
    block32_told(w, d, READ_AREA, ROLE_READ_AREA, WIRE_WRITE);
    block32_told(w, d, AES_CTRL, ROLE_AES_CTRL, WIRE_WRITE);
    for (unsigned i = 0; i < 3; i++) {
        block32_plain(w, d, AES_IV + 4 * i, 0xffffffff);
        block32_plain(w, d, AES_TAG + 4 * i, 0);
    }
    block32_told(w, d, AES_IV + 12, ROLE_IV_3, WIRE_READ | WIRE_STORE);
    block32_told(w, d, AES_TAG + 12, ROLE_TAG_3, WIRE_READ);
    for (unsigned i = 0; i < 4; i++)
        block32_told(w, d, AES_DATA + 4 * i, ROLE_DATA, WIRE_READ | WIRE_WRITE);
    for (unsigned i = 0; i < 16; i++)
        block32_told(w, d, HASH_DATA + 4 * i, ROLE_DATA, WIRE_WRITE);
    block32_told(w, d, HASH_IO_BUF_CTRL, ROLE_HASH_CONTROL, WIRE_STORE);
    block32_told(w, d, HASH_MODE_IN, ROLE_HASH_MODE, WIRE_STORE);
    for (unsigned i = 0; i < SHA256_WORDS; i++)
        block32_plain(w, d, HASH_DIGEST + 4 * i, 0xffffffff);
    block32_told(w, d, SW_RESET, ROLE_SW_RESET, WIRE_WRITE);
    block32_told(w, d, INT_EN, ROLE_INT_EN, WIRE_STORE);
    block32_told(w, d, INT_CLR, ROLE_INT_CLR, WIRE_WRITE);
    block32_told(w, d, INT_SET, ROLE_INT_SET, WIRE_WRITE);
    wire_register(w, d, SRSEC, ROLE_SRSEC, WIRE_LONG | WIRE_STORE, 3);
    cc2538_wire_interrupt(w, d, CC2538_AES);
}

static void crypto_forget(struct node *n, const struct device *d)
{
    struct crypto *s = device_state(n, d);
    *s = (struct crypto){.engine = {.key_bytes = AES_BLOCK}};
    crypto_stop_channels(n, d);
    block32_set(n, d, KEY_SIZE, 1);
    block32_set(n, d, WRITE_AREA, 0);
    block32_set(n, d, WRITTEN_AREA, 0);
    block32_set(n, d, AES_CTRL, CONTEXT_READY | CRYPTO_INPUT_READY);
    block32_set(n, d, HASH_IO_BUF_CTRL, HASH_INPUT_READY);
    block32_set(n, d, INT_STAT, 0);
    crypto_ask(n, d);
}

static void crypto_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    block32_set(n, d, DMAC_MST_RUNPARAMS, 0x6000);
    block32_set(n, d, DMAC_OPTIONS, 0x202);
    block32_set(n, d, CTRL_OPTIONS, 0x010101f7); /* all that the module can have */
    crypto_forget(n, d);
}

static void crypto_read(struct node *n, const struct device *d, unsigned role)
{
    uint32_t control = block32_get(n, d, AES_CTRL);
    if (role == ROLE_STATUS)
        block32_set(n, d, DMAC_STATUS,
                    (crypto_channel(n, d, 0, DMALENGTH) ? 1u : 0) | (crypto_channel(n, d, 1, DMALENGTH) ? 2u : 0) |
                        (block32_get(n, d, DMAC_PERSR) ? 0x20000u : 0));
    else if (role == ROLE_DATA)
        node_unspecified(n, d, 0);
    else /* the last word of a result: its registers are free again */
        block32_set(n, d, AES_CTRL, control & ~(uint32_t)CRYPTO_SAVED_READY);
}

static void crypto_write_length(struct node *n, const struct device *d, unsigned channel, uint32_t length)
{
    bool on = crypto_channel(n, d, channel, CTRL) & ENABLED;
    block32_set(n, d, CHANNEL * channel + DMALENGTH, on ? length & 0xffff : 0);
    crypto_plan(n, d);
}

/* Of GCM there is what works out its own constants. */
static void crypto_write_control(struct node *n, const struct device *d, uint32_t value)
{
    struct crypto *s = device_state(n, d);
    uint32_t size = block32_get(n, d, AES_CTRL) & 0x18;
    if (value & CRYPTO_GCM && (value & CRYPTO_GCM) != CRYPTO_GCM)
        node_unspecified(n, d, 2);
    s->begun = 0;
    block32_set(n, d, AES_CTRL, (value & 0x21ff81e4) | size | CONTEXT_READY | CRYPTO_INPUT_READY);
}

static void crypto_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    switch (role) {
    case ROLE_LENGTH:
    case ROLE_LENGTH + 1: crypto_write_length(n, d, role - ROLE_LENGTH, value); break;
    case ROLE_DMA_RESET:
        if (value & 1) {
            block32_set(n, d, DMAC_PERSR, 0);
            crypto_stop_channels(n, d);
        }
        break;
    case ROLE_WRITTEN: block32_set(n, d, WRITTEN_AREA, block32_get(n, d, WRITTEN_AREA) & ~value); break;
    case ROLE_KEY_SIZE: /* forgets all keys */
        block32_set(n, d, KEY_SIZE, value & 3);
        block32_set(n, d, WRITTEN_AREA, 0);
        break;
    case ROLE_READ_AREA: crypto_read_key(n, d, value); break;
    case ROLE_AES_CTRL: crypto_write_control(n, d, value); break;
    case ROLE_DATA: node_unspecified(n, d, 0); break;
    case ROLE_HASH_CONTROL:
        block32_set(n, d, HASH_IO_BUF_CTRL, (value & (HASH_PAD_DMA | 0x60)) | HASH_INPUT_READY);
        break;
    case ROLE_SW_RESET:
    case ROLE_SRSEC:
        if (value & (role == ROLE_SRSEC ? 2 : 1))
            crypto_forget(n, d);
        break;
    case ROLE_INT_EN: crypto_ask(n, d); break;
    case ROLE_INT_CLR:
        block32_set(n, d, INT_STAT, block32_get(n, d, INT_STAT) & ~value);
        crypto_ask(n, d);
        break;
    case ROLE_INT_SET: crypto_flag(n, d, value & (INT_RESULT | INT_IN_DONE)); break;
    default: break;
    }
}

static const char *const crypto_unspecified[] = {
    "data of the AES and SHA module through its registers AES_DATA_IN_OUT or HASH_DATA_IN, which Motet does not have: "
    "only its DMA moves data",
    "a transfer of the AES and SHA module while ALG_SEL does not select exactly one of key store, AES and hash: it "
    "moves "
    "nothing",
    "GCM of the AES module with constants that firmware has loaded, which Motet does not have: it works them out "
    "itself",
};

const struct device_type cc2538_crypto = {
    .name = "crypto",
    .state_size = sizeof(struct crypto),
    .events = 1,
    .connect = crypto_connect,
    .reset = crypto_reset,
    .event = crypto_event,
    .read = crypto_read,
    .write = crypto_write,
    .unspecified = crypto_unspecified,
};
