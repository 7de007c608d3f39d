#include "lib/private.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(((struct ct_error *)NULL)->text) ==
		      sizeof(((struct err *)NULL)->text),
	      "texts fit");
static_assert((int)CT_ERR_IO == ERR_IO && (int)CT_ERR_FORMAT == ERR_FORMAT &&
		      (int)CT_ERR_LIMIT == ERR_LIMIT &&
		      (int)CT_ERR_NOMEM == ERR_NOMEM &&
		      (int)CT_ERR_USAGE == ERR_USAGE &&
		      (int)CT_ERR_UNSUPPORTED == ERR_UNSUPPORTED &&
		      (int)CT_ERR_DENIED == ERR_DENIED &&
		      (int)CT_ERR_NEWER == ERR_NEWER &&
		      (int)CT_ERR_FULL == ERR_FULL &&
		      (int)CT_ERR_CLOSED == ERR_CLOSED,
	      "codes are the same");

int ct_fail(struct ct_error *to, int rc, const struct err *from)
{
	if (!to)
		return rc;
	to->code = rc;
	memcpy(to->text, from->text, sizeof(to->text));
	return rc;
}

int ct_misuse(struct ct_error *to, const char *why)
{
	struct err e;

	return ct_fail(to, err_set(&e, ERR_USAGE, "%s", why), &e);
}
