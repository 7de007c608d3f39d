/* Style sheets and scripts of the page and of the picture, embedded by
 * embed.sh. */
#ifndef ANALYZE_TIMELINE_ASSETS_H
#define ANALYZE_TIMELINE_ASSETS_H

extern const char an_page_css[], an_page_js[];
extern const char an_picture_css[], an_picture_js[];

#endif
