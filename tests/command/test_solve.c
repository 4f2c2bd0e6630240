// percuss solve, info, convert and solvers as the real program: output and exit codes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/solver.h>
#include <percuss/solver_table.h>

#include "percuss.h"
#include "support.h"

static char *slurp_data(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", PERCUSS_TEST_DATA, name);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    char *text = calloc(1, 100000);
    ck_assert(fread(text, 1, 99999, f) > 0);
    fclose(f);
    return text;
}

// true without control characters except line ends: C0, DEL, and C1 alone or as UTF-8
static bool is_readable(const char *text)
{
    for (const unsigned char *s = (const unsigned char *)text; *s; ++s) {
        if ((*s < ' ' && *s != '\n') || *s == 127) return false;
        if (*s >= 0x80 && *s < 0xa0 && s[-1] < 0xc3) return false;
    }
    return true;
}

TEST(a_line_for_every_problem)
{
    ck_assert_int_eq(percuss("solve $DATA/fc3d_blocks.dat $DATA/lcp_dense.dat"), 0);
    ck_assert_int_eq(occurrences(out_text, "\n"), 3);
    ck_assert_int_eq(occurrences(out_text, " converged "), 2);
    ck_assert_str_eq(err_text, "");
}

TEST(json_says_everything)
{
    ck_assert_int_eq(percuss("solve --json --solution $DATA/fc3d_dense.dat"), 0);
    ck_assert(json_is_valid(out_text));
    static const char *const keys[] = {"\"file\":",       "\"kind\":\"fc3d\"",
                                       "\"blocks\":",     "\"contacts\":",
                                       "\"solver\":",     "\"outcome\":\"converged\"",
                                       "\"iterations\":", "\"seconds\":",
                                       "\"residual\":",   "\"natural_map\":",
                                       "\"norm_q\":",     "\"norm_r\":",
                                       "\"norm_u\":",     "\"open\":",
                                       "\"stick\":",      "\"slide\":",
                                       "\"undecided\":",  "\"relative_natural_map\":",
                                       "\"r\":[",         "\"u\":["};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        ck_assert_msg(strstr(out_text, keys[i]) != NULL, "no %s in %s", keys[i], out_text);
    }
    ck_assert(json_number(out_text, "residual") <= 1e-8);
    ck_assert(json_number(out_text, "relative_natural_map") <= 1e-8);
    ck_assert(json_number(out_text, "tol") == 1e-8);
    const double contacts = json_number(out_text, "contacts");
    ck_assert(contacts == json_number(out_text, "open") + json_number(out_text, "stick") +
                              json_number(out_text, "slide") + json_number(out_text, "undecided"));
}

TEST(certificates)
{
    ck_assert_int_eq(percuss("solve --certificate $DATA/fc3d_dense.dat $DATA/lcp_dense.dat"), 0);
    ck_assert_int_eq(occurrences(out_text, "\n"), 5);
    ck_assert_int_eq(occurrences(out_text, "active directions"), 2);
    ck_assert_int_eq(percuss("solve --intervals $DATA/global.pcs $DATA/mixed.pcs"), 0);
    ck_assert_int_eq(occurrences(out_text, "greatest r_N"), 2);
    ck_assert_int_eq(percuss("solve --json --intervals $DATA/fc3d_dense.dat"), 0);
    ck_assert(json_is_valid(out_text));
    static const char *const keys[] = {
        "\"certificate\":{", "\"rank\":",     "\"columns\":", "\"r_unique\":\"", "\"status\":[",
        "\"margin\":[",      "\"least_r\":[", "\"low\":[",    "\"unbounded\":["};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        ck_assert_msg(strstr(out_text, keys[i]) != NULL, "no %s in %s", keys[i], out_text);
    }
    REFUSED("--csv", "solve --certificate --csv $DATA/fc3d_dense.dat");
}

