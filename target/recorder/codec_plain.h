/* The plain codec: events as they are. The largest, and the easiest to trust. */
static uint8_t codec_take(uint8_t *bytes, uint8_t most)
{
    uint8_t count = 0;
    while (count < most && R.tail != R.head)
        bytes[count++] = R.ring[R.tail++ & (MOTET_RING - 1)];
    return count;
}
