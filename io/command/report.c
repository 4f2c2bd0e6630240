// The frame of the page is io/command/report.html, compiled in; it holds marks such as
// <!--runs--> at which the parts below are written.
#include "command/report.h"

#include <math.h>
#include <string.h>

#include <percuss/base.h>

// cmake/embed.cmake makes it from report.html
extern const char report_page[];

static const char *class_of(const run *r)
{
    if (run_solved(r)) return "ok";
    if (strcmp(r->outcome, "crash") == 0 || strcmp(r->outcome, "timeout") == 0) return "lost";
    return strcmp(r->outcome, "refused") == 0 ? "none" : "bad";
}

// seconds as readable text
static void put_time(FILE *f, double s)
{
    if (!isfinite(s)) {
        fputs("\xe2\x80\x93", f);
    } else if (s < 1e-3) {
        fprintf(f, "%.3g&nbsp;\xc2\xb5s", 1e6 * s);
    } else if (s < 1) {
        fprintf(f, "%.3g&nbsp;ms", 1e3 * s);
    } else {
        fprintf(f, "%.3g&nbsp;s", s);
    }
}

// a cell of numbers: sorted by its value, empty last
static void put_number(FILE *f, const char *format, double x)
{
    if (!isfinite(x)) {
        fputs("<td class=\"n\" data-v=\"\">\xe2\x80\x93</td>", f);
        return;
    }
    fprintf(f, "<td class=\"n\" data-v=\"%.9g\">", x);
    fprintf(f, format, x);
    fputs("</td>", f);
}

static void put_seconds(FILE *f, double x)
{
    if (isfinite(x)) {
        fprintf(f, "<td class=\"n\" data-v=\"%.9g\">", x);
    } else {
        fputs("<td class=\"n\" data-v=\"\">", f);
    }
    put_time(f, x);
    fputs("</td>", f);
}

static void put_text(FILE *f, const char *tag, const char *text)
{
    fprintf(f, "<%s>", tag);
    svg_text(f, text);
    fprintf(f, "</%s>", tag);
}

// ---- parts -------------------------------------------------------------------------------------

static void write_head(FILE *f, const study *s, const char *settings)
{
    fprintf(f,
            "<p class=\"lead\">%d problem%s, %d solver%s, %d tolerance%s: %d runs</p><p "
            "class=\"soft\">",
            s->problems, s->problems == 1 ? "" : "s", s->solvers, s->solvers == 1 ? "" : "s",
            s->tols, s->tols == 1 ? "" : "s", s->problems * s->solvers * s->tols);
    svg_text(f, settings);
    fputs("</p>\n", f);
}

