#include "record/import/perfdata/session.h"

#include "record/import/perfdata/mend.h"
#include "record/import/perfdata/swap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW ((size_t)1 << 20)

/* The kernel's own types end here. */
#define USER_TYPES 64u

/* Well behind what there is today. */
#define LAST_KERNEL_TYPE 40u
#define LAST_USER_TYPE 127u
#define LAST_SIMPLEPERF_TYPE (REC_PD_SIMPLEPERF + 127u)

static uint64_t place(const struct rec_pd_session *s, uint64_t at)
{
	return s->file << REC_PD_PLACE_FILE | at;
}

static bool asked_for_build_ids(const struct rec_pd_attrs *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].attr.build_id)
			return true;
	return false;
}

int rec_pd_session_init(struct rec_pd_session *s, struct rec_pd_described *d,
			const struct rec_pd_header *h, int fd,
			const struct rec_pd_order_config *order,
			struct err *err)
{
	int rc;

	*s = (struct rec_pd_session){ .d = d };
	s->stream.foreign = h->foreign;
	s->stream.complete = !h->cut && !h->not_closed && !h->pipe;
	rec_pd_skipped_init(&s->skipped, d->to);
	s->asked_for_build_ids = asked_for_build_ids(&d->attrs);
	rc = rec_pd_bytes_init(&s->stream.bytes, fd, h->data.at,
			       h->data.at + h->data.size, WINDOW, err);
	if (!rc)
		rc = rec_pd_order_init(&s->order, order, err);
	if (!rc)
		rc = rec_pd_take_init(&s->take, d, err);
	if (!rc) {
		s->native = malloc(UINT16_MAX);
		rc = s->native ? 0 : err_nomem(err);
	}
	if (rc)
		rec_pd_session_fini(s);
	return rc;
}

void rec_pd_session_fini(struct rec_pd_session *s)
{
	rec_pd_bytes_fini(&s->stream.bytes);
	rec_pd_inflate_fini(&s->inflate);
	rec_pd_order_fini(&s->order);
	rec_pd_take_fini(&s->take);
	free(s->native);
	*s = (struct rec_pd_session){ 0 };
}

/* -- Records of the kernel --------------------------------------------------*/

static bool is_used(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_LOST:
	case PERF_RECORD_COMM:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_FORK:
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_CGROUP:
		return true;
	default:
		return false;
	}
}

/* *record becomes native; false: it cannot. */
static bool make_native(struct rec_pd_session *s, struct span *record)
{
	struct span own = span_of(s->native, record->n);
	int event;

	memcpy(s->native, record->p, record->n);
	rec_pd_swap_head(s->native);
	event = rec_pd_attrs_of(&s->d->attrs, own, true);
	if (event < 0 ||
	    !rec_pd_swap_body(s->native, own.n,
			      &s->d->attrs.items[event].layout))
		return false;
	*record = own;
	return true;
}

/* What perf found, not what happened: of a time of 0 where records have times.
 * It holds for all that waits, as --tail-synthesize writes it behind that. */
static bool was_found(const struct rec_layout *layout, uint32_t type)
{
	if (!layout->sample_id_all || !(layout->sample_type & PERF_SAMPLE_TIME))
		return false;
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_CGROUP:
		return true;
	default:
		return false;
	}
}

/* A record without time keeps its place behind the one before it. One from
 * before all times is given out at once. */
static int put_in_order(struct rec_pd_session *s, uint64_t at,
			struct span record, uint64_t time, struct err *err)
{
	if (!time || time == UINT64_MAX)
		time = s->last;
	if (!time)
		return rec_pd_take(&s->take, 0, at, record, err);
	s->last = time;
	if (time > s->newest)
		s->newest = time;
	return rec_pd_order_push(&s->order, time, at, record, err);
}

static void mend_mapping(struct rec_pd_session *s, struct span *record)
{
	if (!rec_pd_mend_mmap2(s->native, record) && !s->stream.foreign &&
	    !s->asked_for_build_ids)
		(void)rec_pd_mend_build_id(s->native, record);
}

/* That of when it was is told by what stands beside it. */
static int skip(struct rec_pd_session *s, const struct rec_pd_raw *r,
		const char *why)
{
	rec_pd_take_senseless(&s->take, place(s, r->at), why);
	rec_pd_skipped_add(&s->skipped);
	return 0;
}

/* Whether it makes sense; its time, 0 where it has none, and its CPU, -1 where it
 * does not tell. */
