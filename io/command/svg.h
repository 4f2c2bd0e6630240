// A figure of step curves that rise to at most 1 over a logarithmic axis, as SVG: for performance
// profiles and success curves. Readable on light and dark backgrounds.
#ifndef COMMAND_SVG_H
#define COMMAND_SVG_H

#include <stdbool.h>
#include <stdio.h>

typedef struct svg_curve {
    const char *name;
    int n;
    const double *x; // n, increasing, > 0; the curve is 0 before x[0]
    const double *y; // n, its value from x[i] on
    bool strong;     // drawn thicker
    int color;       // number of colour and dashes, >= 0
} svg_curve;

typedef struct svg_figure {
    const char *title, *x_label, *y_label;
    const char *unit; // unit after the numbers of the axis: "x"; "s" also gives us and ms
    double low, high; // ends of the axis; high > low > 0
    int n;
    const svg_curve *curve; // in the order of the legend
} svg_figure;

// the colour of the k-th curve, "#rrggbb"
const char *svg_color(int k);

// `standalone` writes the XML header and the style; otherwise the page must contain svg_style
void svg_write(FILE *f, const svg_figure *figure, bool standalone);
extern const char svg_style[];

// text with & < > " escaped, for XML and HTML
void svg_text(FILE *f, const char *text);

#endif
