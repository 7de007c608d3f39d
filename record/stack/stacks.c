#include "record/stack/stacks.h"

#include "format/base/mem.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Threads whose last chain is remembered; a power of two. */
#define N_PATHS 256u
/* Addresses whose frames are remembered; a power of two: 2 MiB. */
#define N_KNOWN 131072u
/* Longest part of a chain that is remembered: the kernel's default limit. */
#define PATH_DEPTH 127u
/* Longest chain: with "[truncated]" and the sample's own frame it is as deep as
 * a stack in the file may be. kernel.perf_event_max_stack can ask for more. */
#define MAX_CHAIN (TF_MAX_STACK_DEPTH - 2)

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
	struct half kernel, user;
};

/* One address of one address space. The table has a fixed size, so that neither
 * many processes nor much code make the recorder grow; of two that share a
 * place, a newcomer displaces the one that was learnt first. */
struct rec_known {
	uint64_t key;
	uint64_t value; /* serial << FRAME_BITS | frame; 0: nothing */
};

#define FRAME_BITS 24
#define FRAME_MASK ((1u << FRAME_BITS) - 1)

/* A part, root first: its words, their frames, the hashes of the paths to
 * them. */
struct rec_walk {
	size_t n, from;  /* words; those of them that the last chain shares */
	struct rec_path_hash path; /* of the shared ones, or of the root */
	uint32_t root;   /* node */
	uint64_t words[MAX_CHAIN];
	uint32_t frames[MAX_CHAIN];
	struct rec_path_hash hashes[MAX_CHAIN];
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
		.names = names,
		.max_stack = max_stack,
	};
	s->paths = calloc(N_PATHS, sizeof(*s->paths));
	s->known = calloc(N_KNOWN, sizeof(*s->known));
	s->walk = malloc(2 * sizeof(*s->walk));
	return s->paths && s->known && s->walk ? 0 : err_nomem(err);
}

void rec_stacks_fini(struct rec_stacks *s)
{
	free(s->paths);
	free(s->known);
	free(s->walk);
	*s = (struct rec_stacks){ 0 };
}

/* Ids of an earlier epoch mean nothing in this one. */
static void enter_epoch(struct rec_stacks *s)
{
	uint32_t epoch = rec_sink_epoch(s->defs->sink) + 1;

	if (s->epoch == epoch)
		return;
	s->epoch = epoch;
	memset(s->known, 0, N_KNOWN * sizeof(*s->known));
	for (size_t i = 0; i < N_PATHS; i++)
		s->paths[i].serial = 0;
}

/* `mm` is NULL for the kernel's addresses, here and below. */
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

static uint32_t new_frame(struct rec_stacks *s, uint32_t image,
			  uint64_t address, enum tf_frame_kind kind,
			  const struct rec_mm *mm,
			  const struct rec_mapping *map)
{
	bool fresh = false;
	uint32_t id;

	rec_defs_lock(s->defs);
	rec_names_image(s->names, image, mm, map);
	id = rec_defs_frame(s->defs, image, address, kind, &fresh);
	if (fresh)
		rec_names_frame(s->names, image, address, kind);
	rec_defs_unlock(s->defs);
	return id;
}

/* The key of an address: no address that code runs at has bit 62 unlike bit
 * 63, so bit 62 is free to tell return addresses apart. */
static uint64_t known_key(uint64_t ip, enum tf_frame_kind kind)
{
	return ip ^ (uint64_t)kind << 62;
}

/* Two places, side by side in one line of the cache. */
static struct rec_known *known_pair(struct rec_stacks *s, uint64_t serial,
				    uint64_t key)
{
	uint64_t h = (key ^ serial * 0x9e3779b97f4a7c15u) *
		     0xbf58476d1ce4e5b9u;

	return &s->known[h >> 40 & (N_KNOWN - 2)];
}

