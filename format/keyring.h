/* The keys of the part that is being encoded: which columns predict others, and
 * their dictionaries, each made when the first column asks for it. */
#ifndef FORMAT_KEYRING_H
#define FORMAT_KEYRING_H

#include "format/builder.h"
#include "format/dict.h"
#include "format/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tf_keyring_column {
	bool is_key;    /* another column names it */
	bool is_tried;
	uint32_t n;     /* distinct values; 0: too many for a dictionary */
	uint64_t *values; /* ascending */
	size_t values_cap;
	uint32_t *of;   /* by row: place in values */
	size_t of_cap;
};

struct tf_keyring_pair;

struct tf_keyring {
	const struct tf_builder *from;
	struct tf_keyring_column *columns; /* by position */
	size_t n_columns, cap;
	struct tf_keyring_pair *pairs; /* keys of two columns */
	size_t n_pairs, pairs_made, pairs_cap;
	struct tf_dict dict;
	uint64_t *index;
	size_t index_cap;
	uint32_t *place;
	size_t place_cap;
	bool failed; /* out of memory; sticks until the next begin */
};

struct tf_keyring_key {
	struct tf_key key;
	uint32_t ids[2]; /* of the columns that it is made of */
	unsigned n_ids;
	bool is_link;
	const uint64_t *initial; /* of a link: what it was linked to */
	uint32_t n_initial;
};

void tf_keyring_fini(struct tf_keyring *k); /* a zeroed one is ready */
void tf_keyring_begin(struct tf_keyring *k, const struct tf_builder *from);

/* The dictionary of the column at a position, where another column names it and
 * it has one; else NULL. */
const struct tf_keyring_column *tf_keyring_column(struct tf_keyring *k,
						  uint32_t position);

/* What predicts the column, by its link or else by its keys. false: nothing
 * does, or what should has no dictionary in this part. */
bool tf_keyring_find(struct tf_keyring *k, const struct tf_column *c,
		     struct tf_keyring_key *out);

#endif
