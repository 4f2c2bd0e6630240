// Joints between a frame of body 1 (axes a1, origin P1) and a frame of body 2 (axes b2, origin P2).
// With d = P1 - P2 every row and every coordinate is made of products of two vectors,
//
//     e_i . d        component of d along an inertial axis
//     b2 . d, a1 . d component along an axis of a frame
//     a1 . b2        cosine between two axes
//
// and functions of them: angles, atan2 of two such products, and couplings, sines of sums of angles
// that need no count of turns. The gradient of each is a wrench: a force N on body 1 (-N on body 2)
// and moments m1, m2 about the centres of mass,
//
//     d(a . b) = (force N) . (dx1 - dx2) + m1 . dphi1 + m2 . dphi2,     C = (N, m) with
//     moment_gradient (contact.c) for the rotations,
//
// and its second derivative along a motion follows from those of the two vectors.
#include "relations/joint_kinds.h"

#include <stdlib.h>
#include <string.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "relations/contact.h"
#include "rotation/rotation.h"

enum { X, Y, Z };

// places of the parameters in the data of the relation. The points come first, as in ball joints
enum {
    AT_POINT1 = 0,
    AT_POINT2 = 3,
    AT_AXES1 = 6,
    AT_AXES2 = 10,
    AT_KIND = 14,
    AT_ARM = 15,
    AT_PITCH = 16,
    AT_TEETH = 16,
    AT_LOW = 16,
    AT_HIGH = 17,
    AT_COORDINATE = 18, // of limits: 1 + the number of the coordinate, of a coordinate itself
                        // minus that; of joints 0
    AT_JOINT = 19       // the same: the id of the joint
};

#define TURN      6.283185307179586476925
#define MAX_TEETH 10000

// ---- the table of kinds --------------------------------------------------------------------------

typedef enum term {
    POINT_X, // component of d, inertial
    POINT_Y,
    POINT_Z,
    ALONG_X, // component of d along an axis of frame 2
    ALONG_Y,
    ALONG_Z,
    Z_ACROSS_X, // arm a1 . b2, axis a of frame 1 and b of frame 2
    Z_ACROSS_Y,
    Y_ACROSS_X,
    X_ACROSS_Z,
    ANGLE,      // of x1 about z2, from x2
    TILT,       // of z1 about x1, from z2 (universal joint)
    ROTATION_X, // component of the rotation vector; its rate is that of omega
    ROTATION_Y,
    ROTATION_Z,
    LINE_1, // angle of the line to the other centre about the z axis of frame 1, from x1
    LINE_2, // the same of frame 2
    TURNS,  // screw
    TEETH,  // gear
    LENGTH  // |d|
} term;

typedef struct joint_kind {
    const char *word;
    int rows, coordinates;
    term row[6], coordinate[4];
} joint_kind;

#define MEET     POINT_X, POINT_Y, POINT_Z
#define PARALLEL Z_ACROSS_X, Z_ACROSS_Y
#define TURNS_AT ROTATION_X, ROTATION_Y, ROTATION_Z

static const joint_kind table[PCS_JOINT_KIND_COUNT] = {
    [PCS_JOINT_BALL] = {"ball joint", 3, 3, {MEET}, {TURNS_AT}},
    [PCS_JOINT_HINGE] = {"hinge", 5, 1, {MEET, PARALLEL}, {ANGLE}},
    [PCS_JOINT_SLIDER] = {"slider", 5, 1, {ALONG_X, ALONG_Y, PARALLEL, Y_ACROSS_X}, {ALONG_Z}},
    [PCS_JOINT_CYLINDRICAL] =
        {"cylindrical joint", 4, 2, {ALONG_X, ALONG_Y, PARALLEL}, {ALONG_Z, ANGLE}},
    [PCS_JOINT_FIXED] = {"fixed joint", 6, 0, {MEET, PARALLEL, Y_ACROSS_X}, {POINT_X}},
    [PCS_JOINT_UNIVERSAL] = {"universal joint", 4, 2, {MEET, X_ACROSS_Z}, {ANGLE, TILT}},
    [PCS_JOINT_PLANAR] = {"planar joint", 3, 3, {ALONG_Z, PARALLEL}, {ALONG_X, ALONG_Y, ANGLE}},
    [PCS_JOINT_POINT_ON_LINE] = {"point on a line", 2, 4, {ALONG_X, ALONG_Y}, {ALONG_Z, TURNS_AT}},
    [PCS_JOINT_SCREW] = {"screw", 5, 2, {ALONG_X, ALONG_Y, PARALLEL, TURNS}, {ALONG_Z, ANGLE}},
    [PCS_JOINT_GEAR] = {"gear", 1, 2, {TEETH}, {LINE_1, LINE_2}},
    [PCS_JOINT_DISTANCE] = {"distance joint", 1, 1, {LENGTH}, {LENGTH}},
};

