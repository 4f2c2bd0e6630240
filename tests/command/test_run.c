// percuss run and its outputs: checkpoints, trajectories, captured problems, an interrupt.
#define _POSIX_C_SOURCE 200809L // popen

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss.h"
#include "support.h"

static void before(void)
{
    folder_make();
    ck_assert_int_eq(percuss("scene --from-example pile -o pile.json"), 0);
}

TEST_AROUND(before, folder_remove)

// the hash that the last run printed
static void hash_of(char out[20])
{
    const char *at = strstr(out_text, "hash ");
    ck_assert_msg(at != NULL, "%s%s", out_text, err_text);
    ck_assert_int_eq(sscanf(at, "hash %19s", out), 1);
}

TEST(a_run_that_is_resumed_has_the_hash_of_the_whole)
{
    char whole[20], part[20];
    ck_assert_int_eq(percuss("run pile.json --until 0.4 --hash -q -o whole.h5"), 0);
    hash_of(whole);
    ck_assert_int_eq(percuss("run pile.json --until 0.2 -q --checkpoint point "
                             "--checkpoint-every 30"),
                     0);
    ck_assert_int_eq(percuss("run pile.json --until 0.4 --hash -q --resume point -o part.h5"), 0);
    hash_of(part);
    ck_assert_str_eq(whole, part);
    ck_assert(file_exists("whole.h5") && file_exists("part.h5"));
}

// every step is committed and counted; a cap in sweeps has the same bits again
TEST(a_run_that_keeps_time_says_what_it_left)
{
    char once[20], again[20];
    const char line[] = "run pile.json --until 0.6 -q --hash --step-sweeps 3";
    ck_assert_int_eq(percuss(line), 1);
    hash_of(once);
    ck_assert_ptr_nonnull(strstr(out_text, "120 steps"));
    ck_assert_ptr_null(strstr(out_text, " 0 steps not converged"));
    ck_assert_ptr_nonnull(strstr(out_text, "doubts"));
    ck_assert_int_eq(percuss(line), 1);
    hash_of(again);
    ck_assert_str_eq(once, again);
    ck_assert_int_eq(percuss("run pile.json --until 0.6 -q --step-seconds 1e-9"), 1);
    ck_assert_ptr_nonnull(strstr(out_text, "120 steps"));
}

// the output says why a run failed, and at which limit its steps ended
TEST(a_run_says_how_it_failed)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.4 -q --step-seconds 1e-9"), 1);
    ck_assert_msg(strstr(out_text, "steps not converged: time_limit") != NULL, "%s", out_text);

    // two driven plates that close on a cube
    const char plate[] = "{\"position\": [%g, 0, 0.05], \"motion\": {\"velocity\": [%g, 0, 0]},"
                         " \"shapes\": [{\"kind\": \"box\", \"size\": [0.1, 1, 1]}]}";
    char left[200], right[200], scene[1000];
    snprintf(left, sizeof left, plate, -0.1, 0.02);
    snprintf(right, sizeof right, plate, 0.1, -0.02);
    snprintf(scene, sizeof scene,
             "{\"percuss_scene\": 1, \"bodies\": [%s, %s, {\"name\": \"cube\", \"position\":"
             " [0, 0, 0.05], \"density\": 1000, \"shapes\": [{\"kind\": \"box\", \"size\":"
             " [0.1, 0.1, 0.1]}]}], \"run\": {\"h\": 0.005, \"t_end\": 0.1}}",
             left, right);
    file_write("wedged.json", scene);
    ck_assert_int_eq(percuss("run wedged.json -q --json"), 1);
    ck_assert(json_is_valid(out_text));
    ck_assert_msg(strstr(out_text, "\"outcome\":\"infeasible\"") != NULL, "%s", out_text);
    ck_assert_msg(strstr(out_text, "\"reason\":\"pcs_run: step 1") != NULL, "%s", out_text);
    // each in the reason and in the list
    ck_assert_int_eq(occurrences(out_text, "the contact of shapes 2 of 'cube'"), 4);
    ck_assert_int_eq((int)json_number(out_text, "steps"), 0);
    ck_assert_int_eq((int)json_number(out_text, "unconverged"), 1);
    ck_assert(json_number(out_text, "residual") > 0);
    ck_assert_int_eq(percuss("run pile.json --until 0.1 -q --json"), 0);
    ck_assert_ptr_nonnull(strstr(out_text, "\"outcome\":\"converged\""));
    ck_assert_ptr_nonnull(strstr(out_text, "\"reason\":null"));

    REFUSED("a finite number > 0", "run pile.json --step-seconds inf");
    REFUSED("a finite number > 0", "run pile.json --step-seconds 0");
    REFUSED("a whole number from 1 to 1000000000", "run pile.json --step-sweeps 1e30");
    REFUSED("a whole number from 1 to 1000000000", "run pile.json --step-sweeps 0");
}

