// See nearest.h.
#define _POSIX_C_SOURCE 200809L // strnlen

#include "problem_file/nearest.h"

#include <limits.h>
#include <string.h>

#define LONGEST 63

// number of letters to insert, delete or replace (Levenshtein); only the first LONGEST of each word
// count
static int distance(const char *a, const char *b)
{
    const size_t na = strnlen(a, LONGEST), nb = strnlen(b, LONGEST);
    int row[LONGEST + 1];
    for (size_t j = 0; j <= nb; ++j) {
        row[j] = (int)j;
    }
    for (size_t i = 1; i <= na; ++i) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            int best = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

// a word without the dashes of a flag
static const char *bare(const char *word)
{
    return word + strspn(word, "-");
}

const char *nearest(const char *word, const char *const *words, int n)
{
    const char *best = NULL;
    int least = INT_MAX;
    for (int i = 0; i < n; ++i) {
        const int d = distance(word, words[i]);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    // the beginning of a single word is enough
    int begun = 0;
    const char *whole = NULL;
    for (int i = 0; i < n; ++i) {
        if (strncmp(word, words[i], strlen(word)) != 0) continue;
        whole = words[i];
        begun += 1;
    }
    if (begun == 1) return whole;
    // else about half of the word must match
    return best && 2 * (size_t)least <= strlen(bare(best)) + 1 ? best : NULL;
}