TEST(springs_share_the_impulses)
{
    // a bar on three supports, a column a body: W = 1, and each carries by its spring
    file_write("bar.dat", "3\n0\n3\n3\n3 3\n1 1 1\n1 1 1\n1 1 1\n-6 -6 -6\n");
    file_write("springs.txt", "# supports\n1 2\n 3e0 # the last\n");
    ck_assert_int_eq(percuss("solve --kind lcp --json --springs springs.txt bar.dat"), 0);
    ck_assert(json_is_valid(out_text));
    const char *r = strstr(out_text, "\"elastic_r\":[");
    ck_assert_ptr_nonnull(r);
    double x[3];
    ck_assert_int_eq(sscanf(r, "\"elastic_r\":[%lf,%lf,%lf]", &x[0], &x[1], &x[2]), 3);
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_eq_tol(x[i], i + 1, 1e-9);
    }
    ck_assert_int_eq(percuss("solve --springs 0.7 $DATA/fc3d_dense.dat $DATA/global.pcs"), 0);
    ck_assert_int_eq(occurrences(out_text, "r of stiff springs"), 2);
    REFUSED("has 3 numbers; the problem has 6 rows", "solve --springs springs.txt $DATA/mixed.pcs");
    file_write("springs.txt", "1 2 3 4");
    REFUSED("more numbers than", "solve --kind lcp --springs springs.txt bar.dat");
    file_write("springs.txt", "1 0 3");
    REFUSED("number 2 of springs.txt", "solve --kind lcp --springs springs.txt bar.dat");
    REFUSED("neither a number nor", "solve --kind lcp --springs nowhere.txt bar.dat");
    REFUSED("must be > 0", "solve --kind lcp --springs -1 bar.dat");
    REFUSED("--csv", "solve --springs 1 --csv $DATA/fc3d_dense.dat");
}

// A table at rest on four legs: each bears by its spring, and with a smaller tolerance a gap that
// earlier steps have left opens none of them. Opposite legs have the same middle: so have their
// springs
TEST(springs_of_a_step_do_not_see_its_rounding)
{
    const double x[4] = {0.347668244562803, -0.2777601033306698, -0.607668244562803,
                         0.017760103330669602};
    const double y[4] = {0.21776010333066978, 0.5476682445628029, -0.07776010333066963,
                         -0.40766824456280304};
    char scene[2000];
    size_t at = (size_t)snprintf(
        scene, sizeof scene,
        "{\"percuss_scene\": 1, \"materials\": [{\"mu\": 0.5}], \"world\": {\"shapes\":"
        " [{\"kind\": \"half_space\", \"material\": 1}]}, \"bodies\": [{\"position\":"
        " [0, 0, 0.4], \"mass\": 30, \"inertia\": [2, 2, 3], \"shapes\": [");
    for (int i = 0; i < 4; ++i) {
        at += (size_t)snprintf(scene + at, sizeof scene - at,
                               "%s{\"kind\": \"sphere\", \"radius\": 0.02, \"material\": 1,"
                               " \"position\": [%.17g, %.17g, -0.38]}",
                               i > 0 ? ", " : "", x[i], y[i]);
    }
    snprintf(scene + at, sizeof scene - at, "]}], \"run\": {\"h\": 0.002, \"t_end\": 0.04}}");
    file_write("table.json", scene);
    file_write("legs.txt", "1 .7 .7  2 1.4 1.4  3 2.1 2.1  4 2.8 2.8");
    ck_assert_int_eq(percuss("run table.json -q --capture steps"), 0);
    static const char *const tol[] = {"", "--tol 1e-10", "--tol 1e-12"};
    for (int k = 0; k < 3; ++k) {
        ck_assert_int_eq(
            percuss("solve steps/step-000020.pcs --json --springs legs.txt %s", tol[k]), 0);
        const char *r = strstr(out_text, "\"elastic_r\":[");
        double N[4];
        ck_assert_ptr_nonnull(r);
        ck_assert_int_eq(sscanf(r, "\"elastic_r\":[%lf,%*f,%*f,%lf,%*f,%*f,%lf,%*f,%*f,%lf", &N[0],
                                &N[1], &N[2], &N[3]),
                         4);
        ck_assert_double_eq_tol(N[0] + N[1] + N[2] + N[3], 30 * 9.81 * 0.002, 1e-7);
        ck_assert_double_eq_tol(N[0] / 1 + N[2] / 3, N[1] / 2 + N[3] / 4, 1e-7);
        // an answer that leans on a leg that may be open claims nothing
        const bool certain = json_number(out_text, "undecided") == 0;
        ck_assert(certain || strstr(out_text, "\"elastic_unique\":\"unknown\"") != NULL);
        ck_assert(json_number(out_text, "error") >= 2e-8);
    }
}

