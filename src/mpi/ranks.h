/* Ranks of MPI: a module of its own (motet_mpi.so), since few have MPI and it takes long to load. */
#ifndef MPI_RANKS_H
#define MPI_RANKS_H

#include "base/error.h"
#include "base/ranks.h"

/* Joins the other ranks; once in a process. False with a sentence. */
typedef bool ranks_begin_function(struct ranks *r, struct motet_error *e);
bool motet_mpi_begin(struct ranks *r, struct motet_error *e);

/* Leaves them, when all that was sent has arrived. `all`: every rank does so; otherwise one has died, and MPI itself,
 * which would wait for it, is not ended. */
typedef void ranks_end_function(bool all);
void motet_mpi_end(bool all);

#endif
