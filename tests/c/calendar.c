/* Dates by avr-libc's <time.h>: 64-bit division, structures and tables. */
#include <string.h>
#include <time.h>

#include "check.h"

int main(void)
{
    time_t t = opaque((time_t)(1700000000 - UNIX_OFFSET)); /* 2023-11-14 22:13:20 */
    struct tm date;
    gmtime_r(&t, &date);
    check(date.tm_year == 123 && date.tm_mon == 10 && date.tm_mday == 14 && date.tm_wday == 2 && date.tm_yday == 317);
    check(date.tm_hour == 22 && date.tm_min == 13 && date.tm_sec == 20);
    check(mk_gmtime(&date) == t);
    char text[30];
    isotime_r(&date, text);
    check(strcmp(text, "2023-11-14 22:13:20") == 0);
    strftime(text, sizeof text, "%a %d %b %Y", &date);
    check(strcmp(text, "Tue 14 Nov 2023") == 0);
    for (uint8_t i = 0; i < 40; i++) {
        t = check_random() >> 1;
        gmtime_r(&t, &date);
        check(mk_gmtime(&date) == t);
    }
    check(is_leap_year(2024) && !is_leap_year(2100) && is_leap_year(2000));
    exit(0);
}
