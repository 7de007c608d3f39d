#include "record/symbol/kallsyms.h"

#include "format/base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_TEXT ((size_t)256 << 20)
#define PAGE 4096u
/* What both have room for at first, so that it is in huge pages. */
#define USUAL_TEXT ((size_t)8 << 20)
#define SHORT_LINE 32u

/* Both files give a page a read, and no size. */
static int read_text(struct buf *to, int fd, struct err *err)
{
	buf_init(to, MAX_TEXT);
	if (fd >= 0 && !buf_room(to, USUAL_TEXT))
		return err_nomem(err);
	while (fd >= 0) {
		uint8_t *at = buf_room(to, 64 * 1024);
		ssize_t n;

		if (!at)
			return err_nomem(err);
		n = pread(fd, at, 64 * 1024, (off_t)to->n);
		if (n < 0 && errno != EINTR)
			return err_sys(err, errno, "cannot read it");
		if (n == 0)
			break;
		to->n += n > 0 ? (size_t)n : 0;
	}
	buf_u8(to, 0);
	return buf_failed(to) ? err_nomem(err) : 0;
}

static bool take_hex(struct span *in, uint64_t *out)
{
	uint64_t v = 0;
	size_t n;

	for (n = 0; n < in->n && n < 16; n++) {
		uint8_t c = in->p[n];

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*out = v;
	return n > 0 && span_skip(in, n);
}

static bool take_line(struct span *in, struct span *line)
{
	const uint8_t *end = in->n ? memchr(in->p, '\n', in->n) : NULL;

	return end && span_take(in, (size_t)(end - in->p), line) &&
	       span_skip(in, 1);
}

static bool take_char(struct span *in, uint8_t want)
{
	return in->n && in->p[0] == want && span_skip(in, 1);
}

/* Addresses fall back to _text's neighbour on kernels that hide it. */
static void note_text(struct rec_kallsyms *k, const char *name,
		      uint64_t address)
{
	if (name[0] == '_' && (!strcmp(name, "_text") ||
			       (!strcmp(name, "_stext") && !k->text)))
		k->text = address;
}

/* Second names that one function has for other callers. */
static bool is_alias(const char *name)
{
	return name[0] == '_' && (!strncmp(name, "__pi_", 5) ||
				  !strncmp(name, "__ia32_", 7));
}

/* 't' local, 'T' global, 'w' and 'W' weak. Ends of the kernel's text are no
 * functions: what lies behind them is data or memory that was given back. */
static unsigned rank_of(uint8_t type, const char *name)
{
	if (name[0] == '_' && (!strcmp(name, "_etext") ||
			       !strcmp(name, "_einittext")))
		return REC_SYM_SIZELESS | REC_SYM_END;
	if (type == 't' || is_alias(name))
		return REC_SYM_SIZELESS | REC_SYM_LOCAL;
	return REC_SYM_SIZELESS | (type == 'T' ? REC_SYM_GLOBAL : REC_SYM_WEAK);
}

/* "ffffffff81000000 T _text" or "ffffffffc0201000 t f\t[module]". Name and
 * module get a NUL behind them, in place. */
static int add_line(struct rec_kallsyms *k, struct span line, bool *shown,
		    struct err *err)
{
	uint8_t *text = k->symtab.names.p;
	uint64_t address;
	uint8_t type, *tab, *name;

	if (!take_hex(&line, &address) || !take_char(&line, ' ') ||
	    !span_u8(&line, &type) || !take_char(&line, ' ') || !line.n)
		return 0;
	*shown |= address != 0;
	if (!strchr("tTwW", type) || !type)
		return 0;
	name = text + (line.p - text);
	name[line.n] = '\0';
	tab = memchr(name, '\t', line.n);
	if (tab)
		*tab = '\0';
	if (!*name)
		return 0;
	if (!tab)
		note_text(k, (char *)name, address);
	return rec_symtab_add(&k->symtab, address, UINT64_MAX,
			      (uint32_t)(name - text),
			      rank_of(type, (char *)name), err);
}

/* "[module]", or "" where what follows is the next line. */
static const char *module_of(const struct rec_symtab *t, size_t row)
{
	const char *name = rec_symtab_name(t, row);
	size_t after = t->rows[row].name + strlen(name) + 1;

	return after < t->names.n && name[strlen(name) + 1] == '[' ?
		       name + strlen(name) + 1 : "";
}

/* The last function of the kernel or a module ends nobody knows where: no
 * later than the page after its start. */
static void close_groups(struct rec_symtab *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct rec_symtab_row *row = &t->rows[i];
		uint64_t page;

		if (i + 1 < t->n &&
		    !strcmp(module_of(t, i), module_of(t, i + 1)))
			continue;
		if (!ckd_add(&page, row->start | (PAGE - 1), PAGE) &&
		    row->end > page + 1)
			row->end = page + 1;
	}
}

static void name_ends(struct rec_symtab *t)
{
	const uint32_t empty = (uint32_t)(t->names.n - 1);

	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].rank & REC_SYM_END)
			t->rows[i].name = empty;
}

