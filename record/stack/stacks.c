#include "record/stack/stacks.h"

#include "format/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Threads whose last chain is remembered; a power of two. */
#define N_PATHS 256u
/* Longest part of a chain that is remembered: the kernel's default limit. */
#define PATH_DEPTH 127u
/* Longest chain: with "[truncated]" and the sample's own frame it is as deep as
 * a stack in the file may be. kernel.perf_event_max_stack can ask for more. */
#define MAX_CHAIN (TF_MAX_STACK_DEPTH - 2)
/* Of a new stack so many frames are looked for at once: most have no more that
 * are new. */
#define FETCHED 5u

/* One half of a chain, root first, so that what two chains share comes first.*/
struct half {
	uint64_t words[PATH_DEPTH];
	struct rec_path_hash hashes[PATH_DEPTH]; /* of the paths up to there */
	size_t n;
	bool truncated;
};

struct rec_path {
	int32_t tid;
	/* Of the address space and of the kernel's; 0: nothing is remembered.*/
	uint64_t serial, kernel_serial;
	struct rec_areas areas; /* of the address space */
	struct half kernel, user;
};

/* A word of a part, and the path to it. */
struct step {
	struct rec_spot at;
	struct rec_path_hash path;
};

/* A part, root first. What it shares with the last chain, the first `from`
 * words, is not in the steps. */
struct rec_walk {
	struct rec_side of;
	size_t n, from;
	size_t callers;  /* of the n, the first ones: return addresses */
	struct rec_path_hash path; /* of the shared ones, or of the root */
	bool truncated;  /* the root is [truncated] */
	uint32_t leaf;   /* node + 1; 0: it is new, or was not looked for */
	struct step steps[MAX_CHAIN];
};

/* One half of the chain being placed, leaf first. */
struct part {
	const struct rec_sample *sample;
	uint64_t first, n; /* words of the chain */
	bool truncated;
};

int rec_stacks_init(struct rec_stacks *s, struct rec_defs *defs,
		    struct rec_kernel *kernel, struct rec_names *names,
		    uint64_t max_stack, struct err *err)
{
	*s = (struct rec_stacks){
		.defs = defs,
		.kernel = kernel,
		.max_stack = max_stack,
	};
	s->paths = calloc(N_PATHS, sizeof(*s->paths));
	s->walks = malloc(2 * REC_PLACINGS * sizeof(*s->walks));
	if (!s->paths || !s->walks)
		return err_nomem(err);
	return rec_frames_init(&s->frames, defs, names, err);
}

void rec_stacks_fini(struct rec_stacks *s)
{
	free(s->paths);
	free(s->walks);
	rec_frames_fini(&s->frames);
	*s = (struct rec_stacks){ 0 };
}

/* Ids of an earlier epoch mean nothing in this one. */
static void enter_epoch(struct rec_stacks *s)
{
	uint32_t epoch = rec_sink_epoch(s->defs->sink) + 1;

	if (s->epoch == epoch)
		return;
	s->epoch = epoch;
	rec_frames_forget(&s->frames);
	for (size_t i = 0; i < N_PATHS; i++)
		s->paths[i].serial = 0;
}

