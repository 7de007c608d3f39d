/* --image, --symbol, --through: once for each frame, then for each stack. */
#include "analyze/selection/choose.h"
#include "analyze/selection/kinds.h"

#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* MODULE_NAME_LEN of the kernel is less. */
#define MODULE_NAME 128u

static bool cut_end(struct span *text, const char *tail)
{
	size_t n = strlen(tail);

	if (text->n <= n || memcmp(text->p + text->n - n, tail, n) != 0)
		return false;
	text->n -= n;
	return true;
}

/* A module's file, also a packed one, without its ending. */
static bool cut_ko(struct span *file)
{
	static const char *const packed[] = { ".xz", ".gz", ".zst" };
	struct span name = *file;

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++)
		if (cut_end(&name, packed[i]))
			break;
	if (!cut_end(&name, ".ko"))
		return false;
	*file = name;
	return true;
}

/* "[nvidia]" is called nvidia, too. */
static struct span without_brackets(struct span name)
{
	if (name.n > 2 && name.p[0] == '[' && name.p[name.n - 1] == ']')
		return span_of(name.p + 1, name.n - 2);
	return name;
}

/* What a module is called by itself: "kernel/drivers/x/nvidia-drm.ko.xz" and
 * "[nvidia_drm]" are nvidia_drm. Nothing where the text is too long for one. */
static struct span module_name(struct span text, uint8_t to[MODULE_NAME])
{
	/* Only the path of a module's file, not "/usr/lib/" and a star. */
	if (cut_ko(&text))
		text = span_base_name(text);
	text = without_brackets(text);
	if (text.n > MODULE_NAME)
		return span_of("", 0);
	for (size_t i = 0; i < text.n; i++)
		to[i] = text.p[i] == '-' ? '_' : text.p[i];
	return span_of(to, text.n);
}

static bool is_module(const struct an_image *image, struct span path)
{
	return image->kind == TF_IMAGE_MODULE ||
	       (image->kind == TF_IMAGE_ELF && cut_ko(&path));
}

static bool is_module_called(struct span word, struct span path)
{
	uint8_t a[MODULE_NAME], b[MODULE_NAME];
	struct span have = module_name(path, a);

	return have.n && an_word_is(module_name(word, b), have);
}

static bool is_image(const struct an_trace *t, uint32_t i, struct span word)
{
	const struct an_image *image = an_image_of(t, i);
	struct span path = an_string(t, image->path);
	struct span dso = an_string(t, image->dso);

	return an_word_is(word, path) || an_word_is(word, dso) ||
	       an_word_is(word, span_base_name(path)) ||
	       an_word_is(word, without_brackets(dso)) ||
	       (is_module(image, path) && is_module_called(word, path));
}

static void show_image(const struct an_trace *t, uint32_t i, struct buf *to)
{
	const struct an_image *image = an_image_of(t, i);

	if (image->kind != TF_IMAGE_SPECIAL)
		buf_printf(to, "%s", an_text(t, image->dso));
}

/* Also by the name in the symbol table, which of C++ differs. */
static bool is_function(const struct an_trace *t, uint32_t i, struct span word)
{
	uint32_t symbol = an_frame_of(t, i)->symbol;
	const struct an_symbol *s = an_symbol_of(t, symbol);

	return an_word_is(word, an_frame_name(t, i)) ||
	       (symbol != AN_NONE && s->linkage &&
		an_word_is(word, an_string(t, s->linkage)));
}

static void show_function(const struct an_trace *t, uint32_t i,
			  struct buf *to)
{
	struct span name = an_frame_name(t, i);

	buf_put(to, name.p, name.n);
}

static const struct an_kind by_image = { "image", "image", false, is_image,
					 show_image };
static const struct an_kind by_symbol = { "symbol", "symbol", false,
					  is_function, show_function };
static const struct an_kind by_through = { "through", "symbol", false,
					   is_function, show_function };

static int select_leaf(struct an_selection *sel, const struct opt_list *l,
		       const struct an_trace *t, struct err *err)
{
	bool *marks;
	int rc;

	if (!l->n)
		return 0;
	marks = an_marks_new(sel->n_frames, err);
	if (!marks)
		return ERR_NOMEM;
	rc = an_choose(l, &by_symbol, t, (uint32_t)sel->n_frames, marks,
		       err);
	an_marks_narrow(&sel->leaf, marks, sel->n_frames);
	return rc;
}

static int select_images(struct an_selection *sel, const struct opt_list *l,
			 const struct an_trace *t, struct err *err)
{
	uint32_t n = (uint32_t)an_n_images(t);
	bool *images, *frames = NULL;
	int rc;

	if (!l->n)
		return 0;
	images = an_marks_new(n, err);
	rc = images ? an_choose(l, &by_image, t, n, images, err) :
		      ERR_NOMEM;
	if (!rc) {
		frames = an_marks_new(sel->n_frames, err);
		rc = frames ? 0 : ERR_NOMEM;
	}
	for (uint32_t i = 0; !rc && i < sel->n_frames; i++) {
		uint32_t image = an_frame_of(t, i)->image;

		frames[i] = image < n && images[image];
	}
	if (!rc)
		an_marks_narrow(&sel->leaf, frames, sel->n_frames);
	free(images);
	return rc;
}

/* A node comes behind its parent: one pass carries the mark down. */
static void mark_nodes(struct an_selection *sel, const struct an_trace *t)
{
	for (uint32_t i = 1; i < sel->n_nodes; i++) {
		const struct an_node *node = an_node_of(t, i);

		sel->node[i] = sel->node[node->parent] ||
			       (node->frame < sel->n_frames &&
				sel->through[node->frame]);
	}
}

static int select_through(struct an_selection *sel, const struct opt_list *l,
			  const struct an_trace *t, struct err *err)
{
	int rc;

	if (!l->n)
		return 0;
	sel->n_nodes = an_n_nodes(t);
	sel->through = an_marks_new(sel->n_frames, err);
	sel->node = an_marks_new(sel->n_nodes, err);
	if (!sel->through || !sel->node)
		return ERR_NOMEM;
	rc = an_choose(l, &by_through, t, (uint32_t)sel->n_frames,
		       sel->through, err);
	if (!rc)
		mark_nodes(sel, t);
	return rc;
}

int an_select_frames(struct an_selection *sel,
		     const struct an_selection_args *args,
		     const struct an_trace *t, struct err *err)
{
	int rc;

	sel->n_frames = an_n_frames(t);
	rc = select_images(sel, &args->image, t, err);
	if (!rc)
		rc = select_leaf(sel, &args->symbol, t, err);
	if (!rc)
		rc = select_through(sel, &args->through, t, err);
	return rc;
}
