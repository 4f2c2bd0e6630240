// Writing a scene, by file: scene_write.c the scene, write_shapes.c shapes and their geometries,
// write_bodies.c bodies.
#ifndef SCENE_WRITING_H
#define SCENE_WRITING_H

#include <percuss/parts.h>

#include "scene/build.h"
#include "scene/write_fields.h"

typedef struct out {
    writer w;
    const pcs_scene *scene;
    const pcs_model *m;
    const pcs_env *env;
    int *first;                   // by system: its first shape, or -1
    int *next;                    // by shape: the next one of its system, or -1
    bool *numbered;               // by shape: its number is written
    int *geometry;                // by shape: its geometry in the file, or -1
    const pcs_geometry **written; // the geometries of the file
    int n_written;
} out;

// PCS_ERR_UNSUPPORTED: "body 3 'crate' has a force ..."
pcs_status refuse_callback(const char *what, int id, const char *name, const char *callback);

// references by name, or by number if there is no name
part material_part(const out *o, pcs_material id);
part body_part(const out *o, pcs_system id);

// the geometries of the shapes, each once, in the order of the shapes
pcs_status collect_geometries(out *o);
void write_geometries(out *o);

// finds the shapes of every system, and those whose numbers must be written
pcs_status number_shapes(out *o);
pcs_status write_shapes(out *o, int system);

pcs_status write_bodies(out *o);

#endif
