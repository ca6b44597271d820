/* "Do not overwrite your logs": a command of one node to all of them.
 *
 * It is disseminated (disseminate.h): it needs no route, and a node that is cut off gets it when its links are back.
 * Every node that gets it ends its log there (motet_freeze) and goes on with its application. Then it answers requests
 * for the pages of its log over the radio (log_radio.h). Invariant: the first command counts; later ones change
 * nothing. The command's value is the address of the node that it is about.
 */
#ifndef KIT_KEEP_H
#define KIT_KEEP_H

#include <stdbool.h>
#include <stdint.h>

void keep_start(void); /* after radio_start() */
void keep_all(uint16_t about);
bool keep_given(void); /* the command, here */

#endif