static int check(const struct rec_pd_attr *attr, struct span record,
		 uint64_t *time, int *cpu, struct err *why)
{
	const struct rec_layout *layout = &attr->layout;
	struct rec_record r;
	int rc;

	if (rec_glance_fits(&attr->glance, record, time, cpu))
		return 0;
	rc = rec_decode(layout, record, &r, why);
	if (rc)
		return rc;
	*time = rec_decode_time(layout, record);
	*cpu = layout->sample_type & PERF_SAMPLE_CPU &&
			       (r.type == PERF_RECORD_SAMPLE ||
				layout->sample_id_all) ?
		       (int)(r.ids.cpu & INT32_MAX) : -1;
	return 0;
}

static int take_kernel(struct rec_pd_session *s, const struct rec_pd_raw *r,
		       struct err *err)
{
	const struct rec_pd_attr *attr;
	struct span record = r->bytes;
	struct err why;
	uint64_t time;
	int event, cpu;

	if (!is_used(r->type)) {
		rec_pd_unused_add(&s->unused, r->type);
		return 0;
	}
	if (r->type == PERF_RECORD_NAMESPACES) /* most of it is not */
		rec_pd_unused_add(&s->unused, r->type);
	if (s->stream.foreign && !make_native(s, &record))
		return skip(s, r, "it does not fit its layout");
	if (r->type == PERF_RECORD_MMAP2)
		mend_mapping(s, &record);
	event = rec_pd_attrs_of(&s->d->attrs, record, false);
	if (event < 0)
		return skip(s, r, "sample of no event");
	attr = &s->d->attrs.items[event];
	/* Later nobody knows any more what stood beside it in the file. */
	if (check(attr, record, &time, &cpu, &why))
		return skip(s, r, why.text);
	if (!time && was_found(&attr->layout, r->type))
		return rec_pd_take(&s->take, 0, place(s, r->at), record, err);
	if (time && time != UINT64_MAX)
		rec_pd_skipped_sound(&s->skipped, cpu, time);
	return put_in_order(s, place(s, r->at), record, time, err);
}

/* -- Records of perf --------------------------------------------------------*/

/* Perf has read all rings once: what comes behind the next time is newer than
 * what was there now. Not so of the files of a folder, which are read one after
 * another. */
static int finish_round(struct rec_pd_session *s, struct err *err)
{
	int rc;

	rec_pd_skipped_round(&s->skipped);
	if (s->folder)
		return 0;
	rc = rec_pd_order_flush(&s->order, s->settled, rec_pd_take, &s->take,
				err);
	s->settled = s->newest;
	return rc;
}

/* Kernels and perf number on from the last type that they have. One far from that
 * may have been a sample. */
static bool is_no_type(uint32_t type)
{
	return !type || (type > LAST_KERNEL_TYPE && type < USER_TYPES) ||
	       (type > LAST_USER_TYPE && type < REC_PD_SIMPLEPERF) ||
	       type > LAST_SIMPLEPERF_TYPE;
}

static int take_plain(struct rec_pd_session *s, const struct rec_pd_raw *r,
		      struct err *err)
{
	s->records++;
	if (is_no_type(r->type))
		rec_pd_skipped_add(&s->skipped);
	if (r->type < USER_TYPES)
		return take_kernel(s, r, err);
	if (r->type == REC_PD_FINISHED_ROUND)
		return finish_round(s, err);
	if (r->type == REC_PD_AUXTRACE)
		s->unused.aux_bytes += r->behind;
	rec_pd_unused_add(&s->unused, r->type);
	return 0;
}

/* The part of a compressed record that is of the stream; false: there is none.
 * The newer kind is padded, and says how much of it counts. */
static bool payload(const struct rec_pd_raw *r, bool foreign, struct span *out)
{
	struct rec_pd_fields f = rec_pd_fields(r->bytes, foreign);
	uint64_t size;

	(void)rec_pd_skip(&f, REC_PD_RECORD_HEAD);
	*out = f.in;
	if (r->type == REC_PD_COMPRESSED)
		return true;
	if (!rec_pd_u64(&f, &size) || size > f.in.n)
		return false;
	*out = span_of(f.in.p, (size_t)size);
	return true;
}

/* From here on no further record of the stream can be had. */
static void give_up(struct rec_pd_session *s, uint64_t at,
		    const struct err *why)
{
	s->broken = true;
	(void)err_set(&s->broken_why, ERR_FORMAT, "record at offset %" PRIu64
		      ": %.900s", at, why->text);
}

static int take_compressed(struct rec_pd_session *s, const struct rec_pd_raw *r,
			   struct err *err)
{
	bool foreign = s->stream.foreign;
	struct rec_pd_raw inner;
	struct span bytes;
	struct err why;
	int rc, end;

