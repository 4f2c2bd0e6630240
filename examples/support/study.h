// Observed orders of convergence.
//
// Where in a step an impact happens is as good as random, so the error of a single run may be
// lucky, and a ratio of two errors says nothing. Take the root mean square over several step sizes
// per level, and the least-squares slope over the levels.
#ifndef EXAMPLES_STUDY_H
#define EXAMPLES_STUDY_H

// step size i = 0, 1, 2 ... of a level: between h/2^level and half of that, spread by the golden
// ratio; i = 0 is h/2^level itself
double study_size(double h, int level, int i);

// least-squares slope of log y over log x, n >= 2
double study_slope(int n, const double *x, const double *y);

#endif
