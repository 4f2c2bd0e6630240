// Captured steps as the real program makes, describes, converts and solves them, one by one and as
// a series.
#define _POSIX_C_SOURCE 200809L // mkfifo

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "percuss.h"
#include "support.h"

TEST_AROUND(folder_make, folder_remove)

static int files_in(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    DIR *d = opendir(path);
    int n = 0;
    for (const struct dirent *e; d && (e = readdir(d));) {
        n += e->d_name[0] != '.';
    }
    if (d) closedir(d);
    return n;
}

// steps of an example from t = 0; returns the number of problems that it says it has captured
static int captured(const char *scene, double until, const char *flags)
{
    ck_assert_int_eq(percuss("scene --from-example %s -o %s.json", scene, scene), 0);
    const int code = percuss("run %s.json -q --json --until %g %s", scene, until, flags);
    ck_assert_msg(code <= 1, "%s: exit code %d, %s", scene, code, err_text);
    return (int)json_number(out_text, "captured");
}

// the value of a text in a line of JSON
static void text_at(const char *line, const char *key, char out[20])
{
    char words[40];
    snprintf(words, sizeof words, "\"%s\":\"", key);
    const char *at = strstr(line, words);
    ck_assert_msg(at != NULL, "no %s in %s", key, line);
    ck_assert_int_eq(sscanf(at + strlen(words), "%19[^\"]", out), 1);
}

// Links of a chain on the ground, solved to the last digits: methods that are then tried and find
// nothing to do are not named as those that have solved it
TEST(the_method_that_is_named_has_iterated)
{
    enum { LINKS = 12 };
    char text[6000];
    size_t at = (size_t)snprintf(
        text, sizeof text,
        "{\"percuss_scene\": 1, \"materials\": [{\"mu\": 0.5}], \"world\": {\"shapes\":"
        " [{\"kind\": \"half_space\", \"material\": 1}]}, \"run\": {\"h\": 0.002, \"t_end\": 0.02},"
        " \"bodies\": [");
    for (int i = 0; i < LINKS; ++i) {
        at +=
            (size_t)snprintf(text + at, sizeof text - at,
                             "%s{\"name\": \"link%d\", \"position\": [%g, 0, 0.06],"
                             " \"density\": 800, \"velocity\": [0, 0, -1], \"shapes\": [{\"kind\":"
                             " \"box\", \"size\": [0.26, 0.1, 0.1], \"material\": 1}]}",
                             i > 0 ? "," : "", i, 0.3 * i);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"interactions\": [");
    for (int i = 1; i < LINKS; ++i) {
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "%s{\"kind\": \"ball\", \"bodies\": [\"link%d\", \"link%d\"],"
                               " \"at\": [%g, 0, 0.06]}",
                               i > 1 ? "," : "", i - 1, i, 0.3 * i - 0.15);
    }
    snprintf(text + at, sizeof text - at, "]}");
    file_write("links.json", text);
    ck_assert_msg(percuss("run links.json -o links.h5 -q --capture links") <= 1, "%s", err_text);
    for (int k = 5; k <= 10; ++k) {
        percuss("solve links/step-%06d.pcs --tol 1e-16 --measure residual --json", k);
        char by[20];
        text_at(out_text, "by", by);
        ck_assert_msg(json_number(out_text, "iterations") > 0, "%s: %s", by, out_text);
    }
}

// the number of problems that `percuss solve --json --hash` printed, all with the bits of the step
static int same_bits(const char *scene)
{
    int n = 0;
    for (char *line = strtok(out_text, "\n"); line; line = strtok(NULL, "\n")) {
        char now[20], then[20];
        text_at(line, "hash", now);
        text_at(line, "stored_hash", then);
        ck_assert_msg(strcmp(now, then) == 0, "%s: %s", scene, line);
        ck_assert_msg(strstr(line, "\"kind\":\"bodies\"") != NULL, "%s", line);
        n += 1;
    }
    return n;
}

