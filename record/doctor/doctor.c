#include "record/doctor/doctor.h"

#include "format/base/buf.h"
#include "format/base/mem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct cap {
	enum rec_cap cap;
	const char *name;
} caps[] = {
	{ REC_CAP_PERFMON, "cap_perfmon" },
	{ REC_CAP_SYS_ADMIN, "cap_sys_admin" },
	{ REC_CAP_SYS_PTRACE, "cap_sys_ptrace" },
	{ REC_CAP_SYSLOG, "cap_syslog" },
	{ REC_CAP_IPC_LOCK, "cap_ipc_lock" },
	{ REC_CAP_CHECKPOINT_RESTORE, "cap_checkpoint_restore" },
	{ REC_CAP_DAC_READ_SEARCH, "cap_dac_read_search" },
};

const uint64_t rec_doctor_caps =
	REC_CAP_BIT(REC_CAP_PERFMON) | REC_CAP_BIT(REC_CAP_SYS_ADMIN) |
	REC_CAP_BIT(REC_CAP_SYS_PTRACE) | REC_CAP_BIT(REC_CAP_SYSLOG) |
	REC_CAP_BIT(REC_CAP_IPC_LOCK) |
	REC_CAP_BIT(REC_CAP_CHECKPOINT_RESTORE) |
	REC_CAP_BIT(REC_CAP_DAC_READ_SEARCH);

void rec_doctor_fini(struct rec_doctor *d)
{
	arena_fini(&d->texts);
}

static const char *vtext(struct rec_doctor *d, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static const char *vtext(struct rec_doctor *d, const char *fmt, va_list ap)
{
	char *made = NULL, *kept = NULL;
	int n = vasprintf(&made, fmt, ap);

	if (n >= 0) {
		kept = arena_dup(&d->texts, made, (size_t)n);
		free(made);
	}
	if (!kept)
		d->failed = true;
	return kept ? kept : "";
}

const char *rec_doctor_text(struct rec_doctor *d, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = vtext(d, fmt, ap);
	va_end(ap);
	return text;
}

void rec_mend(struct rec_doctor *d, struct rec_finding *f, const char *scope,
	      const char *fmt, ...)
{
	va_list ap;

	if (f->n_mends == REC_MENDS_MAX)
		return;
	va_start(ap, fmt);
	f->mends[f->n_mends++] =
		(struct rec_mend){ vtext(d, fmt, ap), scope };
	va_end(ap);
}

const char *rec_doctor_cap_names(struct rec_doctor *d, uint64_t set)
{
	const char *all = "";

	for (size_t i = 0; i < ARRAY_LEN(caps); i++)
		if (set & REC_CAP_BIT(caps[i].cap))
			all = rec_doctor_text(d, "%s%s%s", all,
					      *all ? "," : "", caps[i].name);
	return *all ? all : "none";
}

static bool is_plain(const char *word)
{
	return !word[strcspn(word, " \t\n'\"\\$`*?[](){}<>|&;#~!")];
}

/* A word for a shell. */
static const char *quoted(struct rec_doctor *d, const char *word)
{
	struct buf b;
	const char *text;

	if (is_plain(word))
		return word;
	buf_init(&b, 0);
	buf_u8(&b, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_put(&b, "'\\''", 4);
		else
			buf_u8(&b, (uint8_t)*word);
	buf_u8(&b, '\'');
	if (buf_failed(&b))
		d->failed = true;
	text = rec_doctor_text(d, "%.*s", (int)b.n, (const char *)b.p);
	buf_fini(&b);
	return text;
}

const char *rec_doctor_setcap(struct rec_doctor *d, uint64_t set)
{
	if (d->m->uid)
		set |= d->m->caps & rec_doctor_caps;
	return rec_doctor_text(d, "setcap %s=ep %s",
			       rec_doctor_cap_names(d, set),
			       quoted(d, d->m->exe));
}

/* Docker's and podman's names are the kernel's in capitals without "CAP_". */
static const char *container_options(struct rec_doctor *d, uint64_t set)
{
	const char *all = "";

	for (size_t i = 0; i < ARRAY_LEN(caps); i++)
		if (set & REC_CAP_BIT(caps[i].cap)) {
			char upper[32];
			size_t n = 0;

			for (const char *c = caps[i].name + 4;
			     *c && n < sizeof(upper) - 1; c++)
				upper[n++] = (char)(*c >= 'a' && *c <= 'z' ?
							    *c - 'a' + 'A' :
							    *c);
			upper[n] = 0;
			all = rec_doctor_text(d, "%s --cap-add %s", all,
					      upper);
		}
	return all;
}

/* A file gives only what the bounding set allows and no_new_privs lets pass;
 * in a user namespace it gives nothing that counts. */
void rec_mend_caps(struct rec_doctor *d, struct rec_finding *f, uint64_t set)
{
	const struct rec_machine *m = d->m;

	if (m->user_ns)
		rec_mend(d, f, "whoever may run this rec, outside of this user "
			 "namespace", "%s",
			 rec_doctor_setcap(d, set));
	else if ((m->bound & set) != set)
		rec_mend(d, f, "this container, as root in it", "docker run%s …",
			 container_options(d, set));
	else if (!m->no_new_privs) {
		rec_mend(d, f, "whoever may run this rec", "%s",
			 rec_doctor_setcap(d, set));
		d->file_caps |= set;
	}
}
