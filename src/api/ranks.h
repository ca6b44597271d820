/* Ranks of MPI, from the module that stands on it (motet_mpi.so). */
#ifndef API_RANKS_H
#define API_RANKS_H

#include "mpi/ranks.h"

/* Joins the other ranks of this process. False with a sentence: this build has no MPI, for example. */
bool ranks_join(struct ranks *r, struct motet_error *e);
void ranks_leave(bool all); /* after it was joined; see motet_mpi_end */

#endif
