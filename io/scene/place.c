// The parser of JSON keeps no positions. So the position of an error is found by following the path
// through the text, past values that are not on the path.
#include "scene/place.h"

#include <stdio.h>
#include <string.h>

// ---- the path in words -------------------------------------------------------------------------

static size_t put_path(const place *at, char *out, size_t size)
{
    if (!at) return 0;
    const size_t used = put_path(at->up, out, size);
    char step[160];
    if (at->key) {
        snprintf(step, sizeof step, "%s%.120s", used > 0 ? "." : "", at->key);
    } else {
        snprintf(step, sizeof step, "[%zu]", at->index);
    }
    const size_t length = strlen(step);
    if (used + length + 1 > size) return used;
    memcpy(out + used, step, length + 1);
    return used + length;
}

void place_path(const place *at, char *out, size_t size)
{
    out[0] = '\0';
    put_path(at, out, size);
}

// ---- the position ------------------------------------------------------------------------------

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at) {
        c->at += 1;
    }
}

static void skip_string(cursor *c)
{
    for (c->at += 1; c->at < c->end && *c->at != '"'; ++c->at) {
        if (*c->at == '\\') c->at += 1;
    }
    c->at += 1;
}

static void skip_value(cursor *c)
{
    int depth = 0;
    do {
        skip_blanks(c);
        if (c->at >= c->end) return;
        switch (*c->at) {
        case '"':
            skip_string(c);
            break;
        case '{':
        case '[':
            depth += 1;
            c->at += 1;
            break;
        case '}':
        case ']':
            depth -= 1;
            c->at += 1;
            break;
        case ',':
        case ':':
            c->at += 1;
            break;
        default:
            do { // a word or a number
                c->at += 1;
            } while (c->at < c->end && !strchr(",:]} \t\r\n", *c->at));
        }
    } while (depth > 0);
}

// moves from the beginning of a container to its item `index`: the value, or the key before it
static void enter(cursor *c, const place *step, int at_key)
{
    c->at += 1; // the bracket
    for (size_t i = 0;; ++i) {
        skip_blanks(c);
        const cursor key = *c;
        if (step->key) {
            skip_string(c);
            skip_blanks(c);
            c->at += 1; // the colon
            skip_blanks(c);
        }
        if (i == step->index || c->at >= c->end) {
            if (at_key && step->key) *c = key;
            return;
        }
        skip_value(c);
        skip_blanks(c);
        c->at += 1; // the comma
    }
}

static void walk(cursor *c, const place *at, int at_key)
{
    if (at->up) walk(c, at->up, 0);
    enter(c, at, at_key);
}

void place_position(const place *at, const char *text, size_t size, int of_key, int *line,
                    int *column)
{
    cursor c = {text, text + size};
    skip_blanks(&c);
    if (at) walk(&c, at, of_key);
    if (c.at > c.end) c.at = c.end;
    *line = *column = 1;
    for (const char *p = text; p < c.at; ++p) {
        // a column is a character, not a byte of UTF-8
        if (*p == '\n') {
            *line += 1;
            *column = 1;
        } else if (((unsigned char)*p & 0xc0) != 0x80) {
            *column += 1;
        }
    }
}
