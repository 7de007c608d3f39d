#include "analyze/timeline/page.h"

#include "analyze/timeline/assets.h"
#include "analyze/timeline/markup.h"

/* No policy of a server can be stricter: no request, no frame, no form, and no
 * script that was put in later by a handler or eval. */
static const char policy[] =
	"default-src 'none'; script-src 'unsafe-inline'; "
	"style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

void an_timeline_page(FILE *to, const struct an_timeline *tl,
		      const struct an_timeline_head *head)
{
	fprintf(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n"
		"<title>", policy);
	an_markup_cstr(to, head->title);
	fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n"
		"<main class=\"tl\">\n<h1>", an_page_css);
	an_markup_cstr(to, head->title);
	fputs("</h1>\n<p class=\"note\">", to);
	an_markup_cstr(to, head->subtitle);
	fputs("</p>\n<noscript><p>This page draws with a script, which is "
	      "switched off here. A picture without one: analyze timeline -o "
	      "FILE.svg</p></noscript>\n</main>\n"
	      "<script type=\"application/json\" id=\"data\">\n", to);
	an_timeline_data(to, tl, head);
	fprintf(to, "</script>\n<script>\n(() => {\n\"use strict\";\n%s})();\n"
		"</script>\n</body>\n</html>\n", an_page_js);
}
