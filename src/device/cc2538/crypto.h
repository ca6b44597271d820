/* The AES and SHA module of the CC2538 (SWRU319C, "AES and SHA cryptoprocessor"): a store of eight keys, an AES engine
 * (crypto_engine.h) and a SHA-256 engine, to which a DMA controller of its own brings data, and its interrupt.
 *
 * Channel 0 brings data in, channel 1 takes results out; both reach RAM alone, else it is a bus error. A transfer
 * begins when its length is written, and input waits until there is room for its result. What the registers of 16 bytes
 * of data would do is not there: using them is reported. The public key accelerator is another module, which Motet does
 * not have.
 *
 * Invariant: bytes of a register's word are in the order of memory, the lowest first.
 */
#ifndef DEVICE_CC2538_CRYPTO_H
#define DEVICE_CC2538_CRYPTO_H

#include "device/cortex/block32.h"

extern const struct device_type cc2538_crypto;

#define CC2538_CRYPTO 0x4008b000u
enum { CC2538_CRYPTO_SIZE = 0x800 };

#endif
