#include "record/import/perfdata/features.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "record/import/perfdata/bytes.h"
#include "record/import/perfdata/fields.h"
#include "record/import/perfdata/filters.h"
#include "record/perf/words.h"
#include "record/state/images.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A section is read whole: sizes of command lines and lists of build-ids. */
#define SECTION_MAX ((size_t)16 << 20)

#define SECTION_SIZE 16u

/* Since 5.11 the size of a build-id stands behind it, where this bit of the
 * header's misc says so. */
#define MISC_BUILD_ID_SIZE (1u << 15)
#define BUILD_ID_ROOM 24u

enum feature {
	TRACING_DATA = 1, BUILD_ID, HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS,
	CPUDESC, CPUID, TOTAL_MEM, CMDLINE, EVENT_DESC, CLOCKID = 23,
	DIR_FORMAT = 24, CLOCK_DATA = 29,
};

void rec_pd_trouble(struct rec_pd_described *d, const char *fmt, ...)
{
	va_list ap;

	if (d->trouble[0])
		return;
	va_start(ap, fmt);
	vsnprintf(d->trouble, sizeof(d->trouble), fmt, ap);
	va_end(ap);
}

/* -- One function a feature. false: it is cut short ------------------------- */

typedef bool feature_fn(struct rec_pd_described *d, struct rec_pd_fields *f,
			int *rc, struct err *err);

static void fact(struct rec_pd_described *d, const char *key, struct span s)
{
	if (s.n)
		rec_intake_fact(d->to, key, "%.*s", (int)s.n,
				(const char *)s.p);
}

static bool text_fact(struct rec_pd_described *d, struct rec_pd_fields *f,
		      const char *key)
{
	struct span s;

	if (!rec_pd_string(f, &s))
		return false;
	fact(d, key, s);
	return true;
}

static bool hostname(struct rec_pd_described *d, struct rec_pd_fields *f,
		     int *rc, struct err *err)
{
	(void)rc, (void)err;
	return text_fact(d, f, "hostname");
}

static bool release(struct rec_pd_described *d, struct rec_pd_fields *f,
		    int *rc, struct err *err)
{
	(void)rc, (void)err;
	return text_fact(d, f, "kernel");
}

static bool version(struct rec_pd_described *d, struct rec_pd_fields *f,
		    int *rc, struct err *err)
{
	(void)rc, (void)err;
	return text_fact(d, f, "import.version");
}

/* Names of machines, as uname(2) gives them, whose words have 32 bits. */
static bool is_narrow(struct span arch)
{
	static const char *const names[] = { "arm", "i386", "i486", "i586",
					     "i686", "ppc", "mips", "riscv32",
					     "s390", "sparc", "sh4" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (arch.n == strlen(names[i]) &&
		    !memcmp(arch.p, names[i], arch.n))
			return true;
	return arch.n > 4 && !memcmp(arch.p, "armv", 4) && arch.p[4] < '8';
}

static bool arch(struct rec_pd_described *d, struct rec_pd_fields *f, int *rc,
		 struct err *err)
{
	struct span s;

	(void)rc, (void)err;
	if (!rec_pd_string(f, &s))
		return false;
	fact(d, "arch", s);
	if (s.n && !d->tracing.long_size)
		rec_intake_fact(d->to, "pointer_size", "%d",
				is_narrow(s) ? 4 : 8);
	return true;
}

static bool cpus(struct rec_pd_described *d, struct rec_pd_fields *f, int *rc,
		 struct err *err)
{
	uint32_t available, online;

	(void)rc, (void)err;
	if (!rec_pd_u32(f, &available) || !rec_pd_u32(f, &online))
		return false;
	rec_intake_fact(d->to, "cpus", "%" PRIu32, online);
	return true;
}

static bool cpu_model(struct rec_pd_described *d, struct rec_pd_fields *f,
		      int *rc, struct err *err)
{
	(void)rc, (void)err;
	return text_fact(d, f, "cpu_model");
}

/* Quoted as a shell needs it. */
static void put_word(struct buf *b, struct span word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_=+./:,@%^";
	bool quote = !word.n;

	for (size_t i = 0; i < word.n; i++)
		quote |= !strchr(plain, word.p[i]);
	if (b->n)
		buf_u8(b, ' ');
	if (!quote) {
		buf_put(b, word.p, word.n);
		return;
	}
	buf_u8(b, '\'');
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '\'')
			buf_put(b, "'\\'", 3);
		buf_u8(b, word.p[i]);
	}
	buf_u8(b, '\'');
}

