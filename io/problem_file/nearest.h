// The word that a user may have meant: for "did you mean".
#ifndef PROBLEM_FILE_NEAREST_H
#define PROBLEM_FILE_NEAREST_H

// the word of `words` (n) most similar to `word`, or null when none is similar
const char *nearest(const char *word, const char *const *words, int n);

#endif
