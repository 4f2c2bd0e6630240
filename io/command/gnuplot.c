// See gnuplot.h. gnuplot reads one script with all data from a temporary file without a name. Names
// are in single quotes, where gnuplot replaces nothing.
#define _POSIX_C_SOURCE 200809L // fileno

#include "command/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "command/child.h"
#include "command/svg.h"

extern const char plot_style[]; // examples/plot/style.gp

// a curve is divided into this many equal parts, and drawn with the first, last, least and largest
// value of each: the picture is the same, since it has fewer pixels
#define COLUMNS 1200
// largest number of letters of a name in the legend
#define LONGEST 28
// limit of the memory of a picture: reduced curves need a few MB
#define MOST_BYTES ((size_t)256 << 20)
// time limit, s; gnuplot needs less than one second
#define PATIENCE 120

static void write_point(FILE *f, const curves *c, int i, int k, int *last)
{
    if (k <= *last) return;
    // an empty line makes a gap of the curve
    for (int l = *last + 1; l < k && *last >= 0; ++l) {
        if (curve_has_point(c, i, l)) continue;
        fputc('\n', f);
        break;
    }
    fprintf(f, "%.17g,%.17g\n", c->t[k], c->curve[i].y[k]);
    *last = k;
}

static void write_points(FILE *f, const curves *c, int i)
{
    const int width = (c->n + COLUMNS - 1) / COLUMNS;
    const double *y = c->curve[i].y;
    int last = -1;
    for (int begin = 0; begin < c->n; begin += width) {
        const int end = begin + width < c->n ? begin + width : c->n;
        int first = -1, low = -1, high = -1, final = -1;
        for (int k = begin; k < end; ++k) {
            if (!curve_has_point(c, i, k)) continue;
            if (first < 0) first = low = high = k;
            if (y[k] < y[low]) low = k;
            if (y[k] > y[high]) high = k;
            final = k;
        }
        if (first < 0) continue;
        write_point(f, c, i, first, &last);
        write_point(f, c, i, low < high ? low : high, &last);
        write_point(f, c, i, low < high ? high : low, &last);
        write_point(f, c, i, final, &last);
    }
}

// In single quotes, limited to so many letters. A quote in a name ends the string and is joined to
// it, since gnuplot 5.4 does not read every '' as a quote: not at the beginning, nor two in a row.
static void write_quoted(FILE *f, const char *text, int longest)
{
    char *words = readable(text);
    const bool cut = columns_of(words) > longest;
    int letters = 0;
    fputc('\'', f);
    for (const char *s = words; *s; ++s) {
        letters += ((unsigned char)*s & 0xc0) != 0x80;
        if (cut && letters > longest - 3) break;
        fputs(*s == '\'' ? "' . \"\\047\" . '" : (char[]){*s, '\0'}, f);
    }
    fputs(cut ? "...'" : "'", f);
    free(words);
}

// An axis of few whole numbers has a mark at each of them and at the ones before and after; none
// before zero.
static void write_whole_axis(FILE *f, const curves *c)
{
    enum { FEW = 6 };
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < c->count; ++i) {
        for (int k = 0; k < c->n; ++k) {
            const double y = c->curve[i].y[k];
            if (!curve_has_point(c, i, k)) continue;
            if (y != floor(y)) return;
            low = fmin(low, y);
            high = fmax(high, y);
        }
    }
    if (c->log || !(high - low <= FEW) || fabs(low) > 1e9) return;
    fprintf(f, "set ytics 1\nset yrange [%.17g:%.17g]\n", low - (low != 0), high + 1);
}