// islands, joints, stops, bodies that turn fast, an arch in one piece
TEST(a_captured_solve_is_solved_with_the_bits_of_the_step)
{
    static const struct {
        const char *scene;
        double until;
    } of[] = {{"cradle_chain", 0.01}, {"stacks", 0.01},           {"spinning_top_floor", 0.001},
              {"arch", 0.01},         {"two_solids_corner", 0.1}, {"rolling_disk", 0.002},
              {"card_house", 0.01},   {"dominoes", 0.003}};
    for (size_t i = 0; i < TEST_FEW(4, sizeof of / sizeof *of); ++i) {
        char flags[80];
        snprintf(flags, sizeof flags, "--capture %s --capture-solves --threads %d", of[i].scene,
                 1 + (int)i % 2);
        const int n = captured(of[i].scene, of[i].until, flags);
        ck_assert_int_gt(n, 0);
        ck_assert_int_eq(files_in(of[i].scene), n);
        ck_assert_int_eq(percuss("solve --json --hash %s/*", of[i].scene), 0);
        // the gyroscopic terms of a step are no fault of the user
        ck_assert_str_eq(err_text, "");
        ck_assert_int_eq(same_bits(of[i].scene), n);
    }
}

// three columns of spheres slide, in steps of 5 ms; returns the number of captured problems
static int slide(const char *scheme, double until, const char *flags)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"percuss_scene\": 1, \"materials\": [{\"mu\": 0.5}],"
             " \"world\": {\"shapes\": [{\"kind\": \"half_space\", \"material\": 1}]},"
             " \"bodies\": [{\"kind\": \"lattice\", \"counts\": [3, 1, 3],"
             "   \"spacing\": [0.19, 0.2, 0.19], \"position\": [0, 0, 0.095], \"bodies\":"
             "   [{\"density\": 900, \"velocity\": [1, 0, 0], \"shapes\": [{\"kind\": \"sphere\","
             "     \"radius\": 0.1, \"material\": 1}]}]}],"
             " \"run\": {\"h\": 0.005, \"t_end\": %g}, \"scheme\": {%s}}",
             until, scheme);
    file_write("slide.json", text);
    const int code = percuss("run slide.json -q --json %s", flags);
    ck_assert_msg(code <= 1, "%s: exit code %d, %s", scheme, code, err_text);
    return (int)json_number(out_text, "captured");
}

#define DIVIDED   "\"halvings\": 3, \"accept\": 4e-3, \"solver\": {\"tol\": 1e-10, \"max_iters\": 6}"
#define UNDIVIDED "\"accept_unconverged\": true, \"solver\": {\"tol\": 1e-13, \"max_iters\": 3}"

TEST(parts_of_a_divided_step_have_names_of_their_own)
{
    const int all = slide(DIVIDED, 0.03, "--capture all");
    ck_assert_int_eq(files_in("all"), all);
    ck_assert(file_exists("all/step-000001-001.pcs") && file_exists("all/step-000001-002.pcs"));
    ck_assert(!file_exists("all/step-000001.pcs"));
    ck_assert_int_eq(percuss("solve --json --hash all/*"), 1);
    const int unsolved = all - occurrences(out_text, "\"outcome\":\"converged\"");
    ck_assert_int_eq(same_bits("slide"), all);

    // only what is not solved
    ck_assert_int_eq(slide(DIVIDED, 0.03, "--capture some --capture-failing"), unsolved);
    ck_assert_int_eq(files_in("some"), unsolved);
    ck_assert_int_gt(unsolved, 0);

    // undivided: a problem for each step that is not solved
    const int few = slide(UNDIVIDED, 0.02, "--capture few --capture-failing");
    ck_assert_int_eq((int)json_number(out_text, "unconverged"), few);
    ck_assert_int_eq(files_in("few"), few);
    ck_assert(file_exists("few/step-000001.pcs"));
}

TEST(a_step_that_is_not_committed_leaves_its_problems)
{
    const int n = slide("\"halvings\": 1, \"accept\": 0, \"solver\": {\"tol\": 1e-14,"
                        " \"max_iters\": 1}",
                        0.01, "--capture all --capture-failing");
    ck_assert_int_eq((int)json_number(out_text, "steps"), 0);
    ck_assert_int_eq(files_in("all"), n);
    ck_assert(file_exists("all/step-000001-001.pcs"));
}

