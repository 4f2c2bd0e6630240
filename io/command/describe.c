// Scenes, trajectories, checkpoints and meshes: recognised, and described in words and as JSON.
#define _POSIX_C_SOURCE 200809L // stat

#include "command/describe.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <percuss/checkpoint.h>
#include <percuss/inertia.h>
#include <percuss/mesh_file.h>
#include <percuss/parts.h>
#include <percuss/scene.h>
#include <percuss/trajectory.h>

#include "command/command.h"
#include "problem_file/json.h"

// ---- kinds of files -------------------------------------------------------------------------------

static bool begins(const char *text, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(text, word, n) == 0 && (text[n] == '\0' || isspace((unsigned char)text[n]));
}

// a line of an OBJ file
static bool is_obj(const char *text)
{
    static const char *const keys[] = {"v", "vn", "vt", "f", "o", "g", "s", "mtllib", "usemtl"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        if (begins(text, keys[i])) return true;
    }
    return false;
}

// binary STL: the number of triangles, 50 bytes each, follows 80 bytes
static bool is_stl(const char *head, size_t n, long long size)
{
    const unsigned char *b = (const unsigned char *)head + 80;
    if (n < 84) return false;
    const long long triangles =
        (long long)b[0] | (long long)b[1] << 8 | (long long)b[2] << 16 | (long long)b[3] << 24;
    return triangles > 0 && size == 84 + 50 * triangles;
}

// reads the first line that is no comment
static const char *first_line(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        if (*text != '#') return text;
        text += strcspn(text, "\n");
    }
}

static bool is_hdf5(const char *head, size_t n)
{
    return n >= 8 && memcmp(head, "\x89HDF", 4) == 0;
}

// of a text
static file_content recognise_text(const char *text)
{
    const char *line = first_line(text);
    if (*line == '{') return CONTENT_SCENE;
    if (begins(line, "percuss-problem")) return CONTENT_PROBLEM;
    return begins(line, "solid") || is_obj(line) ? CONTENT_MESH : CONTENT_OTHER;
}

static file_content recognise(const char *path)
{
    char head[4096] = "";
    struct stat s;
    // bytes read from a pipe would be lost
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return CONTENT_OTHER;
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
    if (f) fclose(f);
    if (n >= 8 && memcmp(head, "pcsckpt", 7) == 0) return CONTENT_CHECKPOINT;
    if (is_hdf5(head, n)) {
        return pcs_trajectory_fits(path) ? CONTENT_TRAJECTORY : CONTENT_OTHER;
    }
    return is_stl(head, n, s.st_size) ? CONTENT_MESH : recognise_text(head);
}

static file_content recognise_input(const input *in)
{
    char head[4096] = "";
    if (!in->bytes) return recognise(in->path);
    memcpy(head, in->bytes, in->size < sizeof head ? in->size : sizeof head - 1);
    return recognise_text(head);
}

// a device may never end
#define MOST_BYTES ((size_t)1 << 30)

// all of a stream in out->bytes; null, or the reason why it cannot be used
static const char *load(FILE *f, input *out)
{
    for (size_t room = 1 << 16, got = 1; got > 0; out->size += got) {
        if (!out->bytes || out->size == room) {
            room = out->bytes ? 2 * room : room;
            char *larger = realloc(out->bytes, room);
            if (!larger) return "memory is out";
            out->bytes = larger;
        }
        errno = 0;
        got = fread(out->bytes + out->size, 1, room - out->size, f);
        if (ferror(f)) return strerror(errno);
        if (!is_hdf5(out->bytes, out->size + got) && memchr(out->bytes + out->size, 0, got)) {
            return "it has bytes that are zero, and of a pipe only texts and problems as HDF5 are"
                   " read; give the name of a file";
        }
        if (out->size + got >= MOST_BYTES)
            return "it has more than 1073741824 bytes; larger files are not read";
    }
    return NULL;
}

bool input_open(const char *path, input *out)
{
    struct stat s;
    *out = (input){.path = path};
    if (stat(path, &s) != 0 || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode)) return true;
    FILE *f = fopen(path, "rb");
    const char *why = f ? load(f, out) : strerror(errno);
    if (f) fclose(f);
    if (why) complain("%s: %s", path, why);
    return !why;
}

void input_close(input *in)
{
    free(in->bytes);
    in->bytes = NULL;
}

static const struct {
    const char *word, *taken; // its kind, and the program that takes it
} contents[] = {
    [CONTENT_OTHER] = {"", ""},
    [CONTENT_PROBLEM] = {"problem", "'percuss solve' solves it"},
    [CONTENT_SCENE] = {"scene", "'percuss run' steps it"},
    [CONTENT_TRAJECTORY] = {"trajectory", "'percuss view' shows it, 'percuss info' describes it"},
    [CONTENT_CHECKPOINT] = {"checkpoint", "'percuss run SCENE --resume' continues from it"},
    [CONTENT_MESH] = {"mesh", "a scene names it as the file of a geometry"},
};

bool is_other_content(const char *path, file_content wanted)
{
    const file_content is = recognise(path);
    return is != wanted && is != CONTENT_OTHER;
}

const char *refusal(const char *path, file_content wanted, char words[REFUSAL])
{
    const file_content is = recognise(path);
    if (is == wanted || is == CONTENT_OTHER) return pcs_error_text();
    snprintf(words, REFUSAL, "%.300s: this is a %s, not a %s: %s", path, contents[is].word,
             contents[wanted].word, contents[is].taken);
    return words;
}

