// report.html: all results of a bench, in one page that needs nothing else.
#ifndef COMMAND_REPORT_H
#define COMMAND_REPORT_H

#include "command/profile.h"

// `settings` in words. The frame, style and script of the page are report.html beside this file.
void report_write(FILE *f, const study *s, const char *settings);

#endif
