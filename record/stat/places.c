#include "record/stat/places.h"

#include "record/perf/cpus.h"
#include "record/proc/folder.h"
#include "record/proc/procfs.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu"
#define NODES "/sys/devices/system/node"

/* The kernel's words, which may be negative: a machine without sockets has -1
 * on some architectures. */
static void put_word(struct buf *to, const char *root, int cpu,
		     const char *file)
{
	struct span text, line, word;
	struct buf b;

	buf_init(&b, (size_t)64 << 10);
	if (rec_procfs_read(&b, NULL, root, CPUS "/cpu%d/topology/%s", cpu,
			    file) < 0)
		b.n = 0;
	text = span_of(b.p, b.n);
	if (rec_line(&text, &line) && rec_word(&line, &word) && word.n < 12)
		buf_put(to, word.p, word.n);
	else
		buf_u8(to, '-');
	buf_fini(&b);
}

/* false: its list does not have the CPU, or cannot be read. */
static bool has_cpu(const char *root, const char *node, int cpu)
{
	struct rec_cpus cpus = { 0 };
	struct span text, line;
	char list[4096];
	struct err err;
	struct buf b;
	bool has = false;

	buf_init(&b, (size_t)64 << 10);
	if (rec_procfs_read(&b, NULL, root, NODES "/%s/cpulist", node) < 0)
		b.n = 0;
	text = span_of(b.p, b.n);
	if (rec_line(&text, &line) && line.n && line.n < sizeof(list)) {
		snprintf(list, sizeof(list), "%.*s", (int)line.n,
			 (const char *)line.p);
		has = rec_cpus_parse(&cpus, list, &err) == 0 &&
		      rec_cpus_has(&cpus, cpu);
	}
	rec_cpus_fini(&cpus);
	buf_fini(&b);
	return has;
}

static bool is_node(const char *name)
{
	return strncmp(name, "node", 4) == 0 && name[4] &&
	       !name[4 + strspn(name + 4, "0123456789")];
}

static void put_node(struct buf *to, const struct rec_folder *nodes,
		     const char *root, int cpu)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (is_node(nodes->names[i]) &&
		    has_cpu(root, nodes->names[i], cpu)) {
			buf_printf(to, "%s", nodes->names[i] + 4);
			return;
		}
	buf_u8(to, '-');
}

int rec_places_text(struct buf *to, const char *root, struct err *err)
{
	struct rec_folder nodes = { 0 };
	struct rec_cpus cpus = { 0 };
	char path[PATH_MAX];
	int rc = rec_cpus_online(&cpus, root, err);

	snprintf(path, sizeof(path), "%s" NODES, root);
	if (rc == 0)
		rc = rec_folder_read(&nodes, path, err);
	for (size_t i = 0; rc >= 0 && i < cpus.n; i++) {
		int cpu = cpus.items[i];

		buf_printf(to, "%s%d=", i ? " " : "", cpu);
		put_word(to, root, cpu, "physical_package_id");
		buf_u8(to, '/');
		put_word(to, root, cpu, "die_id");
		buf_u8(to, '/');
		put_word(to, root, cpu, "core_id");
		buf_u8(to, '/');
		put_node(to, &nodes, root, cpu);
	}
	rec_folder_fini(&nodes);
	rec_cpus_fini(&cpus);
	if (rc < 0)
		return rc;
	return buf_failed(to) ? err_nomem(err) : 0;
}

void rec_fact_places(struct rec_defs *d)
{
	struct err err;
	struct buf text;

	buf_init(&text, TF_MAX_STRING);
	if (rec_places_text(&text, d->root, &err) == 0)
		rec_fact_text(d, "cpu_places", span_of(text.p, text.n));
	buf_fini(&text);
}
