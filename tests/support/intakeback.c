#include "tests/support/intakeback.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct span ib_text(const char *s)
{
	return span_of(s, strlen(s));
}

void ib_begin(struct intakeback *f, bool nameless)
{
	struct rec_intake_config cfg = { .output = f->path,
					 .input = "/nonexistent/perf.data",
					 .log = &f->log,
					 .nameless = nameless };

	*f = (struct intakeback){ .log = { .to = fopen("/dev/null", "w") } };
	assert_non_null(f->log.to);
	snprintf(f->path, sizeof(f->path), "/tmp/test_intake.XXXXXX");
	close(mkstemp(f->path));
	unlink(f->path);
	assert_int_equal(rec_intake_new(&f->in, &cfg, NULL), 0);
}

static void slurp(struct buf *to, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *at;

	buf_init(to, 0);
	assert_int_equal(fstat(fd, &st), 0);
	at = buf_room(to, (size_t)st.st_size + 1);
	assert_int_equal(read(fd, at, (size_t)st.st_size), st.st_size);
	to->n = (size_t)st.st_size;
	close(fd);
}

void ib_turn_large(struct intakeback *f)
{
	struct err err = { 0 };

	if (rec_intake_finish(f->in, "end of the test", &err))
		fail_msg("%s", err.text);
	rec_intake_free(f->in);
	f->in = NULL;
	slurp(&f->file, f->path);
	assert_int_equal(an_trace_open(&f->trace, f->path, NULL, NULL), 0);
	assert_int_equal(an_trace_damage(f->trace), 0);
}

void ib_turn(struct intakeback *f)
{
	ib_turn_large(f);
	rowsback_check_references(span_of(f->file.p, f->file.n));
}

void ib_end(struct intakeback *f)
{
	an_trace_close(f->trace);
	rec_intake_free(f->in);
	buf_fini(&f->file);
	fclose(f->log.to);
	unlink(f->path);
}

/* -- What goes in ---------------------------------------------------------- */

size_t ib_event(struct intakeback *f, const char *name)
{
	struct rec_event e = { .name = (char *)(uintptr_t)name, .scale = 1 };
	size_t index = 99;

	e.attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	assert_int_equal(rec_intake_event(f->in, &e, ib_text(""), &index, NULL),
			 0);
	return index;
}

const char ib_format[] =
	"name: ping\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
	"\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int count;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"count=%d\", REC->count\n";

size_t ib_tracepoint(struct intakeback *f, const char *name)
{
	char full[64];
	struct rec_event e = { .name = full,
			       .system = (char *)(uintptr_t) "test",
			       .tracepoint = (char *)(uintptr_t)name,
			       .scale = 1 };
	size_t index = 99;

	snprintf(full, sizeof(full), "test:%s", name);
	assert_int_equal(rec_intake_event(f->in, &e, ib_text(ib_format), &index,
					  NULL),
			 0);
	return index;
}

struct rec_record ib_sample(int32_t pid, int32_t tid, uint64_t time,
			    uint16_t misc, uint64_t ip)
{
	return (struct rec_record){
		.type = PERF_RECORD_SAMPLE,
		.misc = misc,
		.ids = { .pid = pid, .tid = tid, .time = time, .cpu = 1 },
		.sample = { .ip = ip, .period = 10 },
	};
}

void ib_put(struct intakeback *f, size_t e, struct rec_record r)
{
	struct err err = { 0 };

	if (rec_intake_sample(f->in, e, &r, false, &err))
		fail_msg("%s", err.text);
}

void ib_put_chain(struct intakeback *f, size_t e, struct rec_record r,
		  const uint64_t *words, size_t n)
{
	r.sample.chain = span_of(words, n * sizeof(*words));
	r.sample.n_chain = n;
	assert_int_equal(rec_intake_sample(f->in, e, &r, true, NULL), 0);
}

void ib_tell(struct intakeback *f, struct rec_record r)
{
	assert_int_equal(rec_intake_record(f->in, &r, NULL), 0);
}

struct rec_record ib_comm(int32_t pid, int32_t tid, uint64_t time,
			  const char *name, bool exec)
{
	struct rec_record r = {
		.type = PERF_RECORD_COMM,
		.ids = { .pid = pid, .tid = tid, .time = time }
	};

	r.comm = (struct rec_comm){ pid, tid, exec, ib_text(name) };
	return r;
}

struct rec_record ib_namespaces(int32_t pid, uint64_t time, uint64_t inode)
{
	return (struct rec_record){
		.type = PERF_RECORD_NAMESPACES,
		.ids = { .pid = pid, .tid = pid, .time = time },
		.namespaces = { pid, pid, inode },
	};
}