static uint32_t kernel_frame(struct rec_stacks *s, uint64_t ip,
			     enum tf_frame_kind kind)
{
	uint64_t address;
	uint32_t image = rec_kernel_find(s->kernel, ip, &address);

	return new_frame(s, image, address, kind, NULL, NULL);
}

/* A kernel that is about to execute a new program, whose address space is there
 * already, still has the caller in the old one. */
static const struct rec_mapping *find_caller(struct rec_mm **mm, uint64_t ip)
{
	uint64_t then = (*mm)->from;

	*mm = (*mm)->before;
	return *mm ? rec_mm_find(*mm, ip, then) : NULL;
}

static uint32_t user_frame(struct rec_stacks *s, struct rec_mm *mm, uint64_t ip,
			   uint64_t time, enum tf_frame_kind kind)
{
	const struct rec_mapping *map = rec_mm_find(mm, ip, time);
	uint64_t address = ip;

	if (!map && kind == TF_FRAME_EXACT)
		map = find_caller(&mm, ip);
	if (!map)
		return new_frame(s, REC_IMAGE_UNKNOWN, ip, kind, NULL, NULL);
	if (s->defs->images->items[map->image].kind != TF_IMAGE_ANON)
		address = ip - map->start + map->offset;
	return new_frame(s, map->image, address, kind, mm, map);
}

static uint32_t learn_frame(struct rec_stacks *s, struct rec_mm *mm,
			    uint64_t serial, uint64_t ip, uint64_t time,
			    enum tf_frame_kind kind)
{
	uint64_t key = known_key(ip, kind);
	struct rec_known *pair;
	uint32_t frame;

	/* What is remembered holds for the mappings in force. */
	if (mm && time < mm->changed)
		return user_frame(s, mm, ip, time, kind);
	frame = mm ? user_frame(s, mm, ip, time, kind)
		   : kernel_frame(s, ip, kind);
	if (frame >> FRAME_BITS)
		return frame;
	pair = known_pair(s, serial, key);
	pair[1] = pair[0];
	pair[0] = (struct rec_known){ key, serial << FRAME_BITS | frame };
	return frame;
}

static inline uint32_t frame_of(struct rec_stacks *s, struct rec_mm *mm,
				uint64_t serial, uint64_t ip, uint64_t time,
				enum tf_frame_kind kind)
{
	uint64_t key = known_key(ip, kind);
	const struct rec_known *pair = known_pair(s, serial, key);

	if (!mm || time >= mm->changed)
		for (int i = 0; i < 2; i++)
			if (pair[i].key == key &&
			    pair[i].value >> FRAME_BITS == serial)
				return pair[i].value & FRAME_MASK;
	return learn_frame(s, mm, serial, ip, time, kind);
}

/* The words of a part, root first. */
static void take_words(struct rec_walk *w, const struct part *p)
{
	const uint8_t *at = p->sample->chain.p + 8 * (p->first + p->n);

	for (size_t i = 0; i < p->n; i++) {
		at -= 8;
		memcpy(&w->words[i], at, 8);
	}
}

/* How many words from the root the last chain of this thread shares. */
static size_t shared(const struct half *last, const struct rec_walk *w,
		     const struct part *p)
{
	size_t i = 0;

	if (last->truncated != p->truncated)
		return 0;
	while (i < last->n && i < p->n && last->words[i] == w->words[i])
		i++;
	return i;
}

/* Where a part begins: at the empty stack, or below [truncated]. */
static struct rec_path_hash root_of(struct rec_stacks *s, const struct part *p,
				    uint32_t *node)
{
	struct rec_path_hash path = { 0 };
	uint32_t frame;
	bool fresh;

	*node = 0;
	if (!p->truncated)
		return path;
	frame = rec_defs_frame(s->defs, REC_IMAGE_TRUNCATED, 0, TF_FRAME_EXACT,
			       &fresh);
	path = rec_path_step(path, frame);
	*node = rec_defs_node(s->defs, path, 0, frame);
	return path;
}

