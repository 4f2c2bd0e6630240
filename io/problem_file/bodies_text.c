// The kind `bodies` of the text form: the velocity problem of a step with its start, its options
// and its result.
//
//     bodies
//     systems NS  then for each: dense WIDTH values | diagonal 6 values | rigid M 3x3 values
//                                and, of a body with frames on it, rotation 9 values
//     blocks NB   then for each: a cone, [frame 9 values], and its two sides:
//                                fixed | body SYSTEM core(3) along | rows SYSTEM values
//     shift ...  v_free ...
//     [start ...]
//     [solver NAME  tol X  stop WORD  max_iters N  max_seconds X  [budget X]
//      { option NAME VALUE }]
//     [r ...] [u ...] [v ...]
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <percuss/bodies.h>
#include <percuss/solver_table.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/native.h"
#include "problem_file/object.h"

static const char *const stops[] = {"residual", "natural", "both", "relaxed"};
static const char *const kinds[] = {"dense", "diagonal", "rigid"};

// what is being read; the public problem borrows it
typedef struct reading {
    text *t;
    pcs_pool *keep;
    pcs_problem_file *file;
    pcs_bodies_problem b;
    pcs_bodies_block *block;
    int *start;
    unsigned char *kind;
    size_t *off;
    double *A, *R;
    size_t numbers, room; // of A
} reading;

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("problem file");
}

// ---- systems -----------------------------------------------------------------------------------

static pcs_status read_system(reading *x, int sys)
{
    text *t = x->t;
    int width = 6, kind = 0;
    while (kind < 3 && !text_take_key(t, kinds[kind])) {
        ++kind;
    }
    if (kind == 3) return text_expected(t, "a mass block: dense, diagonal or rigid");
    if (kind == PCS_MASS_DENSE) {
        PCS_TRY(text_int(t, "the width of a mass block", 1, INT_MAX - x->start[sys], "", &width));
    } else if (x->start[sys] > INT_MAX - 6) {
        return text_fail(t, PCS_ERR_SIZE, "there are more velocities than an int can count");
    }
    const size_t n = kind == PCS_MASS_DIAGONAL ? 6
                     : kind == PCS_MASS_RIGID  ? 10
                                               : (size_t)width * (size_t)width;
    PCS_TRY(text_room(t, "a mass block", n));
    x->A = pool_more(x->keep, x->A, x->numbers, n, &x->room);
    if (!x->A) return fail_memory();
    PCS_TRY(text_reals(t, "a mass block", n, x->A + x->numbers));
    x->start[sys + 1] = x->start[sys] + width;
    x->kind[sys] = (unsigned char)kind;
    x->off[sys] = x->numbers;
    x->numbers += n;
    if (!text_take_key(t, "rotation")) return PCS_OK;
    return text_reals(t, "a rotation", 9, x->R + 9 * (size_t)sys);
}

static pcs_status read_systems(reading *x)
{
    PCS_TRY(native_key(x->t, "systems"));
    PCS_TRY(text_size(x->t, "the number of systems", &x->b.ns));
    PCS_TRY(text_room(x->t, "systems", 2 * (size_t)x->b.ns));
    const size_t ns = (size_t)x->b.ns;
    x->start = POOL_TAKE(x->keep, ns + 1, int);
    x->kind = POOL_TAKE(x->keep, ns, unsigned char);
    x->off = POOL_TAKE(x->keep, ns, size_t);
    x->R = POOL_TAKE(x->keep, 9 * ns, double);
    if (!x->start || !x->kind || !x->off || !x->R) return fail_memory();
    for (int s = 0; s < x->b.ns; ++s) {
        PCS_TRY(read_system(x, s));
    }
    return PCS_OK;
}

// ---- blocks ------------------------------------------------------------------------------------

