#include "record/output.h"

#include "format/base/mem.h"
#include "format/base/time.h"
#include "record/segment/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* Devices, pipes and links to them are written to, never moved. */
static int keep_old(struct rec_output *o, struct err *err)
{
	struct stat st;
	int n;

	if (lstat(o->path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	n = snprintf(o->old, sizeof(o->old), "%s.old", o->path);
	if (n < 0 || (size_t)n >= sizeof(o->old)) {
		o->old[0] = '\0';
		return err_set(err, ERR_USAGE, "'%s': path too long", o->path);
	}
	if (rename(o->path, o->old)) {
		int cause = errno;

		o->old[0] = '\0';
		return err_sys(err, cause, "cannot keep the older '%s'",
			       o->path);
	}
	return 0;
}

int rec_output_begin(struct rec_output *o, const char *path, struct err *err)
{
	int rc;

	*o = (struct rec_output){ .path = path };
	if (!is_stdout(path))
		return 0;
	if (isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			       "a trace does not go to a terminal: use -o FILE "
			       "or a pipe");
	rc = tf_sink_open(&o->sink, path, err); /* has its own descriptor */
	if (rc == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		rc = err_sys(err, errno, "cannot keep the command's output out "
			     "of the trace");
	return rc;
}

void rec_output_split(struct rec_output *o, size_t max_files)
{
	o->split = true;
	o->max_files = max_files;
}

/* Two that begin within a hundredth of a second differ and sort all the same;
 * where the clock is set back by more, names tell the time that it shows. */
static int name_next(struct rec_output *o, struct err *err)
{
	uint64_t at = time_now_ns(CLOCK_REALTIME);
	uint64_t next = o->named_ns + REC_SEGMENT_STEP_NS;
	struct stat st;

	if (at < next && next - at < NSEC_PER_SEC)
		at = next;
	do {
		if (!rec_segment_name(o->now, o->path, at)) {
			o->now[0] = '\0';
			return err_set(err, ERR_USAGE, "'%s': path too long",
				       o->path);
		}
		o->named_ns = at;
		at += REC_SEGMENT_STEP_NS;
	} while (lstat(o->now, &st) == 0);
	return 0;
}

/* Before the file is there: what is not in the list would never be deleted. */
static int keep_name(struct rec_output *o, struct err *err)
{
	if (!o->max_files)
		return 0;
	if (!mem_grow(&o->kept, &o->kept_cap, o->n_kept + 1,
		      sizeof(*o->kept)))
		return err_nomem(err);
	o->kept[o->n_kept] = strdup(o->now);
	if (!o->kept[o->n_kept])
		return err_nomem(err);
	o->n_kept++;
	return 0;
}

static void delete_oldest(struct rec_output *o)
{
	while (o->max_files && o->n_kept > o->max_files) {
		if (unlink(o->kept[0]) && errno != ENOENT)
			o->n_stayed++;
		free(o->kept[0]);
		o->n_kept--;
		memmove(o->kept, o->kept + 1, o->n_kept * sizeof(*o->kept));
	}
}

static int open_segment(struct rec_output *o, struct err *err)
{
	int rc = name_next(o, err);

	if (rc == 0)
		rc = keep_name(o, err);
	if (rc == 0)
		rc = tf_sink_open(&o->sink, o->now, err);
	if (rc == 0)
		o->n_files++;
	return rc;
}

int rec_output_next(struct rec_output *o, struct tf_sink **out, struct err *err)
{
	int rc = tf_sink_close(o->sink, err);

	o->sink = NULL;
	if (rc == 0)
		rc = open_segment(o, err);
	if (rc)
		return rc;
	delete_oldest(o);
	*out = o->sink;
	return 0;
}

static int open_first(struct rec_output *o, struct err *err)
{
	struct stat st;

	if (stat(o->path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "'%s' is not a file: it cannot "
			       "become several", o->path);
	return open_segment(o, err);
}

int rec_output_open(struct rec_output *o, struct err *err)
{
	int rc;

	if (o->sink)
		return 0;
	if (o->split)
		return open_first(o, err);
	rc = keep_old(o, err);
	if (rc == 0)
		rc = tf_sink_open(&o->sink, o->path, err);
	if (rc < 0 && o->old[0])
		(void)rename(o->old, o->path);
	return rc;
}

void rec_output_info(struct tf_file_info *info)
{
	info->start_unix_ns = time_now_ns(CLOCK_REALTIME);
	if (getrandom(info->file_id, sizeof(info->file_id), 0) !=
	    sizeof(info->file_id))
		memcpy(info->file_id, &info->start_unix_ns,
		       sizeof(info->start_unix_ns));
}

static void put_back(const struct rec_output *o)
{
	struct stat st;

	if (o->split) {
		(void)unlink(o->now);
		return;
	}
	if (o->old[0])
		(void)rename(o->old, o->path);
	else if (!lstat(o->path, &st) && S_ISREG(st.st_mode))
		(void)unlink(o->path);
}

static void forget_names(struct rec_output *o)
{
	for (size_t i = 0; i < o->n_kept; i++)
		free(o->kept[i]);
	free(o->kept);
	o->kept = NULL;
	o->n_kept = o->kept_cap = 0;
}

/* Not even its beginning fitted on the disk. */
static void drop_empty(const struct rec_output *o)
{
	struct stat st;

	if (o->split && lstat(o->now, &st) == 0 && S_ISREG(st.st_mode) &&
	    !st.st_size)
		(void)unlink(o->now);
}

int rec_output_close(struct rec_output *o, bool recorded, struct err *err)
{
	int rc;

	forget_names(o);
	if (!o->sink)
		return 0;
	rc = tf_sink_close(o->sink, err);
	if (!recorded && !is_stdout(o->path))
		put_back(o);
	drop_empty(o);
	o->sink = NULL;
	return rc;
}