TEST(balls_that_just_touch_do_not_overlap)
{
    ck_assert_int_eq(percuss("scene --from-example cradle -o cradle.json"), 0);
    ck_assert_int_eq(percuss("run cradle.json --until 0.001 -q"), 0);
    ck_assert_msg(strstr(out_text, "penetration  0 m"), "%s", out_text); // nor -0
}

TEST(another_step_after_a_checkpoint_is_said)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.1 -q --checkpoint point "
                             "--checkpoint-every 10"),
                     0);
    ck_assert_int_eq(percuss("run pile.json --until 0.12 -q --resume point"), 0);
    ck_assert_str_eq(err_text, "");
    ck_assert_int_eq(percuss("run pile.json --until 0.12 --step 1e-3 -q --resume point"), 0);
    ck_assert_msg(strstr(err_text, "reached t = 0.1 s, with another step than 0.001 s"), "%s",
                  err_text);
}

TEST(an_interrupt_writes_a_checkpoint)
{
    char line[200], whole[20], part[20];
    // the interrupt comes once the trajectory exists; the run is long enough not to end before
    const int code = percuss_after("interrupted() { \"$@\" & pid=$!;"
                                   " until test -e run.h5; do sleep 0.01; done;"
                                   " kill -INT $pid; wait $pid; }; interrupted",
                                   "run pile.json --step 1e-6 -q -o run.h5");
    ck_assert_msg(code == 130, "exit code %d: %s", code, err_text);
    ck_assert_msg(strstr(err_text, "--resume pile.json.checkpoint"), "%s", err_text);

    // the run continues from there: some more steps, and the same from the start
    ck_assert_int_eq(percuss("info --json pile.json.checkpoint"), 0);
    const double steps = json_number(out_text, "steps");
    ck_assert_msg(steps >= 0 && steps < 1e5, "%g steps", steps);
    snprintf(line, sizeof line, "run pile.json --step 1e-6 --until %.17g -q --hash",
             1e-6 * (steps + 20));
    ck_assert_int_eq(percuss("%s --resume pile.json.checkpoint", line), 0);
    hash_of(part);
    ck_assert_int_eq(percuss("%s", line), 0);
    hash_of(whole);
    ck_assert_str_eq(whole, part);
}

TEST(a_run_that_was_at_its_limit_of_steps_makes_no_more)
{
    char whole[20], part[20];
    file_write("limit.json",
               "{\"percuss_scene\": 1, \"bodies\": [{\"mass\": 1, \"inertia\": [1, 1, 1]}],"
               " \"run\": {\"h\": 0.01, \"t_end\": 1, \"stop\": {\"steps\": 20}}}");
    ck_assert_int_eq(percuss("run limit.json -q --hash --checkpoint a --checkpoint-every 20"), 0);
    hash_of(whole);
    ck_assert_int_eq(percuss("run limit.json -q --hash --resume a"), 0);
    hash_of(part);
    ck_assert_str_eq(whole, part);
    ck_assert_msg(strstr(out_text, " 0 steps to t = 0.2 s; the number of steps"), "%s", out_text);

    ck_assert_int_eq(percuss("run limit.json -q --checkpoint b --checkpoint-every 15"), 0);
    ck_assert_int_eq(percuss("run limit.json -q --hash --resume b"), 0);
    hash_of(part);
    ck_assert_str_eq(whole, part);
    ck_assert_msg(strstr(out_text, " 5 steps to"), "%s", out_text);
}

// a joint that broke before the checkpoint stays broken after it
TEST(a_broken_joint_is_counted_and_stays_broken)
{
    char whole[20], part[20];
    file_write("hook.json",
               "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"weight\", \"mass\": 1,"
               " \"inertia\": [1, 1, 1]}], \"interactions\": [{\"kind\": \"ball\","
               " \"bodies\": [\"weight\"], \"break_force\": 9}],"
               " \"run\": {\"h\": 0.01, \"t_end\": 0.4}}");
    ck_assert_int_eq(percuss("run hook.json --json"), 0);
    ck_assert(json_number(out_text, "breaks") == 1);
    ck_assert_int_eq(percuss("run hook.json -q --hash"), 0);
    ck_assert_msg(strstr(out_text, "broken       1 joints and ropes"), "%s", out_text);
    hash_of(whole);
    ck_assert_int_eq(percuss("run hook.json -q --until 0.2 --checkpoint c --checkpoint-every 20"),
                     0);
    ck_assert_int_eq(percuss("run hook.json -q --hash --resume c"), 0);
    ck_assert_ptr_null(strstr(out_text, "broken"));
    hash_of(part);
    ck_assert_str_eq(whole, part);
}

