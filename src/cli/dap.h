/* What `motet dap` and the verbs that can be debugged share: the editor at the other end. */
#ifndef CLI_DAP_H
#define CLI_DAP_H

#include "debug.h"
#include "motet/dap.h"

/* Serves the editor that launched this, or those that attach where the options say; returns the exit status. */
int dap_serve(motet_dap *d, const struct debug_options *o);

/* Shows the client what was printed since the last time. */
void dap_show(motet_dap_client *c);

#endif
