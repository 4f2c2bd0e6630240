// Take the right half of the arch, radius of the middle 1, weights by area. At the crown the left
// half pushes with H at a height z; the weights from there to joint j are V_j, their moment about
// the middle of the circle S_j = sum W x. At that joint, an angle b from the vertical, the
// resultant crosses at the radius (moments about that point)
//
//     r_j = (H z + S_j) / (H cos b + V_j sin b),
//
// and stones that carry no tension need 1 - t/2 <= r_j <= 1 + t/2: linear in H and H z. For given H
// the best H z leaves a margin that is concave in H.
#include "checks/thrust_line.h"

#include <math.h>

enum { MOST_JOINTS = 1000 };

typedef struct half_arch {
    int n;
    double b[MOST_JOINTS], V[MOST_JOINTS], S[MOST_JOINTS];
} half_arch;

// joints from the crown down; a key stone in the middle counts with half of itself
static half_arch weigh(int stones, double t)
{
    half_arch a = {.n = 0};
    const double part = 4 * atan(1) / stones, slope = tan(part / 2);
    const double low = (1 - t / 2) * cos(part / 2), high = (1 + t / 2) * cos(part / 2);
    const double squares = high * high - low * low;
    const double cubes = high * high * high - low * low * low;
    const double area = slope * squares, centre = 2. / 3 * cubes / squares;
    double V = 0, S = 0, b = 0;
    if (stones % 2 == 1) {
        V = area / 2;
        S = V * slope * cubes / (3 * squares);
        b = part / 2;
        a.b[0] = b;
        a.V[0] = V;
        a.S[0] = S;
        a.n = 1;
    }
    while (a.n < (stones + 1) / 2 && a.n < MOST_JOINTS) {
        V += area;
        S += area * centre * sin(b + part / 2);
        b += part;
        a.b[a.n] = b;
        a.V[a.n] = V;
        a.S[a.n] = S;
        a.n += 1;
    }
    return a;
}

// room between the highest lower bound on H z and the lowest upper one
static double room(const half_arch *a, double t, double H)
{
    double least = -INFINITY, most = INFINITY;
    for (int j = 0; j < a->n; ++j) {
        const double across = H * cos(a->b[j]) + a->V[j] * sin(a->b[j]);
        least = fmax(least, (1 - t / 2) * across - a->S[j]);
        most = fmin(most, (1 + t / 2) * across - a->S[j]);
    }
    return (most - least) / (2 * H);
}

double thrust_margin(int stones, double t)
{
    const half_arch a = weigh(stones, t);
    double low = 1e-3 * a.V[a.n - 1], high = 1e3 * a.V[a.n - 1];
    for (int i = 0; i < 200; ++i) {
        const double p = low + (high - low) / 3, q = high - (high - low) / 3;
        // room times H is concave in H
        if (p * room(&a, t, p) < q * room(&a, t, q)) {
            low = p;
        } else {
            high = q;
        }
    }
    return room(&a, t, 0.5 * (low + high));
}

double thrust_limit(int stones)
{
    double low = 1e-4, high = 1.9;
    for (int i = 0; i < 100; ++i) {
        const double t = 0.5 * (low + high);
        if (thrust_margin(stones, t) < 0) {
            low = t;
        } else {
            high = t;
        }
    }
    return 0.5 * (low + high);
}