static pcs_status read_side(reading *x, pcs_bodies_block *k, int side, bool frame)
{
    text *t = x->t;
    k->sys[side] = -1;
    if (text_take_key(t, "fixed")) return PCS_OK;
    const bool body = text_take_key(t, "body");
    if (!body && !text_take_key(t, "rows")) {
        return text_expected(t, "a side of a block: fixed, body or rows");
    }
    if (x->b.ns == 0) return text_fail(t, PCS_ERR_FORMAT, "there is no system for this side");
    PCS_TRY(text_int(t, "the system of a side", 0, x->b.ns - 1, "", &k->sys[side]));
    const int width = x->start[k->sys[side] + 1] - x->start[k->sys[side]];
    if (body && (!frame || width != 6 || k->dim > 3)) {
        return text_fail(t, PCS_ERR_FORMAT, "%s; write rows",
                         !frame       ? "a side that is a body needs a frame"
                         : width != 6 ? "the system of a side that is a body must have 6 velocities"
                                      : "a side that is a body has at most three rows");
    }
    if (body) {
        PCS_TRY(text_reals(t, "the core of a side", 3, k->core[side]));
        return text_real(t, "the lever along N of a side", &k->along[side]);
    }
    const size_t n = (size_t)k->dim * (size_t)width;
    PCS_TRY(text_room(t, "rows", n));
    double *rows = POOL_TAKE(x->keep, n, double);
    if (!rows) return fail_memory();
    k->rows[side] = rows;
    return text_reals(t, "rows", n, rows);
}

static pcs_status read_block(reading *x, pcs_block *cone, pcs_bodies_block *k)
{
    PCS_TRY(native_cone(x->t, x->b.n, cone));
    *k = (pcs_bodies_block){.cone = cone->cone, .dim = cone->dim, .row = cone->row, .mu = cone->mu};
    if (cone->dim > INT_MAX - x->b.n) {
        return text_fail(x->t, PCS_ERR_SIZE, "the blocks have more rows than an int can count");
    }
    x->b.n += cone->dim;
    const bool frame = text_take_key(x->t, "frame");
    if (frame) PCS_TRY(text_reals(x->t, "a frame", 9, k->F));
    PCS_TRY(read_side(x, k, 0, frame));
    return read_side(x, k, 1, frame);
}

static pcs_status read_blocks(reading *x, const pcs_block **cones)
{
    PCS_TRY(native_key(x->t, "blocks"));
    PCS_TRY(text_size(x->t, "the number of blocks", &x->b.nb));
    // the shortest block needs as much room as ten numbers: a cone and two words
    PCS_TRY(text_room(x->t, "blocks", 10 * (size_t)x->b.nb));
    const size_t nb = (size_t)x->b.nb;
    pcs_block *cone = POOL_TAKE(x->keep, nb, pcs_block);
    x->block = POOL_TAKE(x->keep, nb, pcs_bodies_block);
    if (!cone || !x->block) return fail_memory();
    for (int i = 0; i < x->b.nb; ++i) {
        PCS_TRY(read_block(x, &cone[i], &x->block[i]));
    }
    *cones = cone;
    return PCS_OK;
}

// ---- options -----------------------------------------------------------------------------------

enum { MOST_WORD = 64 };

static pcs_status read_word(text *t, const char *what, char word[MOST_WORD])
{
    while (t->at < t->end && strchr(" \t\r\n", *t->at)) {
        ++t->at;
    }
    size_t n = 0;
    while (t->at + n < t->end && !strchr(" \t\r\n", t->at[n])) {
        ++n;
    }
    if (n == 0 || n >= MOST_WORD) return text_expected(t, what);
    memcpy(word, t->at, n);
    word[n] = '\0';
    t->at += n;
    return PCS_OK;
}

static pcs_status read_stop(text *t, pcs_solver_opts *o)
{
    PCS_TRY(native_key(t, "stop"));
    for (int i = 0; i < 4; ++i) {
        if (!text_take_key(t, stops[i])) continue;
        o->stop = (pcs_stop)i;
        return PCS_OK;
    }
    return text_expected(t, "a measure: residual, natural, both or relaxed");
}

