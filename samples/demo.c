/* A small log cruncher, for the demo: makes log lines, parses them, groups them
 * by path, sorts the groups, packs the text. About two seconds of work that
 * looks like a program's: `demo [ROUNDS]`. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum {
	N_LINES = 40000,
	LINE_MAX_SIZE = 96,
	N_SLOTS = 1 << 16,
	WINDOW = 1 << 13,
};

struct entry {
	uint64_t time;
	uint32_t path, status, bytes;
};

struct group {
	uint64_t key, hits, bytes;
};

struct job {
	uint64_t seed;
	char *text;
	size_t size;
	struct entry *entries;
	struct group *groups, *sorted, *scratch;
	uint8_t *packed;
	uint32_t *window;
	long rounds;
	uint64_t sum;
};

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* -- Making the log -- */

NOINLINE static char *put_number(char *to, uint64_t v)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*to++ = digits[--n];
	return to;
}

NOINLINE static char *put_line(char *to, uint64_t time, uint64_t *seed)
{
	static const char *const verbs[] = { "GET", "PUT", "POST", "HEAD" };
	const char *verb = verbs[next(seed) % 4];
	size_t n = strlen(verb);

	to = put_number(to, time);
	*to++ = ' ';
	memcpy(to, verb, n);
	to += n;
	memcpy(to, " /item/", 7);
	to = put_number(to + 7, next(seed) % 5000 * (next(seed) % 7));
	*to++ = ' ';
	to = put_number(to, 200 + next(seed) % 4 * 100);
	*to++ = ' ';
	to = put_number(to, next(seed) % 100000);
	*to++ = '\n';
	return to;
}

NOINLINE static void make_log(struct job *j)
{
	char *to = j->text;

	for (uint64_t i = 0; i < N_LINES; i++)
		to = put_line(to, 1700000000 + i, &j->seed);
	j->size = (size_t)(to - j->text);
}

/* -- Reading it -- */

NOINLINE static const char *skip_word(const char *p)
{
	while (*p != ' ')
		p++;
	return p + 1;
}

NOINLINE static const char *parse_number(const char *p, uint64_t *out)
{
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	*out = v;
	return p + 1;
}

NOINLINE static const char *parse_line(const char *p, struct entry *e)
{
	uint64_t time, path, status, bytes;

	p = parse_number(p, &time);
	p = skip_word(p) + strlen("/item/");
	p = parse_number(p, &path);
	p = parse_number(p, &status);
	p = parse_number(p, &bytes);
	*e = (struct entry){ time, (uint32_t)path, (uint32_t)status,
			     (uint32_t)bytes };
	return p;
}

NOINLINE static void parse_log(struct job *j)
{
	const char *p = j->text;

	for (size_t i = 0; i < N_LINES; i++)
		p = parse_line(p, &j->entries[i]);
}

/* -- Grouping -- */

NOINLINE static size_t hash_key(uint64_t key)
{
	for (int i = 0; i < 6; i++)
		key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
	return (size_t)(key >> 40);
}

NOINLINE static struct group *find_group(struct group *slots, uint64_t key)
{
	size_t i = hash_key(key) % N_SLOTS;

	while (slots[i].key && slots[i].key != key)
		i = (i + 1) % N_SLOTS;
	slots[i].key = key;
	return &slots[i];
}

NOINLINE static size_t group_entries(struct job *j)
{
	size_t n = 0;

	memset(j->groups, 0, N_SLOTS * sizeof(*j->groups));
	for (size_t i = 0; i < N_LINES; i++) {
		struct entry *e = &j->entries[i];
		struct group *g = find_group(j->groups, e->path + 1u);

		g->hits++;
		g->bytes += e->bytes;
	}
	for (size_t i = 0; i < N_SLOTS; i++)
		if (j->groups[i].key)
			j->sorted[n++] = j->groups[i];
	return n;
}

/* -- Sorting -- */

