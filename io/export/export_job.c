// See export_job.h.
#include "export/export_job.h"

#include <stdio.h>

#include <percuss/rotation.h>

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
