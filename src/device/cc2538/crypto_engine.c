#include "device/cc2538/crypto_engine.h"

#include <string.h>

static void engine_encrypt(const struct crypto_engine *e, uint8_t block[AES_BLOCK])
{
    aes_encrypt_sized(e->key, e->key_bytes, block);
}

static void engine_add(uint8_t to[AES_BLOCK], const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] ^= bytes[i];
}

/* ---- counters ---- */

/* The lowest 32, 64, 96 or 128 bits count, the highest byte first. */
static void engine_count(struct crypto_engine *e)
{
    unsigned bytes = 4 * ((e->control >> 7 & 3) + 1);
    for (unsigned i = AES_BLOCK; i > AES_BLOCK - bytes && ++e->vector[i - 1] == 0;)
        i--;
}

static void engine_counter_mode(struct crypto_engine *e, uint8_t *bytes, unsigned count)
{
    uint8_t stream[AES_BLOCK];
    memcpy(stream, e->vector, sizeof stream);
    engine_encrypt(e, stream);
    engine_add(bytes, stream, count);
    engine_count(e);
}

/* ---- sums: CBC-MAC, and GHASH of GCM (SP 800-38D, 6.3) ---- */

static void engine_multiply(uint8_t sum[AES_BLOCK], const uint8_t by[AES_BLOCK])
{
    uint8_t v[AES_BLOCK], product[AES_BLOCK] = {0};
    memcpy(v, by, sizeof v);
    for (unsigned i = 0; i < 8 * AES_BLOCK; i++) {
        if (sum[i / 8] >> (7 - i % 8) & 1)
            engine_add(product, v, AES_BLOCK);
        bool carry = v[AES_BLOCK - 1] & 1;
        for (unsigned j = AES_BLOCK; j-- > 0;)
            v[j] = (uint8_t)(v[j] >> 1 | (j ? v[j - 1] << 7 : 0));
        v[0] ^= carry ? 0xe1 : 0;
    }
    memcpy(sum, product, sizeof product);
}

static void engine_sum(struct crypto_engine *e, const uint8_t *bytes, unsigned count)
{
    engine_add(e->sum, bytes, count);
    if (e->control & CRYPTO_GCM)
        engine_multiply(e->sum, e->hash_key);
    else
        engine_encrypt(e, e->sum);
}

static unsigned engine_piece(unsigned left)
{
    return left < AES_BLOCK ? left : AES_BLOCK;
}

/* ---- messages ---- */

/* B0 (SP 800-38C, A.2.1). */
static void engine_begin_ccm(struct crypto_engine *e)
{
    uint8_t block[AES_BLOCK];
    unsigned length = (e->control >> 19 & 7) + 1, tag = e->control >> 22 & 7;
    memcpy(block, e->vector, sizeof block);
    block[0] = (uint8_t)((e->authenticated ? 0x40 : 0) | tag << 3 | (length - 1));
    for (unsigned i = 0; i < length; i++)
        block[AES_BLOCK - 1 - i] = (uint8_t)(e->text >> 8 * i);
    engine_sum(e, block, sizeof block);
}

void crypto_engine_begin(struct crypto_engine *e, const uint8_t vector[AES_BLOCK], uint64_t text,
                         uint32_t authenticated)
{
    memcpy(e->vector, vector, AES_BLOCK);
    memcpy(e->first, vector, AES_BLOCK);
    memset(e->sum, 0, sizeof e->sum);
    memset(e->hash_key, 0, sizeof e->hash_key);
    e->text = text;
    e->authenticated = authenticated;
    if (e->control & CRYPTO_GCM)
        engine_encrypt(e, e->hash_key);
    else if (e->control & CRYPTO_CCM)
        engine_begin_ccm(e);
    else if (e->control & CRYPTO_CBC_MAC)
        memcpy(e->sum, vector, AES_BLOCK);
    if (e->control & (CRYPTO_GCM | CRYPTO_CCM))
        engine_count(e);
}

/* In CCM their length is before them, in two bytes, or six (A.2.2). */
void crypto_engine_authenticate(struct crypto_engine *e, const uint8_t *bytes, unsigned count, bool first)
{
    uint8_t block[AES_BLOCK] = {0};
    unsigned done = 0, used = 0;
    if (first && e->control & CRYPTO_CCM) {
        bool large = e->authenticated >= 0xff00;
        if (large) {
            block[0] = 0xff;
            block[1] = 0xfe;
            used = 2;
        }
        for (unsigned i = large ? 4 : 2; i-- > 0;)
            block[used++] = (uint8_t)(e->authenticated >> 8 * i);
        done = AES_BLOCK - used < count ? AES_BLOCK - used : count;
        memcpy(block + used, bytes, done);
        engine_sum(e, block, sizeof block);
    }
    for (; done < count; done += AES_BLOCK)
        engine_sum(e, bytes + done, engine_piece(count - done));
}

static void engine_block(struct crypto_engine *e, uint8_t *bytes, unsigned count)
{
    uint8_t block[AES_BLOCK] = {0}, before[AES_BLOCK];
    bool encrypt = e->control & CRYPTO_ENCRYPT;
    if (e->control & CRYPTO_CTR) {
        engine_counter_mode(e, bytes, count);
        return;
    }
    memcpy(block, bytes, count);
    memcpy(before, block, sizeof before);
    if (e->control & CRYPTO_CBC && encrypt)
        engine_add(block, e->vector, AES_BLOCK);
    if (encrypt)
        aes_encrypt_sized(e->key, e->key_bytes, block);
    else
        aes_decrypt_sized(e->key, e->key_bytes, block);
    if (e->control & CRYPTO_CBC) {
        if (!encrypt)
            engine_add(block, e->vector, AES_BLOCK);
        memcpy(e->vector, encrypt ? block : before, AES_BLOCK);
    }
    memcpy(bytes, block, count);
}

/* CCM sums what is plain, GCM what is not. */
void crypto_engine_crypt(struct crypto_engine *e, uint8_t *bytes, unsigned count)
{
    bool encrypt = e->control & CRYPTO_ENCRYPT, plain = !(e->control & CRYPTO_GCM);
    for (unsigned i = 0; i < count; i += AES_BLOCK) {
        unsigned piece = engine_piece(count - i);
        if (e->control & CRYPTO_CBC_MAC) {
            engine_sum(e, bytes + i, piece);
            continue;
        }
        if (crypto_engine_has_tag(e) && encrypt == plain)
            engine_sum(e, bytes + i, piece);
        engine_block(e, bytes + i, piece);
        if (crypto_engine_has_tag(e) && encrypt != plain)
            engine_sum(e, bytes + i, piece);
    }
}

void crypto_engine_tag(const struct crypto_engine *e, uint8_t tag[AES_BLOCK])
{
    struct crypto_engine last = *e;
    uint8_t lengths[AES_BLOCK];
    if (e->control & CRYPTO_GCM) {
        for (unsigned i = 0; i < 8; i++) {
            lengths[7 - i] = (uint8_t)((uint64_t)e->authenticated * 8 >> 8 * i);
            lengths[15 - i] = (uint8_t)(e->text * 8 >> 8 * i);
        }
        engine_sum(&last, lengths, sizeof lengths);
    }
    memcpy(tag, last.sum, AES_BLOCK);
    if (e->control & (CRYPTO_GCM | CRYPTO_CCM)) {
        memcpy(last.vector, e->first, AES_BLOCK);
        engine_counter_mode(&last, tag, AES_BLOCK);
    }
}