// number of files in a folder
static int files_in(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "ls '%s/%s' | wc -l", folder, name);
    FILE *p = popen(path, "r");
    int n = -1;
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(fscanf(p, "%d", &n), 1);
    pclose(p);
    return n;
}

TEST(captured_problems_are_solved_again)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.3 -q --capture problems"), 0);
    char line[80];
    snprintf(line, sizeof line, "captured     %d problems in problems", files_in("problems"));
    ck_assert_msg(strstr(out_text, line), "%s: %s", line, out_text);
    ck_assert(file_exists("problems/step-000040.pcs"));
    ck_assert_int_eq(percuss("solve problems/step-000040.pcs"), 0);
    ck_assert_int_eq(percuss("run pile.json --until 0.3 -q --capture none --capture-failing"), 0);
    ck_assert(!file_exists("none/step-000040.pcs"));
    ck_assert_msg(strstr(out_text, "captured     0 problems"), "%s", out_text);
}

TEST(names_of_captured_problems_sort_as_the_steps)
{
    // a million steps and more, of which a few are made
    file_write("long.json",
               "{\"percuss_scene\": 1, \"world\": {\"shapes\": [{\"kind\": \"half_space\"}]},"
               " \"bodies\": [{\"position\": [0, 0, 0.1], \"density\": 1, \"shapes\":"
               " [{\"kind\": \"sphere\", \"radius\": 0.1}]}],"
               " \"run\": {\"h\": 1e-6, \"t_end\": 12, \"stop\": {\"steps\": 3}}}");
    ck_assert_int_eq(percuss("run long.json -q --capture problems"), 0);
    ck_assert(file_exists("problems/step-00000003.pcs"));
}

// a step that does not move the time is refused before the first one
TEST(a_step_below_the_rounding_of_the_end_is_refused)
{
    ck_assert_int_ne(percuss("run pile.json -q --step 1e-11 --until 1e6"), 0);
    ck_assert_msg(strstr(err_text, "the time would not pass") != NULL, "%s", err_text);
}

// joints and contacts in one step, as bench takes them
TEST(a_bench_takes_captured_problems)
{
    file_write(
        "hung.json",
        "{\"percuss_scene\": 1, \"world\": {\"shapes\": [{\"kind\": \"half_space\"}]},"
        " \"bodies\": [{\"kind\": \"stack\", \"count\": 4, \"spacing\": [0.2, 0, 0],"
        "   \"position\": [0, 0, 0.1], \"bodies\": [{\"name\": \"b\", \"density\": 900,"
        "     \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]}],"
        "   \"interactions\": [{\"kind\": \"ball\", \"bodies\": [\"b\", \"b\"], \"next\": [1],"
        "     \"at\": [0.1, 0, 0]}]}], \"run\": {\"h\": 0.002, \"t_end\": 0.01}}");
    ck_assert_int_eq(percuss("run hung.json -q --capture problems"), 0);
    ck_assert_int_eq(percuss("bench problems -o report --repeat 1 --tol 1e-8"), 0);
    ck_assert_msg(strstr(out_text, "5/5"), "%s", out_text);
}

TEST(progress_is_for_stderr_and_can_be_switched_off)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.3"), 0);
    ck_assert_str_eq(err_text, ""); // no terminal, and no 10 s
    ck_assert_int_eq(percuss("run pile.json --until 0.3 --quiet --json"), 0);
    ck_assert(json_is_valid(out_text));
}

