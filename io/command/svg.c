// See svg.h.
#include "command/svg.h"

#include <math.h>
#include <string.h>

#include "problem_file/json.h"

// the frame of the curves within the figure
#define WIDTH   820
#define HEIGHT  430
#define LEFT    64
#define RIGHT   572
#define TOP     52
#define BOTTOM  370
#define LEGEND  592
#define LINES   20 // largest number of lines of the legend
#define SPACING 16
#define NAME    (LEGEND + 70)
#define LONGEST 24 // number of letters of a name that fit; longer names are squeezed

static const char *const colors[] = {"#2f6fde", "#e07b00", "#2a9d55", "#d03a5e", "#8456d6",
                                     "#0f9aa8", "#94a800", "#d455b5", "#7a8594", "#9a6a3a"};
#define COLORS ((int)(sizeof colors / sizeof *colors))
static const char *const dashes[] = {"", "7 4", "2 3"};
#define DASHES ((int)(sizeof dashes / sizeof *dashes))

const char svg_style[] =
    ".pp{font:13px system-ui,-apple-system,'Segoe UI',sans-serif}"
    ".pp text{fill:#1f2733}.pp .soft{fill:#66707f}.pp .ground{fill:#fff}"
    ".pp .grid{stroke:#e3e7ec}.pp .axis{stroke:#9aa3af}.pp .title{font-size:15px;font-weight:600}"
    ".pp .curve{fill:none;stroke-width:1.9;stroke-linejoin:round}.pp .strong{stroke-width:3.2}"
    "@media (prefers-color-scheme:dark){.pp text{fill:#e6e9ee}.pp .soft{fill:#9aa5b4}"
    ".pp .ground{fill:#161a20}.pp .grid{stroke:#2a313b}.pp .axis{stroke:#5b6675}}";

const char *svg_color(int k)
{
    return colors[k % COLORS];
}

void svg_text(FILE *f, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&':
            fputs("&amp;", f);
            break;
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        default: {
            // XML refuses control characters and invalid UTF-8
            const int n = utf8_length((const unsigned char *)text);
            if (n == 0) {
                fputs("\xef\xbf\xbd", f);
            } else if ((unsigned char)*text < ' ' || *text == 127) {
                fputc(' ', f);
            } else {
                fwrite(text, 1, (size_t)n, f);
                text += n - 1;
            }
        }
        }
    }
}

static double place_x(const svg_figure *g, double x)
{
    const double t = log(x / g->low) / log(g->high / g->low);
    return LEFT + (RIGHT - LEFT) * fmin(1, fmax(0, t));
}

static double place_y(double y)
{
    return BOTTOM - (BOTTOM - TOP) * y;
}

static void tick_label(FILE *f, const char *unit, double x)
{
    if (strcmp(unit, "s") != 0) {
        fprintf(f, "%g%s", x, unit);
    } else if (x < 0.9999e-3) {
        fprintf(f, "%g \xc2\xb5s", x * 1e6);
    } else if (x < 0.9999) {
        fprintf(f, "%g ms", x * 1e3);
    } else {
        fprintf(f, "%g s", x);
    }
}

static void write_axes(FILE *f, const svg_figure *g)
{
    for (int k = 0; k <= 5; ++k) {
        const double y = place_y(0.2 * k);
        fprintf(f, "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                k ? "grid" : "axis", LEFT, RIGHT, y, y);
        fprintf(f, "<text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n",
                LEFT - 8, y + 4, 20 * k);
    }
    // labels at 1, 2, 5 in every decade, as many as have room
    const double decades = log10(g->high / g->low);
    const int skip = decades > 8 ? 2 : 1;
    static const double steps[] = {1, 2, 5};
    for (int e = (int)floor(log10(g->low)); e <= (int)ceil(log10(g->high)); ++e) {
        for (int k = 0; k < (decades <= 2.5 ? 3 : 1); ++k) {
            const double x = steps[k] * pow(10, e);
            if (x < g->low * 0.999 || x > g->high * 1.001) continue;
            const double at = place_x(g, x);
            fprintf(f, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", at, at,
                    TOP, BOTTOM);
            if (e % skip != 0) continue;
            fprintf(f, "<text class=\"soft\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", at,
                    BOTTOM + 20);
            tick_label(f, g->unit, x);
            fputs("</text>\n", f);
        }
    }
    fprintf(f, "<text class=\"title\" x=\"%d\" y=\"28\">", LEFT);
    svg_text(f, g->title);
    fprintf(f, "</text>\n<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            (LEFT + RIGHT) / 2, BOTTOM + 44);
    svg_text(f, g->x_label);
    fprintf(f,
            "</text>\n<text class=\"soft\" transform=\"translate(16 %d) rotate(-90)\" "
            "text-anchor=\"middle\">",
            (TOP + BOTTOM) / 2);
    svg_text(f, g->y_label);
    fputs("</text>\n", f);
}

static void write_curve(FILE *f, const svg_figure *g, int k)
{
    const svg_curve *c = &g->curve[k];
    fprintf(f, "<path class=\"curve%s\" stroke=\"%s\"", c->strong ? " strong" : "",
            svg_color(c->color));
    const char *dash = dashes[c->color / COLORS % DASHES];
    if (*dash) fprintf(f, " stroke-dasharray=\"%s\"", dash);
    fprintf(f, " d=\"M%d %.1f", LEFT, place_y(0));
    for (int i = 0; i < c->n && c->x[i] <= g->high * 1.0001; ++i) {
        fprintf(f, "H%.1fV%.1f", place_x(g, c->x[i]), place_y(c->y[i]));
    }
    fprintf(f, "H%d\"><title>", RIGHT);
    svg_text(f, c->name);
    fputs("</title></path>\n", f);
}

static void write_legend(FILE *f, const svg_figure *g)
{
    for (int k = 0; k < g->n && k < LINES; ++k) {
        const svg_curve *c = &g->curve[k];
        const int y = TOP + 8 + SPACING * k;
        const double last = c->n > 0 ? c->y[c->n - 1] : 0;
        const char *dash = dashes[c->color / COLORS % DASHES];
        fprintf(f,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"%g\" "
                "stroke-dasharray=\"%s\"/>",
                LEGEND, LEGEND + 20, y - 4, y - 4, svg_color(c->color), c->strong ? 3.2 : 1.9,
                *dash ? dash : "none");
        fprintf(f,
                "<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f %%</text>"
                "<text x=\"%d\" y=\"%d\"",
                NAME - 8, y, 100 * last, NAME, y);
        if (strlen(c->name) > LONGEST) {
            fprintf(f, " textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"", WIDTH - 4 - NAME);
        }
        fputs(">", f);
        svg_text(f, c->name);
        fputs("</text>\n", f);
    }
    if (g->n > LINES) {
        fprintf(f, "<text class=\"soft\" x=\"%d\" y=\"%d\">and %d more</text>\n", NAME,
                TOP + 8 + SPACING * LINES, g->n - LINES);
    }
}

void svg_write(FILE *f, const svg_figure *g, bool standalone)
{
    if (standalone) fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", f);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pp\" viewBox=\"0 0 %d %d\" "
            "width=\"%d\" height=\"%d\" role=\"img\"><title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    svg_text(f, g->title);
    fputs("</title>\n", f);
    if (standalone) fprintf(f, "<style>%s</style>\n", svg_style);
    fprintf(f, "<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
    write_axes(f, g);
    // the first curve of the legend is drawn last, on top
    for (int k = g->n - 1; k >= 0; --k) {
        write_curve(f, g, k);
    }
    write_legend(f, g);
    fputs("</svg>\n", f);
}
