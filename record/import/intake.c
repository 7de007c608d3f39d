#include "record/import/intake_state.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/import/stop.h"
#include "record/proc/facts.h"
#include "record/session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Below this nothing exists: /proc and /sys are not of the recorded machine. */
#define NO_ROOT "/dev/null"

/* How long the end may wait for function names. */
#define NAMES_TIMEOUT_NS (20ull * NSEC_PER_SEC)
#define NAMES_STEP_NS (NSEC_PER_SEC / 10)

/* A recorder writes its file until it ends, so the file's time is about that of
 * the recording; of a pipe it is now. */
static void set_times(struct tf_file_info *info, const char *source)
{
	struct stat st;

	rec_output_info(info);
	if (strcmp(source, "-") && !stat(source, &st) &&
	    (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		info->start_unix_ns =
			(uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC +
			(uint64_t)st.st_mtim.tv_nsec;
}

static void start_names(struct rec_intake *in, bool nameless)
{
	const char *home = getenv("HOME");

	in->foreign = (struct rec_foreign){
		.root = "",
		.home = home && *home ? home : NULL,
		.kernel = &in->world.kernel,
	};
	if (nameless)
		in->names = (struct rec_names){ .defs = &in->defs,
						.log = in->log };
	else
		rec_names_start(&in->names, &in->defs, "", in->log);
	in->names.foreign = &in->foreign;
}

static int start_sink(struct rec_intake *in, struct err *err)
{
	struct tf_file_info info;
	int rc = rec_output_open(&in->output, err);

	if (rc < 0)
		return rc;
	set_times(&info, in->source);
	rc = rec_sink_new(&in->sink, in->output.sink, &info, err);
	if (rc == 0)
		rc = rec_defs_init(&in->defs, in->sink, &in->world.images,
				   NO_ROOT, 0, 0, err);
	in->defs.tracepoints = &in->tracepoints;
	in->defs.cgroups = &in->world.cgroups;
	in->payload.defs = &in->defs;
	in->payload.stacks = &in->stacks;
	return rc;
}

static int start(struct rec_intake *in, const struct rec_intake_config *cfg,
		 struct err *err)
{
	int rc = rec_output_begin(&in->output, cfg->output, err);

	if (rc == 0)
		rc = rec_world_init(&in->world, NO_ROOT, err);
	if (rc < 0)
		return rc;
	in->world.build_ids = &in->build_ids;
	/* Before the writer thread exists: a child should not have it. */
	start_names(in, cfg->nameless);
	rc = start_sink(in, err);
	in->world.defs = &in->defs;
	if (rc == 0)
		rc = rec_stacks_init(&in->stacks, &in->defs, &in->world.kernel,
				     &in->names, REC_INTAKE_MAX_STACK, err);
	if (rc == 0)
		rec_frames_alone(&in->stacks.frames);
	return rc;
}

int rec_intake_new(struct rec_intake **out, const struct rec_intake_config *cfg,
		   struct err *err)
{
	struct rec_intake *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return err_nomem(err);
	in->log = cfg->log;
	in->source = cfg->input;
	in->stop = cfg->stop;
	rc = start(in, cfg, err);
	if (rc < 0) {
		rec_intake_free(in);
		return rc;
	}
	*out = in;
	return 0;
}

void rec_intake_free(struct rec_intake *in)
{
	if (!in)
		return;
	(void)rec_names_finish(&in->names);
	rec_foreign_fini(&in->foreign);
	rec_own_fini(&in->own);
	rec_sink_free(in->sink);
	(void)rec_output_close(&in->output, false, NULL);
	rec_stacks_fini(&in->stacks);
	rec_losses_fini(&in->losses);
	free(in->dated.items);
	rec_defs_fini(&in->defs);
	rec_tracepoints_fini(&in->tracepoints);
	rec_world_fini(&in->world);
	rec_build_ids_fini(&in->build_ids);
	for (size_t i = 0; i < in->n_events; i++)
		rec_event_fini(&in->events[i]);
	free(in->events);
	intern_fini(&in->event_keys);
	intern_fini(&in->image_texts);
	free(in->named_images);
	rec_claims_fini(&in->claims);
	free(in->frames);
	buf_fini(&in->scratch);
	free(in);
}

/* -- What was recorded ----------------------------------------------------- */

void rec_intake_fact(struct rec_intake *in, const char *key, const char *fmt,
		     ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		in->defs.failed = true;
		return;
	}
	rec_fact_text(&in->defs, key, span_of(text, (size_t)n));
	free(text);
}

int rec_intake_build_id(struct rec_intake *in, enum tf_image_kind kind,
			struct span path, struct span build_id, struct err *err)
{
	char name[REC_KERNEL_NAME];
	int rc = rec_intake_settle(in, err);

	if (rc < 0)
		return rc;
	if (kind == TF_IMAGE_KERNEL || kind == TF_IMAGE_MODULE) {
		kind = rec_image_kernel_kind(path, name);
		path = span_of(name, strlen(name));
	}
	rc = rec_build_ids_put(&in->build_ids, path, build_id, err);
	if (rc == 0 && kind == TF_IMAGE_KERNEL)
		rc = rec_kernel_identify(&in->world.kernel, &in->world.images,
					 &in->build_ids, err);
	return rc;
}

int rec_intake_comm(struct rec_intake *in, int32_t pid, int32_t tid,
		    struct span comm, struct err *err)
{
	return rec_world_name(&in->world, pid < 0 ? tid : pid, tid, comm, err);
}

void rec_intake_clock(struct rec_intake *in, uint64_t monotonic,
		      uint64_t realtime, uint64_t boottime)
{
	struct tf_builder *b;

	if (rec_intake_room(in, 0, NULL, NULL) < 0)
		return;
	b = rec_sink_rows(in->sink, TF_TABLE_CLOCK);
	tf_builder_set(b, TF_CLOCK_MONOTONIC, monotonic);
	tf_builder_set(b, TF_CLOCK_REALTIME, realtime);
	tf_builder_set(b, TF_CLOCK_BOOTTIME, boottime);
	if (!tf_builder_commit(b))
		in->defs.failed = true;
}

/* -- The end --------------------------------------------------------------- */

/* true: some did not come, in time or before a signal. */
static bool wait_for_names(struct rec_intake *in)
{
	uint64_t end = time_now_ns(CLOCK_MONOTONIC) + NAMES_TIMEOUT_NS;
	bool more;

	do {
		more = rec_names_wait(&in->names, NAMES_STEP_NS);
	} while (more && !rec_stop_came(in->stop) &&
		 time_now_ns(CLOCK_MONOTONIC) < end);
	return more;
}

static void finish_names(struct rec_intake *in)
{
	uint64_t unasked;

	(void)rec_sink_flush_wait(in->sink);
	rec_own_tell(&in->own, &in->defs);
	if (wait_for_names(in))
		log_warn(in->log, "function names did not come in time");
	unasked = rec_names_finish(&in->names);
	if (unasked)
		rec_losses_add(&in->losses, TF_LOSS_SYMBOLS, -1, -1, unasked);
}

static void write_facts(struct rec_intake *in, const char *why)
{
	rec_intake_fact(in, "version", "%s", REC_VERSION);
	rec_intake_fact(in, "import.source", "%s",
			strcmp(in->source, "-") ? in->source : "(pipe)");
	rec_intake_fact(in, "ended_by", "%s", why);
	rec_intake_fact(in, "guessed_threads", "%" PRIu64, in->world.guessed);
	if (in->undated)
		rec_intake_fact(in, "import.undated_losses", "%" PRIu64,
				in->undated);
	if (in->payload.cut)
		rec_intake_fact(in, "cut_fields", "%" PRIu64, in->payload.cut);
	rec_intake_fact(in, "epochs", "%" PRIu32,
			rec_sink_epoch(in->sink) + 1);
}

int rec_intake_finish(struct rec_intake *in, const char *why, struct err *err)
{
	int rc = rec_intake_settle(in, err), late;
	bool worth = in->rows || in->n_events;

	if (rc == 0)
		rc = rec_intake_announce(in, err);

	/* Of one loss, what the kernel told at once and what it counted. */
	if (in->lost_samples > in->lost)
		rec_intake_lost(in, TF_LOSS_RING, -1, -1, 0,
				in->lost_samples - in->lost);
	finish_names(in);
	if (rc == 0)
		rc = rec_intake_room(in, 0, NULL, err);
	if (rc == 0) {
		rec_intake_write_losses(in, 0);
		write_facts(in, why);
		rc = rec_intake_check(in, err);
	}
	late = rec_sink_close(in->sink, rc ? NULL : err);
	rc = rc ? rc : late;
	late = rec_output_close(&in->output, worth, rc ? NULL : err);
	return rc ? rc : late;
}
