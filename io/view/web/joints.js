// Joints, ropes and force elements as strokes: a pin along the axis of a hinge, a rail and a block for
// a slider, a coil for a spring. A body that has no shape is drawn as rods between its points.

import * as THREE from "three";
import { Marks } from "./contacts.js";

const COLOUR = {
  light: { joint: 0x3a2f6b, force: 0x0d7a70, rod: 0x7f8a98 },
  dark: { joint: 0xd9ccff, force: 0x6fe3d4, rod: 0xa3aebb },
};
const SLACK = 0.995; // of its length: nearer points are not rounding of the poses
const DIM = 0.45;
const AROUND = 24; // strokes of a circle
const MOST_STROKES = 60000; // of all coils: springs of a large net have fewer turns

const X = new THREE.Vector3(1, 0, 0);
const Y = new THREE.Vector3(0, 1, 0);
const Z = new THREE.Vector3(0, 0, 1);
const rotationOf = ([w, x, y, z]) => new THREE.Quaternion(x, y, z, w).normalize();

// Collects strokes into marks.
class Pen {
  constructor(most, parent, over, order) {
    this.marks = new Marks(most, parent, order);
    this.mesh = this.marks.addStrokes(over);
    this.colour = new THREE.Color();
    this.count = 0;
  }

  begin() {
    this.count = 0;
  }

  // From point a to point b, of this half width, m.
  line(a, b, width) {
    if (this.count === this.marks.most) return;
    const at = this.marks.placeOf(this.count++);
    const { numbers } = this.marks;
    a.toArray(numbers, at);
    numbers[at + 3] = width;
    numbers[at + 4] = b.x - a.x;
    numbers[at + 5] = b.y - a.y;
    numbers[at + 6] = b.z - a.z;
    this.colour.toArray(numbers, at + 8);
  }

  // A curve of n strokes: `place(s, out)` for s from 0 to 1.
  curve(n, width, place) {
    let a = place(0, new THREE.Vector3());
    let b = new THREE.Vector3();
    for (let k = 1; k <= n; k++) {
      place(k / n, b);
      this.line(a, b, width);
      [a, b] = [b, a];
    }
  }

  end() {
    this.marks.show(this.count);
  }
}

// A place with axes, as an inertial frame.
class Frame {
  constructor() {
    this.o = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
  }

  at(x, y, z, out = new THREE.Vector3()) {
    return out.set(x, y, z).applyQuaternion(this.turn).add(this.o);
  }
}

export class Joints {
  // `size`: that of an arrow of a contact, m.
  constructor(replay, parent, size) {
    this.replay = replay;
    this.size = size;
    this.s = 0.3 * size; // half length of a pin
    this.w = 0.018 * size; // half width of a stroke
    const { joints, forces } = replay.scene;
    this.balls = joints.filter((joint) => joint.kind === "ball" || joint.kind === "point-on-line");
    this.lines = joints.filter((joint) => joint.kind !== "ball");
    this.rods = this.rodsOfBodies();
    const springs = Math.max(1, forces.length);
    this.perTurn = Math.max(6, Math.min(16, Math.floor(MOST_STROKES / springs / 8)));
    this.turns = springs * 8 * this.perTurn > MOST_STROKES ? 3 : 8;
    const perCoil = (this.turns + 2) * this.perTurn + 8;
    this.joints = new Pen(Math.max(1, 4 * AROUND * this.lines.length), parent, true, 1);
    this.solid = new Pen(Math.max(1, perCoil * springs + this.rods.length), parent, false, 0);
    this.marks = new Marks(Math.max(1, this.balls.length), parent, 1);
    this.dots = this.marks.addDiscs(0.07 * size);
    this.lengths = forces.map((force) => this.lengthAt(0, force));
    this.frames = [new Frame(), new Frame()];
    this.colours = COLOUR.light;
  }

  setTheme(theme, background) {
    this.colours = COLOUR[theme];
    this.background = background;
  }

  lengthAt(frame, force) {
    const [a, b] = [0, 1].map((side) => this.replay.jointPoint(frame, force, side, new THREE.Vector3()));
    return a.distanceTo(b);
  }

