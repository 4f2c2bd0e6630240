// The input of every format of an export: the chosen frames, the poses of bodies in them, and the
// shapes as triangles. A format is a function of one of these (export.c has the table).
#ifndef EXPORT_EXPORT_JOB_H
#define EXPORT_EXPORT_JOB_H

#include <stdbool.h>

#include <percuss/export.h>
#include <percuss/parts.h>

#include "export/tessellate.h"
#include "trajectory/frames.h"

// an enabled shape
typedef struct export_shape {
    int number, body, material; // numbers in the model; body 0 is the world
    int surface;                // number in export_job
    double pose[7];             // x y z and unit quaternion: shape to body
} export_shape;

typedef struct export_job {
    pcs_trajectory *trajectory;
    const pcs_model *model;
    const char *path;   // path of the output
    const char *ending; // ending of the format, without its dot
    pcs_export_def def;
    frame_choice choice;
    long frames;            // that are written
    int bodies;             // systems and the world, number 0
    bool *moves;            // per body: its pose differs between these frames
    double (*first)[7];     // per body: its pose in the first of them
    double low[3], high[3]; // bounds of the origins of bodies in all of them, m
    int n_shapes;
    export_shape *shape; // n_shapes, by body
    int n_surfaces;
    surface *surface; // n_surfaces, all different; frame of the shape
} export_job;

// reads frame k of those that are written
pcs_status job_read(const export_job *job, long k, pcs_trajectory_frame *out);

// time of frame k, s
double job_time(const export_job *job, long k);

// the pose of a body in a frame that was read
void job_pose(const export_job *job, const pcs_trajectory_frame *frame, int body, double pose[7]);

// the name of a body, never empty: "body 3" if it has none; cut to `size`; not always unique
void job_body_name(const export_job *job, int body, char *name, size_t size);

// The velocity of a body as by pcs_trajectory_velocity, zero for a Lagrangian system; and its
// kinetic energy, J: NaN for a prescribed motion, which has no mass.
void job_velocity(const export_job *job, const pcs_trajectory_frame *frame, int body, double v[6]);
double job_kinetic(const export_job *job, int body, const double v[6]);

// The name of a further file: the stem of the output (export_stem), then the three texts.
// PCS_ERR_FILE when it does not fit, and for a stream.
pcs_status job_name_beside(const export_job *job, const char *between, const char *what,
                           const char *ending, size_t size, char *name);

// Removes the file of this name, which an earlier export left and this one does not have.
pcs_status job_remove_beside(const export_job *job, const char *between, const char *what,
                             const char *ending);

// y = the point x of the frame that has this pose
void pose_apply(const double pose[7], const double x[3], double y[3]);

// the pose of a frame in a frame that has the pose `outer`
void pose_join(const double outer[7], const double inner[7], double out[7]);

// ---- the formats

pcs_status export_csv(const export_job *job);
pcs_status export_pvd(const export_job *job);
pcs_status export_vtkhdf(const export_job *job);
pcs_status export_gltf(const export_job *job);
pcs_status export_usd(const export_job *job);

#endif
