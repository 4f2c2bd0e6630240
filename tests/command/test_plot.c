// percuss plot as the real program: its numbers against closed forms, what reaches gnuplot, and
// requests that cannot be drawn. Most tests put a gnuplot of their own into PATH, which keeps its
// script.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "percuss.h"
#include "support.h"

// kg, of a ball
#define MASS (1000 * 4.0 / 3 * 3.14159265358979323846 * 1e-3)

#define FALSE_GNUPLOT "PATH=\"$PWD:$PATH\""
#define NAME          "`touch struck` $(touch struck) 'a' \\\"b\\\" <i>&@x"

// a ball is thrown up beside one that lies on the ground; h and the end of the run
static void make_flight(double h, double end)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"percuss_scene\": 1, \"name\": \"flight\", \"run\": {\"h\": %.17g, \"t_end\": %.17g},"
        "\"bodies\": [{\"name\": \"%s\", \"position\": [0, 0, 5], \"velocity\": [2, 0, 3],"
        "  \"density\": 1000, \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]},"
        " {\"name\": \"low\", \"position\": [3, 0, 0.1], \"density\": 1000,"
        "  \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]},"
        " {\"position\": [9, 0, 0.5], \"density\": 1000,"
        "  \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]}],"
        "\"world\": {\"shapes\": [{\"kind\": \"half_space\"}]}}",
        h, end, NAME);
    file_write("flight.json", text);
    ck_assert_msg(percuss("run flight.json -o flight.h5 -q") == 0, "%s", err_text);
}

static void make_gnuplot(const char *commands)
{
    char text[500], path[200];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", commands);
    file_write("gnuplot", text);
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    ck_assert_int_eq(chmod(path, 0755), 0);
}

// the numbers of column `at` of a table, and of its times; how many rows
static int read_table(const char *name, int at, double *t, double *y, int most)
{
    char *text = file_read(name);
    ck_assert_ptr_nonnull(text);
    int n = 0;
    char *line = strchr(text, '\n') + 1;
    for (; *line && n < most; ++n) {
        char *end;
        t[n] = strtod(line, &end);
        for (int c = 0; c < at; ++c) {
            end = strchr(end, ',') + 1;
        }
        y[n] = *end == ',' || *end == '\n' ? NAN : strtod(end, NULL);
        line = strchr(line, '\n') + 1;
    }
    free(text);
    return n;
}

// the points of $curveK in what the false gnuplot was given
static int read_script(int number, double *t, double *y, int most)
{
    char *text = file_read("script"), head[40];
    ck_assert_ptr_nonnull(text);
    snprintf(head, sizeof head, "$curve%d << END\n", number);
    char *line = strstr(text, head);
    ck_assert_ptr_nonnull(line);
    int n = 0;
    for (line = strchr(line, '\n') + 1; strncmp(line, "END", 3) != 0;
         line = strchr(line, '\n') + 1) {
        if (n < most && sscanf(line, "%lf,%lf", &t[n], &y[n]) == 2) n += 1;
    }
    free(text);
    return n;
}

TEST(the_numbers_are_those_of_the_motion)
{
    enum { N = 101 };
    static double t[N + 1], x[N + 1], z[N + 1];
    make_flight(0.01, 1);
    ck_assert_msg(percuss("plot flight.h5 -w position --body 1 -o p.csv") == 0, "%s", err_text);
    ck_assert_int_eq(read_table("p.csv", 1, t, x, N + 1), N);
    ck_assert_int_eq(read_table("p.csv", 3, t, z, N + 1), N);
    for (int k = 0; k < N; ++k) {
        // the default scheme, theta = 1/2, is exact in free fall
        CK_NEAR(t[k], 0.01 * k, 1e-12);
        CK_NEAR(x[k], 2 * t[k], 1e-12);
        CK_NEAR(z[k], 5 + 3 * t[k] - 0.5 * 9.81 * t[k] * t[k], 1e-12);
    }
    // the ball that flies and the one that falls; the sum of energies stays
    ck_assert_int_eq(percuss("plot flight.h5 -w energy -o e.csv --from 0.095 --until 0.205"), 0);
    ck_assert_int_eq(read_table("e.csv", 1, t, x, N), 11);
    ck_assert_int_eq(read_table("e.csv", 3, t, z, N), 11);
    for (int k = 0; k < 11; ++k) {
        const double fall = 9.81 * t[k],
                     K = 0.5 * MASS * (4 + (3 - fall) * (3 - fall) + fall * fall);
        CK_NEAR(t[k], 0.1 + 0.01 * k, 1e-12);
        CK_NEAR(x[k], K, 1e-11 * K);
        CK_NEAR(z[k], z[0], 1e-11 * z[0]);
    }
}

