// The contacts of a frame: a dot at each point and an arrow along its impulse.

import * as THREE from "three";
import { entryOf, repeated, tableLength, tableOf } from "./copies.js";

// By status: colours that stay apart for colour-blind eyes.
export const STATUS_COLOURS = {
  open: 0x9aa3ad,
  stick: 0x0072b2,
  slide: 0xe69f00,
  closed: 0x009e73,
  undecided: 0xcc79a7,
};

const scale = (low, high, value) => Math.min(1, Math.max(0, (value - low) / (high - low)));

const TEXELS = 3; // of a mark: its point, its arrow and its colour

// A flat mark that faces the camera, at each point: a disc, an arrow of three triangles from there,
// or a stroke, both along y from 0 to 1. `size` is the radius of a disc or the width of an arrow, m; a
// stroke has its own half width as the fourth number of its point, and is shaded as a tube.
const SHAFT = [-0.035, 0, 0, 0.035, 0, 0, 0.035, 0.75, 0, -0.035, 0.75, 0];
const HEAD = [-0.1, 0.75, 0, 0.1, 0.75, 0, 0, 1, 0];
const DISC = { corners: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], triangles: [0, 1, 2, 0, 2, 3] };
const STROKE = { corners: [-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0], triangles: DISC.triangles };
const ARROW = { corners: [...SHAFT, ...HEAD], triangles: [0, 1, 2, 0, 2, 3, 4, 5, 6] };

const LEAST_WIDTH = 0.0007; // half width of the thinnest stroke, as a part of its distance

function markMaterial(form, size, table, over) {
  const place =
    form === DISC
      ? "at.xy += least * position.xy;"
      : `vec3 tip = mat3(modelViewMatrix) * entry(1).xyz;
         float length = length(tip);
         vec3 across = cross(tip, at);
         float width = ${form === ARROW ? "max(length, least)" : `max(entry(0).w, ${LEAST_WIDTH} * -at.z)`};
         across *= width / max(1e-30, sqrt(dot(across, across)));
         at += position.y * tip + position.x * across;`;
  const shade = form === STROKE ? "vec3(0.6 + 0.4 * sqrt(max(0.0, 1.0 - vPlace.x * vPlace.x)))" : "1.0";
  return new THREE.ShaderMaterial({
    uniforms: { least: { value: size }, table: { value: table } },
    vertexShader: `
      ${entryOf(form.corners.length / 3, TEXELS)}
      uniform float least;
      varying vec3 vColour;
      varying vec2 vPlace;
      void main() {
        vec3 at = (modelViewMatrix * vec4(entry(0).xyz, 1.0)).xyz;
        ${place}
        vColour = entry(2).rgb;
        vPlace = position.xy;
        gl_Position = projectionMatrix * vec4(at, 1.0);
      }`,
    fragmentShader: `
      varying vec3 vColour;
      varying vec2 vPlace;
      void main() {
        ${form === DISC ? "if (dot(vPlace, vPlace) > 1.0) discard;" : ""}
        gl_FragColor = vec4(vColour * ${shade}, ${form === ARROW ? "0.85" : form === DISC ? "0.9" : "1.0"});
        #include <colorspace_fragment>
      }`,
    depthTest: !over,
    transparent: over,
    side: THREE.DoubleSide,
  });
}

// Discs, arrows and strokes at up to `most` points.
export class Marks {
  constructor(most, parent, order) {
    this.most = most;
    this.numbers = new Float32Array(tableLength(most, TEXELS));
    this.table = tableOf(this.numbers, most, TEXELS);
    this.order = order;
    this.parent = parent;
    this.meshes = [];
  }

  // `over`: drawn over all solids.
  add(form, size, over) {
    const one = new THREE.BufferGeometry();
    one.setAttribute("position", new THREE.Float32BufferAttribute(form.corners, 3));
    one.setIndex(form.triangles);
    const mesh = new THREE.Mesh(repeated(one, this.most), markMaterial(form, size, this.table, over));
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.userData.indices = form.triangles.length;
    this.parent.add(mesh);
    this.meshes.push(mesh);
    return mesh;
  }

  addDiscs(radius) {
    return this.add(DISC, radius, true);
  }

  addArrows(width) {
    return this.add(ARROW, width, true);
  }

  addStrokes(over) {
    return this.add(STROKE, 0, over);
  }

  // Where the numbers of mark k are: its point; 4 later its arrow or stroke, 8 later its colour.
  placeOf(k) {
    return 4 * TEXELS * k;
  }

  // The first n marks are drawn with their numbers.
  show(n) {
    this.table.needsUpdate = true;
    for (const mesh of this.meshes) mesh.geometry.setDrawRange(0, n * mesh.userData.indices);
  }
}

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
    this.marks = new Marks(most, parent, 2);
    this.dots = this.marks.addDiscs(0.04 * size);
    this.arrows = this.marks.addArrows(0.2 * size);
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
    const colour = new THREE.Color();
    const { numbers } = this.marks;
    let n = 0;
    this.replay.eachContact(frame, (contact) => {
      const r = Math.hypot(...contact.impulse);
      const stretch = r > 0 ? (this.size * Math.min(2, Math.sqrt(r / this.largest))) / r : 0;
      const at = this.marks.placeOf(n);
      for (let i = 0; i < 3; i++) {
        numbers[at + i] = contact.point[i];
        numbers[at + 4 + i] = stretch * contact.impulse[i];
      }
      this.colourOf(contact, residual, colour).toArray(numbers, at + 8);
      n += 1;
    });
    this.marks.show(n);
  }

  setVisible(dots, arrows) {
    this.dots.visible = dots;
    this.arrows.visible = arrows;
  }
}
