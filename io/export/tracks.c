// See tracks.h. A frame is left out when the straight line from the key before it to the key after
// it passes it closely. Every frame in between allows a range of slopes in each component, and a
// frame may be the next key while its slope is in all of these ranges:
//     (y_j - tol - y_a) / (t_j - t_a) <= (y_k - y_a) / (t_k - t_a) <= (y_j + tol - y_a) / (t_j -
//     t_a).
// Each frame is visited once. An arc of quaternions so close to its chord has a constant rate, to
// the tolerance.
#include "export/tracks.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define PART_OF_SCENE 1e-6 // largest error of a position; floats keep 6e-8
#define TURN          1e-6 // largest error of a quaternion

void tracks_release(tracks *t)
{
    free(t->time);
    free(t->number);
    free(t->body);
    free(t->pose);
    *t = (tracks){0};
}

const float *tracks_pose(const tracks *t, int row, int frame)
{
    return t->pose + 7 * ((size_t)row * (size_t)t->frames + (size_t)frame);
}

// frames whose times are equal as floats are left out
static int choose_times(const export_job *job, double *time, long *number)
{
    int n = 0;
    for (long k = 0; k < job->frames; ++k) {
        const double t = job_time(job, k) - job_time(job, 0);
        if (n > 0 && !((float)t > (float)time[n - 1])) continue;
        time[n] = t;
        number[n++] = k;
    }
    return n;
}

static void put_pose(const tracks *t, int row, int frame, const double pose[7])
{
    float *to = t->pose + 7 * ((size_t)row * (size_t)t->frames + (size_t)frame);
    double along = 0;
    for (int i = 3; i < 7 && frame > 0; ++i) {
        along += pose[i] * (double)(to - 7)[i];
    }
    for (int i = 0; i < 7; ++i) {
        const double x = i >= 3 && along < 0 ? -pose[i] : pose[i];
        to[i] = as_float(x);
    }
}

static pcs_status fill(const export_job *job, tracks *t)
{
    for (int k = 0; k < t->frames; ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(job, t->number[k], &frame));
        for (int row = 0; row < t->rows; ++row) {
            double pose[7];
            job_pose(job, &frame, t->body[row], pose);
            put_pose(t, row, k, pose);
        }
    }
    return PCS_OK;
}

pcs_status tracks_read(const export_job *job, tracks *t)
{
    *t = (tracks){0};
    if (job->frames > INT32_MAX / 8) {
        return pcs_fail(PCS_ERR_SIZE, "%s: %ld frames are more than an animation can have",
                        job->path, job->frames);
    }
    t->number = malloc((size_t)job->frames * sizeof *t->number);
    t->time = malloc((size_t)job->frames * sizeof *t->time);
    t->body = malloc((size_t)job->bodies * sizeof *t->body);
    pcs_status status = PCS_OK;
    if (t->number && t->time && t->body) {
        t->frames = choose_times(job, t->time, t->number);
        for (int body = 0; body < job->bodies; ++body) {
            if (job->moves[body]) t->body[t->rows++] = body;
        }
        t->pose = malloc(7 * sizeof *t->pose * ((size_t)t->rows * (size_t)t->frames + 1));
    }
    if (!t->pose) status = pcs_fail_memory("pcs_trajectory_export");
    for (int i = 0; i < 3; ++i) {
        t->tolerance = fmax(t->tolerance, PART_OF_SCENE * (job->high[i] - job->low[i]));
    }
    if (status == PCS_OK) status = fill(job, t);
    return status;
}

int tracks_keys(const tracks *t, int row, track_part part, int *key)
{
    const int first = part == TRACK_POSITION ? 0 : 3, last = part == TRACK_POSITION ? 3 : 7;
    const double tol = part == TRACK_POSITION ? t->tolerance : TURN;
    double low[7], high[7];
    int n = 0;
    key[n++] = 0;
    for (int k = 1, start = 0; k < t->frames; ++k) {
        const float *from = tracks_pose(t, row, start), *at = tracks_pose(t, row, k);
        const double dt = t->time[k] - t->time[start];
        bool within = true;
        for (int i = first; i < last; ++i) {
            const double dy = (double)at[i] - (double)from[i];
            if (k == start + 1) {
                low[i] = -INFINITY;
                high[i] = INFINITY;
            }
            within = within && dy / dt >= low[i] && dy / dt <= high[i];
        }
        if (!within) {
            start = k - 1;
            key[n++] = start;
            k -= 1; // the frame is tested again, from the new key
            continue;
        }
        for (int i = first; i < last; ++i) {
            const double dy = (double)at[i] - (double)from[i];
            low[i] = fmax(low[i], (dy - tol) / dt);
            high[i] = fmin(high[i], (dy + tol) / dt);
        }
    }
    bool still = n == 1;
    for (int i = first; i < last && still; ++i) {
        still = tracks_pose(t, row, t->frames - 1)[i] == tracks_pose(t, row, 0)[i];
    }
    if (!still) key[n++] = t->frames - 1;
    return n;
}

// ---- directions and colours ---------------------------------------------------------

void up_of(const pcs_model *m, double up[3])
{
    double g[3];
    pcs_model_gravity(m, g);
    const double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int i = 0; i < 3; ++i) {
        up[i] = size > 0 ? -g[i] / size : i == 2;
    }
}

// true when forces or a motion move the body
int body_colour(const export_job *job, int body)
{
    pcs_inertia mass;
    const bool free_body =
        body > 0 &&
        (job->moves[body] ||
         (!pcs_model_is_lagrangian(job->model, (pcs_system){body}) &&
          pcs_model_inertia(job->model, (pcs_system){body}, &mass) == PCS_OK && mass.m > 0));
    return free_body ? body % (BODY_COLOURS - 1) : BODY_COLOURS - 1;
}

void colour_value(int number, double rgb[3])
{
    // colours of io/view/web/solids.js, the grey of the ground last
    static const unsigned palette[BODY_COLOURS] = {0x4e8fc7, 0xd98b4a, 0x5faf8c, 0xb678b0, 0xc9b24b,
                                                   0x6fb7d6, 0xc96a62, 0x8a8fd0, 0x8d949c};
    for (int i = 0; i < 3; ++i) {
        // sRGB (IEC 61966-2-1) to linear light
        const double c = (palette[number] >> (16 - 8 * i) & 255) / 255.0;
        rgb[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
}