// a terminal of `columns`, by script(1); the run takes several times as long as until the first
// line
TEST(the_live_line_fits_into_its_terminal)
{
    static const int columns[] = {50, 80};
    if (system("script -qec 'stty cols 80' /dev/null > /dev/null 2>&1") != 0) {
        printf("skipped: script (bsdutils) cannot make a terminal here\n");
        return;
    }
    for (int i = 0; i < 2; ++i) {
        char before[200];
        snprintf(before, sizeof before,
                 "on_terminal() { script -qec \"stty cols %d; $*\" /dev/null; }; on_terminal",
                 columns[i]);
        ck_assert_int_eq(
            percuss_after(before, "run pile.json --step 2e-6 --until %g", TEST_FEW(0.005, 0.02)),
            0);
        const char *end = strstr(out_text, "pile: ");
        ck_assert_msg(end != NULL, "%s%s", out_text, err_text);
        int lines = 0;
        for (const char *at = strchr(out_text, '\r'); at && at < end; at = strchr(at + 1, '\r')) {
            const size_t length = strcspn(at + 1, "\r\033");
            ck_assert_msg(length < (size_t)columns[i], "%zu columns: %s", length, at);
            lines += length > 0;
        }
        // the line of progress is removed before the sentence of the end
        ck_assert_msg(lines > 0 && strncmp(end - 4, "\r\033[K", 4) == 0, "%s", out_text);
    }
}

TEST(contradictory_options_are_refused)
{
    REFUSED("--checkpoint FILE", "run pile.json --checkpoint-every 3");
    REFUSED("-o TRAJ.h5", "run pile.json --every 3");
    REFUSED("--capture FOLDER", "run pile.json --capture-failing");
    REFUSED("No such file", "run pile.json --resume none");
    REFUSED("not a checkpoint", "run pile.json --resume pile.json");
    REFUSED("none/run.h5", "run pile.json -o none/run.h5");
    ck_assert_int_eq(percuss("run pile.json --until 0.1 -q --checkpoint a --checkpoint-every 10"),
                     0);
    ck_assert_int_eq(percuss("scene --from-example cradle -o cradle.json"), 0);
    REFUSED("another model", "run cradle.json --resume a");
    REFUSED("exists already", "run pile.json --resume a -o cradle.json");
    REFUSED("cannot be made", "run pile.json --capture none/problems");
}

// the error comes at once, not at the end of a long run, when the state is lost
TEST(an_output_that_cannot_be_written_is_refused_before_the_first_step)
{
    file_write("old", "old");
    const int files = file_count();
    REFUSED("none/point", "run pile.json --checkpoint none/point -o run.h5");
    REFUSED("directory", "run pile.json --checkpoint . -o run.h5");
    REFUSED("Not a directory", "run pile.json --checkpoint old/point -o run.h5");
    REFUSED("Not a directory", "run pile.json --capture old --capture-failing -o run.h5");
    // a run that writes none leaves the file as it is
    ck_assert_int_eq(percuss("run pile.json --until 0.02 -q --checkpoint old"), 0);
    // so does one that is refused once the scene is read
    REFUSED("half a step", "run pile.json --step 100 -o old");
    char *old = file_read("old");
    ck_assert_str_eq(old, "old");
    free(old);
    ck_assert_int_eq(file_count(), files);
}

// the lines of doc/trajectories.md, where h5py is installed
TEST(h5py_reads_a_trajectory_by_its_names)
{
    static const char script[] =
        "import h5py\n"
        "with h5py.File('a.h5') as f:\n"
        "    t = f['frames/time'][:]\n"
        "    assert len(t) == 41 and abs(t[-1] - 0.2) < 1e-12\n"
        "    assert f['frames/q'].shape[0] == 41 and f['frames/q'].attrs['units'] == 'm, 1'\n"
        "    end = f['frames/contacts_end'][:]\n"
        "    assert len(f['contacts']) == end[-1] and f['contacts']['r'].shape == (end[-1], 3)\n"
        "    steps = f['steps']\n"
        "    units = dict(zip(steps.dtype.names, steps.attrs['units']))\n"
        "    assert units['kinetic_after'] == 'J' and (steps['kinetic_after'] >= 0).all()\n"
        "    names = f['model/system_names'][()].decode().split('\\n')\n"
        "    assert len(names) == len(f['model/systems'])\n";
    char line[200];
    if (system("/usr/bin/python3 -c 'import h5py' 2> /dev/null") != 0) return;
    ck_assert_int_eq(percuss("run pile.json --until 0.2 -q -o a.h5"), 0);
    file_write("read.py", script);
    snprintf(line, sizeof line, "cd %s && /usr/bin/python3 read.py", folder);
    ck_assert_int_eq(system(line), 0);
}

