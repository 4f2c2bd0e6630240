// Shared parts of the examples: flags, CSV files, checks, orders; and an impact calculated by hand.
#define _POSIX_C_SOURCE 200809L // symlink
#include "args.h"
#include "checks.h"
#include "checks/impact_by_hand.h"
#include "csv.h"
#include "study.h"
#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CSV_NAME "test_support.csv"
#define CSV_PATH CSV_NAME

typedef struct settings {
    double mass, speed, spin[3];
    int count, metric;
    const char *file, *in, *csv, *scene;
    bool plain;
} settings;

// runs the parser on the words after the program name
static bool parse(settings *s, args *a, int n, const char *const words[])
{
    const char *argv[16] = {"bin/ball"};
    for (int i = 0; i < n; ++i) {
        argv[i + 1] = words[i];
    }
    *s = (settings){.mass = 1, .speed = -2, .count = 3, .metric = 1};
    *a = (args){.about = "A ball falls."};
    args_positive(a, "--mass", &s->mass, 10, "kg", "mass of the ball");
    args_real(a, "--speed", &s->speed, -10, 10, "m/s", "first speed");
    args_vector(a, "--spin", s->spin, 100, "rad/s", "spin");
    args_int(a, "--count", &s->count, 0, 9, "how many");
    args_choice(a, "--metric", &s->metric, "q|q1|v|mass", "metric");
    args_string(a, "--file", &s->file, "FILE", "where");
    args_input(a, "--in", &s->in, "FILE", "what is read");
    args_output(a, "--csv", &s->csv, "FILE", "a table");
    args_output(a, "--scene", &s->scene, "FILE", "a scene");
    args_bool(a, "--plain", &s->plain, "no colours");
    return args_read(a, n + 1, (char **)argv);
}

#define PARSE(s, a, ...)                                                                \
    parse((s), (a), (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)), \
          (const char *const[]){__VA_ARGS__})

TEST(no_flags_leave_the_defaults)
{
    settings s;
    args a;
    ck_assert(parse(&s, &a, 0, NULL));
    ck_assert(s.mass == 1 && s.speed == -2 && s.count == 3 && s.metric == 1);
    ck_assert(s.file == NULL && !s.plain);
}

TEST(both_spellings_are_read)
{
    settings s;
    args a;
    ck_assert(PARSE(&s, &a, "--mass", "2.5", "--speed=-1e-3", "--count", "9", "--metric=mass",
                    "--file", "x.csv", "--plain"));
    ck_assert(s.mass == 2.5 && s.speed == -1e-3 && s.count == 9 && s.metric == 3);
    ck_assert_str_eq(s.file, "x.csv");
    ck_assert(s.plain);

    ck_assert(PARSE(&s, &a, "--speed", "-7", "--plain=yes", "--plain=no", "--metric", "q"));
    ck_assert(s.speed == -7 && !s.plain && s.metric == 0);
}

TEST(a_single_number_is_the_third_of_a_vector)
{
    settings s;
    args a;
    ck_assert(PARSE(&s, &a, "--spin", "1,-2.5,3e-1"));
    ck_assert(s.spin[0] == 1 && s.spin[1] == -2.5 && s.spin[2] == 0.3);
    ck_assert(PARSE(&s, &a, "--spin=1,2,3", "--spin", "-4"));
    ck_assert(s.spin[0] == 0 && s.spin[1] == 0 && s.spin[2] == -4);
}

TEST(mistakes_end_with_code_two)
{
    static const char *const line[][2] = {
        {"--mass", "0"},       {"--mass", "-1"},      {"--mass", "nan"},
        {"--mass", "inf"},     {"--mass", "1kg"},     {"--mass", ""},
        {"--mass=", "x"},      {"--speed", "10.001"}, {"--count", "2.5"},
        {"--count", "10"},     {"--count", "-1"},     {"--metric", "qq"},
        {"--count", "1e3"},    {"--metric", ""},      {"--mas", "1"},
        {"--file=", "x"},      {"--plain=maybe", ""}, {"ball", "--plain"},
        {"--mass", "--plain"}, {"-x", "1"},           {"--count", "99999999999999999999"},
        {"--spin", "1,2"},     {"--spin", "1,2,3,4"}, {"--spin", "1,2,3,"},
        {"--spin", "1,"},      {"--spin", "1,,2"},    {"--spin", "1,nan,2"},
        {"--spin", "x"},       {"--spin=", "x"},      {"--spin", "1 2 3"},
        {"--mass", "0.099"},   {"--mass", "10.01"},   {"--spin", "0,0,-101"},
    };
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i) {
        settings s;
        args a;
        ck_assert_msg(!PARSE(&s, &a, line[i][0], line[i][1]), "%s %s was taken", line[i][0],
                      line[i][1]);
        ck_assert_int_eq(a.exit_code, 2);
    }
    settings s;
    args a;
    ck_assert(!PARSE(&s, &a, "--mass"));
    ck_assert_int_eq(a.exit_code, 2);
}

