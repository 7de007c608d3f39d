#include "record/import/intake_state.h"

#include "format/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* With "[truncated]" a stack is as deep as one in the file may be. */
#define MAX_FRAMES (TF_MAX_STACK_DEPTH - 2)
/* What is remembered of functions and images: beyond, it begins anew. */
#define MAX_CLAIMS ((size_t)64 << 20)

/* -- Images ---------------------------------------------------------------- */

static enum tf_image_kind kind_of(const struct rec_named_frame *f)
{
	char name[REC_KERNEL_NAME];

	if (span_is(f->image, "[unknown]"))
		return TF_IMAGE_UNKNOWN;
	if (f->kernel)
		return f->image.n ? rec_image_kernel_kind(f->image, name) :
				    TF_IMAGE_KERNEL;
	return f->image.n ? rec_image_kind(f->image) : TF_IMAGE_UNKNOWN;
}

/* Its number among those of texts. false: out of memory. */
static bool image_of(struct rec_intake *in, const struct rec_named_frame *f,
		     uint32_t *id)
{
	enum tf_image_kind kind = kind_of(f);
	struct buf *key = &in->scratch;
	bool is_new = false;

	buf_clear(key);
	buf_u8(key, (uint8_t)kind);
	buf_put(key, f->image.p, f->image.n);
	if (buf_failed(key) ||
	    !mem_grow(&in->named_images, &in->named_images_cap,
		      in->n_named_images + 1, sizeof(*in->named_images)) ||
	    !intern_put(&in->image_texts, key->p, key->n, id, &is_new))
		return false;
	if (is_new)
		in->named_images[in->n_named_images++] =
			(struct rec_named_image){ .kind = kind };
	return *id < in->n_named_images;
}

/* The image of one generation, among all images. */
static int generation_of(struct rec_intake *in, uint32_t id,
			 uint32_t generation, uint32_t *image, struct err *err)
{
	struct rec_named_image *named = &in->named_images[id];
	struct span text = intern_get(&in->image_texts, id);
	struct rec_image what = {
		.kind = named->kind,
		.generation = in->first_generation + generation,
	};
	int rc;

	if (named->known[generation]) {
		*image = named->known[generation] - 1;
		return 0;
	}
	(void)span_skip(&text, 1);
	if (generation == REC_CLAIM_NAMELESS)
		what.generation = 0;
	rc = rec_images_add(&in->world.images, &what, text, image, err);
	if (rc == 0)
		named->known[generation] = *image + 1;
	return rc;
}

/* -- Frames ---------------------------------------------------------------- */

static void write_symbol(struct rec_intake *in, uint32_t image,
			 const struct rec_claim *c, struct span name)
{
	uint32_t of = rec_defs_image(&in->defs, image);
	uint32_t text = rec_defs_string(&in->defs, name.p, name.n);
	uint32_t none = rec_defs_string(&in->defs, "", 0);
	struct tf_builder *b = rec_sink_rows(in->sink, TF_TABLE_SYMBOL);

	tf_builder_set(b, TF_SYMBOL_IMAGE, of);
	tf_builder_set(b, TF_SYMBOL_START, c->start);
	tf_builder_set(b, TF_SYMBOL_SIZE, c->end - c->start);
	tf_builder_set(b, TF_SYMBOL_NAME, text);
	tf_builder_set(b, TF_SYMBOL_LINKAGE, none);
	if (!tf_builder_commit(b))
		in->defs.failed = true;
}

static int nameless_frame(struct rec_intake *in, uint32_t id,
			  const struct rec_named_frame *f, uint32_t *frame,
			  struct err *err)
{
	uint64_t address = f->has_address ? f->address : 0;
	uint32_t image;
	bool fresh;
	int rc = generation_of(in, id, REC_CLAIM_NAMELESS, &image, err);

	if (rc == 0)
		*frame = rec_defs_frame(&in->defs, image, address,
					TF_FRAME_EXACT, &fresh);
	return rc;
}

