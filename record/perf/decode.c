#include "record/perf/decode.h"

#include "format/base/mem.h"
#include "record/perf/decode_sample.h"
#include "record/perf/words.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#define HEADER_SIZE 8u

/* The kernel's own types end here; perf.data adds types of the tool's own,
 * which have no trailer. */
#define USER_TYPES 64u

#define TRAILER                                                                \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |                 \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static size_t trailer_size(const struct rec_layout *l)
{
	if (!l->sample_id_all)
		return 0;
	return WORD * (size_t)__builtin_popcountll(l->sample_type & TRAILER);
}

/* Splits the trailer off the end of *body. */
static bool trailer(const struct rec_layout *l, struct span *body,
		    struct rec_ids *ids)
{
	size_t size = trailer_size(l);
	uint64_t type = l->sample_type;
	const uint8_t *p;

	if (size > body->n)
		return false;
	if (!size)
		return true;
	body->n -= size;
	p = body->p + body->n;
	if (type & PERF_SAMPLE_TID) {
		ids->pid = (int32_t)half_at(p);
		ids->tid = (int32_t)half_at(p + 4);
		p += WORD;
	}
	if (type & PERF_SAMPLE_TIME) {
		ids->time = word_at(p);
		p += WORD;
	}
	if (type & PERF_SAMPLE_ID) {
		ids->id = word_at(p);
		p += WORD;
	}
	if (type & PERF_SAMPLE_STREAM_ID) {
		ids->stream_id = word_at(p);
		p += WORD;
	}
	if (type & PERF_SAMPLE_CPU) {
		ids->cpu = half_at(p);
		p += WORD;
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		ids->id = word_at(p);
	return true;
}

static bool get_i32(struct span *in, int32_t *out)
{
	uint32_t v;

	if (!span_u32(in, &v))
		return false;
	*out = (int32_t)v;
	return true;
}

/* The trailer wins: the body of a FORK names the new task, its trailer the
 * task that was running. */
static void ids_from_body(struct rec_ids *ids, int32_t pid, int32_t tid)
{
	if (ids->pid == -1 && ids->tid == -1) {
		ids->pid = pid;
		ids->tid = tid;
	}
}

static bool take_mmap(struct span *in, struct rec_record *out)
{
	struct rec_mmap *m = &out->mmap;

	m->prot = out->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC;
	return get_i32(in, &m->pid) && get_i32(in, &m->tid) &&
	       span_u64(in, &m->start) && span_u64(in, &m->size) &&
	       span_u64(in, &m->offset) && span_cstr(in, &m->path);
}

static bool take_build_id(struct span *in, struct rec_mmap *m)
{
	struct span id;

	if (!span_u8(in, &m->build_id_size) || !span_skip(in, 3) ||
	    !span_take(in, REC_BUILD_ID_MAX, &id) ||
	    m->build_id_size > REC_BUILD_ID_MAX)
		return false;
	memcpy(m->build_id, id.p, m->build_id_size);
	return true;
}

static bool take_mmap2(struct span *in, struct rec_record *out)
{
	struct rec_mmap *m = &out->mmap;

	if (!get_i32(in, &m->pid) || !get_i32(in, &m->tid) ||
	    !span_u64(in, &m->start) || !span_u64(in, &m->size) ||
	    !span_u64(in, &m->offset))
		return false;
	if (out->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		if (!take_build_id(in, m))
			return false;
	} else if (!span_u32(in, &m->major) || !span_u32(in, &m->minor) ||
		   !span_u64(in, &m->inode) ||
		   !span_u64(in, &m->inode_generation)) {
		return false;
	}
	return span_u32(in, &m->prot) && span_u32(in, &m->flags) &&
	       span_cstr(in, &m->path);
}

static bool mmap_body(struct span *in, struct rec_record *out)
{
	bool ok = out->type == PERF_RECORD_MMAP ? take_mmap(in, out) :
						  take_mmap2(in, out);

	if (ok)
		ids_from_body(&out->ids, out->mmap.pid, out->mmap.tid);
	return ok;
}

static bool comm_body(struct span *in, struct rec_record *out)
{
	struct rec_comm *c = &out->comm;

	c->exec = out->misc & PERF_RECORD_MISC_COMM_EXEC;
	if (!get_i32(in, &c->pid) || !get_i32(in, &c->tid) ||
	    !span_cstr(in, &c->name))
		return false;
	ids_from_body(&out->ids, c->pid, c->tid);
	return true;
}

static bool task_body(struct span *in, struct rec_record *out)
{
	struct rec_task *t = &out->task;
	uint64_t time;

	if (!get_i32(in, &t->pid) || !get_i32(in, &t->parent_pid) ||
	    !get_i32(in, &t->tid) || !get_i32(in, &t->parent_tid) ||
	    !span_u64(in, &time))
		return false;
	ids_from_body(&out->ids, t->pid, t->tid);
	if (!out->ids.time)
		out->ids.time = time;
	return true;
}

static bool lost_body(struct span *in, struct rec_record *out)
{
	return span_u64(in, &out->lost.id) && span_u64(in, &out->lost.count);
}

static bool lost_samples_body(struct span *in, struct rec_record *out)
{
	return span_u64(in, &out->lost.count);
}

static bool throttle_body(struct span *in, struct rec_record *out)
{
	struct rec_ids body;

	if (!span_u64(in, &body.time) || !span_u64(in, &body.id) ||
	    !span_u64(in, &body.stream_id))
		return false;
	if (!out->ids.time)
		out->ids.time = body.time;
	if (!out->ids.id)
		out->ids.id = body.id;
	if (!out->ids.stream_id)
		out->ids.stream_id = body.stream_id;
	return true;
}

static bool ksymbol_body(struct span *in, struct rec_record *out)
{
	struct rec_ksymbol *k = &out->ksymbol;

	return span_u64(in, &k->address) && span_u32(in, &k->size) &&
	       span_u16(in, &k->type) && span_u16(in, &k->flags) &&
	       span_cstr(in, &k->name);
}

/* Pairs of device and inode, by kind. */
static bool namespaces_body(struct span *in, struct rec_record *out)
{
	struct rec_namespaces *ns = &out->namespaces;
	uint64_t n, device, inode;

	if (!get_i32(in, &ns->pid) || !get_i32(in, &ns->tid) ||
	    !span_u64(in, &n) || n > in->n / (2 * WORD))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (span_u64(in, &device) && span_u64(in, &inode) &&
		    i == PID_NS_INDEX)
			ns->pid_ns = inode;
	ids_from_body(&out->ids, ns->pid, ns->tid);
	return true;
}

static bool cgroup_body(struct span *in, struct rec_record *out)
{
	return span_u64(in, &out->cgroup.id) &&
	       span_cstr(in, &out->cgroup.path);
}

static bool switch_body(struct span *in, struct rec_record *out)
{
	struct rec_switch *s = &out->cswitch;

	s->out = out->misc & PERF_RECORD_MISC_SWITCH_OUT;
	s->preempt = out->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	s->other_pid = s->other_tid = -1;
	return out->type == PERF_RECORD_SWITCH ||
	       (get_i32(in, &s->other_pid) && get_i32(in, &s->other_tid));
}

static const struct body {
	const char *name;
	bool (*take)(struct span *in, struct rec_record *out);
} bodies[] = {
	[PERF_RECORD_MMAP] = { "MMAP", mmap_body },
	[PERF_RECORD_LOST] = { "LOST", lost_body },
	[PERF_RECORD_COMM] = { "COMM", comm_body },
	[PERF_RECORD_EXIT] = { "EXIT", task_body },
	[PERF_RECORD_THROTTLE] = { "THROTTLE", throttle_body },
	[PERF_RECORD_UNTHROTTLE] = { "UNTHROTTLE", throttle_body },
	[PERF_RECORD_FORK] = { "FORK", task_body },
	[PERF_RECORD_MMAP2] = { "MMAP2", mmap_body },
	[PERF_RECORD_LOST_SAMPLES] = { "LOST_SAMPLES", lost_samples_body },
	[PERF_RECORD_SWITCH] = { "SWITCH", switch_body },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { "SWITCH_CPU_WIDE", switch_body },
	[PERF_RECORD_NAMESPACES] = { "NAMESPACES", namespaces_body },
	[PERF_RECORD_KSYMBOL] = { "KSYMBOL", ksymbol_body },
	[PERF_RECORD_CGROUP] = { "CGROUP", cgroup_body },
};

static int other(const struct rec_layout *l, struct span body,
		 struct rec_record *out, struct err *err)
{
	const struct body *row = NULL;

