// Reading numbers: exactly, and the same with a comma as the decimal point. For this the file under
// test is compiled into this one with an strtod and an snprintf of such a locale.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *local_point = ".";

static double local_strtod(const char *text, char **stop)
{
    // accepts only the decimal point of the locale
    const char *at = strstr(text, local_point);
    char copy[1300];
    if (strcmp(local_point, ".") != 0 && strchr(text, '.')) {
        *stop = (char *)text;
        return 0;
    }
    strcpy(copy, text);
    if (at) {
        copy[at - text] = '.';
        strcpy(copy + (at - text) + 1, at + strlen(local_point));
    }
    char *end;
    const double x = strtod(copy, &end);
    size_t read = (size_t)(end - copy);
    if (at && read > (size_t)(at - text)) read += strlen(local_point) - 1;
    *stop = (char *)text + read;
    return x;
}

static int local_snprintf(char *to, size_t size, const char *format, ...)
{
    if (strcmp(format, "%.1f") == 0) return snprintf(to, size, "0%s5", local_point);
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(to, size, format, args);
    va_end(args);
    return n;
}

#define strtod   local_strtod
#define snprintf local_snprintf
#include "problem_file/text.c"
#undef strtod
#undef snprintf

#include "support.h"

static text over(const char *s)
{
    return text_begin("file", s, strlen(s));
}

TEST(reals_are_rounded_correctly_in_every_locale)
{
    static const char *const points[] = {".", ",", "\xD9\xAB"};
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"0", 0},
        {"-1.5", -1.5},
        {"+.25", 0.25},
        {"3.", 3},
        {"1e3", 1000},
        {"1.E-2", 0.01},
        {"  1.488865599999999976716936e+05\r\n", 148886.56},
        {"0.1000000000000000055511151231257827", 0.1},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"1e-400", 0},
        {"9007199254740993", 9007199254740992},
        {"9007199254740993.0000000000000001", 9007199254740994},
    };
    for (size_t p = 0; p < sizeof points / sizeof *points; ++p) {
        local_point = points[p];
        for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
            text t = over(good[i].text);
            double x = NAN;
            CK_OK(text_real(&t, "x", &x));
            ck_assert_msg(x == good[i].value, "%s gave %.17g", good[i].text, x);
        }
    }
    local_point = ".";
}

TEST(text_that_is_not_a_number_is_refused)
{
    static const char *const bad[] = {"",    "  ",    "-",     ".",     "e5",      "1e",
                                      "1e+", "nan",   "inf",   "NaN",   "-inf",    "0x10",
                                      "1,5", "1.5.2", "1.5x",  "1e999", "--1",     "1-2",
                                      "1d3", "+-1",   "1e5.5", "\x01",  "infinity"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        text t = over(bad[i]);
        double x = 0;
        CK_FAILS(text_real(&t, "x", &x), PCS_ERR_FORMAT);
        ck_assert_msg(strncmp(pcs_error_text(), "file:1: ", 8) == 0, "%s", pcs_error_text());
    }

    // a zero byte does not end a number
    const char zero[] = "1\0002";
    text t = text_begin("file", zero, sizeof zero - 1);
    double x = 0;
    CK_FAILS(text_real(&t, "x", &x), PCS_ERR_FORMAT);

    // longer than any double
    char *many = malloc(5001);
    ck_assert_ptr_nonnull(many);
    memset(many, '1', 5000);
    many[5000] = '\0';
    t = over(many);
    CK_FAILS(text_real(&t, "x", &x), PCS_ERR_FORMAT);
    free(many);
}

TEST(integers_stay_in_their_range)
{
    int k = -1;
    text t = over(" 12\t-3 +4\n2147483647 2147483648");
    CK_OK(text_int(&t, "k", 0, 12, "", &k));
    ck_assert_int_eq(k, 12);
    CK_OK(text_int(&t, "k", -3, 0, "", &k));
    ck_assert_int_eq(k, -3);
    CK_OK(text_int(&t, "k", 0, 9, "", &k));
    CK_OK(text_size(&t, "k", &k));
    ck_assert_int_eq(k, INT_MAX);
    CK_FAILS(text_size(&t, "k", &k), PCS_ERR_SIZE);

    static const char *const bad[] = {"1.0", "1e2", "x", "", "0x1", "1,", "-", "1:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        t = over(bad[i]);
        CK_FAILS(text_int(&t, "k", -9, 9, "", &k), PCS_ERR_FORMAT);
    }
    static const char *const beyond[] = {"-10", "10", "99999999999999999999999",
                                         "-99999999999999999999999"};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; ++i) {
        t = over(beyond[i]);
        CK_FAILS(text_int(&t, "k", -9, 9, "", &k), PCS_ERR_FORMAT);
    }
    t = over("-1");
    CK_FAILS(text_size(&t, "k", &k), PCS_ERR_SIZE);
}

TEST(sentences_name_the_line)
{
    text t = over("1\r\n2\r\n\r\n  x\x07yz");
    int k;
    CK_OK(text_int(&t, "k", 0, 9, "", &k));
    CK_OK(text_int(&t, "k", 0, 9, "", &k));
    CK_FAILS(text_int(&t, "the answer", 0, 9, "", &k), PCS_ERR_FORMAT);
    ck_assert_str_eq(pcs_error_text(), "file:4: expected the answer, an integer, found 'x?yz'");

    t = over("1 ");
    CK_OK(text_int(&t, "k", 0, 9, "", &k));
    CK_FAILS(text_int(&t, "the answer", 0, 9, ":", &k), PCS_ERR_FORMAT);
    ck_assert_str_eq(pcs_error_text(), "file:1: expected the answer, an integer and :, found the"
                                       " end of the file");
}

TEST(a_byte_order_mark_is_skipped)
{
    text t = over("\xEF\xBB\xBF 7");
    int k;
    CK_OK(text_int(&t, "k", 0, 9, "", &k));
    ck_assert_int_eq(k, 7);
}
