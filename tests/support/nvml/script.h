/* A library that stands in for libnvidia-ml.so.1: it answers as
 * COLTRACE_NVML_SCRIPT says, which is
 *     CALL[@GPU]=ANSWER[,ANSWER...];...
 * with an answer for each time that the call is made; the last one is that of
 * all later times. An answer is numbers with slashes between them, or !CODE, or
 * ~MS, which is 0 after that time. A list has + between its entries, "none" is
 * an empty one, and "?N" one that says N and gives nothing. A call
 * without a line is not supported.
 *
 * Layouts are written out as offsets, by the public header of the library, so
 * that a mistake of who reads them is seen. AGE says which names there are:
 * 1 none with a version, 2 _v2, 3 as the drivers 535.43 to 535.86, 4 new. */
#ifndef TESTS_NVML_SCRIPT_H
#define TESTS_NVML_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef AGE
#define AGE 4
#endif

#define GPUS 80
/* Behind them the MIG devices of each, which have numbers of their own: the one
 * at index 2 of GPU 1 answers to CALL@112. */
#define MIGS_AT 100
#define MIGS 10
#define DEVICES (MIGS_AT + GPUS * MIGS)

enum { OK, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SMALL = 7, TIMEOUT = 10 };

/* A device is one of these. */
extern char devices[DEVICES];
unsigned index_of(const void *device);

/* All calls are counted from 0 again. */
void forget_times(void);

/* Where the answers to a key begin; NULL: it has no line. */
const char *line_of(const char *key);

/* The answer whose turn it is, to be freed; NULL: there is no line. */
char *answer(const char *call, unsigned gpu);

/* Its numbers, up to `max`, others 0; returns its code. */
int ask(const char *call, const void *device, long long *to, unsigned max);
int ask_u32(const char *call, const void *device, unsigned *to);
int ask_u64(const char *call, const void *device, unsigned long long *to);

/* A list: `size` bytes an entry, made by `fill` of up to 8 numbers. */
int ask_list(const char *call, const void *device, unsigned *n, void *room,
	     size_t size, void (*fill)(void *entry, const long long *v));

/* Microseconds since 1970; a small number is counted from now. */
long long stamp(long long v);

void put(void *to, size_t at, const void *from, size_t n);
void put32(void *to, size_t at, long long v);
void put64(void *to, size_t at, long long v);

#define ONE(name, type) int name(void *device, type *to)
#define OF(name, type) int name(void *device, unsigned arg, type *to)

#endif