// the same problem in three forms; the start goes with it
TEST(the_forms_are_of_one_problem)
{
    static const char *const forms[] = {"bodies", "global", "local"};
    static const char *const kinds[] = {"bodies", "gfc3d", "fc3d"};
    static const char *const ends[] = {"pcs", "hdf5", "pcs"};
    int n[3];
    double residual[3];
    for (int i = 0; i < 3; ++i) {
        char flags[60];
        snprintf(flags, sizeof flags, "--capture %s --capture-form %s", forms[i], forms[i]);
        n[i] = slide("", 0.02, flags);
        ck_assert_int_eq(files_in(forms[i]), n[i]);
        ck_assert_int_eq(n[i], n[0]);
        ck_assert_int_eq(percuss("info --json %s/step-000004.%s", forms[i], ends[i]), 0);
        char kind[20];
        text_at(out_text, "kind", kind);
        ck_assert_str_eq(kind, kinds[i]);
        ck_assert(json_number(out_text, "rows") > 0);

        // the start has the same residual: no iteration moves it
        ck_assert_int_ge(
            percuss("solve --json --start file --max-iters 0 -s nsgs --measure residual "
                    "%s/step-000004.%s",
                    forms[i], ends[i]),
            0);
        residual[i] = json_number(out_text, "residual");
        CK_NEAR(residual[i], residual[0], 1e-6 * residual[0]);
        ck_assert_int_eq(percuss("solve --tol 1e-9 %s/*", forms[i]), 0);
    }
    ck_assert(residual[0] > 0);
    REFUSED("bodies|global|local", "run slide.json --capture x --capture-form matrices");
    ck_assert_int_eq(percuss("scene --from-example rope_pendulum -o rope.json"), 0);
    // a rope is one-sided without friction, which FCLIB does not have
    ck_assert_int_eq(percuss("run rope.json -q --until 0.6 --capture x --capture-form global"), 2);
    ck_assert_msg(strstr(err_text, "--capture-form bodies"), "%s", err_text);
}

TEST(flags_say_otherwise_than_the_file)
{
    ck_assert_int_eq(slide("", 0.03, "--capture c"), 6);
    const char *const file = "c/step-000006.pcs";
    char now[20], then[20];
    ck_assert_int_eq(percuss("solve --json --hash %s", file), 0);
    text_at(out_text, "hash", then);
    const double tol = json_number(out_text, "tol");
    ck_assert_int_eq(percuss("solve --json --hash --start file %s", file), 0);
    text_at(out_text, "hash", now);
    ck_assert_str_eq(now, then);

    static const char *const flags[] = {"--start zero", "-s prox", "-s ipm", "--tol 1e-10",
                                        "--opt order=shuffled -s nsgs"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
        const int code = percuss("solve --json --hash %s %s", flags[i], file);
        ck_assert_msg(code == 0, "%s: %s%s", flags[i], out_text, err_text);
        text_at(out_text, "hash", now);
        ck_assert_msg(strcmp(now, then) != 0, "%s: %s", flags[i], out_text);
        ck_assert(json_number(out_text, "tol") == (i == 3 ? 1e-10 : tol));
    }
    ck_assert_int_eq(percuss("solve --hash --start zero %s", file), 0);
    ck_assert_msg(strstr(out_text, "; that of the step is"), "%s", out_text);
    ck_assert_int_eq(percuss("solve --hash %s", file), 0);
    ck_assert_msg(strstr(out_text, ", the bits of the step"), "%s", out_text);
    // a limit ends it without a solution
    ck_assert_int_eq(percuss("solve --max-iters 0 --start zero %s", file), 1);
    REFUSED("no start", "solve --start file $DATA/fc3d_dense.dat -o x.pcs");
    REFUSED("a row of --csv has no hash", "solve --csv --hash %s", file);
    ck_assert_int_eq(percuss("solve -s lemke %s", file), 2);
    ck_assert_msg(strstr(err_text, "a contact with friction; auto takes every cone"), "%s",
                  err_text);
}