// a crank turns at 6 rad/s about an axis through the origin, its centre 0.5 m away
TEST(a_prescribed_motion_has_the_velocity_of_the_motion)
{
    enum { N = 11 };
    static double t[N + 1], x[N + 1], y[N + 1];
    file_write(
        "crank.json",
        "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"crank\", \"position\": [0.5, 0, 0],"
        " \"motion\": {\"axis\": [0, 0, 1], \"speed\": 6, \"centre\": [0, 0, 0]}}, {\"name\": "
        "\"bed\","
        " \"fixed\": true}], \"run\": {\"h\": 0.01, \"t_end\": 0.1}}");
    ck_assert_msg(percuss("run crank.json -o crank.h5 -q") == 0, "%s", err_text);
    ck_assert_msg(percuss("plot crank.h5 -w angular-velocity -b crank -o w.csv") == 0, "%s",
                  err_text);
    ck_assert_int_eq(read_table("w.csv", 3, t, x, N + 1), N);
    ck_assert_int_eq(percuss("export crank.h5 --what bodies -o b.csv --last 0"), 0);
    for (int k = 0; k < N; ++k) {
        CK_NEAR(x[k], 6, 1e-14);
    }
    // the velocity is the change of the position: central differences are of second order
    ck_assert_int_eq(percuss("plot crank.h5 -w position -b crank --axis y -o p.csv"), 0);
    ck_assert_int_eq(percuss("plot crank.h5 -w velocity -b crank --axis y -o v.csv"), 0);
    ck_assert_int_eq(read_table("p.csv", 1, t, x, N + 1), N);
    ck_assert_int_eq(read_table("v.csv", 1, t, y, N + 1), N);
    for (int k = 1; k + 1 < N; ++k) {
        CK_NEAR((x[k + 1] - x[k - 1]) / 0.02, y[k], 6 * 36 * 0.5 * 1e-4 / 6 + 1e-12);
    }
    REFUSED("'bed' does not move", "plot crank.h5 -w velocity -b bed");
    // a body with a prescribed motion has no mass, and no kinetic energy
    char *text = file_read("b.csv");
    ck_assert_msg(strstr(text, ",6,\n") != NULL, "%s", text);
    free(text);
    // 6 rad/s in degrees
    ck_assert_int_eq(percuss("export crank.h5 -o c.usda"), 0);
    text = file_read("c.usda");
    ck_assert_msg(strstr(text, "angularVelocity = (0, 0, 343.77467707") != NULL, "%s", text);
    free(text);
}

TEST(a_ball_at_rest_is_carried_by_its_impulse)
{
    enum { N = 101 };
    static double t[N + 1], r[N + 1];
    make_flight(0.01, 1);
    ck_assert_int_eq(percuss("plot flight.h5 -w impulse -p low world --axis normal -o i.csv"), 0);
    ck_assert_int_eq(read_table("i.csv", 1, t, r, N + 1), N);
    for (int k = 1; k < N; ++k) {
        CK_NEAR(r[k], MASS * 9.81 * 0.01, 1e-6 * MASS);
    }
    ck_assert_int_eq(percuss("plot flight.h5 -w gap -p world low -o g.csv"), 0);
    ck_assert_int_eq(read_table("g.csv", 1, t, r, N + 1), N);
    for (int k = 1; k < N; ++k) {
        CK_NEAR(r[k], 0, 1e-6);
    }
}

