// Ropes and joints: a line between the two points of a rope or distance joint, dimmer where a rope
// is slack, and a dot at each ball joint.

import * as THREE from "three";
import { Marks } from "./contacts.js";

const COLOUR = { light: 0x3a2f6b, dark: 0xd9ccff };
const SLACK = 0.995; // of its length: nearer points are not rounding of the poses
const DIM = 0.35;

export class Joints {
  // `size`: that of an arrow of a contact, m.
  constructor(replay, parent, size) {
    this.replay = replay;
    const { joints } = replay.scene;
    this.lines = joints.filter((joint) => joint.kind !== "ball");
    this.balls = joints.filter((joint) => joint.kind === "ball");
    const geometry = new THREE.BufferGeometry();
    const ends = 2 * this.lines.length;
    this.place = new THREE.BufferAttribute(new Float32Array(3 * ends), 3);
    this.shade = new THREE.BufferAttribute(new Float32Array(4 * ends).fill(1), 4);
    geometry.setAttribute("position", this.place);
    geometry.setAttribute("color", this.shade);
    const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true });
    this.wires = new THREE.LineSegments(geometry, material);
    this.wires.frustumCulled = false;
    this.wires.renderOrder = 1;
    parent.add(this.wires);
    this.marks = new Marks(this.balls.length, parent, 1);
    this.dots = this.marks.addDiscs(0.07 * size);
  }

  setTheme(theme) {
    const colour = new THREE.Color(COLOUR[theme]);
    this.wires.material.color.copy(colour);
    this.balls.forEach((_, k) => colour.toArray(this.marks.numbers, this.marks.placeOf(k) + 8));
    this.marks.show(this.balls.length);
  }

  show(frame) {
    const P = [0, 1].map(() => new THREE.Vector3());
    this.lines.forEach((joint, k) => {
      for (const side of [0, 1]) {
        this.replay.jointPoint(frame, joint, side, P[side]).toArray(this.place.array, 6 * k + 3 * side);
      }
      const slack = joint.kind === "rope" && P[0].distanceTo(P[1]) < SLACK * joint.length;
      for (const side of [0, 1]) this.shade.setW(2 * k + side, slack ? DIM : 1);
    });
    this.balls.forEach((joint, k) => {
      this.replay.jointPoint(frame, joint, 0, P[0]).toArray(this.marks.numbers, this.marks.placeOf(k));
    });
    for (const array of [this.place, this.shade]) array.needsUpdate = true;
    this.marks.show(this.balls.length);
  }

  setVisible(on) {
    this.wires.visible = this.dots.visible = on;
  }
}
