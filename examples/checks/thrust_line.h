// The least thickness of an arch: limit analysis of masonry (Heyman 1966) for the given stones.
#ifndef EXAMPLES_CHECKS_THRUST_LINE_H
#define EXAMPLES_CHECKS_THRUST_LINE_H

// By how much (over the radius of the middle) a line of thrust can stay within all joints of a half
// circle of n straight stones, thickness over radius t. Negative: none does, and the arch falls.
double thrust_margin(int n, double t);

// the thickness over radius at which the margin is zero
double thrust_limit(int n);

#endif
