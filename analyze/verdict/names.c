/* Which engines and which libraries work on video. */
#include "analyze/verdict/media.h"

#include "format/base/mem.h"

#include <string.h>

/* Names of i915, xe (video*, v*cs), amdgpu (dec … vcn), NVML and gpu_metrics
 * (encoder, decoder, media), nouveau and others (nv*). */
static const struct {
	const char *name;
	enum an_media_role role;
} engines[] = {
	{ "video", AN_MEDIA_CODES },
	{ "vcs", AN_MEDIA_CODES },
	{ "bsd", AN_MEDIA_CODES },
	{ "dec", AN_MEDIA_CODES },
	{ "enc", AN_MEDIA_CODES },
	{ "uvd", AN_MEDIA_CODES },
	{ "uvd_enc", AN_MEDIA_CODES },
	{ "vce", AN_MEDIA_CODES },
	{ "vcn", AN_MEDIA_CODES },
	{ "vcn_dec", AN_MEDIA_CODES },
	{ "vcn_enc", AN_MEDIA_CODES },
	{ "vcn_unified", AN_MEDIA_CODES },
	{ "jpeg", AN_MEDIA_CODES },
	{ "vcn_jpeg", AN_MEDIA_CODES },
	{ "encoder", AN_MEDIA_CODES },
	{ "decoder", AN_MEDIA_CODES },
	{ "media", AN_MEDIA_CODES },
	{ "nvenc", AN_MEDIA_CODES },
	{ "nvdec", AN_MEDIA_CODES },
	{ "video-enhance", AN_MEDIA_PROCESSES },
	{ "vecs", AN_MEDIA_PROCESSES },
	{ "vpe", AN_MEDIA_PROCESSES },
	/* msm, panfrost and panthor: their video is done by another device,
	 * which has no fdinfo. */
	{ "gpu", AN_MEDIA_BLIND },
	{ "fragment", AN_MEDIA_BLIND },
	{ "vertex-tiler", AN_MEDIA_BLIND },
	{ "panthor", AN_MEDIA_BLIND },
};

/* Engines of one kind are numbered: vcs0, enc_1. */
static size_t without_number(const char *name)
{
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n && name[n - 1] == '_' ? n - 1 : n;
}

enum an_media_role an_media_role_of(const char *engine)
{
	size_t n = without_number(engine);

	for (size_t i = 0; i < ARRAY_LEN(engines); i++)
		if (strlen(engines[i].name) == n &&
		    memcmp(engines[i].name, engine, n) == 0)
			return engines[i].role;
	return AN_MEDIA_OTHER;
}

/* How their names begin; what follows is the version. */
static const char *const codecs[] = {
	"libx264", "libx265", "libavcodec", "libdav1d", "libvpx", "libSvtAv1",
	"libaom", "librav1e", "libgav1", "libopenh264", "libde265", "libkvazaar",
	"libvvenc", "libvvdec", "libxvidcore", "libtheora", "libgstvpx",
	"libgstx264", "libmpeg2", "libuvg266", "libSvtVp9", "libSvtHevc",
};

bool an_media_is_codec(const char *dso)
{
	for (size_t i = 0; i < ARRAY_LEN(codecs); i++)
		if (strncmp(dso, codecs[i], strlen(codecs[i])) == 0)
			return true;
	return false;
}