	if (out->type >= USER_TYPES)
		return 0;
	if (body.n % WORD || !trailer(l, &body, &out->ids))
		return err_set(err, ERR_FORMAT, "record of type %" PRIu32
			       ": %zu bytes do not hold its trailer",
			       out->type, body.n);
	if (out->type < ARRAY_LEN(bodies))
		row = &bodies[out->type];
	if (!row || !row->take)
		return 0;
	memset(&out->mmap, 0, sizeof(out->mmap)); /* the largest of them */
	if (!row->take(&body, out))
		return err_set(err, ERR_FORMAT, "%s record cut short or with "
			       "a wrong size", row->name);
	return 0;
}

int rec_decode(const struct rec_layout *layout, struct span record,
	       struct rec_record *out, struct err *err)
{
	uint64_t head;
	size_t size;

	if (record.n < HEADER_SIZE)
		return err_set(err, ERR_FORMAT, "record of %zu bytes",
			       record.n);
	head = word_at(record.p);
	size = (size_t)(head >> 48);
	if (size != record.n)
		return err_set(err, ERR_FORMAT,
			       "record of %zu bytes that claims %zu",
			       record.n, size);
	out->type = (uint32_t)head;
	out->misc = (uint16_t)(head >> 32);
	out->ids = (struct rec_ids){ .pid = -1, .tid = -1 };
	record.p += HEADER_SIZE;
	record.n -= HEADER_SIZE;
	if (out->type == PERF_RECORD_SAMPLE)
		return rec_decode_sample(layout, record, out, err);
	return other(layout, record, out, err);
}

/* Where the time stands: bytes from the start of a sample's body. */
static size_t time_offset(uint64_t type)
{
	return (type & PERF_SAMPLE_IDENTIFIER ? WORD : 0) +
	       (type & PERF_SAMPLE_IP ? WORD : 0) +
	       (type & PERF_SAMPLE_TID ? WORD : 0);
}

/* Records that carry their time in the body: bytes from its start. */
static bool time_in_body(uint32_t type, size_t *at)
{
	switch (type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*at = 16;
		return true;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		*at = 0;
		return true;
	default:
		return false;
	}
}

bool rec_decode_id(const struct rec_layout *layout, struct span record,
		   uint64_t *id)
{
	if (record.n < HEADER_SIZE + WORD ||
	    half_at(record.p) != PERF_RECORD_SAMPLE ||
	    !(layout->sample_type & PERF_SAMPLE_IDENTIFIER))
		return false;
	*id = word_at(record.p + HEADER_SIZE);
	return true;
}

uint64_t rec_decode_time(const struct rec_layout *layout, struct span record)
{
	uint64_t kind = layout->sample_type;
	size_t at;
	uint32_t type;

	if (record.n < HEADER_SIZE)
		return 0;
	type = half_at(record.p);
	if (type == PERF_RECORD_SAMPLE) {
		if (!(kind & PERF_SAMPLE_TIME))
			return 0;
		at = time_offset(kind);
	} else if (type >= USER_TYPES) {
		return 0;
	} else if (layout->sample_id_all && kind & PERF_SAMPLE_TIME) {
		size_t size = trailer_size(layout);

		if (size > record.n - HEADER_SIZE)
			return 0;
		at = record.n - HEADER_SIZE - size +
		     (kind & PERF_SAMPLE_TID ? WORD : 0);
	} else if (!time_in_body(type, &at)) {
		return 0;
	}
	if (at > record.n - HEADER_SIZE ||
	    record.n - HEADER_SIZE - at < WORD)
		return 0;
	return word_at(record.p + HEADER_SIZE + at);
}

uint64_t rec_chain_word(const struct rec_sample *s, uint64_t i)
{
	return word_at(s->chain.p + i * WORD);
}