const char *joint_word(pcs_joint_kind kind)
{
    return (unsigned)kind < PCS_JOINT_KIND_COUNT ? table[kind].word : "joint";
}

// ---- two frames in motion ------------------------------------------------------------------------

// a vector in inertial components and its two time derivatives
typedef struct vector {
    double x[3], dx[3], ddx[3];
} vector;

// a frame: lever GP and place P of its origin, axes, angular velocity
typedef struct frame {
    double GP[3], omega[3];
    vector P, axis[3];
} frame;

// y = R(Q) x, or x in the world
static void to_inertial(const double *q, const double x[3], double y[3])
{
    if (q) {
        pcs_quat_rotate(q + 3, x, y);
    } else {
        v3_copy(x, y);
    }
}

// derivatives of the body-fixed vector b: omega x b, and alpha x b + omega x (omega x b)
static void turn_vector(const relation_side *side, const double b[3], vector *out)
{
    double first[3], second[3], spin[3];
    v3_cross(side->v + 3, b, first);
    v3_cross(side->v + 3, first, second);
    if (side->a) {
        v3_cross(side->a + 3, b, spin);
        v3_along(second, 1, spin, second);
    }
    to_inertial(side->q, first, out->dx);
    to_inertial(side->q, second, out->ddx);
}

static void place_frame(const relation_side *side, const double point[3], const double Q[4],
                        frame *out)
{
    memset(out, 0, sizeof *out);
    to_inertial(side->q, point, out->GP);
    v3_copy(out->GP, out->P.x);
    if (side->q) v3_along(out->P.x, 1, side->q, out->P.x);

    double local[9];
    pcs_quat_to_matrix(Q, local);
    for (int k = 0; k < 3; ++k) {
        to_inertial(side->q, local + 3 * k, out->axis[k].x);
    }
    if (!side->q || !side->v) return;
    to_inertial(side->q, side->v + 3, out->omega);
    turn_vector(side, point, &out->P);
    v3_along(out->P.dx, 1, side->v, out->P.dx);
    if (side->a) v3_along(out->P.ddx, 1, side->a, out->P.ddx);
    for (int k = 0; k < 3; ++k) {
        turn_vector(side, local + 3 * k, &out->axis[k]);
    }
}

typedef struct pair {
    const pcs_joint_def *def;
    frame one, two;
    vector d; // P1 - P2
} pair;

static void place_pair(const pcs_joint_def *def, const relation_side *side1,
                       const relation_side *side2, pair *out)
{
    out->def = def;
    place_frame(side1, def->point1, def->axes1, &out->one);
    place_frame(side2, def->point2, def->axes2, &out->two);
    v3_sub(out->one.P.x, out->two.P.x, out->d.x);
    v3_sub(out->one.P.dx, out->two.P.dx, out->d.dx);
    v3_sub(out->one.P.ddx, out->two.P.ddx, out->d.ddx);
}

// ---- scalars with their gradients ----------------------------------------------------------------

// a function of the two poses: its value, its first and second time derivative, its wrench
typedef struct scalar {
    double value, rate, bend, N[3], m1[3], m2[3];
} scalar;

static void dot(const vector *a, const vector *b, scalar *out)
{
    out->value = v3_dot(a->x, b->x);
    out->rate = v3_dot(a->dx, b->x) + v3_dot(a->x, b->dx);
    out->bend = v3_dot(a->ddx, b->x) + 2 * v3_dot(a->dx, b->dx) + v3_dot(a->x, b->ddx);
}

