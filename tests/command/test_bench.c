// percuss bench as the real program: every cell is recorded, also cells that crash, hang or are
// interrupted.
#define _POSIX_C_SOURCE 200809L // mkfifo

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "percuss.h"
#include "support.h"

// a pipe without a writer: a cell that reads it hangs
static void make_hanging(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
}

static int count_in(const char *file, const char *word)
{
    char *text = file_read(file);
    ck_assert_msg(text != NULL, "no %s", file);
    const int n = occurrences(text, word);
    free(text);
    return n;
}

#define ROWS(n)           ck_assert_int_eq(count_in("r/runs.csv", "\n"), 2 + (n))
#define CELLS(n, outcome) ck_assert_int_eq(count_in("r/runs.csv", "," outcome ","), n)

TEST(every_cell_is_reported)
{
    const char *line = "bench $DATA/lcp_dense.dat $DATA/fc3d_dense.dat $DATA/fc3d_blocks.dat "
                       "--solvers auto,nsgs:depth=0:order=shuffled --tol 1e-4,1e-8 -o r";
    ck_assert_int_eq(percuss("%s", line), 0);
    ck_assert_str_eq(err_text, "");
    ROWS(12);
    CELLS(12, "converged");
    ck_assert_int_eq(count_in("r/report.html", "<tr data-solver="), 12);
    ck_assert_int_eq(count_in("r/report.html", "<svg "), 4);
    static const char *const words[] = {"lcp_dense.dat", "fc3d_dense.dat", "fc3d_blocks.dat",
                                        "nsgs:depth=0:order=shuffled"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        ck_assert_int_ge(count_in("r/report.html", words[i]), 4);
    }
    // the report refers to nothing outside
    ck_assert_int_eq(count_in("r/report.html", "src="), 0);
    ck_assert_int_eq(count_in("r/report.html", "href="), 0);
    ck_assert_int_eq(count_in("r/profile-0.0001.svg", "<path "), 2);
    ck_assert_int_eq(count_in("r/success-1e-08.svg", "<path "), 2);
    ck_assert_int_eq(count_in("r/report.html", "nan"), 0);

    // the second call runs nothing and writes the same files
    char *before = file_read("r/runs.csv"), *page = file_read("r/report.html");
    ck_assert_int_eq(percuss("%s", line), 0);
    char *after = file_read("r/runs.csv"), *again = file_read("r/report.html");
    ck_assert_str_eq(before, after);
    ck_assert_str_eq(page, again);
    free(before);
    free(after);
    free(page);
    free(again);

    // a new tolerance adds cells to the existing ones; other settings are refused
    ck_assert_int_eq(percuss("%s --tol 1e-6", line), 0);
    ROWS(18);
    REFUSED("--fresh", "%s --max-seconds 3", line);
    ROWS(18);
    ck_assert_int_eq(percuss("%s --max-seconds 3 --keep", line), 0);
    ROWS(18);
    ck_assert_int_eq(percuss("%s --max-seconds 3 --fresh", line), 0);
    ROWS(12);
}

TEST(a_changed_problem_runs_again)
{
    const char *line = "bench a.dat $DATA/lcp_dense.dat --tol 1e-8 -o r";
    file_write("a.dat", "1 0 1 1 1 1 2 -1");
    ck_assert_int_eq(percuss("%s", line), 0);
    ROWS(2);
    // unchanged problems give no message; then one file is another problem, which has no solution
    ck_assert_int_eq(percuss("%s", line), 0);
    ck_assert_str_eq(err_text, "");
    ROWS(2);
    file_write("a.dat", "1 0 1 1 1 1 0 -1");
    ck_assert_int_eq(percuss("%s", line), 1);
    ck_assert_ptr_nonnull(strstr(err_text, "1 problem has changed"));
    ROWS(3);
    CELLS(1, "infeasible");
    ck_assert_int_eq(count_in("r/report.html", "<tr data-solver="), 2);
    // the first problem again: its earlier results are still valid
    file_write("a.dat", "1 0 1 1 1 1 2 -1");
    ck_assert_int_eq(percuss("%s", line), 0);
    ROWS(3);
}

TEST(folders_are_searched)
{
    ck_assert_int_eq(percuss("bench $DATA --tol 1e-6 -j 3 -o r"), 1);
    ck_assert_int_ge(count_in("r/runs.csv", ",converged,"), 10);
    CELLS(2, "infeasible");
    REFUSED("r has no problem files", "bench r -o s");
    REFUSED("nowhere", "bench nowhere -o s");
}

TEST(a_hang_costs_one_cell)
{
    make_hanging("a.dat");
    ck_assert_int_eq(percuss("bench a.dat $DATA/lcp_dense.dat --tol 1e-8 --max-seconds 0.1 -o r"),
                     1);
    ROWS(2);
    CELLS(1, "timeout");
    CELLS(1, "converged");
    ck_assert_int_ge(count_in("r/report.html", "timeout"), 2);
}