static void write_script(FILE *f, const char *format, const char *title, const curves *c)
{
    // a joint has up to six rows
    static const char *const dashes[] = {"solid",         "(8, 5)", "(2, 4)",
                                         "(10, 4, 2, 4)", "(4, 3)", "(10, 3, 2, 3, 2, 3)"};
    fprintf(f, "format = '%s'\n%s\nset termoption noenhanced\n", format, plot_style);
    fputs("set title ", f);
    write_quoted(f, title, 90);
    fprintf(f, "\nset xlabel 'time t (s)'\nset ylabel '%s%s%s%s'\n", c->label, *c->unit ? " (" : "",
            c->unit, *c->unit ? ")" : "");
    fputs("unset lmargin\nunset rmargin\nset key outside right top Left reverse\n", f);
    if (c->log) fputs("set logscale y\nset format y '%.0e'\n", f);
    write_whole_axis(f, c);
    if (c->t[c->n - 1] > c->t[0]) {
        fprintf(f, "set xrange [%.17g:%.17g]\n", c->t[0], c->t[c->n - 1]);
    } else {
        // a single time, beside which gnuplot would draw others with the same label
        fprintf(f, "set xtics ('%g' %.17g)\n", c->t[0], c->t[0]);
    }
    for (int i = 0; i < c->count; ++i) {
        fprintf(f, "$curve%d << END\n", i);
        write_points(f, c, i);
        fputs("END\n", f);
    }
    // gnuplot refuses a curve without a number
    bool begun = false;
    for (int i = 0; i < c->count; ++i) {
        const curve *a = &c->curve[i];
        if (curve_is_empty(c, i)) continue;
        fprintf(f, "%s $curve%d using 1:2 with %s linecolor rgb '%s' linewidth 2 dashtype %s ",
                begun ? "," : "plot", i,
                c->apart || c->n == 1 ? "linespoints pointtype 7 pointsize dot / 2" : "lines",
                svg_color(a->subject), dashes[a->part % 6]);
        if (c->count == 1 && strcmp(a->name, c->label) == 0) {
            fputs("notitle", f);
        } else {
            fputs("title ", f);
            write_quoted(f, a->name, LONGEST);
        }
        begun = true;
    }
    fputs("\n", f);
}

static void say_why(const child *c)
{
    // the last message "line 7: words"; above it are the script and a mark
    const char *why = c->err.text ? c->err.text : "it said nothing";
    for (const char *next = why; next; next = strstr(next + 1, "line ")) {
        why = next;
    }
    const int length = (int)strcspn(why, "\n");
    if (WIFEXITED(c->status) && WEXITSTATUS(c->status) == 127) {
        complain("gnuplot cannot be started; install it (gnuplot-nox of Debian), or write the "
                 "numbers with an output that ends in .csv");
    } else if (c->killed) {
        complain("gnuplot was stopped after %d s", PATIENCE);
    } else {
        complain("gnuplot failed: %.*s", length, why);
    }
}

// gnuplot leaves ]]> in a name as it is, which XML does not allow in text.
static void write_svg(size_t size, const char *text, FILE *out)
{
    for (size_t i = 0; i < size; ++i) {
        const bool end = i >= 2 && text[i] == '>' && text[i - 1] == ']' && text[i - 2] == ']';
        if (end) {
            fputs("&gt;", out);
        } else {
            fputc(text[i], out);
        }
    }
}

// The picture goes through a pipe, since gnuplot does not report when a file cannot be written.
static bool run(FILE *script, bool svg, FILE *out)
{
    static char name[] = "gnuplot", bare[] = "-d",
                from[] = "-"; // -d: without the settings of the user
    char *argv[] = {name, bare, from, NULL};
    child c = {.most = MOST_BYTES};
    if (!child_start(&c, argv, fileno(script), PATIENCE)) return false;
    while (!child_ended(&c)) {
        children_wait(&c, 1, 100);
    }
    const bool good = WIFEXITED(c.status) && WEXITSTATUS(c.status) == 0 && c.out.size > 0;
    if (good && svg) write_svg(c.out.size, c.out.text, out);
    if (good && !svg) fwrite(c.out.text, 1, c.out.size, out);
    if (!good) say_why(&c);
    child_free(&c);
    return good;
}

bool gnuplot_draw(FILE *out, const char *format, const char *title, const curves *c)
{
    FILE *script = tmpfile();
    if (script) write_script(script, format, title, c);
    if (!script || fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0) {
        complain("a temporary file for gnuplot cannot be written: %s", strerror(errno));
        if (script) fclose(script);
        return false;
    }
    const bool good = run(script, strcmp(format, "svg") == 0, out);
    fclose(script);
    return good;
}
