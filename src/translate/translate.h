/* The translator: a module of its own, since LLVM takes long to load (api/engine.c opens it when there is hot code).
 *
 * A trace becomes a plan (plan.h), the plan one function of IR (emit.h), and LLVM makes host code of it, in memory that
 * is never writable and executable at once.
 */
#ifndef TRANSLATE_TRANSLATE_H
#define TRANSLATE_TRANSLATE_H

#include "isa/heat.h"

heat_translate motet_translate;
uint64_t motet_translate_layout(void); /* isa/layout.h, as it was when the module was built */

#endif