TEST(a_crash_costs_one_cell)
{
    // the process that solves in the folder of this test is killed: only the one that hangs is
    // there
    make_hanging("b.dat");
    ck_assert_int_eq(
        percuss_after("( sleep 3; for p in /proc/[0-9]*; do "
                      "[ \"$(readlink $p/cwd)\" = \"$PWD\" ] && "
                      "tr '\\0' ' ' <$p/cmdline | grep -q '[s]olve --csv' && "
                      "kill -ABRT ${p#/proc/}; done ) >/dev/null 2>&1 & ",
                      "bench $DATA/lcp_dense.dat b.dat $DATA/fc3d_dense.dat --tol 1e-8 "
                      "--max-seconds 100 -o r"),
        1);
    ROWS(3);
    CELLS(1, "crash");
    CELLS(2, "converged");
}

TEST(interrupted_and_resumed)
{
    make_hanging("c.dat");
    const char *line = "bench $DATA/lcp_dense.dat c.dat $DATA/fc3d_dense.dat --tol 1e-8 "
                       "--max-seconds 100 -o r";
    ck_assert_int_eq(percuss_after("timeout --preserve-status -s INT 3", "%s", line), 1);
    ck_assert_msg(strstr(err_text, "interrupted after 1 of 3"), "%s", err_text);
    ROWS(1);
    ck_assert(file_exists("r/report.html"));

    // killed by SIGKILL, and a row cut short
    ck_assert_int_ne(percuss_after("timeout -s KILL 2", "%s", line), 0);
    ROWS(1);
    ck_assert_int_eq(percuss_after("printf 'half,a,row' >>r/runs.csv; rm c.dat; "
                                   "cp $DATA/fc3d_blocks.dat c.dat;",
                                   "%s", line),
                     0);
    ROWS(3);
    ck_assert_int_eq(count_in("r/runs.csv", "half"), 0);
    CELLS(3, "converged");
}

// also where cells behind the hanging one are there
TEST(an_interrupt_counts_the_cells_that_are_there)
{
    const char *line = "bench $DATA/lcp_dense.dat c.dat $DATA/fc3d_dense.dat --tol 1e-8 "
                       "--max-seconds 100 -o r";
    ck_assert_int_eq(percuss_after("cp $DATA/fc3d_blocks.dat c.dat;", "%s", line), 0);
    ck_assert_int_eq(percuss_after("rm c.dat;", "--version"), 0);
    make_hanging("c.dat");
    ck_assert_int_eq(percuss_after("timeout --preserve-status -s INT 3", "%s", line), 1);
    ck_assert_msg(strstr(err_text, "interrupted after 2 of 3"), "%s", err_text);
}

TEST(rows_of_other_programs_are_added)
{
    file_write("peer.csv",
               "# made elsewhere\n"
               "solver,file,tol,outcome,seconds\n"
               "\"peer, \"\"fast\"\" <1>\",/elsewhere/lcp_dense.dat,1e-8,converged,1e-9\n"
               "peer\xff,lcp_dense.dat,1e-8,stalled,1\n"
               "peer2,unknown.dat,1e-8,converged,1\n");
    ck_assert_int_eq(percuss("bench $DATA/lcp_dense.dat --tol 1e-8 --add peer.csv -o r"), 0);
    ROWS(1);
    ck_assert_int_eq(count_in("r/report.html", "<tr data-solver="), 3);
    ck_assert_int_eq(count_in("r/report.html", "\xff"), 0);
    ck_assert_int_ge(count_in("r/report.html", "peer, &quot;fast&quot; &lt;1&gt;"), 3);
    ck_assert_int_eq(count_in("r/report.html", "<1>"), 0);
    ck_assert_int_eq(count_in("r/profile-1e-08.svg", "<path "), 3);
    file_write("bad.csv", "a,b\n1,2\n");
    REFUSED("bad.csv:1", "bench $DATA/lcp_dense.dat --add bad.csv -o r");
}

// neither a problem nor rows of another program, nor another file of the report
TEST(a_report_replaces_no_input)
{
    ck_assert_int_eq(percuss_after("mkdir r; cp $DATA/lcp_dense.dat r/report.html; cp "
                                   "$DATA/lcp_dense.dat problem; cp problem r/problems.csv; "
                                   "ln -s ../problem r/success-1e-06.svg; mkdir q; "
                                   "ln -s report.html q/profile-1e-06.svg; mkdir s; "
                                   "cp problem s/a.dat;",
                                   "--version"),
                     0);
    file_write("r/runs.csv", "file,solver,tol,outcome,seconds\n");
    REFUSED("r/report.html is the input", "bench r/report.html --tol 1e-6 -o r");
    REFUSED("r/success-1e-06.svg is the input", "bench problem --tol 1e-8,1e-6 -o r");
    REFUSED("r/runs.csv is the input", "bench $DATA/lcp_dense.dat --add r/runs.csv -o ./r");
    REFUSED("one would replace the other", "bench problem --tol 1e-6 -o q");
    REFUSED("r/problems.csv is the input", "bench --series s r/problems.csv -o r");
    char *same = file_read("r/report.html"), *page = file_read("problem");
    ck_assert_str_eq(same, page);
    free(same);
    free(page);
    ck_assert(!file_exists("q/runs.csv") && !file_exists("r/series.csv"));
    ck_assert_int_eq(percuss("bench --series s -o q"), 0);
}

