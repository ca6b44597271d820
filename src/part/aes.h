/* AES: one block, as the radios' hardware does it (FIPS-197).
 */
#ifndef PART_AES_H
#define PART_AES_H

#include <stdint.h>

enum { AES_BLOCK = 16, AES_KEY_MAX = 32 };

/* With a key of 128 bits. */
void aes_encrypt(const uint8_t key[AES_BLOCK], uint8_t block[AES_BLOCK]);

/* With a key of 16, 24 or 32 bytes. */
void aes_encrypt_sized(const uint8_t *key, unsigned bytes, uint8_t block[AES_BLOCK]);
void aes_decrypt_sized(const uint8_t *key, unsigned bytes, uint8_t block[AES_BLOCK]);

#endif
