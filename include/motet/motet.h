/* Motet: run, observe and take apart networked microcontroller firmware.
 *
 * This is the public interface of the library; the command line uses nothing else. A *machine* is a firmware on a board
 * (or a bare chip): it never changes and can be shared. A *node* is one life of it. Nodes belong to a *network*, which
 * runs them; a node alone is a network of one. Everything nodes do is a function of their machines, the seed and what
 * is fed to them through this interface; observers see it and cannot change it. Nothing here keeps global state: any
 * number of machines and networks live side by side, also in different threads.
 *
 * A network's time is counted in nanoseconds. A node's own is counted in ticks, each one period of the board's main
 * oscillator (motet_machine_hz of them a second); motet_network_time converts exactly.
 *
 * Each header is about one noun; this one includes them all.
 */
#ifndef MOTET_MOTET_H
#define MOTET_MOTET_H

#define MOTET_API_VERSION 1

#include "motet/amount.h"
#include "motet/analysis.h"
#include "motet/cc.h"
#include "motet/check.h"
#include "motet/choice.h"
#include "motet/condition.h"
#include "motet/dap.h"
#include "motet/debug.h"
#include "motet/debugger.h"
#include "motet/energy.h"
#include "motet/engine.h"
#include "motet/error.h"
#include "motet/fault.h"
#include "motet/inspect.h"
#include "motet/log.h"
#include "motet/machine.h"
#include "motet/medium.h"
#include "motet/merge.h"
#include "motet/monitor.h"
#include "motet/native.h"
#include "motet/network.h"
#include "motet/node.h"
#include "motet/part.h"
#include "motet/plugin.h"
#include "motet/property.h"
#include "motet/remote.h"
#include "motet/saved.h"
#include "motet/scenario.h"
#include "motet/script.h"
#include "motet/slice.h"
#include "motet/sweep.h"
#include "motet/timeline.h"
#include "motet/trace.h"
#include "motet/variable.h"
#include "motet/watch.h"

#include "motet/base/begin.h"

/* Names the public headers that the library was built with, by a hash of all of them. A binding to another language,
 * which knows functions and structs by itself, compares it with the headers that it was made from. */
const char *motet_interface_id(void);

#include "motet/base/end.h"

#endif