  // Bodies that move and have no shape: from their middle to the points at which something holds them.
  rodsOfBodies() {
    const { bodies, shapes, joints, forces } = this.replay.scene;
    const drawn = new Set(shapes.map((shape) => shape.body));
    const points = new Map();
    for (const part of [...joints, ...forces.filter((force) => force.kind !== "torsion")]) {
      for (const side of [0, 1]) {
        const body = part.bodies[side];
        if (drawn.has(body) || body === 0 || bodies[body].row < 0) continue;
        if (!points.has(body)) points.set(body, []);
        const p = new THREE.Vector3().fromArray(part.points, 3 * side);
        const list = points.get(body);
        if (!list.some((q) => q.distanceTo(p) < 1e-9)) list.push(p);
      }
    }
    const rods = [];
    for (const [body, list] of points) {
      if (list.length === 1) list.push(new THREE.Vector3());
      const n = list.length;
      if (n <= 3) {
        for (let k = 0; k < (n === 2 ? 1 : n); k++) rods.push({ body, a: list[k], b: list[(k + 1) % n] });
      } else {
        const middle = list.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(n);
        for (const p of list) rods.push({ body, a: middle, b: p });
      }
    }
    return rods;
  }

  // The frame of a joint on one side.
  frameOf(frame, joint, side, out) {
    this.replay.jointPoint(frame, joint, side, out.o);
    this.replay.rotation(frame, joint.bodies[side], out.turn);
    if (joint.axes) out.turn.multiply(rotationOf(joint.axes.slice(4 * side, 4 * side + 4)));
    return out;
  }

  // ---- joints

  circle(pen, frame, radius, z, from = 0, to = 2 * Math.PI) {
    const n = Math.max(2, Math.ceil((AROUND * Math.abs(to - from)) / (2 * Math.PI)));
    pen.curve(n, this.w, (s, out) => {
      const phi = from + s * (to - from);
      return frame.at(radius * Math.cos(phi), radius * Math.sin(phi), z, out);
    });
  }

  // From the place of the second body to that of the first, and beyond; between the limits, if it has.
  rail(pen, one, two, limits) {
    const { s, w } = this;
    const z = one.o.clone().sub(two.o).dot(Z.clone().applyQuaternion(two.turn));
    const [low, high] = limits ?? [null, null];
    const from = low ?? Math.min(0, z) - 1.6 * s;
    const to = high ?? Math.max(0, z) + 1.6 * s;
    pen.line(two.at(0, 0, from), two.at(0, 0, to), w);
    for (const [stop, end] of [[low, from], [high, to]]) {
      if (stop === null) continue;
      pen.line(two.at(-0.35 * s, 0, end), two.at(0.35 * s, 0, end), w);
      pen.line(two.at(0, -0.35 * s, end), two.at(0, 0.35 * s, end), w);
    }
  }

  square(pen, frame, half) {
    const corner = (k) => frame.at(k === 0 || k === 3 ? half : -half, k < 2 ? half : -half, 0);
    for (let k = 0; k < 4; k++) pen.line(corner(k), corner((k + 1) % 4), this.w);
  }

  gear(pen, joint, one, two) {
    const [n1, n2] = joint.teeth;
    const apart = one.o.distanceTo(two.o) / Math.max(1, Math.abs(n1 + n2));
    this.circle(pen, one, apart * Math.abs(n1), 0);
    this.circle(pen, two, apart * Math.abs(n2), 0);
  }

