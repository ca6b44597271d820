/* The bytes of an interface log: what the writer and the reader share (docs/interface-log-format.md). */
#ifndef INTERFACE_FORMAT_H
#define INTERFACE_FORMAT_H

#define INTERFACE_MAGIC      "motetif1" /* the last character is the version */
#define INTERFACE_MAGIC_SIZE 8

enum { INTERFACE_BLOCK = 4096 }; /* bytes from which on a block is written */

enum { FUNCTION_INSIDE = 1, FUNCTION_HANDLER = 2 };
enum { BUFFER_AT_CALL = 1, BUFFER_AT_RETURN = 2, BUFFER_CONTENT = 4 };
enum { FIELD_PLACE = 0x0f, FIELD_BIG_ENDIAN = 0x10 };
enum { EVENT_KIND = 0x1f, EVENT_INTERRUPTS = 0x20 };

#endif
