#include "analyze/ending.h"

#include <inttypes.h>
#include <stdio.h>

const char *an_ending_word(const struct tf_reader *r)
{
	switch (tf_reader_ending(r)) {
	case TF_CLOSED:
		return "closed";
	case TF_UNCLOSED:
		return "not closed";
	case TF_CUT:
		return "cut short";
	case TF_FOLLOWED:
		return "followed";
	}
	return "";
}

void an_ending_text(char to[AN_ENDING_TEXT], const struct tf_reader *r)
{
	uint64_t end = tf_reader_end(r), n = tf_reader_size(r) - end;

	if (tf_reader_ending(r) != TF_FOLLOWED)
		snprintf(to, AN_ENDING_TEXT, "%s", an_ending_word(r));
	else if (tf_reader_another_follows(r))
		snprintf(to, AN_ENDING_TEXT, "closed; another trace follows at "
			 "offset %" PRIu64 ", it is not read", end);
	else if (n == 1)
		snprintf(to, AN_ENDING_TEXT, "closed, followed by a byte that "
			 "is not part of it");
	else
		snprintf(to, AN_ENDING_TEXT, "closed, followed by %" PRIu64
			 " bytes that are not part of it", n);
}
