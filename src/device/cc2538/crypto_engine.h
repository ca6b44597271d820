/* The AES engine of the CC2538 by itself (SWRU319C, "AES and SHA cryptoprocessor"): a message in pieces, authenticated
 * bytes first, in the mode that the control register says (SP 800-38A, C and D). The tag is there after the last piece.
 *
 * Invariant: a piece that is no multiple of a block is the last of its kind, and is filled up with zeros.
 */
#ifndef DEVICE_CC2538_CRYPTO_ENGINE_H
#define DEVICE_CC2538_CRYPTO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "part/aes.h"

/* Bits of AES_CTRL. */
enum {
    CRYPTO_OUTPUT_READY = 1 << 0,
    CRYPTO_INPUT_READY = 1 << 1,
    CRYPTO_ENCRYPT = 1 << 2,
    CRYPTO_CBC = 1 << 5,
    CRYPTO_CTR = 1 << 6,
    CRYPTO_CTR_WIDTH = 3 << 7,
    CRYPTO_CBC_MAC = 1 << 15,
    CRYPTO_GCM = 3 << 16,
    CRYPTO_CCM = 1 << 18,
    CRYPTO_SAVE_CONTEXT = 1 << 29,
    CRYPTO_SAVED_READY = 1 << 30,
};

struct crypto_engine {
    uint32_t control;
    uint8_t key[AES_KEY_MAX], key_bytes;
    uint8_t vector[AES_BLOCK]; /* of CBC, or the next counter */
    uint8_t first[AES_BLOCK];  /* the first counter: it hides the tag */
    uint8_t sum[AES_BLOCK];    /* of CBC-MAC, CCM or GCM */
    uint8_t hash_key[AES_BLOCK];
    uint64_t text; /* bytes of the whole message, and of what is authenticated only */
    uint32_t authenticated;
};

/* Key and control are set. */
void crypto_engine_begin(struct crypto_engine *e, const uint8_t vector[AES_BLOCK], uint64_t text,
                         uint32_t authenticated);
void crypto_engine_authenticate(struct crypto_engine *e, const uint8_t *bytes, unsigned count, bool first);
void crypto_engine_crypt(struct crypto_engine *e, uint8_t *bytes, unsigned count);
void crypto_engine_tag(const struct crypto_engine *e, uint8_t tag[AES_BLOCK]);

static inline bool crypto_engine_has_tag(const struct crypto_engine *e)
{
    return e->control & (CRYPTO_CCM | CRYPTO_GCM | CRYPTO_CBC_MAC);
}

#endif