TEST(conversion_keeps_the_bits_and_the_kind)
{
    ck_assert_int_gt(captured("arch", 0.01, "--capture c"), 0);
    char now[20], then[20];
    ck_assert_int_eq(percuss("info --json c/step-000002.pcs"), 0);
    text_at(out_text, "hash", then);
    ck_assert_int_eq(percuss("convert c/step-000002.pcs again.pcs"), 0);
    char *first = file_read("c/step-000002.pcs"), *second = file_read("again.pcs");
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
    ck_assert_int_eq(percuss("solve --json --hash again.pcs -o solved.pcs"), 0);
    text_at(out_text, "hash", now);
    ck_assert_str_eq(now, then);
    ck_assert_int_eq(percuss("solve --json --hash solved.pcs"), 0);
    ck_assert_int_eq(same_bits("arch"), 1);

    ck_assert_int_eq(percuss("convert again.pcs global.hdf5"), 0);
    ck_assert_int_eq(percuss("convert again.pcs global.dat"), 0);
    ck_assert_int_eq(percuss("convert --local again.pcs local.pcs"), 0);
    ck_assert_int_eq(percuss("info global.hdf5 global.dat local.pcs"), 0);
    ck_assert_int_eq(occurrences(out_text, "kind        gfc3d"), 2);
    ck_assert_int_eq(occurrences(out_text, "kind        fc3d"), 1);
    ck_assert_int_eq(percuss("solve global.hdf5 global.dat local.pcs"), 0);
    ck_assert_int_eq(percuss("info again.pcs"), 0);
    ck_assert_msg(strstr(out_text, "kind        bodies"), "%s", out_text);
    ck_assert_ptr_null(strstr(out_text, "global form"));
}

// ---- bad input ---------------------------------------------------------------------------------

// with little room for files the command names the file that it cannot write
static void expect_too_large(const char *file, const char *line)
{
    ck_assert_int_eq(percuss_after("ulimit -f 2;", "%s", line), 2);
    ck_assert_msg(strstr(err_text, file) && strstr(err_text, "File too large"), "%s", err_text);
}

TEST(captures_that_cannot_be_stored_are_refused)
{
    ck_assert_int_eq(slide("", 0.01, "--capture c"), 2);
    const int files = file_count();
    REFUSED("another run", "run slide.json -q --until 0.01 --capture c");
    ck_assert_int_eq(files_in("c"), 2);
    REFUSED("--capture", "run slide.json --capture-form local");
    REFUSED("--capture", "run slide.json --capture-solves");
    REFUSED("/proc", "run slide.json -q --until 0.01 --capture /proc");
    file_write("file", "");
    REFUSED("Not a directory", "run slide.json -q --until 0.01 --capture file/c");

    // a file that cannot be written: no part of one remains
    expect_too_large("d/step-000001.pcs", "run slide.json -q --until 0.01 --capture d");
    ck_assert_int_eq(files_in("d"), 0);
    ck_assert_int_eq(file_count(), files + 2);

    // a run that goes on may go on with its folder
    ck_assert_int_eq(percuss("run slide.json -q --until 0.01 --checkpoint p --checkpoint-every 2"),
                     0);
    ck_assert_int_eq(percuss("run slide.json -q --until 0.02 --resume p --capture c"), 0);
    ck_assert(file_exists("c/step-000004.pcs"));
}

// a body of 2 kg on the ground, and one with a general mass block
#define HEAD    "percuss-problem 1\nbodies\n"
#define BODY    "rigid 2 0.1 0 0 0 0.1 0 0 0 0.1 rotation 1 0 0 0 1 0 0 0 1\n"
#define CONTACT "coulomb 3 0.5 frame 0 0 1 1 0 0 0 1 0 body 0 0 0 0 -0.1 fixed\n"
#define TAIL    "shift 0 0 0 v_free 1 0 -1 0 0 0\n"
#define SOLVER  "solver auto tol 1e-9 stop both max_iters 100 max_seconds 0 budget 1e5\n"

static void replay(const char *text)
{
    file_write("step.pcs", text);
}

