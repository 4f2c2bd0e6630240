// Motions and loads of a scene file: structs that live as long as the scene.
#include <string.h>

#include <percuss/rotation.h>

#include "base/base.h"
#include "linalg/m3.h"
#include "scene/build.h"

static bool has(const scene_motion *in, const char *key)
{
    return table_given(&motion_table, in, key);
}

// Keys that have no effect without another one. A number that is zero switches something off, and
// is no mistake; nor is an axis or a centre without a rotation, as scenes that are written have
static pcs_status check_effects(builder *b, const scene_motion *in, const place *at)
{
    const bool sways = has(in, "amplitude"), swings = has(in, "swing");
    const struct {
        const char *key, *other;
        bool idle;
    } needs[] = {{"frequency", "amplitude", in->frequency != 0 && !sways},
                 {"phase", "amplitude", in->phase != 0 && !sways},
                 {"amplitude", "frequency",
                  v3_norm(in->amplitude) > 0 && !has(in, "frequency") && !has(in, "phase")},
                 {"swing_frequency", "swing", in->swing_frequency != 0 && !swings},
                 {"swing_phase", "swing", in->swing_phase != 0 && !swings},
                 {"swing", "swing_frequency",
                  in->swing != 0 && !has(in, "swing_frequency") && !has(in, "swing_phase")}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i) {
        if (!needs[i].idle) continue;
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "its %s has no effect without %s; add that, or leave %s out", needs[i].key,
                      needs[i].other, needs[i].key);
    }
    return PCS_OK;
}

static pcs_status check_choices(builder *b, const scene_motion *in, const place *at)
{
    static const char *const pairs[][2] = {{"velocity", "polynomial"}, {"speed", "angle"}};
    for (size_t i = 0; i < 2; ++i) {
        if (!has(in, pairs[i][0]) || !has(in, pairs[i][1])) continue;
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "it has both %s and %s; give one of them: %s is the second coefficient of %s",
                      pairs[i][0], pairs[i][1], pairs[i][0], pairs[i][1]);
    }
    if (in->polynomial.rows > PCS_MOTION_TERMS || in->angle.rows > PCS_MOTION_TERMS) {
        return refuse(&b->src, at, PCS_ERR_SIZE, "a polynomial has more than %d coefficients",
                      (int)PCS_MOTION_TERMS);
    }
    if (!in->table.x) return check_effects(b, in, at);
    for (int i = 0; i < motion_table.n; ++i) {
        const char *key = motion_table.field[i].key;
        if (!has(in, key) || strcmp(key, "table") == 0 || strcmp(key, "belt") == 0) continue;
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "it has a table and %s; a table replaces all but the belt", key);
    }
    return PCS_OK;
}

// converts from the frame of a copy; the pose is already in the inertial frame
static void rotate_motion(pcs_motion *m, const frame *f, bool centre)
{
    if (centre) frame_point(f, m->centre);
    frame_vector(f, m->amplitude);
    frame_vector(f, m->axis);
    frame_vector(f, m->belt);
    for (int k = 0; k < PCS_MOTION_TERMS; ++k) {
        frame_vector(f, m->polynomial[k]);
    }
}

// the same for the rows of a table
static void rotate_rows(int n, int columns, const frame *f, double *row)
{
    for (int i = 0; i < n; ++i, row += columns) {
        frame_point(f, row + 1);
        if (columns == 8) frame_rotation(f, row + 4);
    }
}

pcs_status build_motion(builder *b, const scene_motion *in, const pcs_body_def *pose,
                        const frame *f, const place *at, pcs_motion **out)
{
    PCS_TRY(check_choices(b, in, at));
    pcs_motion *m = pcs_scene_alloc(b->scene, sizeof *m);
    if (!m) return pcs_fail_memory(b->src.name);
    *m = pcs_motion_default();
    memcpy(m->position, pose->position, sizeof m->position);
    memcpy(m->orientation, pose->orientation, sizeof m->orientation);
    memcpy(m->polynomial[1], in->velocity, sizeof in->velocity);
    if (in->polynomial.x) {
        memset(m->polynomial, 0, sizeof m->polynomial);
        memcpy(m->polynomial, in->polynomial.x, 3 * (size_t)in->polynomial.rows * sizeof(double));
    }
    m->angle[1] = in->speed;
    if (in->angle.x) {
        memset(m->angle, 0, sizeof m->angle);
        memcpy(m->angle, in->angle.x, (size_t)in->angle.rows * sizeof(double));
    }
    memcpy(m->amplitude, in->amplitude, sizeof m->amplitude);
    m->frequency = in->frequency;
    m->phase = in->phase;
    memcpy(m->axis, in->axis, sizeof m->axis);
    memcpy(m->centre, has(in, "centre") ? in->centre : m->position, sizeof m->centre);
    m->swing = in->swing;
    m->swing_frequency = in->swing_frequency;
    m->swing_phase = in->swing_phase;
    memcpy(m->belt, in->belt, sizeof m->belt);
    if (in->table.x) {
        const size_t n = (size_t)in->table.rows * (size_t)in->table.width;
        double *rows = pcs_scene_alloc(b->scene, n * sizeof *rows);
        if (!rows) return pcs_fail_memory(b->src.name);
        m->table = memcpy(rows, in->table.x, n * sizeof *rows);
        m->rows = in->table.rows;
        m->columns = in->table.width;
        rotate_rows(m->rows, m->columns, f, rows);
    }
    rotate_motion(m, f, has(in, "centre"));
    const pcs_status status = pcs_motion_check(m);
    *out = m;
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

pcs_status build_load(builder *b, const scene_load *in, const frame *f, pcs_load **out)
{
    *out = pcs_scene_alloc(b->scene, sizeof **out);
    if (!*out) return pcs_fail_memory(b->src.name);
    **out = in->load;
    frame_vector(f, (*out)->force);
    frame_vector(f, (*out)->torque);
    return PCS_OK;
}