TEST(diff_finds_the_first_difference)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.2 -q -o a.h5"), 0);
    ck_assert_int_eq(percuss("run pile.json --until 0.2 -q --threads 2 -o b.h5"), 0);
    ck_assert_int_eq(percuss("diff a.h5 b.h5"), 0);
    ck_assert(strstr(out_text, "41 frames agree to the bit"));

    // half a run, then a different step
    ck_assert_int_eq(percuss("run pile.json --until 0.1 -q -o half.h5"), 0);
    ck_assert_int_eq(percuss("diff a.h5 half.h5"), 1);
    ck_assert_msg(strstr(out_text, "41 and 21 frames; the first 21 agree"), "%s", out_text);
    ck_assert_int_eq(percuss("run pile.json --until 0.2 --step 0.004 -q -o other.h5"), 0);
    ck_assert_int_eq(percuss("diff a.h5 other.h5"), 1);
    ck_assert_msg(strstr(out_text, "frame 1: time"), "%s", out_text);
    ck_assert_int_eq(percuss("diff --tol 1 a.h5 a.h5"), 0);
    REFUSED("No such file", "diff a.h5 none.h5");
    REFUSED("this is a scene, not a trajectory", "diff a.h5 pile.json");
}

TEST(info_knows_scenes_trajectories_and_checkpoints)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.2 -q -o a.h5 --checkpoint c "
                             "--checkpoint-every 20"),
                     0);
    ck_assert_int_eq(percuss("info pile.json a.h5 c $DATA/lcp_dense.dat"), 0);
    ck_assert(strstr(out_text, "kind        scene"));
    ck_assert(strstr(out_text, "kind        trajectory"));
    ck_assert(strstr(out_text, "41, from t = 0 s to 0.2 s; reports of 40 steps"));
    ck_assert(strstr(out_text, "kind        checkpoint"));
    ck_assert(strstr(out_text, "t = 0.2 s after 40 steps"));
    ck_assert(strstr(out_text, "kind        lcp"));
    // an empty line between two files, also where one between them cannot be read
    ck_assert_int_eq(percuss("info nowhere c nowhere pile.json"), 2);
    ck_assert(strncmp(out_text, "c\n", 2) == 0 && strstr(out_text, "\n\npile.json\n"));
    ck_assert_int_eq(occurrences(out_text, "\n\n"), 1);
    static const char *const files[] = {"pile.json", "a.h5", "c"};
    for (int i = 0; i < 3; ++i) {
        ck_assert_int_eq(percuss("info --json %s", files[i]), 0);
        ck_assert_msg(json_is_valid(out_text), "%s", out_text);
    }
    ck_assert_int_eq(percuss("info --json a.h5"), 0);
    ck_assert_int_eq((int)json_number(out_text, "frames"), 41);
}

static const char tetrahedron[] = "# a corner\nv 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 4\n"
                                  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// a pipe has the same description as the file, but for its name
TEST(info_reads_pipes)
{
    ck_assert_int_eq(percuss("scene --from-example arch -o arch.json"), 0);
    ck_assert_int_eq(percuss("run arch.json --until 0.02 -q --capture-form global --capture g"
                             " --checkpoint c --checkpoint-every 2"),
                     0);
    file_write("corner.obj", tetrahedron);
    static const char *const files[] = {"pile.json", "corner.obj", "$DATA/lcp_dense.dat",
                                        "$DATA/light_legs.pcs", "g/step-000002.hdf5"};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char from[80];
        snprintf(from, sizeof from, "cat %s |", files[i]);
        ck_assert_msg(percuss_after(from, "info /dev/stdin") == 0, "%s: %s", files[i], err_text);
        char *piped = strdup(out_text);
        ck_assert_int_eq(percuss("info %s", files[i]), 0);
        ck_assert_str_eq(strchr(piped, '\n'), strchr(out_text, '\n'));
        free(piped);
    }
    ck_assert_int_eq(percuss_after("cat c |", "info /dev/stdin pile.json"), 2);
    ck_assert_msg(strstr(err_text, "give the name of a file") && one_line(err_text), "%s",
                  err_text);
    ck_assert_msg(strncmp(out_text, "pile.json\n", 10) == 0, "%s", out_text);
    REFUSED("/dev/zero", "info /dev/zero");
}

TEST(info_prints_nothing_of_a_file_that_it_cannot_read)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.2 -q -o a.h5 --checkpoint c "
                             "--checkpoint-every 20"),
                     0);
    ck_assert_int_eq(percuss_after("head -c 3000 a.h5 >cut.h5; head -c 60 c >cut;", "info c"), 0);
    file_write("bad.json", "{\"percuss_scene\": 1, \"bodies\": 3}");
    file_write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    static const char *const files[] = {"bad.json", "cut.h5", "cut", "bad.obj"};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        REFUSED(files[i], "info %s", files[i]);
        ck_assert_str_eq(out_text, "");
    }
}

