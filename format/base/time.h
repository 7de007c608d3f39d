/* Nanoseconds: reading clocks, parsing and printing spans of time. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NSEC_PER_SEC 1000000000u

/* A moment in a message, "12.345678" of seconds: printf(TIME_MOMENT " s",
 * TIME_MOMENT_OF(ns)). */
#define TIME_MOMENT "%" PRIu64 ".%06" PRIu64
#define TIME_MOMENT_OF(ns) (ns) / NSEC_PER_SEC, (ns) % NSEC_PER_SEC / 1000

uint64_t time_now_ns(clockid_t clock);

/* "1.5s", "200ms", "10us", "7ns", "2m", "1h"; a bare number counts in `unit`
 * ns. The whole text must be used up; false on anything else or past 2^64. */
bool time_parse(const char *text, uint64_t unit, uint64_t *ns);

/* "1.234 s", "5.6 ms", "7 us", "12 ns" into to, always NUL-terminated. */
#define TIME_TEXT 32
void time_format(char to[TIME_TEXT], uint64_t ns);

#endif
