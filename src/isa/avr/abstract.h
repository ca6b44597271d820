/* AVR instructions on abstract values (isa/abstract.h). */
#ifndef ISA_AVR_ABSTRACT_H
#define ISA_AVR_ABSTRACT_H

#include "isa/abstract.h"

extern const struct isa_abstract avr_abstract;

#endif
