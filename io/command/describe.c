// Scenes, trajectories and checkpoints in words or as JSON.
#include "command/describe.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/checkpoint.h>
#include <percuss/parts.h>
#include <percuss/scene.h>
#include <percuss/trajectory.h>

#include "command/command.h"
#include "problem_file/json.h"

typedef enum content { PROBLEM, SCENE, TRAJECTORY, CHECKPOINT } content;

static content recognise(const char *path)
{
    char head[512] = "";
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
    if (f) fclose(f);
    if (n >= 8 && memcmp(head, "pcsckpt", 7) == 0) return CHECKPOINT;
    if (n >= 8 && memcmp(head, "\x89HDF", 4) == 0) {
        return pcs_trajectory_fits(path) ? TRAJECTORY : PROBLEM;
    }
    size_t at = 0;
    while (at < n && isspace((unsigned char)head[at])) {
        at += 1;
    }
    return at < n && head[at] == '{' ? SCENE : PROBLEM;
}

static void put_hash(json *j, const char *key, unsigned long long hash)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx", hash);
    json_text(j, key, text);
}

// the parts of a model
static void put_model(json *j, const pcs_model *m)
{
    json_int(j, "systems", pcs_model_system_count(m));
    json_int(j, "shapes", pcs_model_shape_count(m));
    json_int(j, "materials", pcs_model_material_count(m));
    json_int(j, "interactions", pcs_model_interaction_count(m));
}

static void print_model(const pcs_model *m)
{
    printf("  model       %d systems, %d shapes, %d materials, %d interactions\n",
           pcs_model_system_count(m), pcs_model_shape_count(m), pcs_model_material_count(m),
           pcs_model_interaction_count(m));
}

static void print_line(const char *label, const char *text)
{
    char *words = readable(text);
    if (*words) printf("  %-11s %s\n", label, words);
    free(words);
}

// ---- each kind ---------------------------------------------------------------------------------

static bool scene(const char *path, json *j)
{
    pcs_scene *s;
    if (pcs_scene_read(NULL, path, &s) != PCS_OK) return false;
    if (j) {
        json_text(j, "name", s->name);
        json_text(j, "description", s->description);
        json_real(j, "h", s->settings.h);
        json_real(j, "t_end", s->settings.t_end);
        put_model(j, s->model);
        put_hash(j, "model_hash", pcs_model_hash(s->model));
    } else {
        print_line("name", s->name);
        print_line("description", s->description);
        print_model(s->model);
        printf("  run         steps of %g s to t = %g s\n", s->settings.h, s->settings.t_end);
    }
    pcs_scene_destroy(s);
    return true;
}

static bool trajectory(const char *path, json *j)
{
    pcs_trajectory *t;
    if (pcs_trajectory_open(NULL, path, &t) != PCS_OK) return false;
    const pcs_trajectory_info info = pcs_trajectory_info_of(t);
    const double *time = pcs_trajectory_times(t);
    const double begin = info.frames > 0 ? time[0] : 0;
    const double end = info.frames > 0 ? time[info.frames - 1] : 0;
    if (j) {
        json_text(j, "title", info.title);
        json_int(j, "frames", (int)info.frames);
        json_int(j, "steps", (int)info.steps);
        json_real(j, "t_begin", begin);
        json_real(j, "t_end", end);
        json_bool(j, "closed", info.closed);
        json_text(j, "percuss", info.version);
        put_model(j, pcs_trajectory_model(t));
        put_hash(j, "model_hash", info.model_hash);
    } else {
        print_line("title", info.title);
        printf("  frames      %ld, from t = %g s to %g s; reports of %ld steps\n", info.frames,
               begin, end, info.steps);
        print_model(pcs_trajectory_model(t));
        print_line("made by", info.version);
        if (!info.closed) {
            printf("  note        it was not closed: it is being recorded, or the run was killed; "
                   "the frames are complete\n");
        }
    }
    pcs_trajectory_close(t);
    return true;
}

static bool checkpoint(const char *path, json *j)
{
    pcs_checkpoint_info info;
    if (pcs_checkpoint_look(path, &info) != PCS_OK) return false;
    if (j) {
        json_real(j, "t", info.t);
        json_int(j, "steps", (int)info.steps);
        json_int(j, "coordinates", info.nq);
        json_int(j, "velocities", info.nv);
        json_text(j, "percuss", info.version);
        put_hash(j, "model_hash", info.model_hash);
        put_hash(j, "hash", info.hash);
    } else {
        printf("  state       t = %g s after %ld steps; %d coordinates, %d velocities\n", info.t,
               info.steps, info.nq, info.nv);
        printf("  hash        %016llx, of its model %016llx\n", info.hash, info.model_hash);
        print_line("made by", info.version);
    }
    return true;
}

bool describe_file(const char *path, bool as_json, int *code)
{
    static const char *const kinds[] = {"problem", "scene", "trajectory", "checkpoint"};
    const content what = recognise(path);
    if (what == PROBLEM) return false;
    bool (*const of[])(const char *, json *) = {NULL, scene, trajectory, checkpoint};

    // nothing is printed of a file that cannot be read
    *code = DONE;
    if (as_json) {
        json j = {.out = stdout};
        json_open(&j, NULL, '{');
        json_text(&j, "file", path);
        json_text(&j, "kind", kinds[what]);
        const bool good = of[what](path, &j);
        if (!good) {
            json_text(&j, "message", pcs_error_text());
            *code = complain("%s", pcs_error_text());
        }
        json_close(&j, '}');
        return true;
    }
    char *name = readable(path);
    printf("%s\n  kind        %s\n", name, kinds[what]);
    free(name);
    if (!of[what](path, NULL)) *code = complain("%s", pcs_error_text());
    return true;
}