TEST(gnuplot_is_given_the_numbers_of_the_table)
{
    enum { N = 101 };
    static double t[N + 1], y[N + 1], at[N + 1], value[N + 1];
    make_flight(0.01, 1);
    make_gnuplot("cat >script; echo '<svg/>'");
    ck_assert_int_eq(percuss("plot flight.h5 -w velocity -o v.csv"), 0);
    ck_assert_int_eq(percuss_after(FALSE_GNUPLOT, "plot flight.h5 -w velocity -o v.svg"), 0);
    char *picture = file_read("v.svg");
    ck_assert_str_eq(picture, "<svg/>\n");
    free(picture);
    for (int c = 0; c < 9; ++c) {
        ck_assert_int_eq(read_table("v.csv", 1 + c, t, y, N + 1), N);
        ck_assert_int_eq(read_script(c, at, value, N + 1), N);
        for (int k = 0; k < N; ++k) {
            ck_assert(at[k] == t[k] && value[k] == y[k]);
        }
    }
}

// weight times h, along each axis of the joint; a rope has one number, which pulls
TEST(what_hangs_is_carried_by_its_joint)
{
    enum { N = 11 };
    static double t[N + 1], r[N + 1];
    file_write(
        "hang.json",
        "{\"percuss_scene\": 1, \"run\": {\"h\": 0.01, \"t_end\": 0.1}, \"bodies\": ["
        "{\"name\": \"lamp\", \"position\": [1, 0, -1], \"mass\": 2, \"inertia\": [1, 1, 1]},"
        "{\"name\": \"bell\", \"position\": [3, 0, -1], \"mass\": 3, \"inertia\": [1, 1, 1]}],"
        "\"interactions\": [{\"kind\": \"ball\", \"name\": \"hook\", \"bodies\": [\"lamp\"],"
        "  \"at\": [1, 0, 0]},"
        " {\"kind\": \"rope\", \"bodies\": [\"bell\"], \"at2\": [3, 0, 0], \"length\": 1}]}");
    ck_assert_msg(percuss("run hang.json -o hang.h5 -q") == 0, "%s", err_text);
    ck_assert_int_eq(percuss("plot hang.h5 -w reaction -o r.csv"), 0);
    char *table = file_read("r.csv");
    table[strcspn(table, "\n")] = '\0';
    ck_assert_str_eq(table, "t (s),hook x (N s),hook y (N s),hook z (N s),interaction 2 (N s)");
    free(table);
    ck_assert_int_eq(read_table("r.csv", 3, t, r, N + 1), N);
    for (int k = 1; k < N; ++k) {
        CK_NEAR(r[k], 2 * 9.81 * 0.01, 1e-6);
    }
    ck_assert_int_eq(read_table("r.csv", 1, t, r, N + 1), N);
    for (int k = 1; k < N; ++k) {
        CK_NEAR(r[k], 0, 1e-6);
    }
    ck_assert_int_eq(percuss("plot hang.h5 -w reaction -p bell world -o r.csv"), 0);
    ck_assert_int_eq(read_table("r.csv", 1, t, r, N + 1), N);
    for (int k = 1; k < N; ++k) {
        CK_NEAR(r[k], 3 * 9.81 * 0.01, 1e-6);
    }
    REFUSED("no joint or rope of these", "plot hang.h5 -w reaction -p bell lamp -o r.csv");
    REFUSED("has this component", "plot hang.h5 -w reaction --axis q0 -o r.csv");
}

