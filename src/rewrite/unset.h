/* Local variables that a call may leave unset: `uint16_t etx; get_etx(&etx); use(etx);`, where get_etx may return
 * without writing it.
 *
 * What such a variable holds then is what earlier frames left on the stack, the recorder's among them, which replay
 * does not have. So it is recorded where it is declared. Invariant: nothing is recorded of a variable that is surely
 * written before it is read; where it is not known, it is recorded.
 */
#ifndef REWRITE_UNSET_H
#define REWRITE_UNSET_H

#include "rewrite/pass.h"

/* Before anything is visited. */
void unset_find(struct pass *p);

#endif
