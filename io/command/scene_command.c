// percuss scene: the scene files of the examples, which are compiled in.
#include "command/scene_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/scene.h>

#include "command/command_line.h"
#include "command/output.h"
#include "problem_file/nearest.h"

static const char *find(const char *name)
{
    for (int i = 0; i < example_scene_count; ++i) {
        if (strcmp(example_scene[i].name, name) == 0) return example_scene[i].text;
    }
    return NULL;
}

// prints the names and descriptions of the scenes
static int list(FILE *f)
{
    int width = 0;
    for (int i = 0; i < example_scene_count; ++i) {
        const int length = (int)strlen(example_scene[i].name);
        if (length > width) width = length;
    }
    for (int i = 0; i < example_scene_count; ++i) {
        const example_scene_row *row = &example_scene[i];
        pcs_scene *scene;
        if (pcs_scene_parse(NULL, row->text, strlen(row->text), row->name, &scene) != PCS_OK) {
            return complain("%s", pcs_error_text());
        }
        fprintf(f, "%-*s  %s\n", width, row->name, scene->description);
        pcs_scene_destroy(scene);
    }
    return DONE;
}

static int unknown(const char *name)
{
    const char **names = take((size_t)example_scene_count, sizeof *names);
    for (int i = 0; i < example_scene_count; ++i) {
        names[i] = example_scene[i].name;
    }
    const char *like = nearest(name, names, example_scene_count);
    free(names);
    char *shown = readable(name);
    const int code =
        like ? complain("there is no scene of an example '%s'; did you mean '%s'?", shown, like)
             : complain("there is no scene of an example '%s'; 'percuss scene --list' names them",
                        shown);
    free(shown);
    return code;
}

// the scene of this name, or without a name their list; path null: to the standard output
static int write_text(const char *name, const char *path)
{
    const char *text = name ? find(name) : NULL;
    output o = {.f = stdout};
    if (name && !text) return unknown(name);
    if (path && !output_open(&o, path)) return WRONG;
    int code = DONE;
    if (text) {
        fputs(text, o.f); // output_commit and finish_output check whether it was written
    } else {
        code = list(o.f);
    }
    if (!path) return code;
    if (code == DONE) return output_commit(&o) ? DONE : WRONG;
    output_abandon(&o);
    return code;
}

static int run_scene_command(int argc, char **argv)
{
    const char *name = NULL, *path = NULL;
    bool wants_list = false, wants_schema = false;
    const args_flag flags[] = {
        {"--from-example", 0, ARGS_STRING, &name, .what = "NAME",
         .help = "the scene of this example; --list has the names"},
        {"--output", 'o', ARGS_OUT, &path, .what = "FILE",
         .help = "write it to FILE, complete or not at all (default: to the standard output)"},
        {"--schema", 0, ARGS_BOOL, &wants_schema, .help = "the JSON schema of scene files"},
        {"--list", 0, ARGS_BOOL, &wants_list, .help = "the names and descriptions of the scenes"},
    };
    args a = {
        .command = "scene",
        .words = "",
        .about =
            "Writes the scene of an example as a file for percuss run, the list of them, or the "
            "schema of scene files.",
        ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    if (wants_list + wants_schema + (name != NULL) != 1) {
        return complain("scene: give one of --from-example NAME, --schema and --list");
    }
    if (wants_schema) {
        if (pcs_scene_write_schema(path ? path : "/dev/stdout") == PCS_OK) return DONE;
        return complain("%s", pcs_error_text());
    }
    return finish_output(write_text(name, path));
}

const command command_scene = {
    "scene", "write the scene of an example, or the schema of scene files", run_scene_command};
