// See export_job.h.
#define _POSIX_C_SOURCE 200809L // lstat, unlink
#include "export/export_job.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <percuss/rotation.h>

#include "base/base.h"
#include "export/export_stem.h"
#include "problem_file/assemble.h"

pcs_status job_read(const export_job *job, long k, pcs_trajectory_frame *out)
{
    return pcs_trajectory_read_frame(job->trajectory, frame_chosen(&job->choice, k), out);
}

double job_time(const export_job *job, long k)
{
    return pcs_trajectory_times(job->trajectory)[frame_chosen(&job->choice, k)];
}

void job_pose(const export_job *job, const pcs_trajectory_frame *frame, int body, double pose[7])
{
    frame_pose(job->trajectory, frame, body, pose);
}

void job_body_name(const export_job *job, int body, char *name, size_t size)
{
    const char *given = pcs_model_system_name(job->model, (pcs_system){body});
    if (*given) {
        snprintf(name, size, "%s", given);
    } else {
        snprintf(name, size, "body %d", body);
    }
}

void job_velocity(const export_job *job, const pcs_trajectory_frame *frame, int body, double v[6])
{
    memset(v, 0, 6 * sizeof *v);
    if (pcs_model_is_lagrangian(job->model, (pcs_system){body})) return;
    pcs_trajectory_velocity(job->trajectory, frame, (pcs_system){body}, v);
}

double job_kinetic(const export_job *job, int body, const double v[6])
{
    pcs_inertia inertia;
    if (pcs_model_is_lagrangian(job->model, (pcs_system){body}) ||
        pcs_model_inertia(job->model, (pcs_system){body}, &inertia) != PCS_OK) {
        // a body with a prescribed motion has no mass
        for (int i = 0; i < 6; ++i) {
            if (v[i] != 0) return NAN;
        }
        return 0;
    }
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += inertia.m * v[i] * v[i];
        for (int j = 0; j < 3; ++j) {
            sum += v[3 + i] * inertia.J[i + 3 * j] * v[3 + j];
        }
    }
    return sum / 2;
}

pcs_status job_name_beside(const export_job *job, const char *between, const char *what,
                           const char *ending, size_t size, char *name)
{
    char stem[4096];
    int stream;
    if (!export_stem(job->path, job->ending, stem, sizeof stem, &stream)) {
        return fail_named(job->path, PCS_ERR_FILE, "it cannot be written: %s", strerror(errno));
    }
    if (stream >= 0) {
        return fail_named(job->path, PCS_ERR_FILE,
                          "it is not a file, and this export writes several with names like it");
    }
    const int n = snprintf(name, size, "%s%s%s%s", stem, between, what, ending);
    if (n >= 0 && (size_t)n < size) return PCS_OK;
    return pcs_fail(PCS_ERR_FILE, "the name of the output is too long: it has %zu bytes",
                    strlen(job->path));
}

pcs_status job_remove_beside(const export_job *job, const char *between, const char *what,
                             const char *ending)
{
    char name[4400];
    struct stat s;
    PCS_TRY(job_name_beside(job, between, what, ending, sizeof name, name));
    if (lstat(name, &s) != 0 || !S_ISREG(s.st_mode)) return PCS_OK;
    if (unlink(name) == 0 || errno == ENOENT) return PCS_OK;
    return fail_named(name, PCS_ERR_FILE, "it is of an earlier export and cannot be removed: %s",
                      strerror(errno));
}

void pose_apply(const double pose[7], const double x[3], double y[3])
{
    pcs_quat_rotate(pose + 3, x, y);
    for (int i = 0; i < 3; ++i) {
        y[i] += pose[i];
    }
}

void pose_join(const double outer[7], const double inner[7], double out[7])
{
    pose_apply(outer, inner, out);
    pcs_quat_mul(outer + 3, inner + 3, out + 3);
}
