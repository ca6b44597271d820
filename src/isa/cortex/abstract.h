/* Thumb instructions on abstract values (isa/abstract.h).
 *
 * An IT and the instructions that depend on it are one step, as long as none of them goes elsewhere. The last of them
 * may: then the IT is a branch to it. Decoded by itself there, it goes always.
 */
#ifndef ISA_CORTEX_ABSTRACT_H
#define ISA_CORTEX_ABSTRACT_H

#include "isa/abstract.h"

extern const struct isa_abstract cortex_abstract;

#endif