static bool command(struct rec_pd_described *d, struct rec_pd_fields *f,
		    int *rc, struct err *err)
{
	struct buf b;
	struct span word;
	uint32_t n;
	struct rec_pd_filters filters = { .events = { 0 } };
	bool whole = true;

	if (!rec_pd_u32(f, &n))
		return false;
	buf_init(&b, SECTION_MAX);
	while (whole && n--) {
		whole = rec_pd_string(f, &word);
		if (!whole)
			break;
		put_word(&b, word);
		rec_pd_filter_word(&filters, word, d->to);
	}
	if (buf_failed(&b))
		*rc = err_nomem(err);
	else
		fact(d, "command", span_of(b.p, b.n));
	rec_pd_filter_end(&filters, d->to);
	buf_fini(&b);
	return whole;
}

/* One event of the list: its name is that of the event at the same place, else
 * of the one with its ids. */
static bool event_desc(struct rec_pd_described *d, struct rec_pd_fields *f,
		       uint32_t attr_size, bool in_order, size_t i, int *rc,
		       struct err *err)
{
	struct rec_pd_fields own;
	struct span attr, name;
	uint32_t n_ids;
	uint64_t id;
	int event = in_order ? (int)i : -1;

	if (!span_take(&f->in, attr_size, &attr) || !rec_pd_u32(f, &n_ids) ||
	    !rec_pd_string(f, &name))
		return false;
	own = rec_pd_fields(f->in, f->foreign);
	if (n_ids > own.in.n / 8 || !rec_pd_skip(f, (size_t)n_ids * 8))
		return false;
	if (event < 0 && n_ids && rec_pd_u64(&own, &id))
		event = rec_pd_attrs_of_id(&d->attrs, id);
	if (event >= 0)
		*rc = rec_pd_attrs_name(&d->attrs, (size_t)event, name, err);
	return true;
}

static bool event_descs(struct rec_pd_described *d, struct rec_pd_fields *f,
			int *rc, struct err *err)
{
	uint32_t n, attr_size;
	bool whole = true;

	if (!rec_pd_u32(f, &n) || !rec_pd_u32(f, &attr_size))
		return false;
	for (size_t i = 0; whole && !*rc && i < n; i++)
		whole = event_desc(d, f, attr_size, n == d->attrs.n, i, rc,
				   err);
	return whole;
}