TEST(no_file_is_written_that_is_read_or_written_twice)
{
    settings s;
    args a;
    static const char *const same[][4] = {
        {"--csv", CSV_PATH, "--scene", CSV_PATH},
        {"--scene", CSV_PATH, "--csv", CSV_PATH ".d/../" CSV_NAME},
        {"--csv", CSV_PATH ".link", "--in", CSV_PATH},
        {"--in", CSV_PATH, "--scene", CSV_PATH ".hard"},
    };
    remove(CSV_PATH ".link");
    remove(CSV_PATH ".hard");
    rmdir(CSV_PATH ".d");
    ck_assert(mkdir(CSV_PATH ".d", 0777) == 0);
    ck_assert(symlink(CSV_PATH, CSV_PATH ".link") == 0);
    for (int there = 0; there < 2; ++there) {
        remove(CSV_PATH);
        if (there) fclose(fopen(CSV_PATH, "w"));
        if (there) ck_assert(link(CSV_PATH, CSV_PATH ".hard") == 0);
        for (int i = 0; i < 3 + there; ++i) {
            ck_assert_msg(!PARSE(&s, &a, same[i][0], same[i][1], same[i][2], same[i][3]),
                          "%s %s %s %s was taken", same[i][0], same[i][1], same[i][2], same[i][3]);
            ck_assert_int_eq(a.exit_code, 2);
        }
        ck_assert(PARSE(&s, &a, "--csv", CSV_PATH, "--scene", CSV_PATH ".d/" CSV_NAME));
    }
    ck_assert(PARSE(&s, &a, "--csv", "/dev/null", "--scene", "/dev/null"));
    remove(CSV_PATH);
    remove(CSV_PATH ".link");
    remove(CSV_PATH ".hard");
    rmdir(CSV_PATH ".d");
}

TEST(help_ends_with_code_zero)
{
    settings s;
    args a;
    ck_assert(!PARSE(&s, &a, "--mass", "2", "--help"));
    ck_assert_int_eq(a.exit_code, 0);
}

static bool exists(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f) fclose(f);
    return f != NULL;
}

TEST(a_csv_is_written_to_the_end_of_a_link)
{
    csv c;
    remove(CSV_PATH);
    remove(CSV_PATH ".link");
    ck_assert(symlink(CSV_PATH, CSV_PATH ".link") == 0);
    ck_assert(csv_open(&c, CSV_PATH ".link", "t"));
    ck_assert(csv_close(&c));
    ck_assert(exists(CSV_PATH));
    remove(CSV_PATH);
    ck_assert(!exists(CSV_PATH ".link")); // it is a link still
    remove(CSV_PATH ".link");
}

TEST(a_csv_appears_complete_at_close)
{
    remove(CSV_PATH);
    csv c;
    ck_assert(csv_open(&c, CSV_PATH, "t,z,none,name"));
    csv_real(&c, 0.1);
    csv_real(&c, -0.0);
    csv_real(&c, NAN);
    csv_text(&c, "a,\"b\"");
    csv_end(&c);
    ck_assert(!exists(CSV_PATH));
    ck_assert(csv_close(&c));

    char text[200] = "";
    FILE *f = fopen(CSV_PATH, "rb");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    ck_assert_str_eq(text, "t,z,none,name\n0.10000000000000001,-0,,\"a,\"\"b\"\"\"\n");
    ck_assert(!exists(CSV_PATH ".part0"));
    remove(CSV_PATH);
}