TEST(info_describes_meshes)
{
    file_write("corner.obj", tetrahedron);
    file_write("sheet.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                            "vertex 0 1 0\nendloop\nendfacet\nendsolid\n");
    ck_assert_int_eq(percuss("info corner.obj sheet.stl"), 0);
    ck_assert_msg(strstr(out_text, "4 triangles, 4 vertices"), "%s", out_text);
    ck_assert_msg(strstr(out_text, "volume      24"), "%s", out_text); // 6 * 6 * 4 / 6
    ck_assert_msg(strstr(out_text, "not closed"), "%s", out_text);
    ck_assert_int_eq(percuss("info --json corner.obj sheet.stl"), 0);
    ck_assert(json_is_valid(out_text));
    CK_NEAR(json_number(out_text, "volume"), 24, 1e-12);
}

// a file of another kind than a subcommand takes
TEST(a_file_of_another_kind_is_called_by_its_name)
{
    file_write("corner.obj", tetrahedron);
    ck_assert_int_eq(percuss("run pile.json --until 0.1 -q -o run.h5 --checkpoint point"
                             " --checkpoint-every 10 --capture problems"),
                     0);
    ck_assert_int_eq(percuss("convert $DATA/mixed.pcs problem.pcs"), 0);
    static const struct {
        const char *line, *words;
    } wrong[] = {
        {"convert pile.json a.pcs", "this is a scene, not a problem: 'percuss run'"},
        {"reduce run.h5", "this is a trajectory, not a problem: 'percuss view'"},
        {"convert point a.pcs",
         "this is a checkpoint, not a problem: 'percuss run SCENE --resume'"},
        {"convert corner.obj a.pcs", "this is a mesh, not a problem: a scene names it"},
        {"run run.h5", "this is a trajectory, not a scene"},
        {"run corner.obj", "this is a mesh, not a scene"},
        {"run problem.pcs", "this is a problem, not a scene: 'percuss solve'"},
        {"run pile.json --resume run.h5", "this is a trajectory, not a checkpoint"},
        {"view pile.json", "this is a scene, not a trajectory"},
        {"diff run.h5 point", "this is a checkpoint, not a trajectory"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        REFUSED(wrong[i].words, "%s", wrong[i].line);
    }
    // solve prints its table all the same
    ck_assert_int_eq(percuss("solve pile.json"), 2);
    ck_assert_msg(strstr(err_text, "this is a scene, not a problem"), "%s", err_text);
    ck_assert_int_eq(percuss("solve --json pile.json"), 2);
    ck_assert_msg(strstr(out_text, "this is a scene, not a problem"), "%s", out_text);
}

// a full disk, or a file as large as it may be: the file from before stays, and nothing else
TEST(what_cannot_be_written_leaves_the_file_from_before)
{
    ck_assert_int_eq(percuss("run pile.json --until 0.1 -q -o run.h5 --capture ."), 0);
    ck_assert_int_eq(percuss("run pile.json --until 0.3 -q --capture ."), 0);
    ck_assert_int_eq(percuss("convert --local step-000050.pcs local.pcs"), 0);
    file_write("old", "old");
    file_write("old.hdf5", "old");
    const int files = file_count();
    static const char *const lines[] = {
        "scene --from-example pile_cubes -o old",
        "scene --schema -o old",
        "run pile.json --until 0.2 -q -o old",
        "run pile.json --until 0.1 -q --checkpoint old --checkpoint-every 10",
        "view run.h5 -o old",
        "convert step-000050.pcs old --to pcs",
        "convert step-000050.pcs old --to fclib",
        "convert step-000050.pcs old --to dat",
        "solve step-000050.pcs -o old.hdf5",
        "solve local.pcs --start zero --tol 1e-13 --trace old",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        const int code = percuss_after("ulimit -f 2;", "%s", lines[i]);
        ck_assert_msg(code == 2, "%s: exit code %d", lines[i], code);
        ck_assert_msg(strstr(err_text, "old") && strstr(err_text, "File too large"), "%s: %s",
                      lines[i], err_text);
        ck_assert_msg(one_line(err_text), "%s: %s", lines[i], err_text);
        char *old = file_read("old"), *solved = file_read("old.hdf5");
        ck_assert_str_eq(old, "old");
        ck_assert_str_eq(solved, "old");
        ck_assert_msg(file_count() == files, "%s leaves a file", lines[i]);
        free(old);
        free(solved);
    }
    static const char *const full[] = {"scene --from-example cradle -o /dev/full",
                                       "scene --schema -o /dev/full", "view run.h5 -o /dev/full",
                                       "convert step-000050.pcs /dev/full --to pcs"};
    for (size_t i = 0; i < sizeof full / sizeof *full; ++i) {
        REFUSED("No space left on device", "%s", full[i]);
    }
}

// a terminal obeys escape sequences: commands print the names of their outputs without them
TEST(names_of_outputs_have_no_escape_sequences)
{
    static const char *const lines[] = {"scene --from-example cradle -o %s.json",
                                        "run %s.json --until 0.01 -o %s.h5 --capture %s",
                                        "view %s.h5",
                                        "export %s.h5 --to csv",
                                        "plot %s.h5 -o %s.csv",
                                        "diff %s.h5 %s.h5",
                                        "info %s.h5",
                                        "bench %s/*.pcs -o %s"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        char line[200];
        static const char name[] = "\"$(printf 'a\\033[1m')\"";
        snprintf(line, sizeof line, lines[i], name, name, name);
        ck_assert_msg(percuss("%s", line) == 0, "%s: %s", line, err_text);
        ck_assert_msg(!strstr(out_text, "\033[1m") && !strstr(err_text, "\033[1m"), "%s", line);
    }
}

// the contents of a file remain when an output goes to a stream that appends to it
TEST(an_output_to_a_stream_goes_on_from_where_it_stands)
{
    static const char *const lines[] = {"scene --from-example cradle", "scene --schema",
                                        "export run.h5 --to csv --what steps"};
    static const char *const streams[] = {"-o /dev/stdout >> log", "-o /dev/fd/3 3>> log",
                                          "-o link >> log"};
    ck_assert_int_eq(
        percuss_after("ln -s /dev/stdout link;", "run pile.json --until 0.02 -q -o run.h5"), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        ck_assert_int_eq(percuss("%s -o plain", lines[i]), 0);
        char *plain = file_read("plain");
        for (size_t k = 0; k < sizeof streams / sizeof *streams; ++k) {
            file_write("log", "old\n");
            ck_assert_int_eq(percuss("%s %s", lines[i], streams[k]), 0);
            char *log = file_read("log");
            ck_assert_msg(strncmp(log, "old\n", 4) == 0 && strcmp(log + 4, plain) == 0, "%s %s",
                          lines[i], streams[k]);
            free(log);
        }
        free(plain);
    }
    // a trajectory needs a file
    file_write("log", "old\n");
    REFUSED("not a file", "run pile.json -o /dev/stdout >> log");
    char *log = file_read("log");
    ck_assert_str_eq(log, "old\n");
    free(log);
    REFUSED("/dev/fd/7: cannot be opened", "scene --from-example cradle -o /dev/fd/7");
}

TEST(no_two_outputs_are_one_file)
{
    const int files = file_count();
    REFUSED("also the file of --output",
            "run pile.json --until 0.02 -q -o a.h5 --checkpoint ../${PWD##*/}/a.h5");
    REFUSED("also the file of --output", "run pile.json --until 0.02 -q -o a --capture ./a/");
    REFUSED("also the file of --trace", "solve $DATA/lcp_dense.dat --trace a.pcs -o $PWD/a.pcs");
    REFUSED("an interrupt writes", "run pile.json --until 0.02 -q -o pile.json.checkpoint");
    ck_assert_int_eq(file_count(), files);
    // a run continues into the checkpoint that it began with, and a device takes two outputs
    ck_assert_int_eq(percuss("run pile.json --until 0.02 -q --checkpoint c --checkpoint-every 2"),
                     0);
    ck_assert_int_eq(percuss("run pile.json --until 0.04 -q --resume c --checkpoint c "
                             "--checkpoint-every 2"),
                     0);
    REFUSED("also the file of --resume", "run pile.json -q --resume c -o c");
}

// the mesh files that the scene names are inputs, too; so is every file in the folder of captured
// problems that has the name of one
TEST(outputs_never_replace_what_a_scene_names)
{
    ck_assert_int_eq(percuss_after("mkdir m c;", "--version"), 0);
    file_write("m/corner.obj", tetrahedron);
    const char *text =
        "{\"percuss_scene\": 1, \"run\": {\"h\": 0.01, \"t_end\": 0.02},"
        " \"geometries\": [{\"name\": \"corner\", \"kind\": \"hull\", \"file\": \"%s\"}],"
        " \"bodies\": [{\"density\": 1000, \"shapes\": [{\"kind\": \"hull\","
        " \"geometry\": \"corner\"}]}]}";
    char scene[400];
    snprintf(scene, sizeof scene, text, "m/corner.obj");
    file_write("s.json", scene);
    ck_assert_int_eq(percuss_after("cp m/corner.obj m/step-000001.pcs; cp m/corner.obj "
                                   "s.json.checkpoint; ln -s m/corner.obj soft;",
                                   "--version"),
                     0);
    const int files = file_count();
    REFUSED("is the input", "run s.json -q -o m/corner.obj");
    REFUSED("is the input", "run s.json -q -o soft");
    REFUSED("is the input", "run s.json -q -o t.h5 --checkpoint ./m/../m/corner.obj");
    snprintf(scene, sizeof scene, text, "s.json.checkpoint");
    file_write("implied.json", scene);
    ck_assert_int_eq(percuss_after("mv implied.json t; mkdir s; mv t s/s.json; mv "
                                   "s.json.checkpoint s; cd s;",
                                   "--version"),
                     0);
    ck_assert_int_eq(percuss_after("cd s;", "run s.json -q"), 2);
    ck_assert_msg(strstr(err_text, "is the input") != NULL, "%s", err_text);

    // of captured problems
    snprintf(scene, sizeof scene, text, "m/step-000001.pcs");
    file_write("s.json", scene);
    REFUSED("name of a captured problem", "run s.json -q --capture m");
    snprintf(scene, sizeof scene, text, "../m/corner.obj");
    file_write("c/step-up.json", scene);
    REFUSED("step-up.json has the name", "run c/step-up.json -q --capture c/");
    REFUSED("name of a captured problem", "run c/step-up.json -q --capture $PWD/c");
    ck_assert_int_eq(percuss("run c/step-up.json -q"), 0);
    REFUSED("step-000002.pcs has the name",
            "run c/step-up.json -q -o d/step-000002.pcs --capture d");
    REFUSED("step-000002.pcs has the name",
            "run c/step-up.json -q --checkpoint ./d/step-000002.pcs --capture $PWD/d/");
    REFUSED("step-up.json.checkpoint has the name", "run c/step-up.json -q --capture .");
    ck_assert(!file_exists("d") && !file_exists("t.h5"));
    ck_assert_int_eq(file_count(), files);
    // another name in that folder
    ck_assert_int_eq(percuss("run s.json -q -o d.h5 --capture d"), 0);
}

TEST(outputs_never_replace_their_input)
{
    char before[20], after[20];
    ck_assert_int_eq(percuss("run pile.json --until 0.02 -q --hash -o run.h5"), 0);
    hash_of(before);
    // any spelling of its path, and names that the command makes
    ck_assert_int_eq(percuss_after("ln pile.json hard; ln -s pile.json soft; cp run.h5 run.html; "
                                   "ln -s run.h5 run.energy.svg; ln -s pile.json "
                                   "pile.json.checkpoint; mkdir d;",
                                   "--version"),
                     0);
    const char *lines[] = {"run pile.json --until 0.02 -q -o pile.json",
                           "run pile.json --until 0.02 -q --checkpoint ./pile.json",
                           "run pile.json --until 0.02 -q -o hard",
                           "run hard --until 0.02 -q -o soft",
                           "run pile.json --until 0.02 -q",
                           "view run.h5 -o run.h5",
                           "view run.html",
                           "plot run.h5 -o d/../run.h5",
                           "plot run.h5 --what energy",
                           "solve $DATA/lcp_dense.dat --trace $DATA/lcp_dense.dat",
                           "convert $DATA/lcp_dense.dat $DATA/../data/lcp_dense.dat",
                           "reduce $DATA/lcp_dense.dat -o $DATA/lcp_dense.dat"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        REFUSED("is the input", "%s", lines[i]);
    }
    ck_assert_int_eq(percuss_after("rm pile.json.checkpoint;", "--version"), 0);
    ck_assert_int_eq(percuss("run pile.json --until 0.02 -q --hash"), 0);
    hash_of(after);
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(percuss("info run.h5"), 0);
    // a stream accepts the same output as a file
    ck_assert_int_eq(percuss("scene --schema"), 0);
    ck_assert(strstr(out_text, "$schema") != NULL);
}