  joint(pen, frame, joint) {
    const { s, w } = this;
    const one = this.frameOf(frame, joint, 0, this.frames[0]);
    const two = this.frameOf(frame, joint, 1, this.frames[1]);
    const limits = (coordinate) => joint.limits?.find((limit) => limit[0] === coordinate)?.slice(1);
    const pin = (f, half) => pen.line(f.at(0, 0, -half), f.at(0, 0, half), 2.4 * w);
    const arc = (range, radius) => {
      if (!range) return;
      this.circle(pen, two, radius, 0, ...range);
      for (const phi of range) {
        pen.line(two.o, two.at(radius * Math.cos(phi), radius * Math.sin(phi), 0), w);
      }
      pen.line(two.o, one.at(1.25 * radius, 0, 0), 1.5 * w);
    };
    pen.colour.set(this.colours.joint);
    switch (joint.kind) {
      case "hinge":
        pin(one, 0.5 * s);
        this.circle(pen, one, 0.24 * s, 0);
        arc(limits(0), 1.3 * s);
        break;
      case "cylindrical":
      case "screw":
      case "slider": {
        this.rail(pen, one, two, limits(0));
        pin(one, 0.4 * s);
        if (joint.kind !== "slider") this.circle(pen, one, 0.3 * s, 0);
        if (joint.kind === "screw") {
          const turn = Math.sign(joint.pitch) * 6 * Math.PI;
          pen.curve(3 * AROUND, w, (k, out) =>
            one.at(0.18 * s * Math.cos(turn * k), 0.18 * s * Math.sin(turn * k), (2 * k - 1) * s, out),
          );
        }
        arc(limits(1), 1.3 * s);
        break;
      }
      case "universal":
        pin(two, 0.5 * s);
        pen.line(one.at(-0.5 * s, 0, 0), one.at(0.5 * s, 0, 0), 3.2 * w);
        break;
      case "planar":
        this.square(pen, one, 0.5 * s);
        pen.line(one.o, one.at(0, 0, 0.5 * s), w);
        break;
      case "point-on-line":
        this.rail(pen, one, two, limits(0));
        break;
      case "fixed":
        this.square(pen, one, 0.16 * s);
        pen.line(one.at(-0.16 * s, -0.16 * s, 0), one.at(0.16 * s, 0.16 * s, 0), w);
        pen.line(one.at(-0.16 * s, 0.16 * s, 0), one.at(0.16 * s, -0.16 * s, 0), w);
        break;
      case "gear":
        this.gear(pen, joint, one, two);
        break;
      default: {
        // a rope or a distance
        const slack = joint.kind === "rope" && one.o.distanceTo(two.o) < SLACK * joint.length;
        if (slack) pen.colour.lerp(this.background, 1 - DIM);
        pen.line(one.o, two.o, w);
      }
    }
  }

  // ---- force elements

  // A line of n dashes.
  dashes(pen, a, b, n) {
    const from = new THREE.Vector3();
    const to = new THREE.Vector3();
    for (let k = 0; k < n; k++) {
      pen.line(from.lerpVectors(a, b, (2 * k) / (2 * n - 1)), to.lerpVectors(a, b, (2 * k + 1) / (2 * n - 1)), this.w);
    }
  }

  spring(pen, force, rest) {
    const [a, b] = this.frames.map((frame) => frame.o);
    const along = b.clone().sub(a);
    const length = along.length();
    if (!(length > 0)) return;
    along.divideScalar(length);
    const up = new THREE.Vector3(...this.replay.scene.up);
    const across = new THREE.Vector3().crossVectors(along, up);
    if (across.length() < 0.05) across.crossVectors(along, Math.abs(up.x) < 0.7 ? X : Y);
    across.normalize();
    const aside = new THREE.Vector3().crossVectors(along, across);
    const radius = Math.min(0.22 * this.size, 0.13 * Math.max(rest, 1e-9));
    const width = Math.min(this.w, 0.16 * radius);
    const point = (s, x, y, out) =>
      out.copy(a).addScaledVector(along, s).addScaledVector(across, x).addScaledVector(aside, y);
    if (force.damping > 0) {
      // a cup that is fast to the first point, and the rod of a piston that is fast to the second
      const cup = force.stiffness > 0 ? 0.45 * radius : 0.8 * radius;
      const [p, q] = [0.18 * rest, 0.62 * rest];
      const ends = [new THREE.Vector3(), new THREE.Vector3()];
      pen.line(a, point(p, 0, 0, ends[0]), width);
      pen.line(ends[0], point(q, 0, 0, ends[1]), cup);
      pen.line(point(length - 0.62 * rest, 0, 0, ends[0]), b, 1.4 * width);
    }
    if (!(force.stiffness > 0)) return;
    const end = Math.min(0.12 * length, radius);
    const turns = 2 * Math.PI * this.turns;
    pen.line(a, point(end, radius, 0, new THREE.Vector3()), width);
    pen.curve(this.turns * this.perTurn, width, (s, out) =>
      point(end + s * (length - 2 * end), radius * Math.cos(turns * s), radius * Math.sin(turns * s), out),
    );
    pen.line(point(length - end, radius, 0, new THREE.Vector3()), b, width);
  }