TEST(a_bad_csv_leaves_nothing)
{
    csv c;

    // a row shorter than the header
    ck_assert(csv_open(&c, CSV_PATH, "t,z"));
    CSV_ROW(&c, 1.0);
    ck_assert(!csv_close(&c));
    ck_assert(!exists(CSV_PATH) && !exists(CSV_PATH ".part0"));

    // a row that was not completed
    ck_assert(csv_open(&c, CSV_PATH, "t,z"));
    csv_real(&c, 1);
    ck_assert(!csv_close(&c));
    ck_assert(!exists(CSV_PATH) && !exists(CSV_PATH ".part0"));

    // given up
    ck_assert(csv_open(&c, CSV_PATH, "t"));
    CSV_ROW(&c, 1.0);
    csv_drop(&c);
    csv_drop(&c);
    ck_assert(!exists(CSV_PATH) && !exists(CSV_PATH ".part0"));

    // a folder that does not exist, and a full disk
    ck_assert(!csv_open(&c, "no/such/folder/x.csv", "t"));
    csv_drop(&c);
    if (exists("/dev/full")) {
        ck_assert(csv_open(&c, "/dev/full", "t"));
        for (int i = 0; i < 100000; ++i) {
            CSV_ROW(&c, i);
        }
        ck_assert(!csv_close(&c));
    }
}

TEST(an_old_csv_survives_a_failure)
{
    csv c;
    ck_assert(csv_open(&c, CSV_PATH, "t"));
    CSV_ROW(&c, 1.0);
    ck_assert(csv_close(&c));
    ck_assert(csv_open(&c, CSV_PATH, "t,z"));
    CSV_ROW(&c, 1.0);
    ck_assert(!csv_close(&c));
    ck_assert(exists(CSV_PATH));
    remove(CSV_PATH);
}

TEST(no_path_does_nothing)
{
    csv c;
    ck_assert(csv_open(&c, NULL, "t,z"));
    CSV_ROW(&c, 1.0, 2.0, 3.0);
    csv_text(&c, "x");
    ck_assert(csv_close(&c));
}

TEST(a_slope_is_the_power)
{
    double x[5], y[5];
    for (int i = 0; i < 5; ++i) {
        x[i] = study_size(0.3, i, 2 * i);
        y[i] = 7 * x[i] * x[i] * sqrt(x[i]);
    }
    ck_assert_double_eq_tol(study_slope(5, x, y), 2.5, 1e-12);
    for (int i = 0; i < 100; ++i) {
        const double h = study_size(0.3, 2, i);
        ck_assert(h <= 0.3 / 4 && h > 0.3 / 8);
    }
}

TEST(two_balls_exchange_their_speeds)
{
    const double J = 0.4 * 0.01;
    const solid ball[2] = {{.mass = 1,
                            .inertia = {J, J, J},
                            .x = {0.1, 0, 0},
                            .Q = {1},
                            .v = {-2, 1, 0},
                            .omega = {1, 2, 3}},
                           {.mass = 1, .inertia = {J, J, J}, .x = {-0.1, 0, 0}, .Q = {1}}};
    const touch_point touch = {.N = {1, 0, 0}};
    hand_result r;
    ck_assert(hand_impact(ball, 1, &touch, 1, &r));
    ck_assert_double_eq_tol(r.v[0][0], 0, 1e-15);
    ck_assert_double_eq_tol(r.v[1][0], -2, 1e-15);
    ck_assert_double_eq_tol(r.p[0], 2, 1e-15);
    ck_assert(r.v[0][1] == 1 && r.v[0][4] == 2 && r.v[1][4] == 0);
    ck_assert_double_eq_tol(r.loss, 0, 1e-15);
}

TEST(checks_count_what_fails)
{
    checks c = checks_begin();
    ck_assert(check_value(&c, "near", 1, 1 + 1e-9, 1e-8));
    ck_assert(check_order(&c, "order", 1.5, 0.9));
    ck_assert_int_eq(checks_end(&c), 0);
    ck_assert(!check_value(&c, "far", 1, 2, 0.5));
    ck_assert(!check_value(&c, "not a number", NAN, 2, 0.5));
    ck_assert(!check_order(&c, "not an order", NAN, 0.9));
    ck_assert(!check_that(&c, "wrong", false, "no"));
    check_skip(&c, "skipped", "why not");
    ck_assert_int_eq(c.done, 6);
    ck_assert_int_eq(c.failed, 4);
    ck_assert_str_eq(c.first, "far");
    ck_assert_int_eq(checks_end(&c), 1);
}