static void write_summary(FILE *f, const study *s, int t)
{
    fputs("<table class=\"sortable\"><thead><tr><th>solver</th><th class=\"n\">solved</th>"
          "<th class=\"bar\"></th><th class=\"n\">fastest on</th>"
          "<th class=\"n\" title=\"geometric mean, over what it solved\">time / best</th>"
          "<th class=\"n\">worst</th><th class=\"n\">sum of times</th>"
          "<th class=\"n\">crash, timeout</th></tr></thead><tbody>\n",
          f);
    for (int k = 0; k < s->solvers; ++k) {
        const study_sum x = study_summary(s, k, t);
        const double share = s->problems ? 100.0 * x.solved / s->problems : 0;
        fprintf(f, "<tr><td><i style=\"background:%s\"></i>", svg_color(k));
        svg_text(f, s->solver[k]);
        fprintf(f,
                "</td><td class=\"n\" data-v=\"%d\">%d of %d</td><td class=\"bar\" data-v=\"%d\">"
                "<b style=\"width:%.1f%%\"></b></td>",
                x.solved, x.solved, s->problems, x.solved, share);
        put_number(f, "%.0f", x.fastest);
        put_number(f, x.ratio < 999 ? "%.3g" : "%.0f", x.ratio);
        put_number(f, x.worst < 999 ? "%.3g" : "%.0f", x.worst);
        put_seconds(f, x.solved > 0 ? x.seconds : NAN);
        put_number(f, "%.0f", x.lost);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table>\n", f);
}

static void write_figures(FILE *f, const study *s)
{
    for (int t = 0; t < s->tols; ++t) {
        fprintf(f, "<section><h2>Tolerance %g</h2>\n", s->tol[t]);
        write_summary(f, s, t);
        fputs("<div class=\"figures\">\n", f);
        study_draw(f, s, STUDY_PROFILE, t, false);
        study_draw(f, s, STUDY_SUCCESS, t, false);
        fputs("</div></section>\n", f);
    }
}

// time of a problem by a solver, coloured by its ratio to the best
static void write_square(FILE *f, const study *s, int p, int k, int t)
{
    const run *r = study_run(s, p, k, t);
    if (!r) {
        fputs("<td></td>", f);
        return;
    }
    const double time = study_time(s, p, k, t);
    if (!isfinite(time)) {
        fprintf(f, "<td class=\"q %s\" title=\"", class_of(r));
        svg_text(f, r->message);
        fputs("\">", f);
        svg_text(f, r->outcome);
        fputs("</td>", f);
        return;
    }
    // 1 is the best, 0 a hundred times slower
    const double shade = fmax(0, 1 - log10(time / study_best(s, p, t)) / 2);
    fprintf(f, "<td class=\"q\" style=\"--s:%.2f\" data-v=\"%.9g\">", shade, time);
    put_time(f, time);
    fputs("</td>", f);
}

static void write_squares(FILE *f, const study *s)
{
    for (int t = 0; t < s->tols; ++t) {
        fprintf(f, "<details%s><summary>Tolerance %g</summary><div class=\"scroll\">",
                t == 0 ? " open" : "", s->tol[t]);
        fputs("<table class=\"sortable squares\"><thead><tr><th>problem</th>", f);
        fputs("<th class=\"n\">contacts</th>", f);
        for (int k = 0; k < s->solvers; ++k) {
            put_text(f, "th", s->solver[k]);
        }
        fputs("</tr></thead><tbody>\n", f);
        for (int p = 0; p < s->problems; ++p) {
            const run name = {.file = s->problem[p]};
            int contacts = 0;
            for (int k = 0; k < s->solvers; ++k) {
                const run *r = study_run(s, p, k, t);
                if (r && r->contacts > contacts) contacts = r->contacts;
            }
            fputs("<tr><td title=\"", f);
            svg_text(f, s->problem[p]);
            fputs("\">", f);
            svg_text(f, run_problem(&name));
            fputs("</td>", f);
            put_number(f, "%.0f", contacts);
            for (int k = 0; k < s->solvers; ++k) {
                write_square(f, s, p, k, t);
            }
            fputs("</tr>\n", f);
        }
        fputs("</tbody></table></div></details>\n", f);
    }
}

static void write_run(FILE *f, const study *s, int p, int k, int t)
{
    const run *r = study_run(s, p, k, t);
    if (!r) return;
    const double best = study_best(s, p, t), time = study_time(s, p, k, t);
    const run name = {.file = s->problem[p]};
    fprintf(f, "<tr data-solver=\"%d\" data-tol=\"%d\" data-ok=\"%d\"><td title=\"", k, t,
            run_solved(r));
    svg_text(f, s->problem[p]);
    fputs("\">", f);
    svg_text(f, run_problem(&name));
    fputs("</td>", f);
    put_text(f, "td", r->kind);
    put_number(f, "%.0f", r->contacts);
    put_text(f, "td", r->solver);
    put_number(f, "%g", r->tol);
    fprintf(f, "<td class=\"%s\" title=\"", class_of(r));
    svg_text(f, r->message);
    fputs("\">", f);
    svg_text(f, r->outcome);
    fputs("</td>", f);
    put_number(f, "%.0f", r->iterations);
    put_seconds(f, r->seconds);
    put_number(f, time / best < 999 ? "%.3g" : "%.0f", time / best);
    put_number(f, "%.1e", r->residual);
    put_number(f, "%.1e", r->relative);
    fprintf(f, "<td class=\"n\" data-v=\"%d\">%d / %d / %d / %d</td></tr>\n", r->stick, r->open,
            r->stick, r->slide, r->undecided);
}

static void write_runs(FILE *f, const study *s)
{
    for (int p = 0; p < s->problems; ++p) {
        for (int k = 0; k < s->solvers; ++k) {
            for (int t = 0; t < s->tols; ++t) {
                write_run(f, s, p, k, t);
            }
        }
    }
}

static void write_choices(FILE *f, const study *s)
{
    fputs("<select id=\"solver\" aria-label=\"solver\"><option value=\"\">all solvers</option>", f);
    for (int k = 0; k < s->solvers; ++k) {
        fprintf(f, "<option value=\"%d\">", k);
        svg_text(f, s->solver[k]);
        fputs("</option>", f);
    }
    fputs("</select> <select id=\"tol\" aria-label=\"tolerance\"><option value=\"\">all "
          "tolerances</option>",
          f);
    for (int t = 0; t < s->tols; ++t) {
        fprintf(f, "<option value=\"%d\">%g</option>", t, s->tol[t]);
    }
    fputs("</select>\n", f);
}

void report_write(FILE *f, const study *s, const char *settings)
{
    static const char *const marks[] = {"<!--style-->",   "<!--version-->", "<!--head-->",
                                        "<!--figures-->", "<!--squares-->", "<!--choices-->",
                                        "<!--runs-->"};
    const char *at = report_page;
    for (size_t k = 0; k < sizeof marks / sizeof *marks; ++k) {
        const char *mark = strstr(at, marks[k]);
        if (!mark) break;
        fwrite(at, 1, (size_t)(mark - at), f);
        at = mark + strlen(marks[k]);
        if (k == 0) fprintf(f, "<style>%s</style>", svg_style);
        if (k == 1) svg_text(f, pcs_version());
        if (k == 2) write_head(f, s, settings);
        if (k == 3) write_figures(f, s);
        if (k == 4) write_squares(f, s);
        if (k == 5) write_choices(f, s);
        if (k == 6) write_runs(f, s);
    }
    fputs(at, f);
}
