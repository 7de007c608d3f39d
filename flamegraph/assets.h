/* flame.css and flame.js, made into C by embed.sh. */
#ifndef FG_ASSETS_H
#define FG_ASSETS_H

extern const char fg_css[];
extern const char fg_js[];

#endif