/* `mm` is NULL for the kernel's addresses. */
static uint64_t serial_of(struct rec_stacks *s, struct rec_mm *mm)
{
	uint64_t *serial = mm ? &mm->serial : &s->kernel->serial;
	uint64_t known = __atomic_load_n(serial, __ATOMIC_RELAXED), fresh;

	if (known)
		return known;
	/* Two shards that come at once agree on one of their two. */
	fresh = __atomic_add_fetch(&s->kernel->serials, 1, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(serial, &known, fresh, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return fresh;
	return known;
}

/* -- Parts ------------------------------------------------------------------*/

/* Word i of a part, counted from its root. */
static inline uint64_t word_from_root(const struct part *p, size_t i)
{
	return rec_chain_word(p->sample, p->first + p->n - 1 - i);
}

/* How many words from the root the last chain of this thread shares. */
static size_t shared(const struct half *last, const struct part *p, size_t n)
{
	size_t i = 0;

	if (last->truncated != p->truncated)
		return 0;
	if (n > last->n)
		n = last->n;
	while (i < n && last->words[i] == word_from_root(p, i))
		i++;
	return i;
}

/* Where a part begins: at the empty stack, or below [truncated]. */
static struct rec_path_hash path_of_root(bool truncated)
{
	const struct rec_spot at = { .image = REC_IMAGE_TRUNCATED };
	struct rec_path_hash path = { 0 };

	return truncated ? rec_path_enter(path, rec_spot_where(&at),
					  at.address) : path;
}

static uint32_t node_of_root(struct rec_stacks *s, bool truncated)
{
	const struct rec_spot at = { .image = REC_IMAGE_TRUNCATED };
	uint32_t frame;
	bool fresh;

	if (!truncated)
		return 0;
	frame = rec_defs_frame(s->defs, at.image, at.address, at.kind, &fresh);
	return rec_defs_node(s->defs, path_of_root(true), 0, frame);
}

/* Where the words from w->from on lie, and the paths to them. Frames are not
 * asked for: most paths are known. */
static void follow(struct rec_walk *w, const struct part *p)
{
	struct rec_path_hash path = w->path;

	for (size_t i = w->from; i < w->n; i++) {
		struct step *step = &w->steps[i];

		step->at = rec_spot_of(&w->of, word_from_root(p, i),
				       i < w->callers ? TF_FRAME_RETURN :
							TF_FRAME_EXACT);
		path = rec_path_enter(path, rec_spot_where(&step->at),
				      step->at.address);
		step->path = path;
	}
}

/* What will be asked for first. */
static void fetch_leaf(const struct rec_stacks *s, const struct rec_walk *w)
{
	const struct step *leaf;

	if (w->n == w->from)
		return;
	leaf = &w->steps[w->n - 1];
	rec_nodes_prefetch(&s->defs->nodes, leaf->path);
}

/* Takes the words of a part, finds the paths to them and leaves them for the
 * next chain of this thread that has such a part. `exact` tells that its leaf is an instruction
 * pointer, not a return address: such a leaf is not remembered, since as a
 * caller the same word would mean another frame. */
static void part_begin(struct rec_stacks *s, struct rec_walk *w,
		       struct half *last, const struct part *p, bool exact)
{
	size_t callers = p->n - (exact && p->n);
	size_t n = callers < PATH_DEPTH ? callers : PATH_DEPTH;

	w->n = p->n;
	if (!w->n && !p->truncated) {
		w->from = 0;
		w->truncated = false;
		return;
	}
	w->callers = callers;
	w->from = shared(last, p, n);
	w->truncated = p->truncated;
	w->path = w->from ? last->hashes[w->from - 1] :
			    path_of_root(p->truncated);
	w->leaf = 0;
	follow(w, p);
	fetch_leaf(s, w);
	for (size_t i = w->from; i < n; i++) {
		last->words[i] = w->steps[i].at.ip;
		last->hashes[i] = w->steps[i].path;
	}
	last->n = n;
	last->truncated = p->truncated;
}

/* Where the leaf is new its callers may be, too, and their frames will be asked
 * for. They are fetched at once, not one after another. */
static void look(const struct rec_stacks *s, struct rec_walk *w)
{
	size_t to = w->n - w->from > FETCHED ? w->n - FETCHED : w->from;

	if (w->n == w->from)
		return;
	w->leaf = rec_nodes_get(&s->defs->nodes, w->steps[w->n - 1].path);
	if (w->leaf)
		return;
	rec_frames_prefetch(&s->frames, &w->steps[w->n - 1].at);
	for (size_t i = w->n - 1; i-- > to;) {
		rec_nodes_prefetch(&s->defs->nodes, w->steps[i].path);
		rec_frames_prefetch(&s->frames, &w->steps[i].at);
	}
}

/* The node of a part. The deepest one that is there tells that all its callers
 * are, so it is looked for from the leaf on; those below it are made. */
static uint32_t part_node(struct rec_stacks *s, const struct rec_walk *w)
{
	const struct rec_nodes *nodes = &s->defs->nodes;
	size_t i = w->n - (w->n > w->from);
	uint32_t known, node;

	if (!w->n && !w->truncated)
		return 0;
	known = w->leaf;
	while (i > w->from && !known)
		known = rec_nodes_get(nodes, w->steps[--i].path);
	if (known) {
		node = known - 1;
		i++;
	} else if (w->from) {
		node = rec_nodes_get(nodes, w->path) - 1;
	} else {
		node = node_of_root(s, w->truncated);
	}
	for (; i < w->n; i++) {
		const struct step *step = &w->steps[i];

		node = rec_defs_node(s->defs, step->path, node,
				     rec_frames_get(&s->frames, &w->of,
						    &step->at));
	}
	return node;
}

/* How many words from word i on are addresses. */
static uint64_t addresses_at(const struct rec_sample *sample, uint64_t i)
{
	uint64_t from = i;

	while (i < sample->n_chain &&
	       rec_chain_word(sample, i) < (uint64_t)PERF_CONTEXT_MAX)
		i++;
	return i - from;
}

/* Splits the chain at its PERF_CONTEXT_* words. They cannot be told from the
 * addresses alone: up to 1 % of user parts hold kernel-looking junk
 * (measured). */
static void split(const struct rec_sample *sample, uint64_t max_stack,
		  struct part *kernel, struct part *user)
{
	struct part *now = NULL;
	uint64_t addresses = 0, i = 0;

	*kernel = *user = (struct part){ .sample = sample };
	while (i < sample->n_chain) {
		uint64_t n = addresses_at(sample, i), word;

		if (now && addresses < MAX_CHAIN)
			now->n += n < MAX_CHAIN - addresses ?
					  n : MAX_CHAIN - addresses;
		addresses += n;
		i += n;
		if (i == sample->n_chain)
			break;
		word = rec_chain_word(sample, i++);
		now = word == (uint64_t)PERF_CONTEXT_KERNEL ? kernel
		      : word == (uint64_t)PERF_CONTEXT_USER ? user
							    : NULL;
		if (now)
			*now = (struct part){ sample, i, 0, false };
	}
	if ((max_stack && addresses >= max_stack) || addresses > MAX_CHAIN)
		*(user->n ? &user->truncated : &kernel->truncated) = true;
}

/* Areas of a kernel that has changed since mean nothing. */
static uint64_t enter_kernel(struct rec_stacks *s)
{
	uint64_t serial = serial_of(s, NULL);

	if (s->kernel_serial != serial)
		s->areas = (struct rec_areas){ 0 };
	s->kernel_serial = serial;
	return serial;
}

static struct rec_path *path_of(struct rec_stacks *s, int32_t tid,
				struct rec_mm *mm)
{
	struct rec_path *p = &s->paths[(uint32_t)tid & (N_PATHS - 1)];
	uint64_t serial = serial_of(s, mm), kernel = enter_kernel(s);

	if (p->serial != serial || p->tid != tid) {
		p->areas = (struct rec_areas){ 0 };
		p->user.n = 0;
	}
	if (p->serial != serial || p->tid != tid ||
	    p->kernel_serial != kernel)
		p->kernel.n = 0;
	p->kernel_serial = kernel;
	p->tid = tid;
	p->serial = serial;
	return p;
}

/* Takes the leaf off the part it heads, where it is the sample's own ip. */
static bool take_leaf(struct part *p, uint64_t ip)
{
	if (!p->n || rec_chain_word(p->sample, p->first) != ip)
		return false;
	p->first++;
	p->n--;
	return true;
}

/* -- Samples --------------------------------------------------------------- */

static uint32_t flags_of(uint16_t mode)
{
	uint32_t flags = 0;

	if (mode == PERF_RECORD_MISC_KERNEL)
		flags |= TF_SAMPLE_KERNEL;
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    mode == PERF_RECORD_MISC_GUEST_USER)
		flags |= TF_SAMPLE_GUEST;
	return flags;
}

static struct rec_side side_of(struct rec_stacks *s, struct rec_mm *mm,
			       uint64_t time, struct rec_areas *areas)
{
	return (struct rec_side){ s->kernel, s->defs->images, mm, time,
				  areas };
}

/* The paths of both halves. */
static void begin_parts(struct rec_stacks *s, struct part *kernel,
			struct part *user, struct rec_path *last, uint64_t ip,
			struct rec_placing *out)
{
	struct rec_walk *kwalk = &out->walks[0], *uwalk = &out->walks[1];
	bool in_kernel = out->flags & TF_SAMPLE_KERNEL;
	bool early = uwalk->of.time < uwalk->of.mm->changed;
	bool leaf = take_leaf(in_kernel ? kernel : user, ip);

	if (kernel->truncated || user->truncated)
		out->flags |= TF_SAMPLE_TRUNCATED;
	if (!leaf)
		out->flags |= TF_SAMPLE_IP_IN_STACK;
	part_begin(s, kwalk, &last->kernel, kernel, !leaf && in_kernel);
	if (early)
		last->user.n = 0;
	/* A user part below a kernel part begins with where user code was. */
	part_begin(s, uwalk, &last->user, user, in_kernel || !leaf);
	if (early)
		last->user.n = 0;
}

void rec_stacks_begin(struct rec_stacks *s, const struct rec_sample *sample,
		      const struct rec_ids *ids, uint16_t misc, bool chained,
		      struct rec_mm *mm, struct rec_placing *p)
{
	uint32_t flags = flags_of(misc & PERF_RECORD_MISC_CPUMODE_MASK);
	struct rec_side *of[2];
	struct part kernel, user;
	struct rec_path *last;

	enter_epoch(s);
	p->walks = &s->walks[2 * s->turn];
	p->flags = flags;
	p->parts = false;
	s->turn = (s->turn + 1) % REC_PLACINGS;
	of[0] = &p->walks[0].of;
	of[1] = &p->walks[1].of;
	last = chained || !(flags & TF_SAMPLE_KERNEL) ?
		       path_of(s, ids->tid, mm) : &s->paths[0];
	(void)enter_kernel(s);
	*of[0] = side_of(s, NULL, ids->time, &s->areas);
	*of[1] = side_of(s, mm, ids->time, &last->areas);
	p->own = *(flags & TF_SAMPLE_KERNEL ? of[0] : of[1]);
	/* Its place in the table is far from all others, so it is asked for
	 * early and looked at late. */
	p->at = rec_spot_of(&p->own, sample->ip, TF_FRAME_EXACT);
	rec_frames_prefetch(&s->frames, &p->at);
	if (!chained)
		return;
	split(sample, s->max_stack, &kernel, &user);
	p->parts = kernel.n || user.n;
	if (p->parts)
		begin_parts(s, &kernel, &user, last, sample->ip, p);
	else
		p->flags |= TF_SAMPLE_NO_CHAIN;
}

void rec_stacks_look(const struct rec_stacks *s, const struct rec_placing *p)
{
	rec_frames_look(&s->frames, &p->at);
	if (!p->parts)
		return;
	look(s, &p->walks[0]);
	look(s, &p->walks[1]);
}

void rec_stacks_end(struct rec_stacks *s, const struct rec_placing *p,
		    struct rec_place *out)
{
	*out = (struct rec_place){ .flags = p->flags };
	if (p->parts) {
		out->kstack = part_node(s, &p->walks[0]);
		out->ustack = part_node(s, &p->walks[1]);
	}
	out->ip = rec_frames_get(&s->frames, &p->own, &p->at);
}

void rec_stacks_place(struct rec_stacks *s, const struct rec_sample *sample,
		      const struct rec_ids *ids, uint16_t misc, bool chained,
		      struct rec_mm *mm, struct rec_place *out)
{
	struct rec_placing p;

	rec_stacks_begin(s, sample, ids, misc, chained, mm, &p);
	rec_stacks_look(s, &p);
	rec_stacks_end(s, &p, out);
}

void rec_stacks_touch_kernel(struct rec_stacks *s, uint64_t address)
{
	const struct rec_side kernel = side_of(s, NULL, 0, &s->areas);
	struct rec_spot at;

	if (address < UINT64_C(1) << 63)
		return;
	enter_epoch(s);
	(void)enter_kernel(s);
	at = rec_spot_of(&kernel, address, TF_FRAME_EXACT);
	(void)rec_frames_get(&s->frames, &kernel, &at);
}