	if (s->broken)
		return 0;
	if (!payload(r, foreign, &bytes)) {
		(void)err_set(&why, ERR_FORMAT, "compressed records: a wrong "
			      "size");
		give_up(s, r->at, &why);
		return 0;
	}
	rc = rec_pd_inflate_feed(&s->inflate, bytes, err);
	for (end = 0; !rc && !end;) {
		end = rec_pd_inflate_next(&s->inflate, foreign, &bytes, &why);
		if (end)
			break;
		(void)rec_pd_raw_head(&inner, bytes, foreign);
		inner.at = r->at;
		rc = take_plain(s, &inner, err);
	}
	if (end < 0)
		give_up(s, r->at, &why);
	return rc;
}

static int take_record(struct rec_pd_session *s, const struct rec_pd_raw *r,
		       struct err *err)
{
	if (r->type == REC_PD_COMPRESSED || r->type == REC_PD_COMPRESSED2)
		return take_compressed(s, r, err);
	return take_plain(s, r, err);
}

/* -- All of them ------------------------------------------------------------*/

/* 0: to the end of the file; 1: up to what *why tells. */
static int take_all(struct rec_pd_session *s, struct err *why, struct err *err)
{
	struct rec_pd_raw r;
	int rc;

	for (;;) {
		rc = rec_pd_stream_peek(&s->stream, &r, why);
		if (rc == 1)
			return 0;
		if (rc == ERR_FORMAT)
			return 1;
		if (rc)
			return err_set(err, rc, "%s", why->text);
		rc = take_record(s, &r, err);
		if (rc)
			return rc;
		if (rec_pd_stream_next(&s->stream, &r, why))
			return 1;
	}
}

/* What is wrong with the file at hand, the worst first; told of one file. false:
 * nothing is. */
static bool note_trouble(struct rec_pd_session *s, int rc,
			 const struct err *why)
{
	const char *text = NULL;

	if (rc == 1)
		text = why->text;
	else if (s->broken)
		text = s->broken_why.text;
	else if (rec_pd_inflate_rest(&s->inflate))
		text = "the last compressed record is cut short";
	if (!text || s->trouble.text[0])
		return text;
	if (s->file)
		err_set(&s->trouble, ERR_FORMAT, "data.%" PRIu64 ": %.900s",
			s->file - 1, text);
	else
		err_set(&s->trouble, ERR_FORMAT, "%.950s", text);
	return true;
}

static int take_file(struct rec_pd_session *s, struct err *err)
{
	struct err why = { 0 };
	int rc = take_all(s, &why, err);

	if (rc < 0)
		return rc;
	rec_pd_skipped_file(&s->skipped, note_trouble(s, rc, &why));
	return 0;
}

/* Nothing of the file before goes on in the next one. */
static int take_further(struct rec_pd_session *s, size_t i, struct err *err)
{
	uint64_t size;
	int fd;
	int rc = rec_pd_folder_open(s->folder, i, &fd, &size, err);

	if (rc)
		return rc;
	s->file = s->folder->numbers[i] + UINT64_C(1);
	s->last = 0;
	s->broken = false;
	s->stream.complete = false; /* no header tells */
	rec_pd_inflate_fini(&s->inflate);
	rec_pd_bytes_fini(&s->stream.bytes);
	rc = rec_pd_bytes_init(&s->stream.bytes, fd, 0, size, WINDOW, err);
	if (!rc)
		rc = take_file(s, err);
	close(fd);
	return rc;
}

static int verdict(const struct rec_pd_session *s, struct err *err)
{
	if (s->trouble.text[0])
		return err_set(err, ERR_FORMAT, "%s", s->trouble.text), 1;
	if (s->take.senseless)
		return err_set(err, ERR_FORMAT, "%" PRIu64 " records make no "
			       "sense, the first: %s", s->take.senseless,
			       s->take.first_senseless), 1;
	return 0;
}

int rec_pd_session_run(struct rec_pd_session *s, struct err *err)
{
	int rc = rec_pd_take_begin(&s->take, err);

	if (!rc)
		rc = take_file(s, err);
	for (size_t i = 0; !rc && s->folder && i < s->folder->n; i++)
		rc = take_further(s, i, err);
	if (!rc)
		rc = rec_pd_order_flush(&s->order, UINT64_MAX, rec_pd_take,
					&s->take, err);
	rec_pd_skipped_end(&s->skipped, s->newest);
	if (!rc)
		rc = rec_pd_take_end(&s->take, err);
	if (rc < 0)
		return rc;
	rec_pd_unused_tell(&s->unused, s->d->to);
	return verdict(s, err);
}
