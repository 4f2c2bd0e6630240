// Bullet in double precision as an engine of bench_scenes: sequential impulses with 50 iterations
// and two friction directions, everything else as it comes. Bodies sleep never.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#include "../engine.h"

#ifndef BT_USE_DOUBLE_PRECISION
#error "the comparison is made in double precision"
#endif

namespace
{

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies; // planes first
    size_t first = 0;                                 // number of planes

    // of one shape for all bodies that have it
    btCollisionShape *shape_of(const rigid &b)
    {
        for (auto &s : shapes) {
            if (s->getUserPointer() == nullptr) continue;
            const rigid &as = *static_cast<const rigid *>(s->getUserPointer());
            if (as.radius == b.radius && as.half[0] == b.half[0] && as.half[1] == b.half[1] &&
                as.half[2] == b.half[2]) {
                return s.get();
            }
        }
        btCollisionShape *made = nullptr;
        if (b.radius > 0) {
            made = new btSphereShape(b.radius);
        } else {
            made = new btBoxShape(btVector3(b.half[0], b.half[1], b.half[2]));
        }
        made->setUserPointer(const_cast<rigid *>(&b));
        shapes.emplace_back(made);
        return made;
    }

    void add(double mass, btCollisionShape *shape, const btVector3 &inertia, double mu)
    {
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        // friction of a pair is the product
        info.m_friction = std::sqrt(mu);
        info.m_restitution = 0;
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    }

    ~World()
    {
        for (auto &b : bodies) {
            world.removeRigidBody(b.get());
        }
    }
};

btTransform pose(const double *x, const double *Q)
{
    return btTransform(btQuaternion(Q[1], Q[2], Q[3], Q[0]), btVector3(x[0], x[1], x[2]));
}

void place(btRigidBody &b, const double *x, const double *Q, const double *v, const double *omega)
{
    const btTransform at = pose(x, Q);
    b.setCenterOfMassTransform(at);
    b.setInterpolationWorldTransform(at);
    b.setLinearVelocity(btVector3(v[0], v[1], v[2]));
    b.setAngularVelocity(at.getBasis() * btVector3(omega[0], omega[1], omega[2]));
}

void *create(const bodies *s, const engine_options *)
{
    auto *w = new World;
    w->world.setGravity(btVector3(s->gravity[0], s->gravity[1], s->gravity[2]));
    btContactSolverInfo &info = w->world.getSolverInfo();
    info.m_numIterations = 50;
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    w->first = static_cast<size_t>(s->planes);
    for (int k = 0; k < s->planes; ++k) {
        const double *p = s->plane[k];
        w->shapes.emplace_back(new btStaticPlaneShape(btVector3(p[0], p[1], p[2]), p[3]));
        w->add(0, w->shapes.back().get(), btVector3(0, 0, 0), s->mu);
        w->world.addRigidBody(w->bodies.back().get());
    }
    for (int i = 0; i < s->n; ++i) {
        const rigid &b = s->body[i];
        const btVector3 inertia(b.inertia[0], b.inertia[1], b.inertia[2]);
        w->add(b.fixed ? 0 : b.mass, w->shape_of(b), inertia, s->mu);
        btRigidBody &made = *w->bodies.back();
        if (b.fixed) {
            made.setWorldTransform(pose(b.position, b.orientation));
        } else {
            place(made, b.position, b.orientation, b.velocity, b.omega);
        }
        w->world.addRigidBody(&made);
    }
    return w;
}

void destroy(void *self)
{
    delete static_cast<World *>(self);
}

bool step(void *self, double h, engine_step *out)
{
    World &w = *static_cast<World *>(self);
    *out = engine_step();
    w.world.stepSimulation(h, 0);
    for (int i = 0; i < w.dispatcher.getNumManifolds(); ++i) {
        out->contacts += w.dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
    }
    out->active = out->contacts;
    out->iterations = w.world.getSolverInfo().m_numIterations;
    out->residual = NAN;
    out->good = true;
    out->words = "";
    return true;
}

void read(void *self, double *q, double *v)
{
    const World &w = *static_cast<World *>(self);
    for (size_t i = w.first; i < w.bodies.size(); ++i, q += 7, v += 6) {
        const btRigidBody &b = *w.bodies[i];
        const btTransform &at = b.getWorldTransform();
        const btQuaternion Q = at.getRotation();
        const btVector3 omega = b.getAngularVelocity() * at.getBasis();
        for (int k = 0; k < 3; ++k) {
            q[k] = at.getOrigin()[k];
            v[k] = b.getLinearVelocity()[k];
            v[3 + k] = omega[k];
        }
        q[3] = Q.w();
        q[4] = Q.x();
        q[5] = Q.y();
        q[6] = Q.z();
    }
}

void write(void *self, const double *q, const double *v)
{
    World &w = *static_cast<World *>(self);
    for (size_t i = w.first; i < w.bodies.size(); ++i, q += 7, v += 6) {
        if (!w.bodies[i]->isStaticObject()) place(*w.bodies[i], q, q + 3, v, v + 3);
    }
}

} // namespace

const engine engine_bullet = {"bullet-50", 50,    create,  destroy, step,
                              read,        write, nullptr, nullptr, nullptr, nullptr};