NOINLINE static bool goes_before(const struct group *a, const struct group *b)
{
	return a->hits != b->hits ? a->hits > b->hits : a->bytes > b->bytes;
}

NOINLINE static void merge(struct group *to, const struct group *a, size_t n_a,
			   const struct group *b, size_t n_b)
{
	while (n_a && n_b) {
		if (goes_before(b, a)) {
			*to++ = *b++;
			n_b--;
		} else {
			*to++ = *a++;
			n_a--;
		}
	}
	memcpy(to, a, n_a * sizeof(*a));
	memcpy(to + n_a, b, n_b * sizeof(*b));
}

NOINLINE static void merge_sort(struct group *v, size_t n, struct group *tmp)
{
	if (n < 2)
		return;
	merge_sort(v, n / 2, tmp);
	merge_sort(v + n / 2, n - n / 2, tmp);
	merge(tmp, v, n / 2, v + n / 2, n - n / 2);
	memcpy(v, tmp, n * sizeof(*v));
}

/* -- Packing -- */

NOINLINE static size_t match_length(const char *a, const char *b, size_t max)
{
	size_t n = 0;

	while (n < max && a[n] == b[n])
		n++;
	return n;
}

NOINLINE static size_t find_match(struct job *j, size_t at, size_t *back)
{
	uint32_t word, *slot;
	size_t max = j->size - at < 255 ? j->size - at : 255, n;

	memcpy(&word, j->text + at, sizeof(word));
	slot = &j->window[word * 2654435761u >> 19];
	*back = at - *slot;
	n = match_length(j->text + *slot, j->text + at, max);
	*slot = (uint32_t)at;
	return *back ? n : 0;
}

NOINLINE static uint32_t checksum(const uint8_t *p, size_t n)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < n; i++) {
		a = (a + p[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

NOINLINE static uint32_t pack_log(struct job *j)
{
	uint8_t *to = j->packed;
	size_t back, n;

	memset(j->window, 0, WINDOW * sizeof(*j->window));
	for (size_t at = 0; at + 4 < j->size; at += n ? n : 1) {
		n = find_match(j, at, &back);
		if (n < 4)
			n = 0;
		*to++ = n ? (uint8_t)n : (uint8_t)j->text[at];
		if (n)
			*to++ = (uint8_t)back;
	}
	return checksum(j->packed, (size_t)(to - j->packed));
}

static void *crunch(void *arg)
{
	struct job *j = arg;

	for (long i = 0; i < j->rounds; i++) {
		size_t n;

		make_log(j);
		parse_log(j);
		n = group_entries(j);
		merge_sort(j->sorted, n, j->scratch);
		j->sum += pack_log(j) + j->sorted[0].hits;
	}
	return NULL;
}

static bool job_init(struct job *j, uint64_t seed, long rounds)
{
	*j = (struct job){ .seed = seed, .rounds = rounds };
	j->text = malloc(N_LINES * LINE_MAX_SIZE);
	j->entries = malloc(N_LINES * sizeof(*j->entries));
	j->groups = malloc(N_SLOTS * sizeof(*j->groups));
	j->sorted = malloc(N_SLOTS * sizeof(*j->sorted));
	j->scratch = malloc(N_SLOTS * sizeof(*j->scratch));
	j->packed = malloc(2 * N_LINES * LINE_MAX_SIZE);
	j->window = malloc(WINDOW * sizeof(*j->window));
	return j->text && j->entries && j->groups && j->sorted && j->scratch &&
	       j->packed && j->window;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 120;
	struct job a, b;
	pthread_t t;

	if (!job_init(&a, 1, rounds) || !job_init(&b, 2, rounds / 2) ||
	    pthread_create(&t, NULL, crunch, &b)) {
		fputs("demo: out of memory\n", stderr);
		return 1;
	}
	crunch(&a);
	pthread_join(t, NULL);
	printf("%016llx\n", (unsigned long long)(a.sum ^ b.sum));
	return 0;
}