struct rec_record ib_cgroup(uint64_t id, const char *path)
{
	return (struct rec_record){
		.type = PERF_RECORD_CGROUP,
		.ids = { .pid = -1, .tid = -1 },
		.cgroup = { id, ib_text(path) },
	};
}

struct rec_record ib_mapped(int32_t pid, uint64_t time, uint64_t start,
			    uint64_t size, uint64_t offset, const char *path)
{
	struct rec_record r = {
		.type = PERF_RECORD_MMAP2,
		.misc = pid < 0 ? PERF_RECORD_MISC_KERNEL :
				  PERF_RECORD_MISC_USER,
		.ids = { .pid = pid, .tid = pid, .time = time }
	};

	r.mmap = (struct rec_mmap){ .pid = pid,
				    .tid = pid,
				    .start = start,
				    .size = size,
				    .offset = offset,
				    .path = ib_text(path) };
	return r;
}

struct rec_named_frame ib_named(const char *image, const char *symbol,
				uint64_t address, uint64_t offset)
{
	return (struct rec_named_frame){
		.image = ib_text(image),
		.symbol = ib_text(symbol),
		.address = address == IB_NONE ? 0 : address,
		.offset = offset,
		.has_address = address != IB_NONE,
		.has_offset = offset != IB_NONE,
		.kernel = image[0] == '[' && image[1] == 'k',
	};
}

void ib_put_named(struct intakeback *f, size_t e, uint64_t time,
		  const struct rec_named_frame *frames, size_t n)
{
	struct rec_record r = ib_sample(5, 5, time, PERF_RECORD_MISC_USER, 0);

	assert_int_equal(rec_intake_named(f->in, e, &r, frames, n, NULL), 0);
}

/* -- What comes out -------------------------------------------------------- */

void ib_rows(struct intakeback *f, struct rowsback *rows, uint32_t table)
{
	rowsback_read(rows, span_of(f->file.p, f->file.n), table);
	assert_true(rows->closed);
}

static uint32_t id_of(const struct intakeback *f,
		      const struct rowsback_row *row, enum an_space space,
		      uint64_t id)
{
	size_t n;
	const uint32_t *ids = an_trace_ids(f->trace, row->epoch, space, &n);

	assert_true(id < n);
	return ids[id];
}

static void add_frame(const struct intakeback *f, uint32_t frame, char *to,
		      size_t size)
{
	const struct an_frame *fr = an_frame_of(f->trace, frame);
	const struct an_image *im = an_image_of(f->trace, fr->image);
	const struct an_symbol *s = an_symbol_of(f->trace, fr->symbol);
	size_t at = strlen(to);

	at += (size_t)snprintf(to + at, size - at, "%s%s:%" PRIx64,
			       at ? " " : "", an_text(f->trace, im->path),
			       fr->address);
	if (fr->symbol != AN_NONE && at < size)
		snprintf(to + at, size - at, "=%s+%" PRIx64,
			 an_text(f->trace, s->name), fr->address - s->start);
}

static void add_stack(const struct intakeback *f, uint32_t node, char *to,
		      size_t size)
{
	while (an_node_of(f->trace, node)->parent != AN_NONE && node) {
		add_frame(f, an_node_of(f->trace, node)->frame, to, size);
		node = an_node_of(f->trace, node)->parent;
	}
}

const char *ib_stack(const struct intakeback *f, const struct rowsback_row *row,
		     char to[IB_STACK])
{
	to[0] = '\0';
	add_frame(f, id_of(f, row, AN_SPACE_FRAME, row->v[TF_SAMPLE_IP]), to,
		  IB_STACK);
	add_stack(f, id_of(f, row, AN_SPACE_STACK, row->v[TF_SAMPLE_KSTACK]),
		  to, IB_STACK);
	if (row->v[TF_SAMPLE_USTACK])
		strcat(to, " |");
	add_stack(f, id_of(f, row, AN_SPACE_STACK, row->v[TF_SAMPLE_USTACK]),
		  to, IB_STACK);
	return to;
}

const char *ib_comm_of(const struct intakeback *f,
		       const struct rowsback_row *row)
{
	uint32_t id = id_of(f, row, AN_SPACE_THREAD, row->v[TF_SAMPLE_THREAD]);

	return an_text(f->trace, an_thread_of(f->trace, id)->comm);
}

uint64_t ib_lost(const struct intakeback *f, enum tf_loss_kind kind)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < an_n_losses(f->trace); i++)
		if (an_loss_of(f->trace, i)->kind == kind)
			n += an_loss_of(f->trace, i)->count;
	return n;
}

void ib_check_stacks(struct intakeback *f, const char *const *want, size_t n)
{
	struct rowsback rows;
	char got[IB_STACK];

	ib_turn(f);
	ib_rows(f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(ib_stack(f, &rows.items[i], got), want[i]);
	rowsback_fini(&rows);
	ib_end(f);
}