// A block between two walls that it only touches. It may rest, wedged, or fall; springs that bear
// nothing before let it fall
TEST(springs_that_do_not_hold_a_block)
{
    file_write("walls.pcs", "percuss-problem 1\nlocal\ncones 2\ncoulomb 2 0.6\ncoulomb 2 0.6\n"
                            "W dense 4 4\n1 0 -1 0\n0 1 0 1\n-1 0 1 0\n0 1 0 1\nq\n0 -1 0 -1\n"
                            "start\n1 0.5 1 0.5\nend\n");
    ck_assert_int_eq(percuss("solve --springs 1 walls.pcs"), 0);
    ck_assert_msg(strstr(out_text, "no impulses with these velocities obey their law") != NULL,
                  "%s", out_text);
    ck_assert(strstr(out_text, "the velocities differ by 1.0e+00") != NULL);
    ck_assert_int_eq(percuss("solve --springs 1 --json walls.pcs"), 0);
    ck_assert(json_is_valid(out_text));
    ck_assert_double_eq_tol(json_number(out_text, "elastic_moved"), 1, 1e-3);
}

TEST(json_escapes_any_name)
{
    file_write("a\"b\\\xff\n.dat", "nothing");
    ck_assert_int_eq(percuss("solve --json *.dat"), 2);
    ck_assert(json_is_valid(out_text));
    ck_assert(one_line(err_text));
}

TEST(not_converged_is_one)
{
    ck_assert_int_eq(percuss("solve --json --solver nsgs --max-iters 0 $DATA/fc3d_dense.dat"), 1);
    ck_assert(strstr(out_text, "\"outcome\":\"max_iters\"") != NULL);
    ck_assert_int_eq(percuss("solve $DATA/lcp_infeasible.dat $DATA/lcp_dense.dat"), 1);
    ck_assert(strstr(out_text, "infeasible") != NULL);
}

TEST(a_proof_that_there_is_no_solution)
{
    // a bar that two supports push apart: q = (-1, 0.4), W = (1 -1; -1 1)
    file_write("wedged.dat", "2\n0\n2\n2\n2 2\n1 -1\n-1 1\n-1 0.4\n");
    ck_assert_int_eq(percuss("solve --kind lcp wedged.dat"), 1);
    ck_assert(strstr(out_text, "violated at a mean rate of 0.3: 0, 1\n") != NULL);
    ck_assert_int_eq(percuss("solve --kind lcp --json wedged.dat"), 1);
    ck_assert(json_is_valid(out_text));
    ck_assert(strstr(out_text, "\"no_solution\":{\"y\":[1,1],\"closing\":0.3") != NULL ||
              strstr(out_text, "\"closing\":0.29") != NULL);
    ck_assert_int_eq(percuss("solve --springs 1 --solver nsgs --max-iters 0 $DATA/fc3d_dense.dat"),
                     1);
    ck_assert(strstr(out_text, "not solved: r is the best of the search") != NULL);
    ck_assert(strstr(out_text, "springs: r is not a solution") != NULL);
    ck_assert_int_eq(percuss("solve $DATA/lcp_infeasible.dat"), 1);
    ck_assert(strstr(out_text, "no solution: ") != NULL);
}

// a path that is left too early: the lines say how far it came
TEST(a_path_that_does_not_arrive)
{
    static const char solve[] = "solve --max-iters 8 --solver";
    ck_assert_int_eq(percuss("%s homotopy $DATA/fc3d_dense.dat", solve), 1);
    ck_assert(strstr(out_text, "homotopy: its paths came from t = 1 to t = ") != NULL);
    const bool undecided = strstr(out_text, "undecided at r: blocks") != NULL;
    ck_assert_int_eq(percuss("%s homotopy --json $DATA/fc3d_dense.dat", solve), 1);
    ck_assert(json_is_valid(out_text));
    ck_assert(undecided == (json_number(out_text, "undecided") > 0));
    const double least = json_number(out_text, "path_least");
    ck_assert(least > 1e-12 && least < 1);
    ck_assert(json_number(out_text, "path_undecided") <= json_number(out_text, "blocks"));
    // other solvers have no path
    percuss("%s newton --json $DATA/fc3d_dense.dat", solve);
    ck_assert_ptr_null(strstr(out_text, "path_least"));
}

