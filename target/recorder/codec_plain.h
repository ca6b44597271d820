/* The plain codec: events as they are. The largest, and the easiest to trust. */
enum { CODEC_MOST = UNIT, CODEC_CARRIES = 0 };

static void codec_begin(void)
{
    R.behind = R.block = R.bytes = R.byte = 0;
}

static void out_word(uint16_t word)
{
    out((uint8_t)word);
    out((uint8_t)(word >> 8));
}

/* Units that belong to the one that begins an event. */
static uint16_t behind(const uint16_t *unit)
{
    switch (unit[0] >> 8) {
    case EVENT_LIBRARY: return 2;
    case EVENT_INTERRUPT:
    case EVENT_BLOCK: return 1;
    default: return 0;
    }
}

/* One of the bytes that were read at the same site. */
static void out_byte(const uint8_t *bytes)
{
    out_word(R.last[0]);
    out_word(bytes[R.byte++]);
    R.bytes--;
    if (R.byte == UNIT || !R.bytes) {
        R.byte = 0;
        ring_take();
    }
}

static void out_again(uint16_t *unit)
{
    out_word(R.last[0]);
    out_word(++R.last[1]);
    if (!(uint8_t)--unit[0])
        ring_take();
}

static void codec_unit(void)
{
    uint16_t *unit = oldest();
    uint8_t again = unit[0] >> 8 == EVENT_AGAIN && !R.behind && !R.bytes;
    if (again && (uint8_t)unit[0] > AGAIN) {
        ring_close(); /* no more of them here */
        R.bytes = unit[0] & (AGAIN - 1);
        R.byte = 2;
        again = 0;
    }
    if (R.bytes) {
        out_byte((const uint8_t *)unit);
        return;
    }
    if (again) {
        out_again(unit);
        return;
    }
    if (R.behind) {
        R.behind--;
        if (R.block)
            R.behind = (unit[0] + UNIT - 1) / UNIT; /* its bytes */
        R.block = 0;
    } else {
        R.last[0] = unit[0];
        R.last[1] = unit[1];
        R.behind = behind(unit);
        R.block = unit[0] >> 8 == EVENT_BLOCK;
    }
    out_word(unit[0]);
    out_word(unit[1]);
    ring_take();
}

/* As many units as there are, and as there is room for. */
static void codec_units(void)
{
    do
        codec_unit();
    while (ring_units() && !codec_waits());
}

static void codec_flush(void) {}
