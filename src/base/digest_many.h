/* Digests of many bytes: those of base/digest.h, with the widest instructions that the processor has. */
#ifndef BASE_DIGEST_MANY_H
#define BASE_DIGEST_MANY_H

#include "base/digest.h"

struct digest digest_of_many(const void *bytes, size_t size);

#endif
