// percuss scene as the real program: the scenes of the examples.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss.h"
#include "support.h"

TEST(every_listed_scene_is_valid_json)
{
    ck_assert_int_eq(percuss("scene --list"), 0);
    char list[10000];
    int n = 0;
    ck_assert_int_lt(snprintf(list, sizeof list, "%s", out_text), sizeof list);
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        char name[40];
        ck_assert_int_eq(sscanf(line, "%39s", name), 1);
        ck_assert_int_eq(percuss("scene --from-example %s", name), 0);
        ck_assert_msg(json_is_valid(out_text), "%s", name);
        ck_assert_ptr_nonnull(strstr(out_text, "\"percuss_scene\": 1"));
        n += 1;
    }
    ck_assert_int_ge(n, 20);
}

// a variant says in what it differs
TEST(no_two_listed_scenes_have_the_same_words)
{
    ck_assert_int_eq(percuss("scene --list"), 0);
    char list[10000];
    const char *words[100];
    int n = 0;
    ck_assert_int_lt(snprintf(list, sizeof list, "%s", out_text), sizeof list);
    for (char *line = strtok(list, "\n"); line && n < 100; line = strtok(NULL, "\n")) {
        words[n] = line + strcspn(line, " ");
        words[n] += strspn(words[n], " ");
        for (int i = 0; i < n; ++i) {
            ck_assert_str_ne(words[i], words[n]);
        }
        n += 1;
    }
}

TEST(a_written_scene_runs)
{
    ck_assert_int_eq(percuss("scene --from-example cradle -o cradle.json"), 0);
    ck_assert_int_eq(percuss("run cradle.json --json"), 0);
    ck_assert_double_eq_tol(json_number(out_text, "t"), 0.5, 1e-12);
    ck_assert_int_eq((int)json_number(out_text, "unconverged"), 0);
}

// all three are written to a file as to the standard output
TEST(a_file_gets_what_is_printed)
{
    static const char *const of[] = {"--list", "--schema", "--from-example cradle"};
    for (size_t i = 0; i < sizeof of / sizeof *of; ++i) {
        ck_assert_int_eq(percuss("scene %s -o written", of[i]), 0);
        ck_assert_str_eq(out_text, "");
        ck_assert_int_eq(percuss("scene %s", of[i]), 0);
        char *text = file_read("written");
        ck_assert_str_eq(text, out_text);
        free(text);
    }
    ck_assert_int_eq(percuss("scene --list -o /dev/full"), 2);
}

TEST(wrong_lines_are_refused)
{
    REFUSED("did you mean 'cradle'?", "scene --from-example cradel");
    REFUSED("percuss scene --list", "scene --from-example submarine");
    REFUSED("--list", "scene");
    REFUSED("--list", "scene --list --from-example cradle");
    REFUSED("nowhere", "scene --from-example cradle -o nowhere/cradle.json");
    ck_assert_int_eq(file_count(), 0);
}

TEST_AROUND(folder_make, folder_remove)
