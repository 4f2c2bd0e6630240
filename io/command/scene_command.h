// The scene files of the examples, examples/scenes/*.json, compiled into the command.
#ifndef COMMAND_SCENE_COMMAND_H
#define COMMAND_SCENE_COMMAND_H

typedef struct example_scene_row {
    const char *name, *text;
} example_scene_row;

// a table that the build makes
extern const example_scene_row example_scene[];
extern const int example_scene_count;

#endif
