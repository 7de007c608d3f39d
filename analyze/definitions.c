/* Rows of the definition tables, but for stacks, symbols and events. */
#include "analyze/breaks.h"
#include "analyze/load.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/fact.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int an_string_put(struct an_trace *t, struct span text, uint32_t *id,
		  struct err *err)
{
	return intern_put(&t->strings, text.p, text.n, id, NULL) ?
		       0 : err_nomem(err);
}

int an_load_string(const struct an_row *r, uint32_t *id, struct err *err)
{
	*id = AN_NONE;
	if (!an_row_has(r, TF_STRING_BYTES))
		return 0;
	return an_string_put(r->t, an_row_bytes(r, TF_STRING_BYTES), id, err);
}

int an_key_put(struct intern *keys, struct buf *key, uint32_t *id,
	       bool *is_new, struct err *err)
{
	bool ok = !buf_failed(key) &&
		  intern_put(keys, key->p, key->n, id, is_new);

	buf_fini(key);
	return ok ? 0 : err_nomem(err);
}

static struct span literal(const char *text)
{
	return span_of(text, strlen(text));
}

/* As perf's Shared Object: modules and the vDSO are named in brackets in their
 * path already. */
static struct span dso_of(const struct an_image *image, struct span path)
{
	switch (image->kind) {
	case TF_IMAGE_KERNEL:
		return literal("[kernel.kallsyms]");
	case TF_IMAGE_VDSO:
		return literal("[vdso]");
	case TF_IMAGE_UNKNOWN:
		return literal("[unknown]");
	case TF_IMAGE_ANON: /* the kernel's name for it says as little */
		if (!path.n || (path.n == 6 && !memcmp(path.p, "//anon", 6)))
			return literal("[anon]");
		return path;
	default:
		path = span_base_name(path);
		return path.n ? path : literal("[unknown]");
	}
}

static bool is_zero(struct span bytes)
{
	for (size_t i = 0; i < bytes.n; i++)
		if (bytes.p[i])
			return false;
	return true;
}

/* Two files of one content are two images with one set of symbols. */
static int content_of(struct an_trace *t, const struct an_image *image,
		      uint32_t *id, struct err *err)
{
	struct buf key;
	bool is_new;

	buf_init(&key, 0);
	buf_u8(&key, image->kind);
	if (image->build_id.n) {
		buf_put(&key, image->build_id.p, image->build_id.n);
	} else {
		buf_u32(&key, image->path);
		buf_u64(&key, image->generation);
		buf_u8(&key, 0);
	}
	return an_key_put(&t->contents, &key, id, &is_new, err);
}

static int image_add(struct an_trace *t, struct an_image *image,
		     struct err *err)
{
	struct span dso = dso_of(image, an_string(t, image->path));
	uint32_t content = 0;
	int rc = an_string_put(t, dso, &image->dso, err);

	if (!rc)
		rc = content_of(t, image, &content, err);
	if (rc)
		return rc;
	if (!AN_ROOM(t->images) || !AN_ROOM(t->content))
		return err_nomem(err);
	if (image->build_id.n) {
		char *copy = arena_dup(&t->bytes, image->build_id.p,
				       image->build_id.n);

		if (!copy)
			return err_nomem(err);
		image->build_id.p = (const uint8_t *)copy;
	}
	t->images.v[t->images.n++] = *image;
	t->content.v[t->content.n++] = content;
	return 0;
}

/* Is it known what the image is? Two whose names were lost are not the same for
 * it; there is one kernel only. */
static bool is_told(const struct an_row *r, const struct an_image *image)
{
	return an_row_has(r, TF_IMAGE_KIND) &&
	       (image->path != AN_NONE || image->build_id.n ||
		image->kind == TF_IMAGE_KERNEL) &&
	       (image->kind != TF_IMAGE_ANON ||
		an_row_has(r, TF_IMAGE_GENERATION));
}

int an_load_image(const struct an_row *r, uint32_t *id, struct err *err)
{
	uint64_t kind = an_row_value(r, TF_IMAGE_KIND);
	struct an_image image = {
		.kind = kind <= TF_IMAGE_SPECIAL ? (uint8_t)kind :
						   TF_IMAGE_UNKNOWN,
		.path = an_row_ref(r, TF_IMAGE_PATH, AN_SPACE_STRING),
		.build_id = an_row_bytes(r, TF_IMAGE_BUILD_ID),
		.generation = an_row_value(r, TF_IMAGE_GENERATION),
	};
	struct buf key;
	bool is_new = false;
	int rc;

	if (is_zero(image.build_id))
		image.build_id.n = 0;
	*id = AN_NONE;
	if (!is_told(r, &image))
		return 0;
	buf_init(&key, 0);
	buf_u8(&key, image.kind);
	buf_u32(&key, image.path);
	buf_u64(&key, image.generation);
	buf_put(&key, image.build_id.p, image.build_id.n);
	rc = an_key_put(&r->t->image_keys, &key, id, &is_new, err);
	return rc || !is_new ? rc : image_add(r->t, &image, err);
}

