#include "tests/support/tracedatbuild.h"

#include "tests/support/tracedatformats.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static void put_text(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text) + 1);
}

void tdb_init(struct tdb *t, int version, bool big, unsigned long_size)
{
	*t = (struct tdb){
		.version = version,
		.big = big,
		.long_size = long_size,
		.codec = "none",
		.clock = "local global [mono] boot",
		.kallsyms = "",
		.printk = "",
		.comms = "10 one\n11 two words\n",
	};
	for (unsigned b = 0; b < TDB_BUFFERS; b++)
		for (unsigned c = 0; c < TDB_CPUS; c++)
			buf_init(&t->pages[b][c], 0);
	buf_init(&t->payload, 0);
}

void tdb_fini(struct tdb *t)
{
	for (unsigned b = 0; b < TDB_BUFFERS; b++)
		for (unsigned c = 0; c < TDB_CPUS; c++)
			buf_fini(&t->pages[b][c]);
	buf_fini(&t->payload);
}

/* -- Pages ----------------------------------------------------------------- */

static void overwrite(struct buf *b, size_t at, bool big, size_t size,
		      uint64_t v)
{
	size_t n = b->n;

	b->n = at;
	tdb_put(b, big, size, v);
	b->n = n;
}

static size_t head_size(const struct tdb *t)
{
	return 8 + t->long_size;
}

/* The last page is filled up with zeros. */
static void close_page(struct tdb *t, unsigned buffer, unsigned cpu)
{
	struct buf *b = &t->pages[buffer][cpu];

	if (b->n % TDB_PAGE)
		buf_zero(b, TDB_PAGE - b->n % TDB_PAGE);
}

static uint64_t commit_of(const struct tdb *t, const struct buf *b, size_t at)
{
	uint64_t v = 0;

	for (size_t i = 0; i < t->long_size; i++)
		v |= (uint64_t)b->p[at + 8 + i]
		     << 8 * (t->big ? t->long_size - 1 - i : i);
	return v;
}

void tdb_page(struct tdb *t, unsigned buffer, unsigned cpu, uint64_t time,
	      uint64_t lost)
{
	struct buf *b = &t->pages[buffer][cpu];

	close_page(t, buffer, cpu);
	t->open[buffer][cpu] = b->n;
	tdb_put(b, t->big, 8, time);
	tdb_put(b, t->big, t->long_size, !lost ? 0 :
	    lost == UINT64_MAX ? 1u << 31 : 3u << 30);
	/* The number stands behind the records: none follow in such a page. */
	if (lost && lost != UINT64_MAX)
		tdb_put(b, t->big, t->long_size, lost);
}

static void commit_bytes(struct tdb *t, unsigned buffer, unsigned cpu)
{
	struct buf *b = &t->pages[buffer][cpu];
	size_t at = t->open[buffer][cpu];
	uint64_t flags = commit_of(t, b, at) & (3u << 30);

	overwrite(b, at + 8, t->big, t->long_size,
		  flags | (b->n - at - head_size(t)));
}

static void put_head(struct tdb *t, struct buf *b, unsigned type,
		     uint32_t delta)
{
	tdb_put(b, t->big, 4, t->big ? type << 27 | delta : delta << 5 | type);
}

void tdb_begin(struct tdb *t, unsigned id, int32_t pid)
{
	buf_clear(&t->payload);
	tdb_number(t, 2, id);
	tdb_number(t, 1, 1); /* flags */
	tdb_number(t, 1, 2); /* preempt count */
	tdb_number(t, 4, (uint32_t)pid);
}

void tdb_number(struct tdb *t, size_t size, uint64_t v)
{
	/* A 32-bit machine aligns eight bytes to four. */
	size_t align = size < t->long_size ? size : t->long_size;

	while (t->payload.n % align)
		buf_u8(&t->payload, 0);
	tdb_put(&t->payload, t->big, size, v);
}

void tdb_long(struct tdb *t, uint64_t v)
{
	tdb_number(t, t->long_size, v);
}

void tdb_bytes(struct tdb *t, const void *p, size_t n)
{
	buf_put(&t->payload, p, n);
}

void tdb_commit(struct tdb *t, unsigned buffer, unsigned cpu, uint32_t delta)
{
	struct buf *b = &t->pages[buffer][cpu];
	size_t n = (t->payload.n + 3) & ~(size_t)3;

	if (n / 4 <= 28) {
		put_head(t, b, (unsigned)(n / 4), delta);
	} else {
		put_head(t, b, 0, delta);
		tdb_put(b, t->big, 4, n + 4);
	}
	buf_put(b, t->payload.p, t->payload.n);
	buf_zero(b, n - t->payload.n);
	commit_bytes(t, buffer, cpu);
}

void tdb_event(struct tdb *t, unsigned buffer, unsigned cpu, unsigned type,
	       uint64_t value, uint32_t size)
{
	struct buf *b = &t->pages[buffer][cpu];

	put_head(t, b, type, (uint32_t)(value & ((1u << 27) - 1)));
	if (type == 29) {
		tdb_put(b, t->big, 4, size);
		buf_zero(b, size - 4);
	} else {
		tdb_put(b, t->big, 4, value >> 27);
	}
	commit_bytes(t, buffer, cpu);
}

