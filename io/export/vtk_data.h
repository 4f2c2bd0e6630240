// A frame in the form of VTK (vtkPolyData): points in the inertial frame, cells of them, and arrays
// with a row for each point. Reals are floats.
#ifndef EXPORT_VTK_DATA_H
#define EXPORT_VTK_DATA_H

#include <stdint.h>

#include "export/export_job.h"

typedef struct vtk_array {
    const char *name, *units;
    int width;  // number of entries of a row
    bool whole; // int32_t, else float
    bool stays; // the same in every frame
    void *row;  // 4 width bytes for each point
} vtk_array;

enum { VTK_ARRAYS = 10 };

typedef struct vtk_data {
    int n_points, n_cells;
    int cell_points; // 3 for triangles, 2 for lines, 1 for points
    float *point;    // 3 n_points, m
    int32_t *corner; // cell_points n_cells
    int n_arrays;
    vtk_array array[VTK_ARRAYS];
} vtk_data;

// Memory for the bodies that move, or for those that do not, with the data that all frames share.
// Release with vtk_data_release, also after a failure.
pcs_status vtk_bodies_create(const export_job *job, bool moving, vtk_data *out);
void vtk_bodies_fill(const export_job *job, bool moving, const pcs_trajectory_frame *frame,
                     vtk_data *data);

// The contacts of a frame; created for each frame.
pcs_status vtk_contacts_create(const pcs_trajectory_frame *frame, vtk_data *out);

// Memory for the force elements as lines between their points; without any it has no points.
pcs_status vtk_forces_create(const export_job *job, vtk_data *out);
void vtk_forces_fill(const export_job *job, const pcs_trajectory_frame *frame, vtk_data *data);

void vtk_data_release(vtk_data *data);

#endif