// options of the solver by name, each value as its table takes it
static pcs_status read_own_options(text *t, pcs_solver_opts *o)
{
    while (text_take_key(t, "option")) {
        char name[MOST_WORD], value[MOST_WORD];
        PCS_TRY(read_word(t, "the name of an option", name));
        const text before = *t;
        PCS_TRY(read_word(t, "the value of an option", value));
        if (strchr("0123456789+-.", value[0])) {
            // the table takes numbers with the decimal point of the locale
            double number;
            *t = before;
            PCS_TRY(text_real(t, "the value of an option", &number));
            snprintf(value, sizeof value, "%.17g", number);
        }
        if (pcs_solver_opts_set(o, name, value) == PCS_OK) continue;
        char words[300];
        snprintf(words, sizeof words, "%s", pcs_error_text());
        return text_fail(t, PCS_ERR_FORMAT, "%s", words);
    }
    return PCS_OK;
}

pcs_status bodies_text_read_options(text *t, pcs_problem_file *file)
{
    char name[MOST_WORD];
    file->budget = INFINITY;
    if (!text_take_key(t, "solver")) return PCS_OK;
    PCS_TRY(read_word(t, "the name of a solver", name));
    const pcs_solver_info *info = pcs_solver_find(name);
    if (!info) return text_fail(t, PCS_ERR_FORMAT, "there is no solver '%s'", name);
    pcs_solver_opts *o = POOL_TAKE(&file->memory->pool, 1, pcs_solver_opts);
    if (!o) return fail_memory();
    *o = pcs_solver_opts_default(info->kind);
    PCS_TRY(native_key(t, "tol"));
    PCS_TRY(text_real(t, "tol", &o->tol));
    PCS_TRY(read_stop(t, o));
    PCS_TRY(native_key(t, "max_iters"));
    PCS_TRY(text_int(t, "max_iters", 0, INT_MAX, "", &o->max_iters));
    PCS_TRY(native_key(t, "max_seconds"));
    PCS_TRY(text_real(t, "max_seconds", &o->max_seconds));
    if (text_take_key(t, "budget")) {
        PCS_TRY(text_real(t, "budget", &file->budget));
        if (file->budget < 0) {
            return text_fail(t, PCS_ERR_FORMAT, "the budget is %g; it must not be negative",
                             file->budget);
        }
    }
    PCS_TRY(read_own_options(t, o));
    file->opts = o;
    if (pcs_solver_opts_check(o) == PCS_OK) return PCS_OK;
    char words[300];
    snprintf(words, sizeof words, "%s", pcs_error_text());
    return text_fail(t, PCS_ERR_FORMAT, "%s", words);
}

// ---- the problem -------------------------------------------------------------------------------

pcs_status bodies_text_read(text *t, pcs_problem_file *file)
{
    pcs_pool *keep = &file->memory->pool;
    reading x = {.t = t, .keep = keep, .file = file};
    const pcs_block *cones = NULL;
    PCS_TRY(read_systems(&x));
    PCS_TRY(read_blocks(&x, &cones));
    const int n = x.b.n, nv = x.start[x.b.ns];
    PCS_TRY(native_vector(t, "shift", n, keep, &x.b.shift));
    PCS_TRY(native_vector(t, "v_free", nv, keep, &x.b.v_free));

    x.b.block = x.block;
    x.b.start = x.start;
    x.b.kind = x.kind;
    x.b.off = x.off;
    x.b.A = x.A;
    x.b.R = x.R;
    file->memory->bodies = x.b;
    file->bodies = &file->memory->bodies;
    file->kind = PCS_FILE_BODIES;
    file->storage = PCS_FILE_STORAGE_BLOCKS;
    file->has_matrix = true;
    file->velocities = nv;
    count_rows(x.b.nb, cones, file);
    return pass_named(t->name, pcs_bodies_check(file->bodies));
}

// ---- writing -----------------------------------------------------------------------------------