// An island of joints whose W has the sizes 1 and 1e8: the first method with factors ends at the
// rounding of W, and another one comes below the tolerance
TEST(light_legs_are_solved_to_the_tolerance)
{
    ck_assert_int_eq(percuss("solve --json $DATA/light_legs.pcs"), 0);
    ck_assert(json_number(out_text, "residual") <= 1e-8);
}

TEST(a_file_by_hand_is_solved)
{
    // a body of 2 kg slides with mu = 0.5: r = 2 (1, -0.5)
    double is[2];
    ck_assert_int_eq(percuss("solve --json --solution $DATA/step.pcs"), 0);
    ck_assert(json_number(out_text, "tol") == 1e-9);
    const char *r = strstr(out_text, "\"r\":[");
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(sscanf(r, "\"r\":[%lf,%lf", &is[0], &is[1]), 2);
    CK_NEAR(is[0], 2, 1e-8);
    CK_NEAR(is[1], -1, 1e-8);

    // a mass block of a scheme need not be symmetric
    replay(HEAD "systems 1\ndense 2 2 0.5 0.25 1\nblocks 1\nunilateral rows 0 1 0 fixed\n"
                "shift 0 v_free -1 0 end\n");
    ck_assert_int_eq(percuss("solve --json --solution --tol 1e-12 step.pcs"), 0);
    // W = e' A^-1 e with A = (2 0.25; 0.5 1)
    r = strstr(out_text, "\"r\":[");
    ck_assert_int_eq(sscanf(r, "\"r\":[%lf", is), 1);
    CK_NEAR(is[0], (2 - 0.125) / 1, 1e-10);
}

TEST(bad_files_of_steps_are_refused)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"percuss-problem 2\nbodies\nsystems 0 blocks 0 shift v_free end\n", "version"},
        {HEAD "systems 1\n" BODY "blocks 1\n" CONTACT TAIL SOLVER, "end"},
        {HEAD "systems 1\n" BODY "blocks 1\n" CONTACT "shift 0 0", "shift"},
        {HEAD "systems 1\n" BODY "blocks 1\n" CONTACT TAIL
              "solver best tol 1e-9 stop both max_iters 1 max_seconds 0 end",
         "no solver 'best'"},
        {HEAD "systems 1\n" BODY "blocks 1\n" CONTACT TAIL SOLVER "option colour 3 end", "colour"},
        {HEAD "systems 1\n" BODY "blocks 1\n" CONTACT TAIL
              "solver auto tol -1 stop both max_iters 1 max_seconds 0 end",
         "tol"},
        {HEAD "systems 1\n" BODY "blocks 1\n" CONTACT TAIL
              "solver auto tol 1e-9 stop both max_iters 1 max_seconds 0 budget -5 end",
         "budget"},
        {HEAD "systems 1\n" BODY "blocks 1\n" CONTACT TAIL "start 0 nan 0 end", "start"},
        {HEAD "systems 1\ndense 2 1 2 2 4\nblocks 1\nunilateral rows 0 1 0 fixed\n"
              "shift 0 v_free -1 0 end\n",
         "singular"},
        {HEAD "systems 1\nrigid -2 0.1 0 0 0 0.1 0 0 0 0.1 rotation 1 0 0 0 1 0 0 0 1\n"
              "blocks 1\n" CONTACT TAIL "end\n",
         "not positive"},
        {HEAD "systems 1\nrigid 2 0.1 0 0 0 0.1 0 0 0 0.1 rotation 1 0 0 0 2 0 0 0 1\n"
              "blocks 1\n" CONTACT TAIL "end\n",
         "not orthonormal"},
        // a block has two sides
        {HEAD "systems 3\ndense 1 1 dense 1 1 dense 1 1\nblocks 1\nequality 1 rows 0 1 rows 1 1"
              " rows 2 1\nshift 0 v_free 1 0 0 end\n",
         "shift"},
        {HEAD "systems 1\ndense 1 1\nblocks 1\nequality 1 rows 1 1 fixed\nshift 0 v_free 1 end\n",
         "system of a side is 1"},
        {HEAD "systems 1\ndense 1 1\nblocks 1\nequality 1 body 0 0 0 0 0 fixed\nshift 0 v_free 1"
              " end\n",
         "write rows"},
        {HEAD "systems 2000000000\n", "systems"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        replay(bad[i].text);
        static const char *const lines[] = {"solve step.pcs", "solve --json step.pcs",
                                            "info step.pcs", "convert step.pcs x.hdf5"};
        for (size_t k = 0; k < sizeof lines / sizeof *lines; ++k) {
            const int code = percuss("%s", lines[k]);
            ck_assert_msg(code == 2 && strstr(err_text, bad[i].words) && one_line(err_text),
                          "%s of %s: %d, %s", lines[k], bad[i].text, code, err_text);
            ck_assert_msg(k == 3 || strstr(err_text, "step.pcs"), "%s", err_text);
        }
        ck_assert(!file_exists("x.hdf5"));
    }
    replay(HEAD "systems 1\n" BODY "blocks 1\n" CONTACT TAIL "end\n");
    REFUSED("of kind bodies, not fc3d", "info --kind fc3d step.pcs");
}

