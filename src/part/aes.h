/* AES-128: one block encrypted, as the radios' hardware does it (FIPS-197).
 */
#ifndef PART_AES_H
#define PART_AES_H

#include <stdint.h>

enum { AES_BLOCK = 16 };

void aes_encrypt(const uint8_t key[AES_BLOCK], uint8_t block[AES_BLOCK]);

#endif