TEST(worst_code_wins)
{
    ck_assert_int_eq(percuss("solve --json nowhere.dat $DATA/lcp_dense.dat"), 2);
    ck_assert(json_is_valid(out_text));
    ck_assert_int_eq(occurrences(out_text, "\n"), 2);
    ck_assert(strstr(out_text, "\"outcome\":\"unreadable\"") != NULL);
    ck_assert(strstr(out_text, "\"outcome\":\"converged\"") != NULL);
}

TEST(empty_problem_converges)
{
    file_write("empty.dat", "3\n0\n0\n0 0\n0 0\n");
    ck_assert_int_eq(percuss("solve --kind fc3d --json --solution empty.dat"), 0);
    ck_assert(json_is_valid(out_text));
    ck_assert(strstr(out_text, "\"r\":[]") != NULL);
    ck_assert(strstr(out_text, "\"outcome\":\"converged\"") != NULL);
}

TEST(wrong_lines_are_refused)
{
    REFUSED("--help", "%s", "");
    REFUSED("did you mean 'percuss solve'?", "slove a");
    REFUSED("lists them", "zzzzzzzz");
    REFUSED("FILE...", "solve");
    REFUSED("did you mean --measure?", "solve --mesure both a");
    REFUSED("there is no flag --zzzzz; 'percuss solve --help'", "solve --zzzzz a");
    REFUSED("--tol is '0'", "solve --tol 0 a");
    REFUSED("--tol is 'nan'", "solve --tol nan a");
    REFUSED("--tol is '1e-8x'", "solve --tol=1e-8x a");
    REFUSED("needs a value", "solve a --tol");
    REFUSED("residual|natural|both", "solve --measure all a");
    REFUSED("--max-iters is '-1'", "solve --max-iters -1 a");
    REFUSED("takes no value", "solve --json=1 a");
    REFUSED("did you mean nsgs?", "solve --solver nsg $DATA/lcp_dense.dat");
    REFUSED("did you mean relaxation?", "solve -s nsgs --opt relax=1 $DATA/lcp_dense.dat");
    REFUSED("0.001 to 1.999", "solve -s nsgs --opt relaxation=2 $DATA/lcp_dense.dat");
    REFUSED("--json", "solve --solution $DATA/lcp_dense.dat");
    REFUSED("empty", "solve --solver '' $DATA/lcp_dense.dat");
    REFUSED("empty", "solve -s nsgs --opt order=forward,,depth=1 $DATA/lcp_dense.dat");
    REFUSED("takes one problem", "solve --trace t.csv a b");
    REFUSED("one word too many", "convert a b c");
    REFUSED("nowhere.dat", "solve nowhere.dat");
    REFUSED("lemke", "solve -s lemke --json $DATA/fc3d_dense.dat");
}

TEST(bad_files_are_refused)
{
    static const char *const bad[] = {"",
                                      "3\n",
                                      "3 1 0 3 3\n3 3\n1 0 0 0 1 0 0 0 nan\n0 0 0\n0.5\n",
                                      "3 1 0",
                                      "\xff\xfe",
                                      "3 2147483647 0 2147483647 2147483647 1",
                                      "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 0 0 -0.5",
                                      "3 1 1 2147483647 2147483647"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        file_write("bad.dat", bad[i]);
        REFUSED("bad.dat", "solve --kind fc3d bad.dat");
        REFUSED("bad.dat", "info --kind fc3d bad.dat");
        REFUSED("bad.dat", "convert --kind fc3d bad.dat out.dat");
        ck_assert(!file_exists("out.dat"));
    }
    REFUSED("/", "info /");
}

TEST(options_have_words)
{
    ck_assert_int_eq(percuss("solve -s nsgs --opt order=shuffled,seed=7 --opt relaxation=0.9 "
                             "$DATA/fc3d_dense.dat"),
                     0);
    ck_assert_int_eq(percuss("solve --measure natural --tol 1e-12 $DATA/fc3d_dense.dat"), 0);
}