const char *rec_pd_clock_name(uint32_t id)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",
		[CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw",
		[CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	return id < ARRAY_LEN(names) && names[id] ? names[id] : "unknown";
}

static bool clock_data(struct rec_pd_described *d, struct rec_pd_fields *f,
		       int *rc, struct err *err)
{
	uint32_t v, id;
	uint64_t wall, own;

	(void)rc, (void)err;
	if (!rec_pd_u32(f, &v) || !rec_pd_u32(f, &id) ||
	    !rec_pd_u64(f, &wall) || !rec_pd_u64(f, &own))
		return false;
	rec_intake_fact(d->to, "clock", "%s", rec_pd_clock_name(id));
	rec_intake_clock(d->to, own, wall,
			 id == CLOCK_BOOTTIME ? own : 0);
	d->has_clock = true;
	return true;
}

static bool dir_format(struct rec_pd_described *d, struct rec_pd_fields *f,
		       int *rc, struct err *err)
{
	(void)f, (void)rc, (void)err;
	if (!d->folder)
		rec_pd_trouble(d, "it is one file of a folder (perf record "
			       "--threads), whose other files are not read "
			       "(try: the folder)");
	return true;
}

static bool build_ids(struct rec_pd_described *d, struct rec_pd_fields *f,
		      int *rc, struct err *err)
{
	while (f->in.n >= WORD && !*rc) {
		struct rec_pd_fields head = *f;
		struct span record;
		uint16_t size;

		(void)rec_pd_skip(&head, 6);
		(void)rec_pd_u16(&head, &size);
		if (size < WORD || !span_take(&f->in, size, &record))
			return false;
		*rc = rec_pd_build_id(d, record, err);
	}
	return true;
}

static const struct feature_row {
	unsigned number;
	const char *name;
	feature_fn *take;
} rows[] = {
	{ TRACING_DATA, "formats of tracepoints", NULL },
	{ BUILD_ID, "build-ids", build_ids },
	{ HOSTNAME, "hostname", hostname },
	{ OSRELEASE, "release", release },
	{ VERSION, "version", version },
	{ ARCH, "architecture", arch },
	{ NRCPUS, "number of CPUs", cpus },
	{ CPUDESC, "CPU model", cpu_model },
	{ CMDLINE, "command line", command },
	{ EVENT_DESC, "names of events", event_descs },
	{ DIR_FORMAT, "form of the folder", dir_format },
	{ CLOCK_DATA, "clock", clock_data },
};

int rec_pd_feature(struct rec_pd_described *d, unsigned number,
		   struct span body, struct err *err)
{
	struct rec_pd_fields f = rec_pd_fields(body, d->foreign);
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].number != number || !rows[i].take)
			continue;
		if (!rows[i].take(d, &f, &rc, err))
			rec_pd_trouble(d, "%s: cut short, or with a wrong "
				       "size", rows[i].name);
	}
	return rc;
}

/* -- Build-ids -------------------------------------------------------------- */

/* Behind the record's header: a process, which says user or guest, the id, a
 * path. The first files had no process; one path that all have tells. */
static void skip_pid(struct rec_pd_fields *f)
{
	static const char quirk[] = "nel.kallsyms]";
	struct rec_pd_fields look = *f;

	if (rec_pd_skip(&look, 4 + BUILD_ID_ROOM) &&
	    look.in.n >= sizeof(quirk) - 1 &&
	    !memcmp(look.in.p, quirk, sizeof(quirk) - 1))
		return;
	(void)rec_pd_skip(f, 4);
}

static bool is_kernel_path(struct span path)
{
	return path.n > 7 && (memmem(path.p, path.n, "[kernel", 7) ||
			      memmem(path.p, path.n, "vmlinux", 7));
}

static enum tf_image_kind kind_of(unsigned cpumode, struct span path)
{
	if (cpumode != PERF_RECORD_MISC_KERNEL)
		return rec_image_kind(path);
	return is_kernel_path(path) ? TF_IMAGE_KERNEL : TF_IMAGE_MODULE;
}

int rec_pd_build_id(struct rec_pd_described *d, struct span record,
		    struct err *err)
{
	struct rec_pd_fields f = rec_pd_fields(record, d->foreign);
	struct span id, path;
	uint32_t type;
	uint16_t misc;
	unsigned mode;

	if (!rec_pd_u32(&f, &type) || !rec_pd_u16(&f, &misc) ||
	    !rec_pd_skip(&f, 2))
		return 0;
	skip_pid(&f);
	if (!span_take(&f.in, BUILD_ID_ROOM, &id)) {
		rec_pd_trouble(d, "build-id cut short");
		return 0;
	}
	path = rec_pd_until_nul(f.in);
	id.n = misc & MISC_BUILD_ID_SIZE && id.p[REC_BUILD_ID_MAX] &&
			       id.p[REC_BUILD_ID_MAX] <= REC_BUILD_ID_MAX ?
		       id.p[REC_BUILD_ID_MAX] :
		       REC_BUILD_ID_MAX;
	mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (!path.n || mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    mode == PERF_RECORD_MISC_GUEST_USER)
		return 0;
	return rec_intake_build_id(d->to, kind_of(mode, path), path, id, err);
}