/* As perf calls a thread that it never heard the name of. */
static int name_thread(struct an_trace *t, struct an_thread *thread,
		       struct err *err)
{
	char number[16];
	int n;

	if (thread->comm == AN_NONE || an_string(t, thread->comm).n)
		return 0;
	n = snprintf(number, sizeof(number), ":%" PRId32, thread->tid);
	return an_string_put(t, span_of(number, (size_t)n), &thread->comm, err);
}

int an_load_thread(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;
	struct an_thread thread = {
		.tid = (int32_t)(uint32_t)an_row_value_or(r, TF_THREAD_TID,
							  UINT32_MAX),
		.pid = (int32_t)(uint32_t)an_row_value_or(r, TF_THREAD_PID,
							  UINT32_MAX),
		.comm = an_row_ref(r, TF_THREAD_COMM, AN_SPACE_STRING),
		.process = AN_NONE,
		.time = an_row_value(r, TF_THREAD_TIME),
		.source = an_row_source(r),
	};
	struct buf key;
	bool is_new = false;
	int rc = name_thread(t, &thread, err);

	if (rc)
		return rc;
	buf_init(&key, 0);
	buf_u32(&key, (uint32_t)thread.tid);
	buf_u32(&key, (uint32_t)thread.pid);
	buf_u32(&key, thread.comm);
	buf_u64(&key, thread.time);
	buf_u32(&key, thread.source);
	rc = an_key_put(&t->thread_keys, &key, id, &is_new, err);
	if (rc || !is_new)
		return rc;
	if (!AN_ROOM(t->threads))
		return err_nomem(err);
	t->threads.v[t->threads.n++] = thread;
	return 0;
}

int an_load_clock(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;

	*id = (uint32_t)t->clocks.n;
	if (!an_row_has(r, TF_CLOCK_MONOTONIC) ||
	    !an_row_has(r, TF_CLOCK_REALTIME) ||
	    !an_row_has(r, TF_CLOCK_BOOTTIME))
		return 0;
	if (!AN_ROOM(t->clocks))
		return err_nomem(err);
	t->clocks.v[t->clocks.n++] = (struct an_clock){
		.monotonic = an_row_value(r, TF_CLOCK_MONOTONIC),
		.realtime = an_row_value(r, TF_CLOCK_REALTIME),
		.boottime = an_row_value(r, TF_CLOCK_BOOTTIME),
	};
	return 0;
}

int an_load_fact(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;
	uint32_t key = an_row_ref(r, TF_FACT_KEY, AN_SPACE_STRING);
	uint32_t value = an_row_ref(r, TF_FACT_VALUE, AN_SPACE_STRING);
	bool each = tf_fact_keeps_each(an_string(t, key));
	uint32_t *at;
	bool is_new;

	*id = AN_NONE;
	if (!an_row_has(r, TF_FACT_KEY))
		return 0;
	if (!AN_ROOM(t->facts))
		return err_nomem(err);
	at = map64_put(&t->fact_index, map64_pair(each ? value + 1 : 0, key),
		       (uint32_t)t->facts.n, &is_new);
	if (!at)
		return err_nomem(err);
	*id = *at;
	if (is_new)
		t->facts.n++;
	t->facts.v[*at] = (struct an_fact){
		.key = key, .value = value,
	};
	/* Of several files each has its own. */
	if (strcmp(an_text(t, key), AN_BREAKS_FACT) == 0)
		return an_breaks_parse(t, an_text(t, t->facts.v[*at].value),
				       err);
	return 0;
}

int an_load_loss(const struct an_row *r, uint32_t *id, struct err *err)
{
	struct an_trace *t = r->t;
	uint64_t event = an_row_value(r, TF_LOSS_EVENT);
	uint64_t cpu = an_row_value(r, TF_LOSS_CPU);

	*id = (uint32_t)t->losses.n;
	if (!AN_ROOM(t->losses))
		return err_nomem(err);
	t->losses.v[t->losses.n++] = (struct an_loss){
		.time = an_row_value(r, TF_LOSS_TIME),
		.count = an_row_value(r, TF_LOSS_COUNT),
		.kind = (uint32_t)an_row_value(r, TF_LOSS_KIND),
		.event = event ? an_ids_get(&r->epoch->ids[AN_SPACE_EVENT],
					    event - 1) : AN_NONE,
		.cpu = cpu > INT32_MAX ? -1 : (int32_t)cpu - 1,
	};
	return 0;
}
