#include "record/symbol/own.h"

#include "format/base/buf.h"
#include "format/base/intern.h"
#include "format/base/mem.h"
#include "format/catalog.h"
#include "record/proc/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last function of an area ends nobody knows where. */
#define LAST_SIZE 4096u

/* -- Areas ----------------------------------------------------------------- */

/* Programs of BPF, trampolines and the like lie anywhere between modules. */
static bool is_scattered(struct span name)
{
	static const char *const names[] = { "[bpf]", "[__builtin__ftrace]",
					     "[__builtin__kprobes]" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (name.n == strlen(names[i]) &&
		    !memcmp(name.p, names[i], name.n))
			return true;
	return false;
}

struct areas {
	struct rec_own *o;
	struct intern names; /* → place among the areas */
};

static int widen(struct areas *a, struct span name, uint64_t address,
		 struct err *err)
{
	struct rec_own *o = a->o;
	struct rec_own_area *area;
	bool fresh = false;
	uint32_t i;

	if (!intern_put(&a->names, name.p, name.n, &i, &fresh) ||
	    !mem_grow(&o->areas, &o->areas_cap, (size_t)i + 1,
		      sizeof(*o->areas)))
		return err_nomem(err);
	area = &o->areas[i];
	if (fresh) {
		*area = (struct rec_own_area){ name, address, address };
		o->n_areas = (size_t)i + 1;
	}
	if (address < area->start)
		area->start = address;
	if (address > area->end)
		area->end = address;
	return 0;
}

/* "ffffffffc0201000 t f\t[module]"; only what is code has a place. */
static bool take_line(struct span line, uint64_t *address, struct span *module)
{
	struct span word, type, name;

	*module = span_of("", 0);
	if (!rec_word(&line, &word) || !rec_number(word, 16, address) ||
	    !rec_word(&line, &type) || type.n != 1 ||
	    !strchr("tTwW", type.p[0]) || !rec_word(&line, &name))
		return false;
	(void)rec_word(&line, module);
	return *address != 0;
}

static int by_scatter(const void *a, const void *b)
{
	const struct rec_own_area *x = a, *y = b;
	bool p = is_scattered(x->name), q = is_scattered(y->name);

	return p != q ? CMP(q, p) : CMP(x->start, y->start);
}

static int find_areas(struct rec_own *o, struct span text, struct err *err)
{
	struct areas a = { .o = o };
	struct span line, module;
	uint64_t address;
	int rc = 0;

	while (rc == 0 && rec_line(&text, &line))
		if (take_line(line, &address, &module) &&
		    (module.n || address >= o->kallsyms.text))
			rc = widen(&a, module, address, err);
	intern_fini(&a.names);
	for (size_t i = 0; i < o->n_areas; i++)
		if (ckd_add(&o->areas[i].end, o->areas[i].end, LAST_SIZE))
			o->areas[i].end = UINT64_MAX;
	if (o->n_areas)
		qsort(o->areas, o->n_areas, sizeof(*o->areas), by_scatter);
	return rc;
}

/* -- Names ----------------------------------------------------------------- */

static int file_of(struct span text, int *out, struct err *err)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(err, errno, "cannot keep kallsyms");
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			(void)err_sys(err, errno, "cannot keep kallsyms");
			close(fd);
			return ERR_IO;
		}
		(void)span_skip(&text, (size_t)n);
	}
	*out = fd;
	return 0;
}

/* The modules as /proc/modules lists them, which is not recorded. */
static int modules_of(const struct rec_own *o, int *out, struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, 0);
	for (size_t i = 0; i < o->n_areas; i++) {
		const struct rec_own_area *a = &o->areas[i];

		if (a->name.n > 2)
			buf_printf(&text, "%.*s %" PRIu64 " 0 - Live 0x%" PRIx64
				   "\n", (int)a->name.n - 2,
				   (const char *)a->name.p + 1,
				   a->end - a->start, a->start);
	}
	rc = buf_failed(&text) ? err_nomem(err) :
				 file_of(span_of(text.p, text.n), out, err);
	buf_fini(&text);
	return rc;
}