/* -- Parts ----------------------------------------------------------------- */

static void put_sized(const struct tdb *t, struct buf *to, size_t size,
		      const char *text)
{
	tdb_put(to, t->big, size, strlen(text));
	buf_put(to, text, strlen(text));
}

static void put_headers(const struct tdb *t, struct buf *to)
{
	struct buf text;

	buf_init(&text, 0);
	buf_printf(&text, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\t"
		   "signed:0;\n\tfield: local_t commit;\toffset:8;\tsize:%u;\t"
		   "signed:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\t"
		   "signed:1;\n\tfield: char data;\toffset:%zu;\tsize:%zu;\t"
		   "signed:1;\n", t->long_size, head_size(t),
		   TDB_PAGE - head_size(t));
	buf_u8(&text, 0);
	put_text(to, "header_page");
	put_sized(t, to, 8, (const char *)text.p);
	put_text(to, "header_event");
	put_sized(t, to, 8, "# compressed entry header\n");
	buf_fini(&text);
}

static void put_part(const struct tdb *t, struct buf *to, unsigned i)
{
	switch (i) {
	case 0:
		put_headers(t, to);
		break;
	case 1:
		tdb_formats_ftrace(to, t);
		break;
	case 2:
		tdb_formats_systems(to, t);
		break;
	case 3:
		put_sized(t, to, 4, t->kallsyms);
		break;
	case 4:
		put_sized(t, to, 4, t->printk);
		break;
	default:
		put_sized(t, to, 8, t->comms);
		break;
	}
}

static void put_option(const struct tdb *t, struct buf *to, uint16_t id,
		       const void *p, size_t n)
{
	tdb_put(to, t->big, 2, id);
	tdb_put(to, t->big, 4, n);
	buf_put(to, p, n);
}

static unsigned buffers(const struct tdb *t)
{
	return t->instances ? 2 : 1;
}

static void put_head_of_file(const struct tdb *t, struct buf *to)
{
	buf_put(to, "\x17\x08\x44tracing", 10);
	put_text(to, t->version == 6 ? "6" : "7");
	buf_u8(to, t->big);
	buf_u8(to, (uint8_t)t->long_size);
	tdb_put(to, t->big, 4, TDB_PAGE);
}

/* Pages lie at pages. */
static void align(struct buf *to)
{
	if (to->n % TDB_PAGE)
		buf_zero(to, TDB_PAGE - to->n % TDB_PAGE);
}

/* -- Version 6 ------------------------------------------------------------- */

static uint32_t cpus(const struct tdb *t)
{
	return t->cpus ? t->cpus : TDB_CPUS;
}

/* Room for where the pages will be; filled in by put_pages(). */
static size_t put_extents(const struct tdb *t, struct buf *to)
{
	size_t at = to->n;

	buf_zero(to, 16u * cpus(t));
	return at;
}

static void put_pages(const struct tdb *t, struct buf *to, unsigned b,
		      size_t extents)
{
	for (unsigned c = 0; c < TDB_CPUS && c < cpus(t); c++) {
		align(to);
		overwrite(to, extents + 16 * c, t->big, 8, to->n);
		overwrite(to, extents + 16 * c + 8, t->big, 8,
			  t->pages[b][c].n);
		buf_put(to, t->pages[b][c].p, t->pages[b][c].n);
	}
}

static void put_version_6(const struct tdb *t, struct buf *to)
{
	static const uint8_t foo[8 + 4] = "\0\0\0\0\0\0\0\0foo";
	size_t place = 0, extents[2];

	for (unsigned i = 0; i < 6; i++)
		put_part(t, to, i);
	tdb_put(to, t->big, 4, t->said ? t->said : cpus(t));
	buf_put(to, "options  ", 10);
	put_option(t, to, 4, "", 0); /* the clocks stand further down */
	for (size_t i = 0; i < t->n_options; i++)
		put_option(t, to, t->options[i].id, t->options[i].p,
			   t->options[i].n);
	if (t->instances) {
		put_option(t, to, 3, foo, sizeof(foo));
		place = to->n - sizeof(foo);
	}
	tdb_put(to, t->big, 2, 0);
	buf_put(to, "flyrecord", 10);
	extents[0] = put_extents(t, to);
	put_sized(t, to, 8, t->clock);
	put_pages(t, to, 0, extents[0]);
	if (!t->instances)
		return;
	overwrite(to, place, t->big, 8, to->n);
	buf_put(to, "flyrecord", 10);
	extents[1] = put_extents(t, to);
	put_pages(t, to, 1, extents[1]);
}

/* -- Version 7 ------------------------------------------------------------- */

