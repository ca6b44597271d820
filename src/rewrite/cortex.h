/* Recording on Cortex-M: what `motet cc` makes of sources and links for it (target/recorder/cortex).
 *
 * Every load through a volatile pointer becomes a call of the recorder, which loads, and records what does not lie in
 * RAM or program memory. Interrupts come through the recorder's own vectors, so that handlers are left as they are. WFI
 * and WFE in the compiler's assembly become calls. Invariant: a load that is not seen here, and leads to a device,
 * stops the replay that comes to it; nothing is taken from a device that is not there.
 */
#ifndef REWRITE_CORTEX_H
#define REWRITE_CORTEX_H

#include "rewrite/cc_run.h"
#include "rewrite/instrument.h"

bool cc_is_cortex(const struct run *r);

/* What is asked for, and cannot be had there: refused with a sentence. */
bool cortex_allows(struct run *r);

/* A preprocessed C file, rewritten. */
bool cortex_instrument(const char *path, const struct instrument_options *o, const struct cortex_chip *chip,
                       struct instrumented *i, struct motet_error *e);

/* Assembly, in its file: instructions that sleep. */
bool cortex_sleeps(const char *assembly, struct motet_error *e);

/* Links the command `w`, which has all but the recorder and the output's last options. */
int cortex_link(struct run *r, struct words *w, const char *program);

#endif
