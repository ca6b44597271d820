/* MSP430 instructions on abstract values (isa/abstract.h). */
#ifndef ISA_MSP430_ABSTRACT_H
#define ISA_MSP430_ABSTRACT_H

#include "isa/abstract.h"

extern const struct isa_abstract msp430_abstract;

#endif
