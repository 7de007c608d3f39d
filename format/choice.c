#include "format/choice.h"

#define HOLDS 15u

void tf_choices_fini(struct tf_choices *c)
{
	map64_fini(&c->of);
}

enum tf_choice tf_choice_now(struct tf_choices *c, uint32_t table,
			     uint32_t column)
{
	bool fresh = false;
	uint32_t *at = map64_put(&c->of, map64_pair(table, column), 0, &fresh);

	if (!at || *at < 2)
		return TF_CHOICE_TRY;
	*at -= 2;
	return *at & 1 ? TF_CHOICE_SECOND : TF_CHOICE_FIRST;
}

void tf_choice_keep(struct tf_choices *c, uint32_t table, uint32_t column,
		    bool second)
{
	bool fresh = false;
	uint32_t *at = map64_put(&c->of, map64_pair(table, column), 0, &fresh);

	if (at)
		*at = HOLDS << 1 | second;
}