// ---- series ------------------------------------------------------------------------------------

// column `name` of row `row` (from 1) of a CSV file of the folder
static void field(const char *file, const char *name, int row, char out[80])
{
    char *text = file_read(file), *rest = NULL, *line = strtok_r(text, "\n", &rest);
    int column = 0;
    for (char *at = line; strncmp(at, name, strlen(name)) != 0 || !strchr(",", at[strlen(name)]);
         ++column) {
        at = strchr(at, ',');
        ck_assert_msg(at++ != NULL, "no column %s in %s", name, file);
    }
    for (int i = 0; i < row; ++i) {
        line = strtok_r(NULL, "\n", &rest);
        ck_assert_msg(line != NULL, "no row %d in %s", row, file);
    }
    for (int i = 0; i < column; ++i) {
        line = strchr(line, ',') + 1;
    }
    snprintf(out, 80, "%.*s", (int)strcspn(line, ","), line);
    free(text);
}

static double number(const char *file, const char *name, int row)
{
    char text[80];
    field(file, name, row, text);
    return atof(text);
}

static void expect_word(const char *file, const char *name, int row, const char *is)
{
    char text[80];
    field(file, name, row, text);
    ck_assert_str_eq(text, is);
}

// what a series says is the sum of its problems
TEST(a_series_is_summed_up)
{
    const int parts = slide(DIVIDED, 0.03, "--capture parts"),
              n = slide("", 0.05, "--capture whole");
    ck_assert_int_eq(n, 10);
    ck_assert_int_eq(percuss("bench --series whole parts --repeat 1 -o r"), 1);
    ck_assert_str_eq(err_text, "");
    ck_assert_int_eq(occurrences(out_text, "\n"), 3);
    expect_word("r/series.csv", "series", 1, "whole");
    expect_word("r/series.csv", "solver", 1, "auto");
    ck_assert(number("r/series.csv", "tol", 1) == 1e-8);
    ck_assert(number("r/series.csv", "steps", 1) == n);
    ck_assert(number("r/series.csv", "steps_solved", 1) == n);
    ck_assert(number("r/series.csv", "problems", 2) == parts);
    ck_assert(number("r/series.csv", "steps", 2) == 6);
    ck_assert(number("r/series.csv", "steps_solved", 2) < 6);
    ck_assert(number("r/series.csv", "lost", 2) == 0);

    double iterations = 0, seconds = 0, residual = 0;
    int solved = 0;
    for (int i = 1; i <= n + parts; ++i) {
        const int end = i == n || i == n + parts, row = i <= n ? 1 : 2;
        char outcome[80];
        field("r/problems.csv", "outcome", i, outcome);
        solved += strcmp(outcome, "converged") == 0;
        iterations += number("r/problems.csv", "iterations", i);
        seconds += number("r/problems.csv", "seconds", i);
        residual = fmax(residual, number("r/problems.csv", "residual", i));
        if (!end) continue;
        ck_assert(number("r/series.csv", "solved", row) == solved);
        ck_assert(number("r/series.csv", "iterations", row) == iterations);
        ck_assert(number("r/series.csv", "residual", row) == residual);
        CK_NEAR(number("r/series.csv", "seconds", row), seconds, 1e-9 * seconds);
        iterations = seconds = residual = 0;
        solved = 0;
    }
}