// 30 stones of 1000 kg on one another: r is in N s and large, so that sweeps reach a natural map of
// 1e-8 long before the velocities are that accurate
static void write_tower(const char *name)
{
    enum { N = 30 };
    static char text[16 * N * N + 1000];
    int at = sprintf(text, "%d\n0\n%d\n%d\n%d %d\n", N, N, N, N, N);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            const double w = i == j ? (i == 0 ? 1e-3 : 2e-3) : i == j + 1 || j == i + 1 ? -1e-3 : 0;
            at += sprintf(text + at, "%g ", w);
        }
        at += sprintf(text + at, "\n");
    }
    for (int i = 0; i < N; ++i) {
        at += sprintf(text + at, "%g ", i == 0 ? -0.1 : 0.0);
    }
    file_write(name, text);
}

TEST(the_published_measure_is_enough)
{
    write_tower("tower.dat");
    const char *const line = "solve --kind lcp --json -s nsgs --opt depth=0 --max-iters 5000 "
                             "--measure %s tower.dat";
    ck_assert_int_eq(percuss(line, "natural"), 0);
    const double stopped = json_number(out_text, "iterations");
    ck_assert_int_eq(percuss(line, "both"), 1);
    ck_assert_int_eq(percuss(line, "residual"), 1);
    ck_assert(json_number(out_text, "residual") > 1e-8);

    // the default measure asks for both
    ck_assert_int_eq(
        percuss("solve --kind lcp --json -s nsgs --opt depth=0 --max-iters 5000 tower.dat"), 0);
    ck_assert(json_number(out_text, "relative_natural_map") <= 1e-8);
    ck_assert(json_number(out_text, "iterations") > stopped);
    ck_assert_int_eq(percuss("solve --kind lcp --json -s nsgs --opt depth=0 tower.dat"), 0);
    ck_assert(json_number(out_text, "residual") <= 1e-8);
}

// two contacts in the plane, W of rank 1, no solution: the rounding of large impulses is not a
// solution
TEST(noise_is_not_converged)
{
    file_write("noise.dat",
               "2 2 0 4 4 4 4\n9 6 -6 -3\n6 4 -4 -2\n-6 -4 4 2\n-3 -2 2 1\n-1 0 0 -2\n0.25 4\n");
    static const char *const measure[] = {"residual", "natural", "both", "relaxed"};
    for (int i = 0; i < 4; ++i) {
        ck_assert_int_eq(
            percuss("solve --kind fc2d --json --certificate --measure %s noise.dat", measure[i]),
            1);
        ck_assert(json_number(out_text, "residual") > 1e-3);
        ck_assert(json_number(out_text, "undecided") == 2);
        ck_assert_ptr_null(strstr(out_text, "\"yes\""));
    }
}

// --opt accepts every word that 'percuss solvers' prints for an option, and every default
TEST(printed_words_are_accepted)
{
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        for (int k = 0; k < info->n_opts; ++k) {
            const pcs_opt *opt = &info->opt[k];
            for (int i = 0; opt->words && i <= (int)(opt->high - opt->low); ++i) {
                ck_assert_int_eq(percuss("solvers %s", info->name), 0);
                char start[64];
                snprintf(start, sizeof start, "\n%s ", opt->name);
                const char *line = strstr(out_text, start);
                ck_assert_ptr_nonnull(line);
                const char *word = strstr(line, opt->words[i]);
                ck_assert_msg(word && word < strchr(line + 1, '\n'), "%s", out_text);
                ck_assert_int_eq(percuss("solvers --json %s", info->name), 0);
                ck_assert(strstr(out_text, opt->words[i]) != NULL);
                // the words are read before the problem: a budget of 0 ends with max_iters
                const int code =
                    percuss("solve -s %s --max-iters 0 --opt %s=%s $DATA/lcp_dense.dat", info->name,
                            opt->name, opt->words[i]);
                // is read, then refused
                const bool refused = strstr(err_text, "space is body") != NULL;
                ck_assert_msg(code <= 1 || refused, "%s", err_text);
            }
        }
    }
    ck_assert_int_eq(percuss("solve -s nsgs --opt 'local=Fixed point' $DATA/fc3d_dense.dat"), 0);
    ck_assert_int_eq(percuss("solve -s nsgs --opt order=2 $DATA/fc3d_dense.dat"), 0);
    REFUSED("forward, backward, both-in-turn, shuffled",
            "solve -s nsgs --opt order=sideways $DATA/fc3d_dense.dat");
    REFUSED("one of", "solve -s nsgs --opt order=4 $DATA/fc3d_dense.dat");
    REFUSED("one of", "solve -s nsgs --opt order= $DATA/fc3d_dense.dat");
}