// A wheel with a motor at its limit, beside a Lagrangian system: the impulse is the moment times h
// in N m s, and quantities that the system does not have are those of the wheel
TEST(a_motor_has_a_moment_and_other_systems_are_left_out)
{
    enum { N = 11 };
    static double t[N + 1], r[N + 1];
    file_write(
        "wheel.json",
        "{\"percuss_scene\": 1, \"gravity\": [0, 0, 0], \"run\": {\"h\": 0.01, \"t_end\": 0.1},"
        " \"bodies\": [{\"name\": \"wheel\", \"mass\": 2, \"inertia\": [0.03, 0.03, 0.03]},"
        " {\"kind\": \"lagrangian\", \"name\": \"swing\", \"mass_matrix\": [[2]]}],"
        " \"interactions\": [{\"kind\": \"hinge\", \"name\": \"axle\", \"bodies\": [\"wheel\"],"
        "  \"at\": [0, 0, 0], \"axis\": [0, 0, 1]},"
        " {\"kind\": \"motor\", \"name\": \"drive\", \"joint\": \"axle\", \"of_speed\": true,"
        "  \"target\": {\"offset\": 100}, \"limit\": 0.05}]}");
    ck_assert_msg(percuss("run wheel.json -o wheel.h5 -q") == 0, "%s", err_text);
    make_gnuplot("cat >script; echo '<svg/>'");
    ck_assert_int_eq(percuss_after(FALSE_GNUPLOT, "plot wheel.h5 -w reaction -o r.svg"), 0);
    char *script = file_read("script");
    ck_assert_ptr_nonnull(strstr(script, "of drives of angles N m s"));
    free(script);
    ck_assert_int_eq(percuss("plot wheel.h5 -w reaction -o r.csv"), 0);
    ck_assert_int_eq(read_table("r.csv", 6, t, r, N + 1), N);
    for (int k = 1; k < N; ++k) {
        CK_NEAR(r[k], 0.05 * 0.01, 1e-9);
    }
    const char *what[2] = {"orientation", "angular-velocity"};
    for (int k = 0; k < 2; ++k) {
        ck_assert_msg(percuss("plot wheel.h5 -w %s -o a.csv", what[k]) == 0, "%s", err_text);
        REFUSED("is a Lagrangian system", "plot wheel.h5 -w %s -b swing -o a.csv", what[k]);
    }
    ck_assert_int_eq(read_table("a.csv", 3, t, r, N + 1), N);
    CK_NEAR(r[N - 1], 0.05 * 0.1 / 0.03, 1e-9);
}

// the rows of two joints, far from each other in the list, have lines that differ
TEST(every_row_of_two_joints_has_a_line_of_its_own)
{
    char text[6000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "{\"percuss_scene\": 1, \"run\": {\"h\": 0.01, \"t_end\": 0.1},"
                                 "\"bodies\": [");
    for (int i = 0; i < 12; ++i) {
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "%s{\"name\": \"lamp%d\", \"position\": [%d, 0, -1], \"mass\": 2,"
                               " \"omega\": [0.1, 0.2, 0.3], \"inertia\": [1, 1, 1]}",
                               i > 0 ? "," : "", i, i);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "], \"interactions\": [");
    for (int i = 0; i < 12; ++i) {
        at +=
            (size_t)snprintf(text + at, sizeof text - at,
                             "%s{\"kind\": \"hinge\", \"bodies\": [\"lamp%d\"], \"at\": [%d, 0, 0],"
                             " \"axis\": [0, 1, 0]}",
                             i > 0 ? "," : "", i, i);
    }
    snprintf(text + at, sizeof text - at, "]}");
    file_write("lamps.json", text);
    ck_assert_msg(percuss("run lamps.json -o lamps.h5 -q") == 0, "%s", err_text);
    make_gnuplot("cat >script; echo '<svg/>'");
    ck_assert_int_eq(percuss_after(FALSE_GNUPLOT, "plot lamps.h5 -w reaction -b lamp0 -b lamp10"
                                                  " -o r.svg"),
                     0);
    char *script = file_read("script"), style[20][80];
    int n = 0;
    for (char *line = strstr(strstr(script, "\nplot "), "linecolor"); line && n < 20;
         line = strstr(line + 1, "linecolor")) {
        snprintf(style[n], sizeof style[n], "%.*s", (int)(strstr(line, " title") - line), line);
        for (int k = 0; k < n; ++k) {
            ck_assert_str_ne(style[k], style[n]);
        }
        n += 1;
    }
    ck_assert_int_eq(n, 10);
    free(script);
}