/* The frames of the words from w->from on, with the hashes of their paths. The
 * first `callers` words are return addresses. */
static void find_frames(struct rec_stacks *s, struct rec_walk *w,
			struct rec_mm *mm, uint64_t time, size_t callers)
{
	uint64_t serial = serial_of(s, mm);
	struct rec_path_hash path = w->path;

	for (size_t i = w->from; i < callers; i++)
		__builtin_prefetch(known_pair(
			s, serial, known_key(w->words[i], TF_FRAME_RETURN)));
	for (size_t i = w->from; i < w->n; i++) {
		w->frames[i] = frame_of(s, mm, serial, w->words[i], time,
					i < callers ? TF_FRAME_RETURN :
						      TF_FRAME_EXACT);
		path = rec_path_step(path, w->frames[i]);
		w->hashes[i] = path;
	}
	/* The two that will be asked for if the leaf is new. */
	for (size_t i = w->n > w->from + 2 ? w->n - 2 : w->from; i < w->n; i++)
		rec_nodes_prefetch(&s->defs->nodes, w->hashes[i]);
}

/* Takes the words of a part, finds their frames and leaves them for the next
 * chain of this thread. `exact` tells that its leaf is an instruction pointer,
 * not a return address: such a leaf is not remembered, since as a caller the
 * same word would mean another frame. */
static void part_begin(struct rec_stacks *s, struct rec_walk *w,
		       struct half *last, const struct part *p,
		       struct rec_mm *mm, uint64_t time, bool exact)
{
	size_t callers = p->n - (exact && p->n);
	size_t n = callers < PATH_DEPTH ? callers : PATH_DEPTH;

	take_words(w, p);
	w->n = p->n;
	w->from = shared(last, w, p);
	if (w->from > n)
		w->from = n;
	w->root = 0;
	w->path = w->from ? last->hashes[w->from - 1] :
			    root_of(s, p, &w->root);
	find_frames(s, w, mm, time, callers);
	for (size_t i = w->from; i < n; i++) {
		last->words[i] = w->words[i];
		last->hashes[i] = w->hashes[i];
	}
	last->n = n;
	last->truncated = p->truncated;
}

/* The node of a part. The deepest one that is there tells that all its callers
 * are, so it is looked for from the leaf on; those below it are made. */
static uint32_t part_node(struct rec_stacks *s, const struct rec_walk *w)
{
	const struct rec_nodes *nodes = &s->defs->nodes;
	uint32_t known = 0, node = w->root;
	size_t i = w->n;

	while (i > w->from && !known)
		known = rec_nodes_get(nodes, w->hashes[--i]);
	if (known) {
		node = known - 1;
		i++;
	} else if (w->from) {
		node = rec_nodes_get(nodes, w->path) - 1;
	}
	for (; i < w->n; i++)
		node = rec_defs_node(s->defs, w->hashes[i], node,
				     w->frames[i]);
	return node;
}

/* Splits the chain at its PERF_CONTEXT_* words. They cannot be told from the
 * addresses alone: up to 1 % of user parts hold kernel-looking junk
 * (measured). */
static void split(const struct rec_sample *sample, uint64_t max_stack,
		  struct part *kernel, struct part *user)
{
	struct part *now = NULL;
	uint64_t addresses = 0;

	*kernel = *user = (struct part){ .sample = sample };
	for (uint64_t i = 0; i < sample->n_chain; i++) {
		uint64_t word = rec_chain_word(sample, i);

		if (word < (uint64_t)PERF_CONTEXT_MAX) {
			if (now && addresses < MAX_CHAIN)
				now->n++;
			addresses++;
			continue;
		}
		now = word == (uint64_t)PERF_CONTEXT_KERNEL ? kernel
		      : word == (uint64_t)PERF_CONTEXT_USER ? user
							    : NULL;
		if (now)
			*now = (struct part){ sample, i + 1, 0, false };
	}
	if ((max_stack && addresses >= max_stack) || addresses > MAX_CHAIN)
		*(user->n ? &user->truncated : &kernel->truncated) = true;
}