TEST(trace_has_a_row_per_look)
{
    ck_assert_int_eq(
        percuss("solve -s nsgs --opt check_every=1 --trace t.csv $DATA/fc3d_dense.dat"), 0);
    char *text = file_read("t.csv");
    ck_assert_ptr_nonnull(text);
    ck_assert(strncmp(text, "solver,iteration,seconds,value,residual,natural_map,step,penalty,",
                      64) == 0);
    ck_assert_int_ge(occurrences(text, "\nnsgs,"), 2);
    ck_assert(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
    free(text);
    ck_assert_int_eq(file_count(), 1);
}

TEST(failed_writes_are_reported)
{
    REFUSED("goes to a .hdf5, .h5 or .pcs", "solve -o x.dat $DATA/fc3d_dense.dat");
    ck_assert(!file_exists("x.dat"));
    REFUSED("nowhere/t.csv", "solve --trace nowhere/t.csv $DATA/fc3d_dense.dat");
    ck_assert_int_eq(percuss_after("exec >/dev/full;", "solve $DATA/fc3d_dense.dat"), 2);
    ck_assert(one_line(err_text));
    ck_assert_int_eq(percuss("solve --trace /dev/full $DATA/fc3d_dense.dat"), 2);
    ck_assert(strstr(err_text, "/dev/full") != NULL);

    // a full disk: no file remains, and an old file is unchanged
    file_write("t.csv", "old");
    ck_assert_int_eq(
        percuss_after("ulimit -f 0;", "solve --trace t.csv $DATA/fc3d_dense.dat >/dev/null"), 2);
    char *text = file_read("t.csv");
    ck_assert_str_eq(text, "old");
    free(text);
    ck_assert_int_eq(file_count(), 1);
}

TEST(info_knows_the_matrix)
{
    file_write("a.dat", "3\n2\n0\n6 6\n6 6\n"
                        "2 0 0 0 0 0\n0 1 0 0 0 0\n0 0 1 0 0 0\n"
                        "0 0 0 -1 0 0\n0 0.5 0 0 0 0\n0 0 0 0 0 4\n"
                        "-1 0 0 -2 0 0\n0.25 0.75\n");
    ck_assert_int_eq(percuss("info --kind fc3d --json a.dat"), 0);
    ck_assert(json_is_valid(out_text));
    ck_assert(json_number(out_text, "rows") == 6);
    ck_assert(json_number(out_text, "contacts") == 2);
    ck_assert(json_number(out_text, "mu_min") == 0.25);
    ck_assert(json_number(out_text, "mu_max") == 0.75);
    ck_assert(json_number(out_text, "asymmetry") == 0.5);
    ck_assert(json_number(out_text, "diagonal_min") == -1);
    ck_assert(json_number(out_text, "diagonal_max") == 4);
    ck_assert(json_number(out_text, "diagonal_negative") == 1);
    ck_assert(json_number(out_text, "diagonal_zero") == 1);
    ck_assert(json_number(out_text, "rank") == 5);
    ck_assert(json_number(out_text, "q_max") == 2);
    ck_assert(strstr(out_text, "\"guessed\":false") != NULL);
    ck_assert_int_eq(percuss("info a.dat $DATA/lcp_dense.dat"), 0);
    ck_assert(strstr(out_text, "guessed") != NULL);
}

// the part "r":[...],"u":[...] of the output; the caller frees
static char *solution_text(void)
{
    const char *at = strstr(out_text, "\"r\":[");
    ck_assert_ptr_nonnull(at);
    char *copy = malloc(strlen(at) + 1);
    return strcpy(copy, at);
}

TEST(forms_hold_the_same_problem)
{
    ck_assert_int_eq(percuss("solve --json --solution $DATA/fc3d_blocks.dat"), 0);
    char *want = solution_text();
    ck_assert_int_eq(percuss("convert $DATA/fc3d_blocks.dat a.pcs"), 0);
    ck_assert_int_eq(percuss("convert a.pcs b.hdf5"), 0);
    ck_assert_int_eq(percuss("convert b.hdf5 c.dat --storage dense"), 0);
    ck_assert_int_eq(percuss("convert c.dat d --to pcs --kind fc3d"), 0);
    ck_assert_str_eq(out_text, "");
    // the blocks of the text form are those of the file: the same sums
    ck_assert_int_eq(percuss("solve --json --solution a.pcs"), 0);
    char *got = solution_text();
    ck_assert_str_eq(got, want);
    free(got);
    free(want);
    ck_assert_int_eq(percuss("solve --kind fc3d a.pcs b.hdf5 c.dat d"), 0);
    REFUSED("a.xyz", "convert a.pcs a.xyz");
    REFUSED("nowhere", "convert a.pcs nowhere/a.pcs");
    ck_assert_int_eq(percuss_after("ulimit -f 0;", "convert a.pcs e.pcs"), 2);
    ck_assert_int_eq(file_count(), 4);
}

TEST(solutions_are_written)
{
    ck_assert_int_eq(percuss("solve $DATA/fc3d_dense.dat -o s.hdf5"), 0);
    ck_assert_int_eq(percuss("solve $DATA/lcp_dense.dat -o s.pcs"), 0);
    ck_assert_int_eq(percuss("info --json s.hdf5 s.pcs"), 0);
    ck_assert_int_eq(occurrences(out_text, "\"solution\":true"), 2);
    REFUSED("nowhere/s.pcs", "solve $DATA/lcp_dense.dat -o nowhere/s.pcs --json >/dev/null");
}

TEST(failing_problems_shrink)
{
    // no solver succeeds in zero iterations: the problem is reduced to one contact
    const char *line = "reduce $DATA/fc3d_blocks.dat -s nsgs --max-iters 0 -o %s";
    ck_assert_int_eq(percuss(line, "a.pcs"), 0);
    ck_assert(strstr(out_text, " 1 of ") != NULL);
    ck_assert_int_eq(percuss(line, "b.pcs"), 0);
    char *a = file_read("a.pcs"), *b = file_read("b.pcs");
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
    ck_assert_int_eq(percuss("solve a.pcs"), 0);
    ck_assert_int_eq(percuss("info --json a.pcs"), 0);
    ck_assert(json_number(out_text, "contacts") == 1);

    // the reduced problem still has no solution, and no contact can be removed
    ck_assert_int_eq(percuss("reduce $DATA/lcp_infeasible.dat"), 0);
    ck_assert_int_eq(percuss("solve lcp_infeasible-reduced.pcs"), 1);
    REFUSED("is solved by", "reduce $DATA/lcp_dense.dat");
    REFUSED("FILE", "reduce");
}

// AddressSanitizer reserves terabytes of addresses
#if defined(__SANITIZE_ADDRESS__)
#define LITTLE_MEMORY ""
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LITTLE_MEMORY ""
#endif
#endif
#ifndef LITTLE_MEMORY
#define LITTLE_MEMORY "ulimit -v 1000000;"
#endif

// an input that never ends, or is longer than the limit, is refused with little memory
TEST(endless_files_are_refused)
{
    static const char *const commands[] = {"info", "solve", "convert --kind fc3d", "run"};
    for (int k = 0; k < 4; ++k) {
        const char *to = k == 2 ? "out.pcs" : "";
        ck_assert_int_eq(percuss_after(LITTLE_MEMORY, "%s /dev/zero %s", commands[k], to), 2);
        ck_assert(one_line(err_text) && strstr(err_text, "bytes that are zero"));
    }
    // a hole of a terabyte, after the beginning of a problem
    file_write("hole.dat", "3 1\n");
    ck_assert_int_eq(percuss_after("truncate -s 1T hole.dat; " LITTLE_MEMORY, "info hole.dat"), 2);
    ck_assert(one_line(err_text) && strstr(err_text, "hole.dat"));
    ck_assert_int_eq(percuss_after("yes 3 |", "info /dev/stdin"), 2);
    ck_assert(one_line(err_text) && strstr(err_text, "more than 1073741824 bytes"));
    // a pipe that ends is read like a file
    ck_assert_int_eq(percuss_after("cat $DATA/fc3d_dense.dat |", "solve /dev/stdin"), 0);
}

// output to a link: the link stays, and its target is created or replaced
TEST(links_stay)
{
    ck_assert_int_eq(
        percuss_after("mkdir d; ln -s target.pcs d/b; ln -s d/b a; ln -s b.csv t.csv; ln -s l l;",
                      "convert $DATA/fc3d_dense.dat a --to pcs"),
        0);
    for (int k = 0; k < 2; ++k) {
        ck_assert_int_eq(percuss_after("test -L a && test -L d/b && test -f d/target.pcs &&",
                                       "solve d/target.pcs"),
                         0);
        ck_assert_int_eq(percuss("solve a --trace t.csv"), 0);
        ck_assert_int_eq(percuss_after("test -L t.csv && test -s b.csv &&",
                                       "convert $DATA/fc3d_dense.dat a --to pcs"),
                         0);
    }
    REFUSED("cannot be written", "convert $DATA/fc3d_dense.dat l --to pcs");
    REFUSED("cannot be written", "solve $DATA/fc3d_dense.dat --trace l");
}

// a control character of a file name, or of a title, never reaches the terminal
TEST(names_are_made_readable)
{
    static const char *const names[] = {"a\x1b[2Jb.dat",
                                        "\xc2\x9b"
                                        "31mred.dat",
                                        "new\nline.dat",
                                        "\x9b"
                                        "2J.dat",
                                        "tab\tdel\x7f.dat"};
    char *text = slurp_data("fc3d_dense.dat");
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        file_write(names[k], text);
    }
    file_write("good\xc3\xa9.dat", text);
    free(text);
    static const char *const commands[] = {"solve *.dat",
                                           "solve --csv *.dat",
                                           "solve --json *.dat",
                                           "info *.dat",
                                           "solve -s lemke *.dat",
                                           "info no*such*",
                                           "info \"$(printf '\\033[31m')\"",
                                           "info --kind lcp *.dat",
                                           "solve --\"$(printf '\\033[31m')\"",
                                           "\"$(printf '\\033[31m')\""};
    for (size_t k = 0; k < sizeof commands / sizeof *commands; ++k) {
        (void)percuss("%s", commands[k]);
        ck_assert(is_readable(out_text) && is_readable(err_text));
        if (k < 4) {
            ck_assert(strstr(out_text, "good\xc3\xa9.dat") != NULL);
            ck_assert(strstr(out_text, k == 2 ? "a\\u001b[2Jb.dat" : "a\\x1b[2Jb.dat") != NULL);
        }
    }
}