TEST(unreadable_problems_are_cells)
{
    file_write("bad.dat", "nothing at all");
    ck_assert_int_eq(percuss("bench bad.dat $DATA/fc3d_dense.dat -s lemke,nsgs --tol 1e-6 -o r"),
                     1);
    ROWS(4);
    CELLS(2, "unreadable");
    CELLS(1, "refused");
    CELLS(1, "converged");
}

TEST(wrong_lines_are_refused)
{
    REFUSED("-o is missing", "bench $DATA/lcp_dense.dat");
    REFUSED("nowhere/r", "bench $DATA/lcp_dense.dat -o nowhere/r");
    REFUSED("did you mean nsgs?", "bench $DATA/lcp_dense.dat -s nsg -o r");
    REFUSED("no option", "bench $DATA/lcp_dense.dat -s nsgs:zzz=1 -o r");
    REFUSED("--tol is '2'", "bench $DATA/lcp_dense.dat --tol 2 -o r");
    REFUSED("0.0001, the same in six digits",
            "bench $DATA/lcp_dense.dat --tol 1e-4,1e-8,0.0001 -o r");
    REFUSED("six digits", "bench $DATA/lcp_dense.dat --tol 1e-4,1.0000001e-4 -o r");
    REFUSED("nsgs twice", "bench $DATA/lcp_dense.dat -s nsgs,ipm,nsgs -o r");
    REFUSED("lcp_dense.dat is given twice; give it once",
            "bench $DATA/lcp_dense.dat $DATA/fc3d_dense.dat $DATA/lcp_dense.dat -o r");
    REFUSED("is given twice, also as", "bench $DATA $DATA/../data/lcp_dense.dat -o r");
    REFUSED("belong to a solver", "bench $DATA/lcp_dense.dat --opt depth=1 -o r");
    static const char *const empty[] = {"", "nsgs:,,", "nsgs:", "nsgs::depth=0", "nsgs,"};
    for (int i = 0; i < 5; ++i) {
        REFUSED("empty", "bench $DATA/lcp_dense.dat -s '%s' -o r", empty[i]);
    }
    REFUSED("empty", "bench $DATA/lcp_dense.dat -o ''");
    REFUSED("empty", "bench '' -o r");
    ck_assert(!file_exists("r"));
    file_write("file", "");
    REFUSED("file", "bench $DATA/lcp_dense.dat -o file");
    file_write("scene.json", "{\"percuss_scene\": 1}");
    REFUSED("this is a scene, not a problem", "bench scene.json -o r");
}

// a row is found by its name, whatever bytes the name has
TEST(any_name_is_found_again)
{
    const char *copies = "for n in \"$(printf 'new\\nline')\" 'a,b\"c' 'back\\x0aslash\\\\' "
                         "\"$(printf 'cr\\rtab\\tesc\\033')\" \"$(printf 'latin\\351')\"; "
                         "do cp $DATA/fc3d_dense.dat \"$n.dat\"; done;";
    ck_assert_int_eq(percuss_after(copies, "bench *.dat -s nsgs --tol 1e-6 -o r"), 0);
    ROWS(5);
    char *before = file_read("r/runs.csv");
    ck_assert_int_eq(percuss("bench *.dat -s nsgs --tol 1e-6 -o r"), 0);
    char *after = file_read("r/runs.csv");
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    // rows of other programs are read in the same way
    ck_assert_int_eq(percuss("bench *.dat -s nsgs --tol 1e-6 --add r/runs.csv -o s"), 0);
    REFUSED("/dev/zero", "bench *.dat -s nsgs --add /dev/zero -o t");
}

TEST(a_full_disk_leaves_whole_rows)
{
    // files may grow to 1 block: the header and one or two rows
    ck_assert_int_eq(percuss_after("ulimit -f 1;", "bench $DATA --tol 1e-6 -o r >/dev/null"), 2);
    char *text = file_read("r/runs.csv");
    ck_assert_ptr_nonnull(text);
    ck_assert(text[0] == '\0' || text[strlen(text) - 1] == '\n');
    free(text);
    ck_assert(!file_exists("r/report.html"));
    ck_assert_int_eq(percuss("bench $DATA --tol 1e-6 -o r"), 1);
    CELLS(2, "infeasible");
}

TEST_AROUND(folder_make, folder_remove)