// the numbers of contacts have marks at whole numbers only
TEST(a_constant_number_of_contacts_has_a_whole_axis)
{
    make_flight(0.01, 0.2);
    make_gnuplot("cat >script; echo '<svg/>'");
    ck_assert_int_eq(percuss_after(FALSE_GNUPLOT, "plot flight.h5 -w active -o a.svg"), 0);
    char *script = file_read("script");
    ck_assert_ptr_nonnull(strstr(script, "set ytics 1\nset yrange [0:2]"));
    free(script);
    ck_assert_int_eq(percuss_after(FALSE_GNUPLOT, "plot flight.h5 -w energy -o e.svg"), 0);
    script = file_read("script");
    ck_assert_ptr_null(strstr(script, "set ytics 1"));
    free(script);
}

// a point is drawn, and the axis has no other time than its own
TEST(one_time_is_a_point)
{
    make_flight(0.01, 1);
    make_gnuplot("cat >script; echo '<svg/>'");
    ck_assert_int_eq(
        percuss_after(FALSE_GNUPLOT, "plot flight.h5 -w position --until 0.005 -o one.svg"), 0);
    char *script = file_read("script");
    ck_assert_ptr_nonnull(strstr(script, "set xtics ('0' 0)"));
    ck_assert_ptr_nonnull(strstr(script, "with linespoints"));
    free(script);
}

TEST(long_runs_keep_their_extremes)
{
    enum { N = 20001, MOST = 6000 };
    const int n = TEST_FEW(8001, N);
    static double t[N], y[N], at[MOST], value[MOST];
    make_flight(1.0 / (n - 1), 1);
    make_gnuplot("cat >script; echo '<svg/>'");
    ck_assert_int_eq(percuss("plot flight.h5 -w impulse --axis normal -o v.csv"), 0);
    ck_assert_int_eq(
        percuss_after(FALSE_GNUPLOT, "plot flight.h5 -w impulse --axis normal -o v.svg"), 0);
    ck_assert_int_eq(read_table("v.csv", 1, t, y, N), n);
    const int points = read_script(0, at, value, MOST);
    ck_assert_int_lt(points, 4900);
    int low = 0, high = 0, kept_low = 0, kept_high = 0, found = 0;
    for (int k = 0; k < n; ++k) {
        if (y[k] < y[low]) low = k;
        if (y[k] > y[high]) high = k;
        // the drawn curves are part of the table, in its order
        if (found < points && t[k] == at[found] && y[k] == value[found]) found += 1;
    }
    ck_assert_int_eq(found, points);
    for (int k = 0; k < points; ++k) {
        if (value[k] < value[kept_low]) kept_low = k;
        if (value[k] > value[kept_high]) kept_high = k;
    }
    ck_assert(value[kept_low] == y[low] && value[kept_high] == y[high]);
    ck_assert(at[0] == t[0] && at[points - 1] == t[n - 1]);
}

// tags close in their order, and text has no bare <, & or ]]>
static bool is_xml(const char *text)
{
    char open[64][32];
    int depth = 0;
    for (const char *s = strchr(text, '<'); s; s = strchr(s, '<')) {
        const char *end = strchr(s, '>');
        if (!end) return false;
        char name[32];
        if (s[1] == '/') {
            if (depth == 0 || sscanf(s + 2, "%31[^> ]", name) != 1) return false;
            if (strcmp(name, open[--depth]) != 0) return false;
        } else if (s[1] != '?' && s[1] != '!' && end[-1] != '/') {
            if (depth == 64 || sscanf(s + 1, "%31[^> \t\n]", open[depth++]) != 1) return false;
        }
        s = end + 1;
        for (const char *a = s; *a && *a != '<'; ++a) {
            if (*a == '&' && !strchr("lgaq#", a[1])) return false;
            if (strncmp(a, "]]>", 3) == 0) return false;
        }
    }
    return depth == 0;
}