// N on body 1 at P1 and -N on body 2 at P2
static void pull(const pair *p, const double N[3], scalar *out)
{
    v3_copy(N, out->N);
    v3_cross(p->one.GP, N, out->m1);
    v3_cross(N, p->two.GP, out->m2);
}

// component of d along an axis of frame 1 or 2, which turns with its body
static scalar along(const pair *p, int side, int axis)
{
    const vector *a = side == 1 ? &p->one.axis[axis] : &p->two.axis[axis];
    scalar out;
    double turn[3];
    dot(a, &p->d, &out);
    pull(p, a->x, &out);
    v3_cross(a->x, p->d.x, turn);
    double *m = side == 1 ? out.m1 : out.m2;
    v3_along(m, 1, turn, m);
    return out;
}

static scalar component(const pair *p, int i)
{
    vector e = {{0}, {0}, {0}};
    e.x[i] = 1;
    scalar out;
    dot(&e, &p->d, &out);
    pull(p, e.x, &out);
    return out;
}

static scalar cosine(const pair *p, int i, int j)
{
    const vector *a = &p->one.axis[i], *b = &p->two.axis[j];
    scalar out = {.N = {0}};
    dot(a, b, &out);
    v3_cross(a->x, b->x, out.m1);
    v3_cross(b->x, a->x, out.m2);
    return out;
}

// f(a, b) from its value, its first derivatives and the second ones, the last if they have a rate
static scalar chain(double value, const scalar *a, double fa, const scalar *b, double fb,
                    const double second[3])
{
    scalar out = {.value = value,
                  .rate = fa * a->rate + fb * b->rate,
                  .bend = fa * a->bend + fb * b->bend + second[0] * a->rate * a->rate +
                          2 * second[1] * a->rate * b->rate + second[2] * b->rate * b->rate};
    for (int i = 0; i < 3; ++i) {
        out.N[i] = fa * a->N[i] + fb * b->N[i];
        out.m1[i] = fa * a->m1[i] + fb * b->m1[i];
        out.m2[i] = fa * a->m2[i] + fb * b->m2[i];
    }
    return out;
}

// atan2(y, x); at the origin, where it has no gradient, 0 with none
static scalar angle_of(scalar y, scalar x)
{
    const double square = x.value * x.value + y.value * y.value;
    if (!(square > 0)) return (scalar){0};
    const double fy = x.value / square, fx = -y.value / square;
    const double mixed = fx * fx - fy * fy, own = 2 * fy * fx;
    return chain(atan2(y.value, x.value), &y, fy, &x, fx, (double[]){own, mixed, -own});
}

// size sin(a u + b w)
static scalar sine(double size, double a, const scalar *u, double b, const scalar *w)
{
    const double at = a * u->value + b * w->value, s = -size * sin(at), c = size * cos(at);
    return chain(-s, u, c * a, w, c * b, (double[]){s * a * a, s * a * b, s * b * b});
}

// angle from x to the projection of +-d on the xy plane of a frame
static scalar line_angle(const pair *p, int side)
{
    const double sign = side == 1 ? -1 : 1;
    const double none[3] = {0};
    scalar x = along(p, side, X), y = along(p, side, Y);
    x = chain(sign * x.value, &x, sign, &x, 0, none);
    y = chain(sign * y.value, &y, sign, &y, 0, none);
    return angle_of(y, x);
}

static scalar length(const pair *p)
{
    scalar out = {0};
    double N[3];
    const double D = apart(p->one.P.x, p->two.P.x, N);
    const vector unit = {{N[0], N[1], N[2]}, {0}, {0}};
    dot(&unit, &p->d, &out);
    out.value = D;
    if (D > 0) out.bend += (v3_dot(p->d.dx, p->d.dx) - out.rate * out.rate) / D;
    pull(p, N, &out);
    return out;
}

static scalar rotation(const pair *p, int i)
{
    double R[9], Q[4], w[3], relative[3];
    for (int k = 0; k < 9; ++k) {
        R[k] = v3_dot(p->two.axis[k % 3].x, p->one.axis[k / 3].x);
    }
    scalar out = {0};
    if (pcs_quat_from_matrix(R, Q) != PCS_OK) return out;
    pcs_quat_log(Q, w);
    v3_sub(p->one.omega, p->two.omega, relative);
    out.value = w[i];
    out.rate = v3_dot(p->two.axis[i].x, relative);
    return out;
}

