#include "keep.h"

#include "disseminate.h"
#include "log_radio.h"
#include "recorder.h"

static bool given;

static void keep(uint32_t about)
{
    (void)about;
    if (given)
        return;
    given = true;
    if (motet_freeze)
        motet_freeze();
}

void keep_all(uint16_t about)
{
    if (given)
        return;
    disseminate_change(about);
    keep(about);
}

bool keep_given(void)
{
    return given;
}

void keep_start(void)
{
    disseminate_start(keep);
    log_radio_start();
}