static int read_names(struct rec_own *o, int names, struct err *err)
{
	int modules = -1;
	int rc = modules_of(o, &modules, err);

	if (rc == 0)
		rc = rec_kallsyms_read(&o->kallsyms, names, modules, err);
	if (modules >= 0)
		close(modules);
	return rc;
}

int rec_own_read(struct rec_own *o, struct span text, struct err *err)
{
	int names = -1, rc;

	rec_own_fini(o);
	rc = file_of(text, &names, err);
	/* Where _text is decides what is the kernel's. */
	if (rc == 0)
		rc = rec_kallsyms_read(&o->kallsyms, names, -1, err);
	if (rc == 0)
		rc = find_areas(o, text, err);
	if (rc == 0)
		rc = read_names(o, names, err);
	if (names >= 0)
		close(names);
	if (rc == 0) {
		o->told = calloc(o->kallsyms.symtab.n + 1, 1);
		rc = o->told ? 0 : err_nomem(err);
	}
	if (rc < 0)
		rec_own_fini(o);
	return rc;
}

void rec_own_fini(struct rec_own *o)
{
	rec_kallsyms_fini(&o->kallsyms);
	free(o->areas);
	free(o->wanted);
	free(o->told);
	*o = (struct rec_own){ 0 };
}

bool rec_own_want(struct rec_own *o, uint32_t image, uint64_t address)
{
	if (!mem_grow(&o->wanted, &o->wanted_cap, o->n_wanted + 1,
		      sizeof(*o->wanted)))
		return false;
	o->wanted[o->n_wanted++] = (struct rec_own_address){ image, address };
	return true;
}

static bool find(const struct rec_own *o, const struct rec_image *im,
		 uint64_t address, struct rec_symtab_hit *hit)
{
	const struct rec_kallsyms_module *m;

	if (im->kind == TF_IMAGE_KERNEL)
		return rec_kallsyms_find(&o->kallsyms, address, hit);
	m = rec_kallsyms_module(&o->kallsyms, im->path);
	return m && rec_kallsyms_find_in(&o->kallsyms, m, address, hit);
}

static void write_row(const struct rec_own *o, struct rec_defs *defs,
		      uint32_t image, const struct rec_symtab_hit *hit)
{
	const char *text = rec_symtab_name(&o->kallsyms.symtab, hit->row);
	uint32_t of = rec_defs_image(defs, image);
	uint32_t name = rec_defs_string(defs, text, strlen(text));
	uint32_t linkage = rec_defs_string(defs, "", 0);
	struct tf_builder *b = rec_sink_rows(defs->sink, TF_TABLE_SYMBOL);

	tf_builder_set(b, TF_SYMBOL_IMAGE, of);
	tf_builder_set(b, TF_SYMBOL_START, hit->start);
	tf_builder_set(b, TF_SYMBOL_SIZE, hit->size ? hit->size : 1);
	tf_builder_set(b, TF_SYMBOL_NAME, name);
	tf_builder_set(b, TF_SYMBOL_LINKAGE, linkage);
	if (!tf_builder_commit(b))
		defs->failed = true;
}

void rec_own_tell_wanted(struct rec_own *o, struct rec_defs *defs)
{
	for (size_t i = 0; i < o->n_wanted; i++) {
		const struct rec_own_address *w = &o->wanted[i];
		struct rec_symtab_hit hit;

		if (!find(o, &defs->images->items[w->image], w->address,
			  &hit) || o->told[hit.row])
			continue;
		if (!rec_sink_reserve_wait(defs->sink))
			break;
		write_row(o, defs, w->image, &hit);
		o->told[hit.row] = 1;
	}
	o->n_wanted = 0;
}
