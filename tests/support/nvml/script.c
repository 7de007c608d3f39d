#include "tests/support/nvml/script.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMES 400

char devices[DEVICES];
static struct { char key[48]; unsigned n; } times[TIMES];

/* How often that was asked for before. */
static unsigned count_of(const char *key)
{
	size_t i = 0;

	while (i < TIMES - 1 && *times[i].key && strcmp(times[i].key, key))
		i++;
	snprintf(times[i].key, sizeof(times[i].key), "%s", key);
	return times[i].n++;
}

unsigned index_of(const void *device)
{
	return (unsigned)((const char *)device - devices);
}

/* Where the answers to `key` begin; NULL: it has no line. */
const char *line_of(const char *key)
{
	const char *at = getenv("COLTRACE_NVML_SCRIPT");
	size_t n = strlen(key);

	for (; at && *at; at = strchr(at, ';'), at = at ? at + 1 : NULL)
		if (!strncmp(at, key, n) && at[n] == '=')
			return at + n + 1;
	return NULL;
}

/* The answer whose turn it is, in memory of its own; NULL: none. */
char *answer(const char *call, unsigned gpu)
{
	char key[48];
	const char *at, *end;
	unsigned n;

	snprintf(key, sizeof(key), "%s@%u", call, gpu);
	n = count_of(key);
	at = line_of(key);
	if (!at)
		at = line_of(call);
	if (!at)
		return NULL;
	for (; n; n--) {
		end = at + strcspn(at, ",;");
		if (*end != ',')
			break;
		at = end + 1;
	}
	return strndup(at, strcspn(at, ",;"));
}

static unsigned numbers(const char *text, long long *to, unsigned max)
{
	unsigned n = 0;
	char *end;

	while (n < max) {
		/* All ones need the unsigned one. */
		to[n] = *text == '-' ? strtoll(text, &end, 0) :
				       (long long)strtoull(text, &end, 0);
		if (end == text)
			break;
		n++;
		if (*end != '/')
			break;
		text = end + 1;
	}
	return n;
}

/* Up to `max` numbers; those that are not there are 0. */
int ask(const char *call, const void *device, long long *to,
	       unsigned max)
{
	char *text = answer(call, index_of(device));
	int code = NOT_SUPPORTED;
	char *after;

	memset(to, 0, max * sizeof(*to));
	if (text && *text == '!') {
		code = atoi(text + 1);
	} else if (text && *text == '~') {
		poll(NULL, 0, (int)strtol(text + 1, &after, 0));
		code = OK;
	} else if (text) {
		code = numbers(text, to, max) ? OK : NOT_SUPPORTED;
	}
	free(text);
	return code;
}

int ask_u32(const char *call, const void *device, unsigned *to)
{
	long long v;
	int code = ask(call, device, &v, 1);

	if (!code)
		*to = (unsigned)v;
	return code;
}

int ask_u64(const char *call, const void *device,
		   unsigned long long *to)
{
	long long v;
	int code = ask(call, device, &v, 1);

	if (!code)
		*to = (unsigned long long)v;
	return code;
}

void put(void *to, size_t at, const void *from, size_t n)
{
	memcpy((char *)to + at, from, n);
}

void put32(void *to, size_t at, long long v)
{
	uint32_t x = (uint32_t)v;

	put(to, at, &x, 4);
}

void put64(void *to, size_t at, long long v)
{
	put(to, at, &v, 8);
}

/* A list: `size` bytes an entry, made by `fill` from its numbers. */
int ask_list(const char *call, const void *device, unsigned *n,
		    void *room, size_t size,
		    void (*fill)(void *entry, const long long *v))
{
	char *text = answer(call, index_of(device)), *at = text;
	unsigned have = 0, i;
	int code = OK;

	if (!text)
		return NOT_SUPPORTED;
	if (*text == '!')
		code = atoi(text + 1);
	else if (*text == '?')
		*n = (unsigned)strtoul(text + 1, NULL, 0);
	else if (strcmp(text, "none")) {
		for (have = 1; (at = strchr(at, '+')); at++)
			have++;
		code = room && *n >= have ? OK : TOO_SMALL;
		at = text;
		for (i = 0; !code && i < have; i++) {
			long long v[8] = { 0 };

			numbers(at, v, 8);
			fill((char *)room + i * size, v);
			at = strchr(at, '+');
			at += at != NULL;
		}
		*n = have;
	} else
		*n = 0;
	free(text);
	return code;
}

/* A small one is counted from now. */
long long stamp(long long v)
{
	struct timespec t;

	if (v > 1000000000000)
		return v;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000 + v;
}

void forget_times(void)
{
	memset(times, 0, sizeof(times));
}
