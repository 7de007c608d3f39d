/* The answer by its figures. */
#include "analyze/verdict/media.h"

static void miss(struct an_media *m, const char *what)
{
	if (m->n_missing < AN_MEDIA_MISSING)
		m->missing[m->n_missing++] = what;
}

static bool is_codec(const struct an_media *m)
{
	return m->cpu_by == AN_MEDIA_CPU_SAMPLES &&
	       m->codec >= AN_MEDIA_CODEC_LEAST;
}

/* Without an engine, what it computes so much may be the video. */
static bool is_busy(const struct an_media *m)
{
	return m->cpu_by != AN_MEDIA_CPU_NONE && m->cpu >= AN_MEDIA_CPU_LEAST;
}

static enum an_media_answer answer(const struct an_media *m)
{
	bool engine = m->engine >= AN_MEDIA_ENGINE_LEAST;

	if (!m->comm)
		return AN_MEDIA_UNKNOWN;
	if (engine)
		return is_codec(m) ? AN_MEDIA_MIXED : AN_MEDIA_HARDWARE;
	if (is_codec(m) || (m->engines_known && is_busy(m)))
		return AN_MEDIA_SOFTWARE;
	if (m->engines_known && m->cpu_by != AN_MEDIA_CPU_NONE &&
	    m->cpu < AN_MEDIA_CPU_IDLE)
		return AN_MEDIA_IDLE;
	return AN_MEDIA_UNKNOWN;
}

/* Who is told "hardware" or "software" is told as well what may be beside it. */
static void find_missing(struct an_media *m)
{
	if (!m->comm) {
		miss(m, "the process is not in the trace");
		return;
	}
	if (!m->engines_known)
		miss(m, "no readings of engines by process (try: rec -I 100 "
			"--gpu; they need fdinfo of a DRM driver that tells of "
			"media engines, or NVML)");
	if (m->cpu_by == AN_MEDIA_CPU_NONE)
		miss(m, "no samples of its CPU time (try: rec -F 999 -e "
			"cpu-clock)");
	else if (m->cpu_by == AN_MEDIA_CPU_CLOCK)
		miss(m, "no samples: which code used the CPU is not known (try: "
			"rec -F 999 -e cpu-clock)");
	if (m->answer == AN_MEDIA_UNKNOWN && m->engines_known &&
	    m->cpu_by != AN_MEDIA_CPU_NONE)
		miss(m, "it used a CPU, but less than software needs, and no "
			"code that is known to be a codec's");
}

void an_media_judge(struct an_media *m)
{
	m->answer = answer(m);
	m->likely = m->answer == AN_MEDIA_SOFTWARE &&
		    (!is_codec(m) || !m->engines_known);
	m->others = m->engines_known && m->engine < AN_MEDIA_ENGINE_LEAST &&
		    m->elsewhere >= AN_MEDIA_ENGINE_LEAST;
	find_missing(m);
}
