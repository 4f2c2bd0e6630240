// Balls on a line that meet two at a time: exact, from event to event, by the law of two bodies.
#ifndef EXAMPLES_CHECKS_LINE_IMPACTS_H
#define EXAMPLES_CHECKS_LINE_IMPACTS_H

#include <stdbool.h>

enum { MOST_BALLS = 64 };

typedef struct line {
    int n;
    double m[MOST_BALLS]; // kg
    double x[MOST_BALLS]; // centres from left to right, m
    double v[MOST_BALLS]; // m/s
    double radius, e;     // m, restitution
    double t;             // s
    int events;           // so far
    double closest;       // s, between two events of one ball, the last met included
    double last[MOST_BALLS];
} line;

// a row at rest but for the first ball, all with a gap; masses m, m ratio, m ratio^2 ...
line line_row(int n, double mass, double ratio, double radius, double gap, double speed, double e);

// moves to the next event before `end`: balls *pair and *pair + 1 touch. False if there is none:
// everything has moved to `end` then.
bool line_next(line *l, double end, int *pair);

// the impact of two balls that touch: (1 + e) times the impulse that would make them equally fast.
// With e = 0 they, and all balls that touch them, continue together.
void line_impact(line *l, int pair);

// Newton's law for the first ball against a row that touches, all at once. Where the others are at
// rest and in contact their row acts as one body of its whole mass.
void line_at_once(const line *l, double v[MOST_BALLS]);

// speed of the last ball after its first impact
double line_relay(const line *l);

double line_momentum(const line *l, const double *v);
double line_kinetic(const line *l, const double *v);

#endif