// arm a1 . b2
static scalar across(const pair *p, int i, int j)
{
    const scalar a = cosine(p, i, j);
    return chain(p->def->arm * a.value, &a, p->def->arm, &a, 0, (double[]){0, 0, 0});
}

// displacement - pitch angle / 2 pi, up to whole turns
static scalar turns(const pair *p)
{
    const double pitch = p->def->pitch;
    const scalar angle = angle_of(cosine(p, X, Y), cosine(p, X, X)), s = along(p, 2, Z);
    return sine(pitch / TURN, TURN / pitch, &s, -1, &angle);
}

static scalar teeth(const pair *p)
{
    const int *n = p->def->teeth;
    const scalar one = line_angle(p, 1), two = line_angle(p, 2);
    return sine(p->def->arm / fmax(abs(n[0]), abs(n[1])), n[0], &one, n[1], &two);
}

static scalar evaluate(const pair *p, term t)
{
    switch (t) {
    case POINT_X:
    case POINT_Y:
    case POINT_Z:
        return component(p, (int)t - POINT_X);
    case ALONG_X:
    case ALONG_Y:
    case ALONG_Z:
        return along(p, 2, (int)t - ALONG_X);
    case Z_ACROSS_X:
        return across(p, Z, X);
    case Z_ACROSS_Y:
        return across(p, Z, Y);
    case Y_ACROSS_X:
        return across(p, Y, X);
    case X_ACROSS_Z:
        return across(p, X, Z);
    case ANGLE:
        return angle_of(cosine(p, X, Y), cosine(p, X, X));
    case TILT:
        return angle_of(cosine(p, Y, Z), cosine(p, Z, Z));
    case ROTATION_X:
    case ROTATION_Y:
    case ROTATION_Z:
        return rotation(p, (int)t - ROTATION_X);
    case LINE_1:
        return line_angle(p, 1);
    case LINE_2:
        return line_angle(p, 2);
    case TURNS:
        return turns(p);
    case TEETH:
        return teeth(p);
    case LENGTH:
        break;
    }
    return length(p);
}

// ---- the relation --------------------------------------------------------------------------------

static pcs_joint_def unpack(const double *data)
{
    pcs_joint_def out = {.kind = (pcs_joint_kind)data[AT_KIND], .arm = data[AT_ARM]};
    v3_copy(data + AT_POINT1, out.point1);
    v3_copy(data + AT_POINT2, out.point2);
    memcpy(out.axes1, data + AT_AXES1, sizeof out.axes1);
    memcpy(out.axes2, data + AT_AXES2, sizeof out.axes2);
    if (data[AT_COORDINATE] != 0) return out;
    if (out.kind == PCS_JOINT_SCREW) out.pitch = data[AT_PITCH];
    if (out.kind == PCS_JOINT_GEAR) {
        out.teeth[0] = (int)data[AT_TEETH];
        out.teeth[1] = (int)data[AT_TEETH + 1];
    }
    return out;
}

// an angle near the middle of its limits; a length as it is
static double unwrapped(double angle, double low, double high)
{
    const double middle = 0.5 * (low + high);
    return middle + remainder(angle - middle, TURN);
}

static bool is_angle(term t)
{
    return t == ANGLE || t == TILT || t == LINE_1 || t == LINE_2;
}

bool pcs_joint_is_angle(pcs_joint_kind kind, int coordinate)
{
    if ((unsigned)kind >= PCS_JOINT_KIND_COUNT) return false;
    const joint_kind *k = &table[kind];
    return coordinate >= 0 && coordinate < k->coordinates && is_angle(k->coordinate[coordinate]);
}

static int coordinate_number(const double *data)
{
    return abs((int)data[AT_COORDINATE]) - 1;
}

static term coordinate_term(const double *data)
{
    return table[(int)data[AT_KIND]].coordinate[coordinate_number(data)];
}

// the coordinate, angles times arm
static scalar coordinate(const pair *p, const double *data)
{
    const term t = coordinate_term(data);
    const double size = is_angle(t) ? p->def->arm : 1;
    const scalar c = evaluate(p, t);
    return chain(size * c.value, &c, size, &c, 0, (double[]){0, 0, 0});
}

