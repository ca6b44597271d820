#include "replay_remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "json.h"
#include "motet/remote.h"
#include "option.h"
#include "sentence.h"
#include "serial_line.h"

int replay_remote(motet_network *n, const struct replay_remote *o, bool json)
{
    struct motet_error e = {""};
    struct motet_remote_end end;
    int line = serial_line_open(o->place, (unsigned)o->baud, &e);
    if (line < 0)
        return complain("%s", e.text);
    struct motet_remote remote = {.firmware = o->firmware, .line = line, .patience = (unsigned)o->patience};
    bool good = motet_remote_replay(n, &remote, &end, &e);
    close(line);
    if (!good)
        return complain("%s", e.text);
    if (json) {
        printf("{\"calls\": %" PRIu64 ", \"compared\": %" PRIu64 ", \"differs\": %s, \"end\": ", end.calls,
               end.compared, end.differs ? "true" : "false");
        json_print(end.how);
        puts("}");
    } else if (end.differs) {
        fprintf(stderr, "motet: the node differs from the log: %s\n", end.how);
    } else {
        fprintf(stderr,
                "motet: replayed on the node: %" PRIu64 " values and bytes in %" PRIu64
                " calls out were as in the log; %s\n",
                end.compared, end.calls, end.how);
    }
    return end.differs ? STATUS_FAULT : 0;
}
