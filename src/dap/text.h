/* Texts and bytes as JSON takes them: UTF-8 and base64.
 *
 * Invariant: any bytes become a JSON string; those that are not UTF-8 become the replacement character.
 */
#ifndef DAP_TEXT_H
#define DAP_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

json_t *text_json(const char *text, size_t length);
json_t *text_string(const char *text);

json_t *text_base64(const uint8_t *bytes, size_t count);

/* The bytes, in memory to be freed; NULL if it is not base64. */
uint8_t *text_from_base64(const char *text, size_t *count);

#endif