static struct rec_path *path_of(struct rec_stacks *s, int32_t tid,
				struct rec_mm *mm)
{
	struct rec_path *p = &s->paths[(uint32_t)tid & (N_PATHS - 1)];
	uint64_t serial = serial_of(s, mm), kernel = serial_of(s, NULL);

	if (p->tid != tid || p->serial != serial ||
	    p->kernel_serial != kernel) {
		p->tid = tid;
		p->serial = serial;
		p->kernel_serial = kernel;
		p->kernel.n = p->user.n = 0;
	}
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

/* `mm` is NULL in the kernel. The place where an ip is remembered is far from
 * all others, so it is asked for early and looked at late. */
static void fetch_ip(struct rec_stacks *s, const struct rec_sample *sample,
		     struct rec_mm *mm)
{
	__builtin_prefetch(known_pair(s, serial_of(s, mm),
				      known_key(sample->ip, TF_FRAME_EXACT)));
}

static uint32_t ip_frame(struct rec_stacks *s, const struct rec_sample *sample,
			 const struct rec_ids *ids, struct rec_mm *mm)
{
	return frame_of(s, mm, serial_of(s, mm), sample->ip, ids->time,
			TF_FRAME_EXACT);
}

void rec_stacks_place(struct rec_stacks *s, const struct rec_sample *sample,
		      const struct rec_ids *ids, uint16_t misc, bool chained,
		      struct rec_mm *mm, struct rec_place *out)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool in_kernel = mode == PERF_RECORD_MISC_KERNEL;
	struct rec_path *last;
	struct part kernel, user;
	bool leaf;

	enter_epoch(s);
	*out = (struct rec_place){ 0 };
	if (in_kernel)
		out->flags |= TF_SAMPLE_KERNEL;
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    mode == PERF_RECORD_MISC_GUEST_USER)
		out->flags |= TF_SAMPLE_GUEST;
	if (!chained) {
		out->ip = ip_frame(s, sample, ids, in_kernel ? NULL : mm);
		return;
	}
	last = path_of(s, ids->tid, mm);
	fetch_ip(s, sample, in_kernel ? NULL : mm);
	split(sample, s->max_stack, &kernel, &user);
	if (!kernel.n && !user.n) {
		out->flags |= TF_SAMPLE_NO_CHAIN;
		out->ip = ip_frame(s, sample, ids, in_kernel ? NULL : mm);
		return;
	}
	if (kernel.truncated || user.truncated)
		out->flags |= TF_SAMPLE_TRUNCATED;
	leaf = take_leaf(in_kernel ? &kernel : &user, sample->ip);
	if (!leaf)
		out->flags |= TF_SAMPLE_IP_IN_STACK;
	part_begin(s, &s->walk[0], &last->kernel, &kernel, NULL, ids->time,
		   !leaf && in_kernel);
	if (ids->time < mm->changed)
		last->user.n = 0;
	/* A user part below a kernel part begins with where user code was. */
	part_begin(s, &s->walk[1], &last->user, &user, mm, ids->time,
		   in_kernel || !leaf);
	if (ids->time < mm->changed)
		last->user.n = 0;
	out->ip = ip_frame(s, sample, ids, in_kernel ? NULL : mm);
	out->kstack = part_node(s, &s->walk[0]);
	out->ustack = part_node(s, &s->walk[1]);
}

void rec_stacks_touch_kernel(struct rec_stacks *s, uint64_t address)
{
	if (address < UINT64_C(1) << 63)
		return;
	enter_epoch(s);
	(void)frame_of(s, NULL, serial_of(s, NULL), address, 0,
		       TF_FRAME_EXACT);
}
