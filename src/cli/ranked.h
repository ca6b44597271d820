/* Whether this process is one of several ranks, which mpirun of Open MPI and MPICH say to each. */
#ifndef CLI_RANKED_H
#define CLI_RANKED_H

#include <stdbool.h>

bool ranked_is(void);
unsigned ranked_number(void); /* 0 where there are no ranks */

#endif