TEST(a_picture_is_sound_and_names_do_nothing)
{
    make_flight(0.05, 1);
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        printf("skipped: there is no gnuplot\n");
        return;
    }
    ck_assert_msg(
        percuss(
            "plot flight.h5 -w position --title \"`printf 'it\\047s <b> ]]> \\140id\\140'`\"") == 0,
        "%s", err_text);
    char *svg = file_read("flight.position.svg");
    ck_assert_ptr_nonnull(svg);
    ck_assert_msg(is_xml(svg), "not well-formed");
    ck_assert_ptr_nonnull(strstr(svg, "it's &lt;b> ]]&gt; `id`"));
    ck_assert_ptr_nonnull(strstr(svg, "`touch struck` $(touch st"));
    ck_assert_ptr_nonnull(strstr(svg, "time t (s)"));
    ck_assert(!file_exists("struck"));
    free(svg);
    ck_assert_int_eq(percuss("plot flight.h5 -w residual -o r.png"), 0);
    char *png = file_read("r.png");
    ck_assert_int_eq(memcmp(png, "\x89PNG", 4), 0);
    free(png);
}

static void expect_words(const char *words, const char *line)
{
    ck_assert_msg(percuss("%s", line) == 0, "%s: %s", line, err_text);
    char *svg = file_read("q.svg");
    ck_assert_ptr_nonnull(svg);
    ck_assert_msg(strstr(svg, words) != NULL, "%s: %s is not in the picture", line, words);
    free(svg);
}

// gnuplot 5.4 reads '' as a quote within a string, but not everywhere
TEST(quotes_in_names_are_drawn)
{
    static const char *const name[] = {"'tis", "6'' pipe", "'a'", "a''''b", "'", "''"};
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        printf("skipped: there is no gnuplot\n");
        return;
    }
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        char text[600], words[40];
        snprintf(text, sizeof text,
                 "{\"percuss_scene\": 1, \"name\": \"%s\","
                 "\"run\": {\"h\": 0.01, \"t_end\": 0.05},"
                 "\"bodies\": [{\"name\": \"%s\", \"density\": 1000,"
                 "  \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]}]}",
                 name[i], name[i]);
        file_write("quotes.json", text);
        ck_assert_int_eq(percuss("run quotes.json -o quotes.h5 -q"), 0);
        // the name of the scene is in the title, that of the body in the legend
        snprintf(words, sizeof words, ">%s", name[i]);
        expect_words(words, "plot quotes.h5 -o q.svg -w energy");
        expect_words(words, "plot quotes.h5 -o q.svg -w position");
        snprintf(text, sizeof text, "plot quotes.h5 -o q.svg -w energy --title \"%s\"", name[i]);
        expect_words(words, text);
    }
}

static void expect_old_picture(const char *before, const char *words, int files)
{
    ck_assert_int_eq(percuss_after(before, "plot flight.h5 -o old.svg"), 2);
    ck_assert_msg(strstr(err_text, words) && one_line(err_text), "%s", err_text);
    char *old = file_read("old.svg");
    ck_assert_str_eq(old, "old");
    free(old);
    ck_assert_int_eq(file_count(), files);
}

TEST(a_failure_leaves_the_old_picture)
{
    make_flight(0.05, 1);
    file_write("old.svg", "old");
    make_gnuplot("echo 'set x' >&2; echo '   ^' >&2; echo '     line 7: it is broken' >&2; exit 1");
    const int files = file_count();
    expect_old_picture("PATH=/nowhere", "gnuplot cannot be started; install it", files);
    expect_old_picture(FALSE_GNUPLOT, "gnuplot failed: line 7: it is broken\n", files);
    make_gnuplot("echo half; kill -9 $$");
    expect_old_picture(FALSE_GNUPLOT, "gnuplot failed: it said nothing", files);
    make_gnuplot("exit 0");
    expect_old_picture(FALSE_GNUPLOT, "gnuplot failed: it said nothing", files);
    make_gnuplot("head -c 200000 /dev/zero");
    expect_old_picture("ulimit -f 100;" FALSE_GNUPLOT, "old.svg: cannot be written: File too large",
                       files);
}

