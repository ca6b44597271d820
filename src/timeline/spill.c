#include "timeline/spill.h"

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/memory.h"

struct spill {
    FILE *file;
    uint64_t end;
};

struct spill *spill_new(void)
{
    struct spill *s = memory_new(sizeof *s);
    s->file = tmpfile();
    return s;
}

void spill_free(struct spill *s)
{
    if (!s)
        return;
    if (s->file)
        fclose(s->file);
    free(s);
}

bool spill_put(struct spill *s, const struct pack *p, struct spilled *where)
{
    size_t room = ZSTD_compressBound(p->count);
    uint8_t *small = memory_bytes(room);
    size_t stored = ZSTD_compress(small, room, p->bytes, p->count, 1);
    bool good = s->file && !ZSTD_isError(stored) && fseeko(s->file, (off_t)s->end, SEEK_SET) == 0 &&
                fwrite(small, 1, stored, s->file) == stored && fflush(s->file) == 0;
    free(small);
    if (!good)
        return false;
    *where = (struct spilled){.at = s->end, .stored = stored, .size = p->count};
    s->end += stored;
    return true;
}

uint8_t *spill_get(struct spill *s, const struct spilled *where)
{
    uint8_t *small = memory_bytes(where->stored + 1), *bytes = memory_bytes(where->size + 1);
    bool good = fseeko(s->file, (off_t)where->at, SEEK_SET) == 0 &&
                fread(small, 1, where->stored, s->file) == where->stored &&
                ZSTD_decompress(bytes, where->size, small, where->stored) == where->size;
    free(small);
    if (good)
        return bytes;
    free(bytes);
    return NULL;
}

uint64_t spill_size(const struct spill *s)
{
    return s->end;
}