// a row of limits: c - low, and below it high - c, angles times arm; an infinite one has no row
static scalar limit(const pair *p, const double *data, int i)
{
    const term t = coordinate_term(data);
    const bool low = i == 0 && isfinite(data[AT_LOW]);
    const double sign = low ? 1 : -1, size = is_angle(t) ? sign * p->def->arm : sign;
    scalar c = evaluate(p, t);
    if (is_angle(t)) c.value = unwrapped(c.value, data[AT_LOW], data[AT_HIGH]);
    const double from = low ? data[AT_LOW] : data[AT_HIGH];
    return chain(size * (c.value - from), &c, size, &c, 0, (double[]){0, 0, 0});
}

static int row_count(const double *data)
{
    if (data[AT_COORDINATE] < 0) return 1;
    if (data[AT_COORDINATE] > 0) return isfinite(data[AT_LOW]) + isfinite(data[AT_HIGH]);
    return table[(int)data[AT_KIND]].rows;
}

static scalar row_at(const pair *p, const double *data, int i)
{
    if (data[AT_COORDINATE] < 0) return coordinate(p, data);
    return data[AT_COORDINATE] > 0 ? limit(p, data, i) : evaluate(p, table[p->def->kind].row[i]);
}

static int joint_gap(void *user, const double *q1, const double *q2, double *g)
{
    const pcs_joint_def def = unpack(user);
    pair p;
    place_pair(&def, &(relation_side){.q = q1}, &(relation_side){.q = q2}, &p);
    for (int i = 0; i < row_count(user); ++i) {
        g[i] = row_at(&p, user, i).value;
    }
    return 0;
}

// a row of C for one body: sign N, and the moment m
static void put_row(const double q[7], double sign, const double N[3], const double m[3], int row,
                    int rows, double *C)
{
    double turn[4];
    moment_gradient(q + 3, m, turn);
    for (int k = 0; k < 7; ++k) {
        C[row + rows * k] = k < 3 ? sign * N[k] : turn[k - 3];
    }
}

static int joint_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    const pcs_joint_def def = unpack(user);
    const int rows = row_count(user);
    pair p;
    place_pair(&def, &(relation_side){.q = q1}, &(relation_side){.q = q2}, &p);
    for (int i = 0; i < rows; ++i) {
        const scalar s = row_at(&p, user, i);
        put_row(q1, 1, s.N, s.m1, i, rows, C1);
        if (C2) put_row(q2, -1, s.N, s.m2, i, rows, C2);
    }
    return 0;
}

pcs_joint_def pcs_joint_def_default(pcs_joint_kind kind)
{
    return (pcs_joint_def){.kind = kind, .axes1 = {1, 0, 0, 0}, .axes2 = {1, 0, 0, 0}};
}

static pcs_relation pack(const pcs_joint_def *def)
{
    pcs_relation out = {.gap = joint_gap,
                        .gradient = joint_gradient,
                        .has_data = true,
                        .data = {[AT_KIND] = def->kind, [AT_ARM] = def->arm}};
    v3_copy(def->point1, out.data + AT_POINT1);
    v3_copy(def->point2, out.data + AT_POINT2);
    memcpy(out.data + AT_AXES1, def->axes1, sizeof def->axes1);
    memcpy(out.data + AT_AXES2, def->axes2, sizeof def->axes2);
    return out;
}

pcs_relation pcs_relation_joint(const pcs_joint_def *def)
{
    if (!def || (unsigned)def->kind >= PCS_JOINT_KIND_COUNT) return (pcs_relation){.dim = 1};
    if (def->kind == PCS_JOINT_BALL) return pcs_relation_ball_joint(def->point1, def->point2);
    if (def->kind == PCS_JOINT_DISTANCE) {
        return pcs_relation_distance(def->point1, def->point2, def->length);
    }
    pcs_relation out = pack(def);
    out.dim = table[def->kind].rows;
    if (def->kind == PCS_JOINT_SCREW) out.data[AT_PITCH] = def->pitch;
    if (def->kind == PCS_JOINT_GEAR) {
        out.data[AT_TEETH] = def->teeth[0];
        out.data[AT_TEETH + 1] = def->teeth[1];
    }
    return out;
}