TEST(solvers_are_described)
{
    ck_assert_int_eq(percuss("solvers"), 0);
    ck_assert(strstr(out_text, "auto") != NULL && strstr(out_text, "nsgs") != NULL);
    ck_assert_int_eq(percuss("solvers nsgs"), 0);
    ck_assert(strstr(out_text, "relaxation") != NULL);
    ck_assert_int_eq(percuss("solvers --json"), 0);
    ck_assert(json_is_valid(out_text));
    // seed is read with one value of order only
    ck_assert_int_eq(percuss("solvers --json nsgs"), 0);
    const char *seed = strstr(out_text, "\"seed\"");
    ck_assert_ptr_nonnull(seed);
    const char *needs = strstr(seed, "\"needs\"");
    ck_assert_ptr_nonnull(needs);
    ck_assert(strstr(needs, "\"order\"") != NULL && strstr(needs, "\"shuffled\"") != NULL);
    ck_assert_ptr_null(memchr(seed, '}', (size_t)(needs - seed)));
    REFUSED("did you mean newton?", "solvers newtn");
}

TEST(help_everywhere)
{
    ck_assert_int_eq(percuss("--version"), 0);
    ck_assert(strncmp(out_text, "percuss ", 8) == 0 && one_line(out_text));
    ck_assert_int_eq(percuss("--help"), 0);
    static const char *const names[] = {"solve", "bench", "info", "convert", "reduce", "solvers"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        ck_assert_int_eq(percuss("--help"), 0);
        ck_assert(strstr(out_text, names[i]) != NULL);
        ck_assert_int_eq(percuss("%s --help", names[i]), 0);
        ck_assert(strncmp(out_text, "usage: percuss ", 15) == 0);
        ck_assert_int_eq(percuss("help %s", names[i]), 0);
    }
}

TEST_AROUND(folder_make, folder_remove)
