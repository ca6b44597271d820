#include "ranked.h"

#include <stdlib.h>

static unsigned long ranked_variable(const char *of_open_mpi, const char *of_mpich)
{
    const char *text = getenv(of_open_mpi);
    text = text ? text : getenv(of_mpich);
    return text ? strtoul(text, NULL, 10) : 0;
}

bool ranked_is(void)
{
    return ranked_variable("OMPI_COMM_WORLD_SIZE", "PMI_SIZE") > 1;
}

unsigned ranked_number(void)
{
    return ranked_is() ? (unsigned)ranked_variable("OMPI_COMM_WORLD_RANK", "PMI_RANK") : 0;
}
