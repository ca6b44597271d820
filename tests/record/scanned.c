/* usage: scanned BOARD FIRMWARE...
 * The scan for reads that are not recorded finds none in these firmwares, all of which motet cc has compiled. */
#include <stdio.h>

#include "board/board.h"
#include "chip/chip.h"
#include "image/image.h"
#include "record/scan.h"

int main(int argc, char **argv)
{
    size_t found = 0;
    for (int i = 2; i < argc; i++) {
        struct motet_error e = {""};
        struct scan s;
        char place[200];
        if (!scan_program(argv[i], board_named(argv[1])->chip, &s, &e)) {
            fprintf(stderr, "scanned: %s\n", e.text);
            return 1;
        }
        struct image *image = image_load(argv[i], &e);
        for (size_t k = 0; k < s.count; k++)
            printf("%s: %s reads %s (0x%x)\n", argv[i], image_place(image, s.reads[k].at, place, sizeof place),
                   s.reads[k].name, (unsigned)s.reads[k].address);
        found += s.count;
        image_free(image);
        scan_free(&s);
    }
    return found != 0;
}
