// percuss export as the real program: names, refusals, a full disk.
#include <stdio.h>
#include <string.h>

#include "percuss.h"
#include "support.h"

static void record(void)
{
    ck_assert_int_eq(percuss("scene --from-example cradle -o s.json"), 0);
    ck_assert_int_eq(percuss("run s.json -q --until 0.05 -o t.h5"), 0);
}

TEST(the_ending_of_the_output_decides)
{
    record();
    ck_assert_int_eq(percuss("export t.h5 -o a.csv"), 0);
    ck_assert(file_exists("a-bodies.csv") && file_exists("a-contacts.csv") &&
              file_exists("a-steps.csv"));
    ck_assert_int_eq(percuss("export t.h5 --to csv --what bodies -o table"), 0);
    ck_assert(file_exists("table"));
    ck_assert_int_eq(percuss("export t.h5 --to pvd --no-contacts"), 0);
    ck_assert(file_exists("t.pvd") && file_exists("t-frames") && !file_exists("t-contacts.pvd"));
    // no other ending is cut
    ck_assert_int_eq(percuss("export t.h5 --to csv -o run.1"), 0);
    ck_assert_int_eq(percuss("export t.h5 --to csv -o run.2.CSV"), 0);
    ck_assert(file_exists("run.1-bodies.csv") && file_exists("run.2-bodies.csv"));
    REFUSED("names no format", "export t.h5 -o a.xyz");
    REFUSED("--to csv|pvd|vtkhdf|glb|usda", "export t.h5");
    REFUSED("it must be one of csv|", "export t.h5 --to name");
    REFUSED("change one of them", "export t.h5 --to pvd -o b.csv");
    REFUSED("the format of a.glb is glb", "export t.h5 -o a.glb --what bodies");
    ck_assert(!file_exists("b.csv") && !file_exists("a.glb"));
}

// the line names the files that are there
TEST(the_line_names_the_tables)
{
    record();
    ck_assert_int_eq(percuss("export t.h5 -o ./t.csv"), 0);
    ck_assert_str_eq(err_text,
                     "./t-bodies.csv, ./t-contacts.csv, ./t-steps.csv: 51 of 51 frames\n");
    ck_assert_int_eq(percuss("export t.h5 -o u.csv --no-contacts --last 3"), 0);
    ck_assert_str_eq(err_text, "u-bodies.csv, u-steps.csv: 4 of 51 frames\n");
    ck_assert(file_exists("u-bodies.csv") && file_exists("u-steps.csv") &&
              !file_exists("u-contacts.csv"));
    ck_assert_int_eq(percuss("export t.h5 --what steps -o s.csv"), 0);
    ck_assert_str_eq(err_text, "s.csv: 51 of 51 frames\n");
    // another ending stays, and a link is followed
    ck_assert_int_eq(percuss("export t.h5 --to csv -o run.1 --no-contacts"), 0);
    ck_assert_str_eq(err_text, "run.1-bodies.csv, run.1-steps.csv: 51 of 51 frames\n");
    ck_assert(file_exists("run.1-bodies.csv"));
    ck_assert_int_eq(
        percuss_after("ln -s there.csv link.csv;", "export t.h5 -o link.csv --no-contacts"), 0);
    ck_assert_ptr_nonnull(strstr(err_text, "there-bodies.csv, "));
    ck_assert(file_exists("there-bodies.csv"));
}

// the same bytes, and nothing else on the standard output
TEST(a_table_goes_through_a_pipe)
{
    record();
    ck_assert_int_eq(percuss("export t.h5 --what steps -o a.csv"), 0);
    ck_assert_int_eq(percuss("export t.h5 --what steps --to csv -o /dev/stdout"), 0);
    ck_assert_ptr_nonnull(strstr(out_text,
                                 "doubts_overlap,doubts_travel,doubts_unsolved,doubts_gain,"
                                 "doubts_joint,doubts_projection"));
    char *file = file_read("a.csv");
    ck_assert_str_eq(file, out_text);
    free(file);
}

TEST(a_trajectory_is_not_replaced_by_its_export)
{
    record();
    ck_assert_int_eq(percuss_after("cp t.h5 a-steps.csv; cp t.h5 b-fixed.vtkhdf;", "info t.h5"), 0);
    REFUSED("would replace", "export t.h5 --to csv --what bodies -o t.h5");
    REFUSED("would replace", "export t.h5 --to vtkhdf -o ./t.h5");
    REFUSED("would replace", "export a-steps.csv -o a.csv");
    REFUSED("would replace", "export b-fixed.vtkhdf -o b.vtkhdf");
    ck_assert_int_eq(percuss_after("ln -s a.csv link.csv;", "info t.h5"), 0);
    REFUSED("would replace", "export a-steps.csv -o link.csv");
    ck_assert_int_eq(percuss_after("cp t.h5 run.1-steps.csv;", "info t.h5"), 0);
    REFUSED("would replace", "export run.1-steps.csv --to csv -o run.1");
    ck_assert_int_eq(percuss("info t.h5 a-steps.csv b-fixed.vtkhdf"), 0);
}

TEST(wrong_lines_and_files_are_refused)
{
    record();
    const int before = file_count();
    REFUSED("none.h5", "export none.h5 -o a.csv");
    REFUSED("s.json: this is a scene, not a trajectory", "export s.json -o a.csv");
    REFUSED("--first is 9999; the trajectory has frames 0 to 50",
            "export t.h5 -o a.csv --first 9999");
    REFUSED("--last is 51; the trajectory has frames 0 to 50", "export t.h5 -o a.csv --last 51");
    REFUSED("--first is 5, and --last, 4,", "export t.h5 -o a.csv --first 5 --last 4");
    REFUSED("nowhere", "export t.h5 -o nowhere/a.csv");
    REFUSED("nowhere", "export t.h5 -o nowhere/a.pvd");
    REFUSED("nowhere", "export t.h5 -o nowhere/a.vtkhdf");
    REFUSED("0.7", "export t.h5 -o a.pvd --tolerance 0.7");
    ck_assert_int_eq(file_count(), before);
    ck_assert_int_eq(percuss_after("head -c 3000 t.h5 >cut.h5;", "export cut.h5 -o a.csv"), 2);
    ck_assert_int_eq(file_count(), before + 1);
}

// a disk that is full: what was there stays, nothing else is left
TEST(a_full_disk_leaves_the_old_files)
{
    record();
    static const char *const endings[] = {"csv", "pvd", "vtkhdf", "glb", "usda"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        ck_assert_int_eq(percuss("export t.h5 -o a.%s", endings[i]), 0);
    }
    const int before = file_count();
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        // one block for each file
        const int code =
            percuss_after("ulimit -f 1;", "export t.h5 -o a.%s --tolerance 0.0001", endings[i]);
        ck_assert_msg(code == 2, "%s: exit code %d: %s", endings[i], code, err_text);
        ck_assert_msg(one_line(err_text), "%s: %s", endings[i], err_text);
        ck_assert_msg(file_count() == before, "%s: %d files, %d before", endings[i], file_count(),
                      before);
    }
    ck_assert_int_eq(percuss("export t.h5 --to csv --what steps -o /dev/full"), 2);
    ck_assert_ptr_nonnull(strstr(err_text, "No space left"));
}

TEST_AROUND(folder_make, folder_remove)
