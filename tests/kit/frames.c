/* The host's end of the kit's serial packets (firmware/kit/serial.h), independent of the kit's own code.
 *
 * frames encode: reads lines `PROTOCOL TOKEN HEX` (a packet or an answer), `bad PROTOCOL TOKEN HEX` (with a wrong CRC),
 *     `short N` (an unfinished frame of N bytes) and `idle N` (N flags), and writes what goes over the line. PROTOCOL
 * is ack, acknowledged or plain; HEX can be -, for no data. frames decode: the other way; a frame that is not good is
 * written as `bad`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint16_t crc_of(const uint8_t *bytes, size_t count)
{
    uint16_t crc = 0;
    for (size_t i = 0; i < 8 * count; i++) {
        int bit = (crc >> 15 ^ bytes[i / 8] >> (7 - i % 8)) & 1;
        crc = (uint16_t)(crc << 1 ^ (bit ? 0x1021 : 0));
    }
    return crc;
}

static const char *const names[] = {"ack", "acknowledged", "plain"}; /* 67, 68, 69 */

static void put(uint8_t byte)
{
    if (byte == 0x7e || byte == 0x7d) {
        putchar(0x7d);
        byte ^= 0x20;
    }
    putchar(byte);
}

static void put_frame(const char *name, unsigned token, const char *hex, uint16_t damage)
{
    uint8_t frame[600];
    size_t count = 0;
    for (uint8_t i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0)
            frame[count++] = 67 + i;
    if (count == 0) {
        fprintf(stderr, "frames: no protocol is called %s\n", name);
        exit(2);
    }
    if (frame[0] != 69)
        frame[count++] = (uint8_t)token;
    for (unsigned byte; count < sizeof frame - 2 && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        frame[count++] = (uint8_t)byte;
    uint16_t crc = crc_of(frame, count) ^ damage;
    frame[count++] = crc & 0xff;
    frame[count++] = crc >> 8;
    putchar(0x7e);
    for (size_t i = 0; i < count; i++)
        put(frame[i]);
    putchar(0x7e);
}

static int encode(void)
{
    char line[1400], name[32], hex[1200];
    unsigned number;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "idle %u", &number) == 1) {
            while (number-- > 0)
                putchar(0x7e);
        } else if (sscanf(line, "short %u", &number) == 1) {
            printf("\x7e%c", 69);
            while (number-- > 0)
                putchar('x');
        } else if (sscanf(line, "bad %31s %u %1199s", name, &number, hex) == 3) {
            put_frame(name, number, hex, 0x100);
        } else if (sscanf(line, "%31s %u %1199s", name, &number, hex) == 3) {
            put_frame(name, number, hex, 0);
        } else {
            fprintf(stderr, "frames: cannot read: %s", line);
            return 2;
        }
    }
    return 0;
}

static void print_frame(const uint8_t *frame, size_t count)
{
    uint8_t heads = count && frame[0] == 69 ? 1 : 2;
    if (count < heads + 2u || frame[0] < 67 || frame[0] > 69 ||
        crc_of(frame, count - 2) != (frame[count - 2] | frame[count - 1] << 8)) {
        puts("bad");
        return;
    }
    printf("%s %u ", names[frame[0] - 67], heads == 2 ? frame[1] : 0);
    if (count == heads + 2u)
        putchar('-');
    for (size_t i = heads; i < count - 2; i++)
        printf("%02x", frame[i]);
    putchar('\n');
}

static int decode(void)
{
    uint8_t frame[600];
    size_t count = 0;
    uint8_t toggle = 0;
    for (int c; (c = getchar()) != EOF;) {
        if (c == 0x7e) {
            if (count)
                print_frame(frame, count);
            count = 0;
        } else if (c == 0x7d) {
            toggle = 0x20;
        } else if (count < sizeof frame) {
            frame[count++] = (uint8_t)c ^ toggle;
            toggle = 0;
        }
    }
    if (count)
        puts("bad");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "encode") == 0)
        return encode();
    if (argc == 2 && strcmp(argv[1], "decode") == 0)
        return decode();
    fprintf(stderr, "usage: frames encode|decode\n");
    return 2;
}
