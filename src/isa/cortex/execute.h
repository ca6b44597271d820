/* Execution of Thumb code: isa->run and isa->show. */
#ifndef ISA_CORTEX_EXECUTE_H
#define ISA_CORTEX_EXECUTE_H

#include "node/node.h"

void cortex_run(struct node *n);
void cortex_show(struct node *n);

#endif
