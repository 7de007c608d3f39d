#include "record/proc/maps.h"

#include "record/proc/procfs.h"

#include <string.h>

static bool split(struct span *s, uint8_t at, struct span *left)
{
	const uint8_t *p = s->n ? memchr(s->p, at, s->n) : NULL;

	return p && span_take(s, (size_t)(p - s->p), left) && span_skip(s, 1);
}

static bool take_hex(struct span word, uint64_t *out)
{
	return rec_number(word, 16, out);
}

static bool take_range(struct span word, struct rec_map_line *m)
{
	struct span low;

	return split(&word, '-', &low) && take_hex(low, &m->start) &&
	       take_hex(word, &m->end) && m->start < m->end;
}

static bool take_device(struct span word, struct rec_map_line *m)
{
	struct span major;
	uint64_t a, b;

	if (!split(&word, ':', &major) || !take_hex(major, &a) ||
	    !take_hex(word, &b))
		return false;
	m->major = (uint32_t)a;
	m->minor = (uint32_t)b;
	return true;
}

bool rec_map_line(struct span line, struct rec_map_line *out)
{
	struct span range, perms, offset, device, inode;
	struct rec_map_line m = { 0 };

	if (!rec_word(&line, &range) || !rec_word(&line, &perms) ||
	    !rec_word(&line, &offset) || !rec_word(&line, &device) ||
	    !rec_word(&line, &inode) || perms.n != 4 || perms.p[2] != 'x' ||
	    !take_range(range, &m) || !take_hex(offset, &m.offset) ||
	    !take_device(device, &m) || !rec_number(inode, 10, &m.inode))
		return false;
	while (line.n && line.p[0] == ' ')
		(void)span_skip(&line, 1);
	m.path = line;
	*out = m;
	return true;
}

int rec_maps_read(const char *root, pid_t pid,
		  int (*each)(void *ctx, const struct rec_map_line *m),
		  void *ctx, struct err *err)
{
	struct span text, line;
	struct rec_map_line m;
	struct buf b;
	int rc;

	buf_init(&b, (size_t)64 << 20);
	rc = rec_procfs_read(&b, err, root, "/proc/%d/maps", (int)pid);
	text = span_of(b.p, b.n);
	while (rc == 0 && rec_line(&text, &line))
		if (rec_map_line(line, &m))
			rc = each(ctx, &m);
	buf_fini(&b);
	return rc;
}