TEST(a_series_takes_solvers_tolerances_and_starts)
{
    ck_assert_int_eq(slide("", 0.05, "--capture c"), 10);
    static const char *const solvers[] = {"auto", "nsgs:depth=0:order=shuffled", "ipm"};
    ck_assert_int_eq(percuss("bench --series c --solvers %s,%s,%s --tol 1e-4,1e-8 --repeat 1 -o r",
                             solvers[0], solvers[1], solvers[2]),
                     0);
    for (int row = 1; row <= 6; ++row) {
        const double tol = row % 2 ? 1e-4 : 1e-8;
        expect_word("r/series.csv", "solver", row, solvers[(row - 1) / 2]);
        ck_assert(number("r/series.csv", "tol", row) == tol);
        ck_assert(number("r/series.csv", "steps_solved", row) == 10);
        ck_assert(number("r/series.csv", "residual", row) <= tol);
    }
    // from r = 0 there is more to do than from the impulses of the step before
    const char *const line =
        "bench --series c --solvers nsgs --tol 1e-8 --repeat 1 --start %s -o %s";
    ck_assert_int_eq(percuss(line, "file", "warm"), 0);
    ck_assert_int_eq(percuss(line, "zero", "cold"), 0);
    ck_assert(number("cold/series.csv", "iterations", 1) >
              number("warm/series.csv", "iterations", 1));
    // a report on the same problems
    ck_assert_int_eq(percuss("bench c --tol 1e-8 --repeat 1 --start zero -o report"), 0);
    char *runs = file_read("report/runs.csv");
    ck_assert_ptr_nonnull(strstr(runs, "start zero"));
    free(runs);
}

TEST(a_problem_without_a_result_costs_one_step)
{
    ck_assert_int_eq(slide("", 0.02, "--capture c"), 4);
    file_write("c/step-000002.pcs", "percuss-problem 1\nbodies\n");
    char path[128];
    snprintf(path, sizeof path, "%s/c/step-000005.pcs", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0); // a pipe without a writer: its reader hangs
    // a pipe in a folder is passed over
    ck_assert_int_eq(percuss("bench --series c --repeat 1 --max-seconds 0.1 -o r"), 1);
    ck_assert_msg(strstr(err_text, "c/step-000002.pcs") && one_line(err_text), "%s", err_text);
    ck_assert(number("r/series.csv", "steps", 1) == 4);
    ck_assert(number("r/series.csv", "steps_solved", 1) == 3);
    ck_assert(number("r/series.csv", "lost", 1) == 1);
    expect_word("r/problems.csv", "outcome", 2, "unreadable");
    expect_word("r/problems.csv", "outcome", 4, "converged");
    // by its name it is read, and given up after its time
    ck_assert_int_eq(percuss("bench --series c/step-000005.pcs --repeat 1 --max-seconds 0.1 -o s"),
                     1);
    ck_assert(number("s/series.csv", "lost", 1) == 1);
    expect_word("s/problems.csv", "outcome", 1, "timeout");
}

TEST(wrong_lines_of_a_series_are_refused)
{
    ck_assert_int_eq(slide("", 0.05, "--capture c"), 10);
    file_write("none", "");
    REFUSED("--series takes no", "bench --series c --fresh");
    REFUSED("--series takes no", "bench --series c --jobs 2");
    REFUSED("did you mean nsgs?", "bench --series c --solvers nsg");
    REFUSED("--tol is '2'", "bench --series c --tol 2");
    ck_assert_int_eq(percuss("run slide.json -q --until 0.005 --capture e --capture-failing"), 0);
    REFUSED("e has no problem files", "bench --series e");
    REFUSED("cannot be created", "bench --series c -o none/e");
    expect_too_large("r/problems.csv", "bench --series c --repeat 1 -o r");
    ck_assert(!file_exists("r/series.csv") && !file_exists("r/problems.csv"));
}
