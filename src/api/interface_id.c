/* Which public headers the library was built with. */
#include "interface_id.h"

#include "motet/motet.h"

const char *motet_interface_id(void)
{
    return MOTET_INTERFACE_ID;
}
