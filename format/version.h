/* The version of the programs; that of the file format is in layout.h. */
#ifndef FORMAT_VERSION_H
#define FORMAT_VERSION_H

#define COLTRACE_VERSION "0.1"

#endif
