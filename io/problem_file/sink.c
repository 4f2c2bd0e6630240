// See sink.h.
#include "problem_file/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

sink sink_begin(const pcs_env *env)
{
    sink s = {.env = env};
    decimal_point(s.point);
    return s;
}

void sink_end(sink *s)
{
    pcs_env_free(s->env, s->bytes);
    s->bytes = NULL;
}

void sink_bytes(sink *s, const char *bytes, size_t size)
{
    if (s->failed || size == 0) return;
    if (size > s->room - s->size) {
        size_t room = s->room > 0 ? 2 * s->room : 4096;
        while (room - s->size < size && room < SIZE_MAX / 2) {
            room *= 2;
        }
        char *larger = pcs_env_alloc(s->env, room, 1);
        if (!larger) {
            s->failed = true;
            return;
        }
        if (s->bytes) memcpy(larger, s->bytes, s->size);
        pcs_env_free(s->env, s->bytes);
        s->bytes = larger;
        s->room = room;
    }
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
}

void sink_text(sink *s, const char *words)
{
    sink_bytes(s, words, strlen(words));
}

void sink_int(sink *s, long long x)
{
    char digits[32];
    sink_bytes(s, digits, (size_t)snprintf(digits, sizeof digits, "%lld ", x));
}

static void put_digits(sink *s, const char *digits, int n)
{
    const char *point = strstr(digits, s->point);
    if (strcmp(s->point, ".") != 0 && point) {
        const size_t width = strlen(s->point), head = (size_t)(point - digits);
        sink_bytes(s, digits, head);
        sink_text(s, ".");
        sink_bytes(s, point + width, (size_t)n - head - width);
    } else {
        sink_bytes(s, digits, (size_t)n);
    }
}

void sink_digits(sink *s, double x)
{
    // 15 digits if they read back as the same number: most numbers were typed
    char digits[64];
    int n = snprintf(digits, sizeof digits, "%.15g", x);
    if (strtod(digits, NULL) != x) n = snprintf(digits, sizeof digits, "%.17g", x);
    put_digits(s, digits, n);
}

void sink_float(sink *s, float x)
{
    char digits[64];
    int n = snprintf(digits, sizeof digits, "%.7g", (double)x);
    if (strtof(digits, NULL) != x) n = snprintf(digits, sizeof digits, "%.9g", (double)x);
    put_digits(s, digits, n);
}

void sink_real(sink *s, double x)
{
    sink_digits(s, x);
    sink_text(s, " ");
}

void sink_ints(sink *s, size_t n, const int *x)
{
    for (size_t i = 0; i < n; ++i) {
        sink_int(s, x[i]);
    }
    sink_line(s);
}

void sink_reals(sink *s, size_t n, const double *x)
{
    for (size_t i = 0; i < n; ++i) {
        sink_real(s, x[i]);
    }
    sink_line(s);
}

void sink_line(sink *s)
{
    if (s->failed) return;
    if (s->size > 0 && s->bytes[s->size - 1] == ' ') s->size -= 1;
    sink_text(s, "\n");
}
