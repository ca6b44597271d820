#include "serial_line.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "memory.h"
#include "motet/amount.h"
#include "sentence.h"

static const struct {
    unsigned rate;
    speed_t speed;
} speeds[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
              {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}};
enum { SPEEDS = sizeof speeds / sizeof *speeds };

static const speed_t *speed_of(uint64_t rate)
{
    for (unsigned i = 0; i < SPEEDS; i++)
        if (speeds[i].rate == rate)
            return &speeds[i].speed;
    return NULL;
}

bool serial_line_baud(const char *text, uint64_t *baud, struct motet_error *e)
{
    return (motet_read_number(text, UINT32_MAX, baud, e) && speed_of(*baud)) ||
           sentence(e, "'%s' is not a usual rate, such as 57600 or 115200", text);
}

static int open_device(const char *path, unsigned baud, struct motet_error *e)
{
    int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    struct termios t;
    if (fd < 0) {
        sentence(e, "cannot open %s: %s", path, strerror(errno));
        return -1;
    }
    if (tcgetattr(fd, &t) != 0) {
        sentence(e, "%s is not a serial port: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    t.c_cflag &= ~(tcflag_t)(CRTSCTS | CSTOPB);
    cfsetspeed(&t, *speed_of(baud));
    if (tcsetattr(fd, TCSANOW, &t) != 0) {
        sentence(e, "cannot set %s to %u baud: %s", path, baud, strerror(errno));
        close(fd);
        return -1;
    }
    tcflush(fd, TCIFLUSH);
    return fd;
}

static int open_connection(const char *place, const char *colon, struct motet_error *e)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    char *host = cli_text(place, (size_t)(colon - place));
    int error = getaddrinfo(*host ? host : "127.0.0.1", colon + 1, &hints, &found), fd = -1;
    free(host);
    if (error) {
        sentence(e, "cannot find %s: %s", place, gai_strerror(error));
        return -1;
    }
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
            error = errno;
            close(fd);
            fd = -1;
            errno = error;
        }
    }
    if (fd < 0)
        sentence(e, "cannot connect to %s: %s", place, strerror(errno));
    freeaddrinfo(found);
    return fd;
}

int serial_line_open(const char *place, unsigned baud, struct motet_error *e)
{
    const char *colon = strrchr(place, ':');
    if (colon && access(place, F_OK) != 0)
        return open_connection(place, colon, e);
    return open_device(place, baud, e);
}