int complain_file(const char *path, file_content wanted)
{
    char words[REFUSAL];
    const char *why = refusal(path, wanted, words);
    // adds the file to the sentence
    return strstr(why, path) ? complain("%s", why) : complain("%s: %s", path, why);
}

// ---- descriptions ---------------------------------------------------------------------------------

static void put_hash(json *j, const char *key, unsigned long long hash)
{
    char text[20];
    snprintf(text, sizeof text, "%016llx", hash);
    json_text(j, key, text);
}

// describes the parts of a model
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

// called after the file was read: nothing is printed of a file that cannot be read
static void print_head(const char *path, file_content what, const char *before)
{
    char *name = readable(path);
    printf("%s%s\n  kind        %s\n", before, name, contents[what].word);
    free(name);
}

static bool scene(const input *in, const char *before, json *j)
{
    pcs_scene *s;
    const pcs_status status = in->bytes ? pcs_scene_parse(NULL, in->bytes, in->size, in->path, &s)
                                        : pcs_scene_read(NULL, in->path, &s);
    if (status != PCS_OK) return false;
    if (j) {
        json_text(j, "name", s->name);
        json_text(j, "description", s->description);
        json_real(j, "h", s->settings.h);
        json_real(j, "t_end", s->settings.t_end);
        put_model(j, s->model);
        put_hash(j, "model_hash", pcs_model_hash(s->model));
    } else {
        print_head(in->path, CONTENT_SCENE, before);
        print_line("name", s->name);
        print_line("description", s->description);
        print_model(s->model);
        printf("  run         steps of %g s to t = %g s\n", s->settings.h, s->settings.t_end);
    }
    pcs_scene_destroy(s);
    return true;
}

static bool trajectory(const input *in, const char *before, json *j)
{
    pcs_trajectory *t;
    if (pcs_trajectory_open(NULL, in->path, &t) != PCS_OK) return false;
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
        print_head(in->path, CONTENT_TRAJECTORY, before);
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

static bool checkpoint(const input *in, const char *before, json *j)
{
    pcs_checkpoint_info info;
    if (pcs_checkpoint_read_info(in->path, &info) != PCS_OK) return false;
    if (j) {
        json_real(j, "t", info.t);
        json_int(j, "steps", (int)info.steps);
        json_int(j, "coordinates", info.nq);
        json_int(j, "velocities", info.nv);
        json_text(j, "percuss", info.version);
        put_hash(j, "model_hash", info.model_hash);
        put_hash(j, "hash", info.hash);
    } else {
        print_head(in->path, CONTENT_CHECKPOINT, before);
        printf("  state       t = %g s after %ld steps; %d coordinates, %d velocities\n", info.t,
               info.steps, info.nq, info.nv);
        printf("  hash        %016llx, of its model %016llx\n", info.hash, info.model_hash);
        print_line("made by", info.version);
    }
    return true;
}

static const char *const mesh_formats[] = {"OBJ", "STL as text", "binary STL"};

// the box around a mesh, and whether it encloses a volume
static bool mesh(const input *in, const char *before, json *j)
{
    pcs_mesh_file *f;
    const pcs_status status = in->bytes
                                  ? pcs_mesh_file_parse(NULL, in->bytes, in->size, in->path, &f)
                                  : pcs_mesh_file_read(NULL, in->path, &f);
    if (status != PCS_OK) return false;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)f->n_vertices; ++i) {
        low[i % 3] = fmin(low[i % 3], f->vertices[i]);
        high[i % 3] = fmax(high[i % 3], f->vertices[i]);
    }
    pcs_inertia inside;
    const bool closed = pcs_inertia_of_mesh(f->n_vertices, f->vertices, f->n_triangles,
                                            f->triangles, 1, &inside) == PCS_OK;
    const char *why = closed ? "" : pcs_error_text(), *colon = strstr(why, ": ");
    if (j) {
        json_text(j, "format", mesh_formats[f->format]);
        json_int(j, "vertices", f->n_vertices);
        json_int(j, "triangles", f->n_triangles);
        json_reals(j, "low", 3, low);
        json_reals(j, "high", 3, high);
        json_real(j, "volume", closed ? inside.m : NAN);
    } else {
        print_head(in->path, CONTENT_MESH, before);
        printf("  format      %s\n", mesh_formats[f->format]);
        printf("  surface     %d triangles, %d vertices\n", f->n_triangles, f->n_vertices);
        printf("  box         (%g, %g, %g) to (%g, %g, %g), in units of the file\n", low[0], low[1],
               low[2], high[0], high[1], high[2]);
        if (closed) {
            printf("  volume      %g\n", inside.m);
        } else {
            print_line("volume", colon ? colon + 2 : why);
        }
        printf("  use         %s\n", contents[CONTENT_MESH].taken);
    }
    pcs_mesh_file_destroy(f);
    return true;
}

bool describe_file(const input *in, bool as_json, const char *before, int *code)
{
    const file_content what = recognise_input(in);
    bool (*const of[])(const input *, const char *, json *) = {NULL,       NULL,       scene,
                                                               trajectory, checkpoint, mesh};
    if (!of[what]) return false;

    *code = DONE;
    if (as_json) {
        json j = {.out = stdout};
        json_open(&j, NULL, '{');
        json_text(&j, "file", in->path);
        json_text(&j, "kind", contents[what].word);
        const bool good = of[what](in, before, &j);
        if (!good) {
            json_text(&j, "message", pcs_error_text());
            *code = complain("%s", pcs_error_text());
        }
        json_close(&j, '}');
        return true;
    }
    if (!of[what](in, before, NULL)) *code = complain("%s", pcs_error_text());
    return true;
}
