// See moving_scene.h.
#include "moving_scene.h"

#include <percuss/parts.h>
#include <percuss/rotation.h>

#include "recorded.h"

static pcs_shape shifted(pcs_shape shape, double x, const double Q[4])
{
    shape.position[0] += x;
    memcpy(shape.orientation, Q, sizeof shape.orientation);
    return shape;
}

void moving_scene_record(const char *path, double gx, double gy, double gz)
{
    const double corner[12] = {0, 0, 0, 0.3, 0, 0, 0, 0.3, 0, 0, 0, 0.3};
    const int face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const double height[6] = {-2, -2, -1.9, -2, -2.5, -2}, mass = 2;
    const double half_turn[4] = {0.6, 0, 0.8, 0}, edges[3] = {0.2, 0.3, 0.4};
    pcs_geometry *hull, *mesh, *field;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_gravity(&s, gx, gy, gz);
    CK_OK(pcs_geometry_create_hull(NULL, 4, corner, &hull));
    CK_OK(pcs_geometry_create_mesh(NULL, 4, corner, 4, face, &mesh));
    CK_OK(pcs_geometry_create_height_field(NULL, 3, 2, 0.5, 0.25, height, &field));

    const pcs_system ball = scene_ball(&s, 1, 0.1, (double[]){2, 0, 1}, (double[]){1, 0.5, 0});
    const pcs_system twin = scene_ball(&s, 1, 0.1, (double[]){4, 0, 1}, NULL);
    scene_shape(&s, ball, pcs_shape_sphere(0.1), 0);
    scene_shape(&s, twin, pcs_shape_sphere(0.1), 0);
    const pcs_system spinner = scene_box(&s, 2, edges, (double[]){-3, 0, 5}, NULL,
                                         (double[]){0, 1, 2}, (double[]){20, 3, -40});
    scene_shape(&s, spinner, pcs_shape_capsule(0.1, 0.5), 0);
    scene_shape(&s, spinner, shifted(pcs_shape_box(0.2, 0.3, 0.4), 0.5, half_turn), 0);
    pcs_body_def still = pcs_body_def_default();
    still.fixed = true;
    still.position[1] = 3;
    scene_shape(&s, scene_add(&s, &still), pcs_shape_cylinder(0.2, 0.5), 0);
    pcs_body_def def = pcs_body_def_default();
    def.position[1] = -3;
    def.omega[1] = 1;
    scene_shape(&s, scene_add(&s, &def), pcs_shape_hull(hull), 0);
    still.position[1] = 6;
    memcpy(still.orientation, half_turn, sizeof half_turn);
    scene_shape(&s, scene_add(&s, &still), pcs_shape_mesh(mesh), 0);
    pcs_lagrangian_def general = pcs_lagrangian_def_default();
    general.n = 1;
    general.mass = &mass;
    scene_add_lagrangian(&s, &general);
    scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, -1), 0);
    scene_shape(&s, (pcs_system){0}, pcs_shape_height_field(field), 0);
    scene_join(&s, pcs_relation_ball_joint((double[]){0, 0, 1}, (double[]){4, 0, 2}),
               pcs_law_equality(), twin, (pcs_system){0});
    scene_join(&s, pcs_relation_distance((double[]){0, 0, 0}, (double[]){0, 0, 0.1}, 2),
               pcs_law_equality(), ball, twin);
    scene_join(&s, pcs_relation_rope((double[]){0, 0.1, 0}, (double[]){0, 0, 6}, 9),
               pcs_law_newton_impact(0), spinner, (pcs_system){0});
    pcs_joint_def slider = pcs_joint_def_default(PCS_JOINT_SLIDER);
    pcs_interaction joint;
    slider.system1 = spinner;
    slider.axes1[0] = 2; // of any length
    CK_OK(pcs_model_add_joint(s.m, &slider, &joint));
    CK_OK(pcs_model_set_interaction_enabled(s.m, joint, false));
    CK_OK(pcs_model_set_system_name(s.m, ball, MOVING_NAME));
    CK_OK(pcs_model_set_system_name(s.m, twin, "twin"));
    CK_OK(pcs_model_set_system_name(s.m, spinner, "twin_5")); // a name that could be made up

    scene_start(&s);
    pcs_recorder_def record = pcs_recorder_def_default();
    record.title = MOVING_NAME;
    record_run(&s, path, &record, 0.01, 0.01 * MOVING_STEPS);
    scene_close(&s);
    pcs_geometry_destroy(hull);
    pcs_geometry_destroy(mesh);
    pcs_geometry_destroy(field);
}

void moving_scene_export(const char *path, pcs_export_kind kind, const pcs_export_def *def,
                         const char *out)
{
    pcs_trajectory *t;
    CK_OK(pcs_trajectory_open(NULL, path, &t));
    CK_OK(pcs_trajectory_export(t, kind, def, out, NULL));
    pcs_trajectory_close(t);
}

void moving_scene_not_written(const char *path, pcs_export_kind kind, const char *out)
{
    pcs_trajectory *t;
    CK_OK(pcs_trajectory_open(NULL, path, &t));
    CK_SAYS(pcs_trajectory_export(t, kind, NULL, out, NULL), PCS_ERR_FILE, out);
    pcs_trajectory_close(t);
}

void moving_scene_compare(const char *path, moving_pose_fn shown, const void *file, long first,
                          int every)
{
    pcs_trajectory *t;
    CK_OK(pcs_trajectory_open(NULL, path, &t));
    const double start = pcs_trajectory_times(t)[first];
    for (long k = first; k < pcs_trajectory_info_of(t).frames; k += every) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        for (int body = 1; body < MOVING_LAGRANGIAN; ++body) {
            double x[3], Q[4];
            int at;
            pcs_trajectory_place(t, (pcs_system){body}, &at, NULL);
            const double *q = frame.q + at, *P = q + 3;
            shown(file, body, frame.t - start, x, Q);
            // a millionth of a scene of 10 m, and floats
            expect_same(x, q, 3, 1e-5 + 1e-6);
            // the same rotation with either sign
            const double along = Q[0] * P[0] + Q[1] * P[1] + Q[2] * P[2] + Q[3] * P[3];
            CK_NEAR(fabs(along) / pcs_quat_norm(P) / pcs_quat_norm(Q), 1, 1e-10);
        }
    }
    pcs_trajectory_close(t);
}
