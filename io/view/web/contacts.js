// The contacts of a frame: a dot at each point and an arrow along its impulse.

import * as THREE from "three";
import { arrowGeometry } from "./solids.js";

// By status: colours that stay apart for colour-blind eyes.
export const STATUS_COLOURS = {
  open: 0x9aa3ad,
  stick: 0x0072b2,
  slide: 0xe69f00,
  closed: 0x009e73,
  undecided: 0xcc79a7,
};

const scale = (low, high, value) => Math.min(1, Math.max(0, (value - low) / (high - low)));

export class Contacts {
  // `size`: length of the arrow of a large impulse, m.
  constructor(replay, parent, size) {
    this.replay = replay;
    this.by = "status";
    this.size = size;
    let most = 1;
    for (let f = 0; f < replay.frameCount; f++) most = Math.max(most, replay.contactCount(f));
    const sizes = [];
    const every = Math.max(1, Math.floor(replay.frameCount / 200));
    for (let f = 0; f < replay.frameCount; f += every) {
      replay.eachContact(f, (c) => {
        const r = Math.hypot(...c.impulse);
        if (r > 0) sizes.push(r);
      });
    }
    sizes.sort((a, b) => a - b);
    // an impact is hundreds of times a resting contact: lengths follow the square root, up to the
    // size that 95 % of the contacts stay below
    this.largest = sizes.length > 0 ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 1;
    const paint = () => new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
    this.dots = new THREE.InstancedMesh(new THREE.OctahedronGeometry(1, 1), paint(), most);
    this.arrows = new THREE.InstancedMesh(arrowGeometry(), paint(), most);
    for (const mesh of [this.dots, this.arrows]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      parent.add(mesh);
    }
    this.dots.material.opacity = 0.9;
    this.arrows.material.opacity = 0.85;
  }

  colourOf(contact, residual, colour) {
    if (this.by === "status") {
      const name = this.replay.scene.statuses[contact.status];
      return colour.set(STATUS_COLOURS[name] ?? STATUS_COLOURS.undecided);
    }
    const s =
      this.by === "impulse"
        ? scale(0, 1, Math.sqrt(Math.hypot(...contact.impulse) / this.largest))
        : scale(-12, -2, Math.log10(Math.max(residual, 1e-300)));
    return colour.setHSL(0.58 * (1 - s), 0.85, 0.5); // blue to red
  }

  show(frame, residual) {
    const matrix = new THREE.Matrix4();
    const at = new THREE.Vector3();
    const direction = new THREE.Vector3();
    const z = new THREE.Vector3(0, 0, 1);
    const rotation = new THREE.Quaternion();
    const none = new THREE.Quaternion();
    const stretch = new THREE.Vector3();
    const colour = new THREE.Color();
    let n = 0;
    let arrows = 0;
    this.replay.eachContact(frame, (contact) => {
      at.fromArray(contact.point);
      this.colourOf(contact, residual, colour);
      matrix.compose(at, none, stretch.setScalar(0.04 * this.size));
      this.dots.setMatrixAt(n, matrix);
      this.dots.setColorAt(n, colour);
      n += 1;
      direction.fromArray(contact.impulse);
      const r = direction.length();
      if (r > 0) {
        const length = this.size * Math.min(2, Math.sqrt(r / this.largest));
        rotation.setFromUnitVectors(z, direction.multiplyScalar(1 / r));
        const width = Math.max(length, 0.2 * this.size);
        matrix.compose(at, rotation, stretch.set(width, width, length));
        this.arrows.setMatrixAt(arrows, matrix);
        this.arrows.setColorAt(arrows, colour);
        arrows += 1;
      }
    });
    this.dots.count = n;
    this.arrows.count = arrows;
    for (const mesh of [this.dots, this.arrows]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  setVisible(dots, arrows) {
    this.dots.visible = dots;
    this.arrows.visible = arrows;
  }
}
