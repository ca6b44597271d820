/* UTF-8: texts of users and firmware, which may be any bytes. */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

/* How many bytes the character at `text` has; 0 if there is none: the byte begins no character of Unicode. */
unsigned utf8_length(const char *text);

#endif