pcs_relation pcs_relation_joint_coordinate(const pcs_joint_def *joint, pcs_interaction id,
                                           int number)
{
    if (!joint || (unsigned)joint->kind >= PCS_JOINT_KIND_COUNT || number < 0 ||
        number >= table[joint->kind].coordinates) {
        return (pcs_relation){.dim = 1};
    }
    pcs_relation out = pack(joint);
    if (out.data[AT_ARM] == 0) out.data[AT_ARM] = 1; // a distance joint has no directions
    out.data[AT_COORDINATE] = -(1 + number);
    out.data[AT_JOINT] = id.id;
    out.dim = 1;
    return out;
}

pcs_relation pcs_relation_joint_limits(const pcs_joint_def *joint, const pcs_joint_limits *limits)
{
    if (!limits) return (pcs_relation){.dim = 1};
    pcs_relation out = pcs_relation_joint_coordinate(joint, limits->joint, limits->coordinate);
    if (!out.gap) return out;
    out.data[AT_LOW] = limits->low;
    out.data[AT_HIGH] = limits->high;
    out.data[AT_COORDINATE] = 1 + limits->coordinate;
    if (row_count(out.data) > 0) out.dim = row_count(out.data);
    return out;
}

bool joint_is_limits(const pcs_relation *relation)
{
    return joint_is(relation) && relation->data[AT_COORDINATE] > 0;
}

bool joint_is_coordinate(const pcs_relation *relation)
{
    return joint_is(relation) && relation->data[AT_COORDINATE] < 0;
}

void joint_read_coordinate(const pcs_relation *relation, pcs_interaction *joint, int *number)
{
    joint->id = (int)relation->data[AT_JOINT];
    *number = coordinate_number(relation->data);
}

int joint_of_coordinate(const pcs_relation *relation)
{
    if (!joint_is(relation) || relation->data[AT_COORDINATE] == 0) return 0;
    return (int)relation->data[AT_JOINT];
}

double joint_row_size(const pcs_relation *relation, double *turn)
{
    *turn = 0;
    if (!joint_is_coordinate(relation) || !is_angle(coordinate_term(relation->data))) return 1;
    *turn = TURN * relation->data[AT_ARM];
    return relation->data[AT_ARM];
}

int joint_force_rows(const pcs_relation *relation)
{
    pcs_joint_def def;
    int n = 0;
    if (!joint_read(relation, &def)) return 0;
    const joint_kind *kind = &table[def.kind];
    while (n < kind->rows && kind->row[n] <= ALONG_Z) {
        n += 1;
    }
    return n;
}

void joint_read_limits(const pcs_relation *relation, pcs_joint_limits *out)
{
    out->joint.id = (int)relation->data[AT_JOINT];
    out->coordinate = (int)relation->data[AT_COORDINATE] - 1;
    out->low = relation->data[AT_LOW];
    out->high = relation->data[AT_HIGH];
}

bool joint_is(const pcs_relation *relation)
{
    return relation->gap == joint_gap;
}

bool joint_holds_points(const pcs_relation *relation)
{
    if (!joint_is(relation) || relation->data[AT_COORDINATE] != 0) return false;
    const joint_kind *kind = &table[(int)relation->data[AT_KIND]];
    return kind->rows >= 3 && kind->row[0] == POINT_X;
}

bool joint_read(const pcs_relation *relation, pcs_joint_def *out)
{
    const pcs_relation_kind kind = pcs_relation_kind_of(relation);
    if (kind == PCS_RELATION_JOINT) {
        *out = unpack(relation->data);
        return true;
    }
    const bool ball = kind == PCS_RELATION_BALL_JOINT;
    if (!ball && kind != PCS_RELATION_DISTANCE) return false;
    *out = pcs_joint_def_default(ball ? PCS_JOINT_BALL : PCS_JOINT_DISTANCE);
    v3_copy(relation->data + AT_POINT1, out->point1);
    v3_copy(relation->data + AT_POINT2, out->point2);
    if (!ball) out->length = relation->data[6];
    return true;
}

static bool teeth_are_good(int n)
{
    return n != 0 && abs(n) <= MAX_TEETH;
}