// a curve that is asked for twice is drawn once; a pair without a contact is named
TEST(a_curve_is_drawn_once_and_an_empty_one_is_named)
{
    make_flight(0.05, 1);
    ck_assert_int_eq(percuss("plot flight.h5 -w gap -p low world -p low 3 -o g.csv"), 0);
    ck_assert_str_eq(out_text, "g.csv: 2 curves of 21 points; without a value: 'low - system 3'\n");
    ck_assert_int_eq(percuss("plot flight.h5 -w gap -p low world -p world 2 -o g.csv"), 0);
    ck_assert_str_eq(out_text, "g.csv: 1 curve of 21 points\n");
    ck_assert_int_eq(percuss("plot flight.h5 -w position --axis z -b 3 -b 2 -b 3 -o g.csv"), 0);
    ck_assert_str_eq(out_text, "g.csv: 2 curves of 21 points\n");
}

TEST(a_lagrangian_system_has_numbered_coordinates)
{
    file_write("lag.json",
               "{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lagrangian\","
               " \"name\": \"two\", \"mass_matrix\": [[2, 0], [0, 2]], \"v\": [1, 0]},"
               " {\"kind\": \"lagrangian\", \"name\": \"one\", \"mass_matrix\": [[1]]}],"
               " \"run\": {\"h\": 0.01, \"t_end\": 0.1}}");
    ck_assert_msg(percuss("run lag.json -o lag.h5 -q") == 0, "%s", err_text);
    REFUSED("there is no 'x'; the coordinates of the Lagrangian system 'two' are 0 to 1",
            "plot lag.h5 -w position --axis x");
    REFUSED("'one' are 0", "plot lag.h5 -w velocity --axis x -b one");
}

TEST(requests_that_cannot_be_drawn_are_refused)
{
    make_flight(0.05, 1);
    const int files = file_count();
    REFUSED("did you mean impulse?", "plot flight.h5 -w impluse");
    REFUSED("empty", "plot flight.h5 -w velocity --axis x,,z");
    REFUSED("empty", "plot flight.h5 -w velocity -b ''");
    REFUSED("must be a finite number", "plot flight.h5 --from x");
    REFUSED("must be a finite number", "plot flight.h5 --until nan");
    REFUSED("did you mean 'low'?", "plot flight.h5 -w position -b lwo");
    REFUSED("numbers 1 to 3", "plot flight.h5 -w position -b 4");
    REFUSED("does not move", "plot flight.h5 -w position -b world");
    REFUSED("has a contact of 'low - system 3'", "plot flight.h5 -w gap -p low 3");
    REFUSED("components", "plot flight.h5 -w position --axis w");
    REFUSED("--pair is for gap and impulse", "plot flight.h5 -w position -p low 3");
    REFUSED("of the whole model", "plot flight.h5 -w energy -b low");
    REFUSED("from 0 to 1 s", "plot flight.h5 --from 2");
    REFUSED("needs more values: --pair A B", "plot flight.h5 -w gap --pair low");
    REFUSED("needs more values: --pair A B", "plot flight.h5 -w gap -p low -o z.csv");
    REFUSED("needs a value: --body NAME", "plot flight.h5 -w gap -b -o z.csv");
    REFUSED("flight.json: this is a scene, not a trajectory", "plot flight.json");
    REFUSED(".svg or .png", "plot flight.h5 -o picture.jpg");
    REFUSED("the input", "plot flight.h5 -o ./flight.h5");
    REFUSED("nowhere", "plot flight.h5 -o nowhere/e.svg");
    REFUSED("missing.h5", "plot missing.h5");
    ck_assert_int_eq(file_count(), files);
    file_write("empty.h5", "");
    REFUSED("empty.h5", "plot empty.h5");
}

TEST_AROUND(folder_make, folder_remove)
