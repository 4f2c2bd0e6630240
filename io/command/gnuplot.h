// Curves as a picture, by gnuplot, in the look of the plots of the examples.
#ifndef COMMAND_GNUPLOT_H
#define COMMAND_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "command/curves.h"

// Writes the picture to `out`; `format` is svg or png. False after a line on stderr; the caller
// checks whether writing to `out` succeeded.
bool gnuplot_draw(FILE *out, const char *format, const char *title, const curves *c);

#endif