static int frame_of(struct rec_intake *in, const struct rec_named_frame *f,
		    uint32_t *frame, struct err *err)
{
	struct rec_claim_frame want = {
		.name = f->symbol,
		.address = f->address,
		.offset = f->offset,
		.has_address = f->has_address,
		.has_offset = f->has_offset,
	};
	struct rec_claim claim;
	uint64_t address;
	uint32_t image;
	bool row, fresh;
	int rc;

	if (!image_of(in, f, &want.image))
		return err_nomem(err);
	if (!f->symbol.n)
		return nameless_frame(in, want.image, f, frame, err);
	if (!rec_claims_place(&in->claims, &want, &claim, &address, &row))
		return err_nomem(err);
	rc = generation_of(in, want.image, claim.generation, &image, err);
	if (rc < 0)
		return rc;
	*frame = rec_defs_frame(&in->defs, image, address, TF_FRAME_EXACT,
				&fresh);
	if (row)
		write_symbol(in, image, &claim, f->symbol);
	return 0;
}

/* -- Stacks ---------------------------------------------------------------- */

/* The node of frames [from, to), the innermost first. */
static uint32_t node_of(struct rec_intake *in, size_t from, size_t to,
			bool truncated)
{
	struct rec_path_hash path = { 0 };
	uint32_t node = 0, frame;
	bool fresh;

	if (truncated) {
		frame = rec_defs_frame(&in->defs, REC_IMAGE_TRUNCATED, 0,
				       TF_FRAME_EXACT, &fresh);
		path = rec_path_step(path, frame);
		node = rec_defs_node(&in->defs, path, node, frame);
	}
	for (size_t i = to; i-- > from;) {
		path = rec_path_step(path, in->frames[i]);
		node = rec_defs_node(&in->defs, path, node, in->frames[i]);
	}
	return node;
}

/* The kernel's part ends with the first frame that is not the kernel's. */
static size_t kernel_part(const struct rec_named_frame *frames, size_t n)
{
	size_t i = 0;

	while (i < n && frames[i].kernel)
		i++;
	return i;
}

static void no_frames(struct rec_intake *in, struct rec_taken *t)
{
	bool fresh;

	if (t->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		t->place.flags = TF_SAMPLE_NO_CHAIN;
	t->place.ip = rec_defs_frame(&in->defs, REC_IMAGE_UNKNOWN,
				     t->r->sample.ip, TF_FRAME_EXACT, &fresh);
}

static int place(struct rec_intake *in, struct rec_taken *t,
		 const struct rec_named_frame *frames, size_t n,
		 struct err *err)
{
	struct rec_place *out = &t->place;
	bool truncated = n > MAX_FRAMES;
	size_t split;
	int rc = 0;

	n = truncated ? MAX_FRAMES : n;
	if (!n) {
		no_frames(in, t);
		return 0;
	}
	if (!mem_grow(&in->frames, &in->frames_cap, n, sizeof(*in->frames)))
		return err_nomem(err);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = frame_of(in, &frames[i], &in->frames[i], err);
	if (rc < 0)
		return rc;
	split = kernel_part(frames, n);
	out->flags = (frames[0].kernel ? TF_SAMPLE_KERNEL : 0u) |
		     (truncated ? TF_SAMPLE_TRUNCATED : 0u);
	out->ip = in->frames[0];
	out->kstack = split > 1 ? node_of(in, 1, split,
					  truncated && split == n) : 0;
	if (split < 1)
		split = 1;
	out->ustack = split < n ? node_of(in, split, n, truncated) : 0;
	return 0;
}

/* What is remembered goes when it is too much; what comes then lies in further
 * generations, so that names in the file so far stay right. */
static void forget(struct rec_intake *in)
{
	size_t size = rec_claims_size(&in->claims) +
		      in->named_images_cap * sizeof(*in->named_images);

	if (size < MAX_CLAIMS)
		return;
	rec_claims_fini(&in->claims);
	intern_fini(&in->image_texts);
	in->n_named_images = 0;
	in->first_generation += REC_CLAIM_GENERATIONS;
}

int rec_intake_named(struct rec_intake *in, size_t event,
		     const struct rec_record *r,
		     const struct rec_named_frame *frames, size_t n,
		     struct err *err)
{
	struct rec_record own = *r;
	struct rec_taken t;
	/* An image and a function may be new with each frame. */
	int rc = rec_intake_take(in, event, &own,
				 2 * (n < MAX_FRAMES ? n : MAX_FRAMES), &t,
				 err);

	if (rc < 0)
		return rc;
	forget(in);
	rc = place(in, &t, frames, n, err);
	if (rc == 0)
		rec_intake_put(in, &t);
	return rc;
}