static int read_kallsyms(struct rec_kallsyms *k, int fd, struct err *err)
{
	struct rec_symtab *t = &k->symtab;
	bool shown = false;
	struct span in, line;
	int rc = read_text(&t->names, fd, err);

	in = span_of(t->names.p, t->names.n);
	if (!rc && !mem_grow(&t->rows, &t->cap, in.n / SHORT_LINE,
			     sizeof(*t->rows)))
		rc = err_nomem(err);
	while (!rc && take_line(&in, &line))
		rc = add_line(k, line, &shown, err);
	if (rc < 0)
		return rc;
	if (t->n && !shown)
		return err_set(err, ERR_DENIED,
			       "kallsyms shows no addresses (kptr_restrict)");
	if (!k->text)
		return err_set(err, ERR_UNSUPPORTED, "kallsyms has no _text");
	rec_symtab_finish(t);
	close_groups(t);
	name_ends(t);
	return 0;
}

static bool take_word(struct span *in, struct span *out)
{
	size_t n = 0;

	while (n < in->n && in->p[n] != ' ')
		n++;
	return n && span_take(in, n, out) &&
	       (take_char(in, ' ') || !in->n);
}

static bool take_decimal(struct span word, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] < '0' || word.p[i] > '9' ||
		    ckd_mul(&v, v, (uint64_t)10) ||
		    ckd_add(&v, v, (uint64_t)(word.p[i] - '0')))
			return false;
	*out = v;
	return word.n > 0;
}

/* "ext4 1130496 2 mbcache,jbd2, Live 0xffffffffc0555000 (E)" */
static bool take_module(struct rec_kallsyms *k, struct span line,
			struct rec_kallsyms_module *m)
{
	struct span name, size, skipped;

	if (!take_word(&line, &name) || !take_word(&line, &size) ||
	    !take_word(&line, &skipped) || !take_word(&line, &skipped) ||
	    !take_word(&line, &skipped) || !take_char(&line, '0') ||
	    !take_char(&line, 'x') || !take_hex(&line, &m->base) || !m->base ||
	    !take_decimal(size, &m->size))
		return false;
	m->name = (uint32_t)(name.p - k->modules_text.p);
	m->name_size = (uint32_t)name.n;
	return true;
}

static int read_modules(struct rec_kallsyms *k, int fd, struct err *err)
{
	struct span in, line;
	int rc = read_text(&k->modules_text, fd, err);

	if (rc < 0)
		return rc;
	in = span_of(k->modules_text.p, k->modules_text.n);
	while (take_line(&in, &line)) {
		struct rec_kallsyms_module m;

		if (!take_module(k, line, &m))
			continue;
		if (!mem_grow(&k->modules, &k->modules_cap, k->n_modules + 1,
			      sizeof(*k->modules)))
			return err_nomem(err);
		k->modules[k->n_modules++] = m;
	}
	return 0;
}

int rec_kallsyms_read(struct rec_kallsyms *k, int kallsyms, int modules,
		      struct err *err)
{
	int rc;

	rec_kallsyms_fini(k);
	rc = read_kallsyms(k, kallsyms, err);
	if (!rc)
		rc = read_modules(k, modules, err);
	if (rc < 0)
		rec_kallsyms_fini(k);
	return rc;
}

void rec_kallsyms_fini(struct rec_kallsyms *k)
{
	rec_symtab_fini(&k->symtab);
	buf_fini(&k->modules_text);
	free(k->modules);
	*k = (struct rec_kallsyms){ 0 };
}

/* Offsets wrap around where modules lie below the kernel. */
bool rec_kallsyms_find(const struct rec_kallsyms *k, uint64_t offset,
		       struct rec_symtab_hit *out)
{
	struct rec_symtab_hit hit;

	if (!rec_symtab_find(&k->symtab, k->text + offset, &hit))
		return false;
	hit.start -= k->text;
	*out = hit;
	return true;
}

const struct rec_kallsyms_module *
rec_kallsyms_module(const struct rec_kallsyms *k, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; n > 2 && i < k->n_modules; i++) {
		const struct rec_kallsyms_module *m = &k->modules[i];

		if (m->name_size == n - 2 &&
		    !memcmp(k->modules_text.p + m->name, name + 1, n - 2))
			return m;
	}
	return NULL;
}

/* Since 6.4 the parts of a module lie apart and the size is that of all: the
 * address may be in the next module's text. */
bool rec_kallsyms_find_in(const struct rec_kallsyms *k,
			  const struct rec_kallsyms_module *module,
			  uint64_t offset, struct rec_symtab_hit *out)
{
	struct rec_symtab_hit hit;
	const char *of;

	if (offset >= module->size ||
	    !rec_symtab_find(&k->symtab, module->base + offset, &hit) ||
	    hit.start < module->base)
		return false;
	of = module_of(&k->symtab, hit.row);
	if (strncmp(of + (*of == '['),
		    (const char *)k->modules_text.p + module->name,
		    module->name_size) != 0 ||
	    *of != '[' || of[1 + module->name_size] != ']')
		return false;
	hit.start -= module->base;
	*out = hit;
	return true;
}
