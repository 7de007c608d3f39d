/* Whether a process encodes or decodes video on an engine of a GPU or by
 * itself: by readings of engines and by samples of its CPU time. */
#ifndef ANALYZE_VERDICT_MEDIA_H
#define ANALYZE_VERDICT_MEDIA_H

#include "analyze/counter/engine.h"
#include "analyze/selection.h"
#include "analyze/trace.h"

/* Of the time of an engine, or of one CPU, both 0..1.
 *
 * A decoder of the last ten years is busy for some 3 % of the time with one
 * stream of 1080p at 30 Hz; opening and probing it is less than 1 %. */
#define AN_MEDIA_ENGINE_LEAST 0.01
/* Code of a codec: the same stream in software takes 10 % of a CPU and more;
 * probing a file, reading its headers or decoding its sound takes less. */
#define AN_MEDIA_CODEC_LEAST 0.05
/* Any code, where no codec is known by name: what moves pictures about takes 10
 * to 30 % of a CPU, also when the hardware codes. */
#define AN_MEDIA_CPU_LEAST 0.50
/* Below this it did nothing. */
#define AN_MEDIA_CPU_IDLE 0.01

enum an_media_answer {
	AN_MEDIA_HARDWARE,
	AN_MEDIA_SOFTWARE,
	AN_MEDIA_MIXED,   /* both, each by more than its least */
	AN_MEDIA_IDLE,    /* neither engines nor CPU */
	AN_MEDIA_UNKNOWN, /* the trace does not tell: an_media.missing */
};

enum an_media_role {
	AN_MEDIA_CODES,     /* encodes or decodes */
	AN_MEDIA_PROCESSES, /* scales, converts: decides nothing */
	AN_MEDIA_OTHER,     /* does not work on video */
	AN_MEDIA_BLIND,     /* of a driver whose clients never tell of media */
};

/* By the name of an engine: "video", "vcs0", "enc_1", "decoder" … */
enum an_media_role an_media_role_of(const char *engine);

/* Whether a file's base name is that of a codec: "libx264.so.164" … */
bool an_media_is_codec(const char *dso);

struct an_media_engine {
	uint32_t series;
	enum an_media_role role;
	char name[AN_ENGINE_NAME];
	double busy;         /* mean share of the time that is known, 0..1 */
	uint64_t known_ns;
	bool own;            /* of the process; else of another, or of all */
};

/* CPU time of the process in code of a file. */
struct an_media_image {
	uint32_t dso;        /* string */
	uint64_t ns;
	bool codec;
};

enum an_media_cpu {
	AN_MEDIA_CPU_NONE,    /* not known */
	AN_MEDIA_CPU_CLOCK,   /* readings of its task-clock: no code is known */
	AN_MEDIA_CPU_SAMPLES,
};

#define AN_MEDIA_MISSING 6

struct an_media {
	const struct an_trace *t;
	int32_t pid;
	const char *comm;    /* lives as long as the trace; NULL: it is not in
			      * the trace */
	enum an_media_answer answer;
	bool likely;         /* by the CPU alone: no codec is known by name */
	bool engines_known;  /* of this process, also where it has none */
	bool others;         /* others' media engines were busy, own were not */
	bool client;         /* it has a client of a GPU */
	double engine;       /* busiest of its own that code, 0..1 */
	double elsewhere;    /* busiest of all others' */
	enum an_media_cpu cpu_by;
	double cpu, codec;   /* of one CPU; may be more than 1 */
	uint64_t samples;    /* that `cpu` is by */
	uint64_t length_ns;  /* that is looked at */
	struct an_media_engine *engines; /* that code or process */
	size_t n_engines, engines_cap;
	struct an_media_image *images;   /* the one with most time first */
	size_t n_images;
	const char *missing[AN_MEDIA_MISSING];
	size_t n_missing;
};

/* Looks at the times of `sel`, which is of that process. Damaged parts are noted
 * in the trace. Release with an_media_fini(), whatever comes back. */
int an_media_look(struct an_media *m, struct an_trace *t,
		  const struct an_selection *sel, int32_t pid, struct err *err);
void an_media_fini(struct an_media *m); /* a zeroed one is fine */

/* By the figures alone: fills in answer, likely, others and missing. */
void an_media_judge(struct an_media *m);

#endif
