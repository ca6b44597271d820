#include "mpi/ranks.h"

#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

enum { RANKS_TAG = 19 };

/* What was sent and may not have arrived. MPI is one for each process, hence these are too. */
static struct ranks_sending {
    MPI_Request request;
    uint8_t *bytes;
    unsigned to;
} * ranks_sending;
static size_t ranks_count, ranks_room;

/* Forgets what has arrived. */
static void ranks_reap(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < ranks_count; i++) {
        int arrived = 0;
        if (MPI_Test(&ranks_sending[i].request, &arrived, MPI_STATUS_IGNORE) != MPI_SUCCESS || arrived)
            free(ranks_sending[i].bytes);
        else
            ranks_sending[kept++] = ranks_sending[i];
    }
    ranks_count = kept;
}

static void ranks_send(unsigned to, const void *bytes, size_t size)
{
    ranks_reap();
    ranks_sending = memory_grow(ranks_sending, &ranks_room, ranks_count, sizeof *ranks_sending);
    struct ranks_sending *s = &ranks_sending[ranks_count];
    s->bytes = memory_copy(bytes, size);
    s->to = to;
    /* ranks_reap tests the request: NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
    if (MPI_Isend(s->bytes, (int)size, MPI_BYTE, (int)to, RANKS_TAG, MPI_COMM_WORLD, &s->request) == MPI_SUCCESS)
        ranks_count++;
    else
        free(s->bytes);
    /* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */
}

static bool ranks_receive(unsigned *from, uint8_t **bytes, size_t *size)
{
    MPI_Status status;
    int there = 0, count = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, RANKS_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there ||
        MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS)
        return false;
    *bytes = memory_bytes((size_t)count + 1);
    *size = (size_t)count;
    *from = (unsigned)status.MPI_SOURCE;
    if (MPI_Recv(*bytes, count, MPI_BYTE, status.MPI_SOURCE, RANKS_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
        MPI_SUCCESS)
        return true;
    free(*bytes);
    return false;
}

bool motet_mpi_begin(struct ranks *r, struct motet_error *e)
{
    int provided = 0, rank = 0, count = 0, begun = 0;
    MPI_Initialized(&begun);
    if (begun)
        return error_set(e, "this process has been a rank of MPI before; start another one");
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED)
        return error_set(e, "MPI cannot be started in a program with threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    *r = (struct ranks){(unsigned)rank, (unsigned)count, ranks_send, ranks_receive};
    return true;
}

/* Up to a second for the last messages. */
static void ranks_flush(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (unsigned i = 0; i < 1000 && ranks_count; i++) {
        ranks_reap();
        nanosleep(&pause, NULL);
    }
}

void motet_mpi_end(bool all)
{
    ranks_flush();
    if (all)
        MPI_Finalize();
}