static pcs_status check_limits(const pcs_joint_def *def, const double *data)
{
    const char *word = joint_word(def->kind);
    const int number = coordinate_number(data);
    const double low = data[AT_LOW], high = data[AT_HIGH];
    const term t = coordinate_term(data);
    if (t == ROTATION_X || t == ROTATION_Y || t == ROTATION_Z) {
        return pcs_fail(PCS_ERR_ARG,
                        "coordinate %d of a %s is part of a rotation vector; only angles and"
                        " displacements have limits, motors and friction. A universal joint and a"
                        " hinge at one point, with a light body between them, have three angles",
                        number, word);
    }
    if (data[AT_COORDINATE] < 0) return PCS_OK;
    if (!(low < high) || (isinf(low) && isinf(high))) {
        return pcs_fail(PCS_ERR_ARG,
                        "limits: coordinate %d of a %s lies between %g and %g; the first must be"
                        " less than the second, and one of them finite",
                        number, word, low, high);
    }
    if (is_angle(t) && !(high - low < TURN)) {
        return pcs_fail(PCS_ERR_ARG,
                        "limits: the angle of a %s lies between %g and %g rad; both must be finite"
                        " and less than a turn apart, as turns are not counted",
                        word, low, high);
    }
    return PCS_OK;
}

pcs_status joint_check(const pcs_relation *relation)
{
    const pcs_joint_def def = unpack(relation->data);
    const char *word = joint_word(def.kind);
    if (!pcs_all_finite(relation->data, AT_KIND)) {
        return pcs_fail(PCS_ERR_ARG, "%s: a point or the axes of a frame are not finite", word);
    }
    for (int i = 0; i < 2; ++i) {
        if (pcs_quat_norm(i == 0 ? def.axes1 : def.axes2) > 0) continue;
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the quaternion axes%d is zero; (1, 0, 0, 0) does not turn", word,
                        i + 1);
    }
    if (!(def.arm > 0 && isfinite(def.arm))) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the arm is %g m; it must be positive and finite, or of a joint that"
                        " is added 0, for a length of the bodies",
                        word, def.arm);
    }
    if (relation->data[AT_COORDINATE] != 0) return check_limits(&def, relation->data);
    if (def.kind == PCS_JOINT_SCREW && !(def.pitch != 0 && isfinite(def.pitch))) {
        return pcs_fail(PCS_ERR_ARG,
                        "screw: the pitch is %g m per turn; it must be finite and not zero (without"
                        " pitch it is a hinge)",
                        def.pitch);
    }
    if (def.kind == PCS_JOINT_GEAR &&
        !(teeth_are_good(def.teeth[0]) && teeth_are_good(def.teeth[1]))) {
        return pcs_fail(PCS_ERR_ARG, "gear: it has %d and %d teeth; give 1 to %d, or minus that",
                        def.teeth[0], def.teeth[1], MAX_TEETH);
    }
    return PCS_OK;
}

void joint_convective(const pcs_relation *relation, const relation_side *side1,
                      const relation_side *side2, double *gamma)
{
    const pcs_joint_def def = unpack(relation->data);
    pair p;
    place_pair(&def, side1, side2, &p);
    for (int i = 0; i < relation->dim; ++i) {
        gamma[i] = row_at(&p, relation->data, i).bend;
    }
}

int joint_coordinates(const pcs_joint_def *def, const relation_side *side1,
                      const relation_side *side2, double position[4], double speed[4])
{
    const joint_kind *kind = &table[def->kind];
    pair p;
    place_pair(def, side1, side2, &p);
    for (int i = 0; i < kind->coordinates; ++i) {
        const scalar s = evaluate(&p, kind->coordinate[i]);
        position[i] = s.value;
        speed[i] = s.rate;
    }
    return kind->coordinates;
}

double joint_alignment(const pcs_joint_def *def, const double *q1, const double *q2)
{
    const joint_kind *kind = &table[def->kind];
    pair p;
    place_pair(def, &(relation_side){.q = q1}, &(relation_side){.q = q2}, &p);
    double least = 1;
    for (int i = 0; i < kind->rows; ++i) {
        if (kind->row[i] == Z_ACROSS_X) least = v3_dot(p.one.axis[Z].x, p.two.axis[Z].x);
        if (kind->row[i] == Y_ACROSS_X)
            least = fmin(least, v3_dot(p.one.axis[Y].x, p.two.axis[Y].x));
    }
    return least;
}