/* -- The sections of a file ------------------------------------------------- */

int rec_pd_tracing_section(struct rec_pd_described *d,
			   const struct rec_pd_section *s, int fd,
			   struct err *err)
{
	struct rec_pd_bytes in;
	struct err why;
	int rc = rec_pd_bytes_init(&in, fd, s->at, s->at + s->size,
				   REC_PD_TRACING_WINDOW, err);

	if (rc)
		return rc;
	rc = rec_pd_tracing_read(&d->tracing, &in, &why);
	rec_pd_bytes_fini(&in);
	if (rc == ERR_NOMEM || rc == ERR_IO)
		return err_set(err, rc, "%s", why.text);
	if (rc)
		rec_pd_trouble(d, "%.180s", why.text);
	return 0;
}

static const struct feature_row *row_of(unsigned number)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

static void add_lost(struct rec_pd_described *d, const char *name)
{
	size_t at = strlen(d->lost);

	snprintf(d->lost + at, sizeof(d->lost) - at, "%s%s", at ? ", " : "",
		 name);
}

static int section(struct rec_pd_described *d, unsigned number,
		   const struct rec_pd_section *s, int fd, uint64_t size,
		   struct err *err)
{
	struct rec_pd_section there = *s;
	bool cut = !rec_pd_clip(&there, size) || there.size < s->size;
	uint8_t *p;
	int rc;

	if (cut)
		add_lost(d, row_of(number)->name);
	/* Of formats those that are there are of use. */
	if (number == TRACING_DATA && there.at <= size && there.size)
		return rec_pd_tracing_section(d, &there, fd, err);
	if (cut || !s->size)
		return 0;
	if (s->size > SECTION_MAX) {
		rec_pd_trouble(d, "section of feature %u has %" PRIu64 " bytes",
			       number, s->size);
		return 0;
	}
	rc = rec_pd_load(&p, fd, s->at, s->size, SECTION_MAX, err);
	if (rc)
		return rc;
	rc = rec_pd_feature(d, number, span_of(p, (size_t)s->size), err);
	free(p);
	return rc;
}

static unsigned n_features(const struct rec_pd_header *h)
{
	unsigned n = 0;

	for (unsigned i = 0; i < REC_PD_FEATURES; i++)
		n += rec_pd_has(h, i);
	return n;
}

int rec_pd_features(struct rec_pd_described *d, const struct rec_pd_header *h,
		    int fd, uint64_t size, struct err *err)
{
	size_t n = n_features(h);
	struct rec_pd_fields f;
	uint8_t *p;
	int rc = 0;

	if (!n)
		return 0;
	if (h->features_at > size ||
	    n * SECTION_SIZE > size - h->features_at) {
		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			if (rec_pd_has(h, rows[i].number))
				add_lost(d, rows[i].name);
		return 0;
	}
	rc = rec_pd_load(&p, fd, h->features_at, n * SECTION_SIZE, SECTION_MAX,
			 err);
	if (rc)
		return rc;
	f = rec_pd_fields(span_of(p, n * SECTION_SIZE), h->foreign);
	for (unsigned i = 0; i < REC_PD_FEATURES && !rc; i++) {
		struct rec_pd_section s;

		if (!rec_pd_has(h, i) || !rec_pd_u64(&f, &s.at) ||
		    !rec_pd_u64(&f, &s.size) || !row_of(i))
			continue;
		rc = section(d, i, &s, fd, size, err);
	}
	free(p);
	return rc;
}