  // A spiral about its axis: the inner end turns with the first body, the outer one with the second.
  torsion(pen, frame, force) {
    const [one, two] = this.frames;
    const axis = new THREE.Vector3(...force.axis).normalize();
    const relative = one.turn.clone().invert().multiply(two.turn);
    const phi = 2 * Math.atan2(axis.dot(new THREE.Vector3(relative.x, relative.y, relative.z)), relative.w);
    const across = new THREE.Vector3().crossVectors(axis, Math.abs(axis.x) < 0.7 ? X : Y).normalize();
    const aside = new THREE.Vector3().crossVectors(axis, across);
    const outer = 0.75 * this.s;
    const whole = 5 * Math.PI + Math.atan2(Math.sin(phi), Math.cos(phi));
    pen.curve(3 * this.perTurn, 1.4 * this.w, (s, out) => {
      const r = outer * (0.15 + 0.85 * s);
      out.set(0, 0, 0).addScaledVector(across, r * Math.cos(whole * s));
      return out.addScaledVector(aside, r * Math.sin(whole * s)).applyQuaternion(one.turn).add(one.o);
    });
  }

  // The frames of both bodies as cubes: they part as it is strained.
  bushing(pen) {
    this.frames.forEach((frame, side) => {
      const h = (side === 0 ? 0.3 : 0.22) * this.s;
      for (let k = 0; k < 8; k++) {
        const corner = [0, 1, 2].map((bit) => (k & (1 << bit) ? h : -h));
        for (const bit of [0, 1, 2]) {
          if (k & (1 << bit)) continue;
          const other = corner.map((x, i) => (i === bit ? h : x));
          pen.line(frame.at(...corner), frame.at(...other), this.w);
        }
      }
    });
    pen.line(this.frames[0].o, this.frames[1].o, this.w);
  }

  force(pen, frame, force, rest) {
    this.frames.forEach((out, side) => this.frameOf(frame, force, side, out));
    pen.colour.set(this.colours.force);
    if (force.kind === "spring") this.spring(pen, force, rest);
    else if (force.kind === "torsion") this.torsion(pen, frame, force);
    else if (force.kind === "bushing") this.bushing(pen);
    else this.dashes(pen, this.frames[0].o, this.frames[1].o, 12);
  }

  // ---- a frame

  show(frame) {
    const P = new THREE.Vector3();
    this.joints.begin();
    for (const joint of this.lines) this.joint(this.joints, frame, joint);
    this.joints.end();
    this.solid.begin();
    const part = { points: [0, 0, 0, 0, 0, 0], bodies: [0, 0] };
    const Q = new THREE.Vector3();
    for (const { body, a, b } of this.rods) {
      part.bodies = [body, body];
      part.points = [...a.toArray(), ...b.toArray()];
      this.solid.colour.set(this.colours.rod);
      this.solid.line(
        this.replay.jointPoint(frame, part, 0, P),
        this.replay.jointPoint(frame, part, 1, Q),
        2.5 * this.w,
      );
    }
    this.replay.scene.forces.forEach((force, k) => this.force(this.solid, frame, force, this.lengths[k]));
    this.solid.end();
    this.balls.forEach((joint, k) => {
      const at = this.marks.placeOf(k);
      this.replay.jointPoint(frame, joint, 0, P).toArray(this.marks.numbers, at);
      this.joints.colour.set(this.colours.joint).toArray(this.marks.numbers, at + 8);
    });
    this.marks.show(this.balls.length);
  }

  setVisible(on) {
    this.joints.mesh.visible = this.solid.mesh.visible = this.dots.visible = on;
  }
}