static void pack(const struct tdb *t, struct buf *to, const void *p, size_t n)
{
	size_t room = ZSTD_compressBound(n) + compressBound((uLong)n), got = 0;
	uint8_t *out = malloc(room);
	uLongf z = (uLongf)room;

	if (strcmp(t->codec, "zstd") == 0)
		got = ZSTD_compress(out, room, p, n, 3);
	else if (compress(out, &z, p, (uLong)n) == Z_OK)
		got = z;
	tdb_put(to, t->big, 4, got);
	tdb_put(to, t->big, 4, n);
	buf_put(to, out, got);
	free(out);
}

static bool packs(const struct tdb *t)
{
	return strcmp(t->codec, "none") != 0;
}

static size_t begin_section(const struct tdb *t, struct buf *to, uint16_t id,
			    bool packed)
{
	size_t at = to->n;

	tdb_put(to, t->big, 2, id);
	tdb_put(to, t->big, 2, packed);
	tdb_put(to, t->big, 4, 0);
	tdb_put(to, t->big, 8, 0);
	return at;
}

static void end_section(const struct tdb *t, struct buf *to, size_t at)
{
	overwrite(to, at + 8, t->big, 8, to->n - at - 16);
}

static size_t put_section(const struct tdb *t, struct buf *to, uint16_t id,
			  const struct buf *content)
{
	bool packed = packs(t) && id != 0;
	size_t at = begin_section(t, to, id, packed);

	if (packed)
		pack(t, to, content->p, content->n);
	else
		buf_put(to, content->p, content->n);
	end_section(t, to, at);
	return at;
}

/* Two pages a chunk. trace-cmd 3.1 leaves the four bytes of their number out of
 * the size. */
static size_t put_chunks(const struct tdb *t, struct buf *to,
			 const struct buf *pages)
{
	const size_t step = 2 * TDB_PAGE;
	size_t from = to->n;

	if (!pages->n)
		return 0;
	tdb_put(to, t->big, 4, (pages->n + step - 1) / step);
	for (size_t at = 0; at < pages->n; at += step)
		pack(t, to, pages->p + at,
		     pages->n - at < step ? pages->n - at : step);
	return to->n - from - 4;
}

/* The pages of a buffer, and the option that tells where they are. */
static void put_buffer(const struct tdb *t, struct buf *to, unsigned b,
		       struct buf *option)
{
	size_t at = begin_section(t, to, 3, packs(t));

	tdb_put(option, t->big, 8, at);
	put_text(option, b ? "foo" : "");
	put_text(option, "mono");
	tdb_put(option, t->big, 4, TDB_PAGE);
	tdb_put(option, t->big, 4, TDB_CPUS);
	for (unsigned c = 0; c < TDB_CPUS; c++) {
		size_t n = t->pages[b][c].n, from;

		if (!packs(t))
			align(to);
		from = to->n;
		if (packs(t))
			n = put_chunks(t, to, &t->pages[b][c]);
		else
			buf_put(to, t->pages[b][c].p, n);
		tdb_put(option, t->big, 4, c);
		tdb_put(option, t->big, 8, from);
		tdb_put(option, t->big, 8, n);
	}
	end_section(t, to, at);
}

/* A list of options that leads to the next one, which is where it ends. */
static size_t put_options(const struct tdb *t, struct buf *to,
			  struct buf *options, bool last)
{
	size_t next = to->n + 16 + options->n + 14;
	uint8_t place[8];
	struct buf b = { .p = place, .cap = sizeof(place) };

	tdb_put(&b, t->big, 8, last ? 0 : next);
	put_option(t, options, 0, place, sizeof(place));
	return put_section(t, to, 0, options);
}

static void put_version_7(const struct tdb *t, struct buf *to)
{
	struct buf first, second, part;
	size_t place;

	buf_init(&first, 0);
	buf_init(&second, 0);
	buf_init(&part, 0);
	put_text(to, t->codec);
	put_text(to, "1");
	place = to->n;
	tdb_put(to, t->big, 8, 0);
	for (uint16_t i = 0; i < 6; i++) {
		tdb_put(&first, t->big, 2, 16u + i);
		tdb_put(&first, t->big, 4, 8);
		buf_clear(&part);
		put_part(t, &part, i);
		tdb_put(&first, t->big, 8, put_section(t, to, 16 + i, &part));
	}
	put_option(t, &first, 4, t->clock, strlen(t->clock) + 1);
	for (size_t i = 0; i < t->n_options; i++)
		put_option(t, &first, t->options[i].id, t->options[i].p,
			   t->options[i].n);
	for (unsigned b = 0; b < buffers(t); b++) {
		buf_clear(&part);
		put_buffer(t, to, b, &part);
		put_option(t, &second, 3, part.p, part.n);
	}
	overwrite(to, place, t->big, 8, put_options(t, to, &first, false));
	put_options(t, to, &second, true);
	buf_fini(&first);
	buf_fini(&second);
	buf_fini(&part);
}

void tdb_file(struct tdb *t, struct buf *out)
{
	/* The last pages are whole in the file, too. */
	for (unsigned b = 0; b < TDB_BUFFERS; b++)
		for (unsigned c = 0; c < TDB_CPUS; c++)
			close_page(t, b, c);
	put_head_of_file(t, out);
	if (t->version == 6)
		put_version_6(t, out);
	else
		put_version_7(t, out);
}