void bodies_text_put_options(sink *s, const pcs_file_content *c)
{
    const pcs_solver_opts *o = c->opts;
    const pcs_solver_info *info = pcs_solver_at((int)o->kind);
    sink_text(s, "solver ");
    sink_text(s, info->name);
    sink_text(s, "\ntol ");
    sink_real(s, o->tol);
    sink_text(s, "stop ");
    sink_text(s, stops[o->stop]);
    sink_text(s, " max_iters ");
    sink_int(s, o->max_iters);
    sink_text(s, "max_seconds ");
    sink_real(s, o->max_seconds);
    if (isfinite(c->budget)) {
        sink_text(s, "budget ");
        sink_real(s, c->budget);
    }
    sink_line(s);
    for (int i = 0; i < info->n_opts; ++i) {
        const pcs_opt *opt = &info->opt[i];
        double value = 0;
        if (pcs_solver_opts_get(o, opt->name, &value) != PCS_OK) continue;
        sink_text(s, "option ");
        sink_text(s, opt->name);
        sink_text(s, " ");
        if (opt->words) {
            sink_text(s, opt->words[(int)(value - opt->low)]);
        } else {
            sink_real(s, value);
        }
        sink_line(s);
    }
}

static void put_systems(sink *s, const pcs_bodies_problem *b, const bool *needs_rotation)
{
    sink_text(s, "systems ");
    sink_int(s, b->ns);
    sink_line(s);
    for (int i = 0; i < b->ns; ++i) {
        const size_t w = (size_t)(b->start[i + 1] - b->start[i]);
        const int kind = b->kind[i];
        sink_text(s, kinds[kind]);
        sink_text(s, " ");
        if (kind == PCS_MASS_DENSE) sink_int(s, (long)w);
        sink_reals(s,
                   kind == PCS_MASS_DIAGONAL ? 6
                   : kind == PCS_MASS_RIGID  ? 10
                                             : w * w,
                   b->A + b->off[i]);
        if (!needs_rotation[i]) continue;
        sink_text(s, "rotation ");
        sink_reals(s, 9, b->R + 9 * (size_t)i);
    }
}

static void put_side(sink *s, const pcs_bodies_problem *b, const pcs_bodies_block *k, int side)
{
    const int sys = k->sys[side];
    if (sys < 0) {
        sink_text(s, "fixed\n");
        return;
    }
    sink_text(s, k->rows[side] ? "rows " : "body ");
    sink_int(s, sys);
    if (k->rows[side]) {
        sink_reals(s, (size_t)k->dim * (size_t)(b->start[sys + 1] - b->start[sys]), k->rows[side]);
        return;
    }
    const double at[4] = {k->core[side][0], k->core[side][1], k->core[side][2], k->along[side]};
    sink_reals(s, 4, at);
}

pcs_status bodies_text_write(const written *w, pcs_pool *scratch, sink *s)
{
    const pcs_file_content *c = w->content;
    const pcs_bodies_problem *b = c->bodies;
    bool *needs_rotation = POOL_TAKE(scratch, (size_t)b->ns, bool);
    if (!needs_rotation) return fail_memory();
    for (int i = 0; i < b->nb; ++i) {
        for (int side = 0; side < 2; ++side) {
            const pcs_bodies_block *k = &b->block[i];
            if (k->sys[side] >= 0 && !k->rows[side]) needs_rotation[k->sys[side]] = true;
        }
    }
    put_systems(s, b, needs_rotation);
    sink_text(s, "blocks ");
    sink_int(s, b->nb);
    sink_line(s);
    for (int i = 0; i < b->nb; ++i) {
        const pcs_bodies_block *k = &b->block[i];
        native_put_cone(s, &w->block[i]);
        if ((k->sys[0] >= 0 && !k->rows[0]) || (k->sys[1] >= 0 && !k->rows[1])) {
            sink_text(s, "frame ");
            sink_reals(s, 9, k->F);
        }
        put_side(s, b, k, 0);
        put_side(s, b, k, 1);
    }
    native_put_vector(s, "shift", (size_t)b->n, b->shift);
    native_put_vector(s, "v_free", (size_t)b->start[b->ns], b->v_free);
    return PCS_OK;
}
