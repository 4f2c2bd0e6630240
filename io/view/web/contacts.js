// The contacts of a frame: a dot at each point and an arrow along its impulse.

import * as THREE from "three";

// By status: colours that stay apart for colour-blind eyes.
export const STATUS_COLOURS = {
  open: 0x9aa3ad,
  stick: 0x0072b2,
  slide: 0xe69f00,
  closed: 0x009e73,
  undecided: 0xcc79a7,
};

const scale = (low, high, value) => Math.min(1, Math.max(0, (value - low) / (high - low)));

// A flat mark that faces the camera, at each point: a disc, or an arrow of three triangles from
// there. `arrow` has its vector, m.
export function markMaterial(size, arrow) {
  const place = arrow
    ? `vec3 tip = mat3(modelViewMatrix) * arrow;
       float length = length(tip);
       vec3 across = cross(tip, at);
       across *= max(length, least) / max(1e-30, sqrt(dot(across, across)));
       at += position.y * tip + position.x * across;`
    : "at.xy += least * position.xy;";
  return new THREE.ShaderMaterial({
    uniforms: { least: { value: size } },
    vertexShader: `
      attribute vec3 point, arrow, colour;
      uniform float least;
      varying vec3 vColour;
      varying vec2 vPlace;
      void main() {
        vec3 at = (modelViewMatrix * vec4(point, 1.0)).xyz;
        ${place}
        vColour = colour;
        vPlace = position.xy;
        gl_Position = projectionMatrix * vec4(at, 1.0);
      }`,
    fragmentShader: `
      varying vec3 vColour;
      varying vec2 vPlace;
      void main() {
        float far = ${arrow ? "0.0" : "length(vPlace)"};
        if (far > 1.0) discard;
        gl_FragColor = vec4(vColour, ${arrow ? "0.85" : "0.9"});
        #include <colorspace_fragment>
      }`,
    depthTest: false,
    transparent: true,
    side: THREE.DoubleSide,
  });
}

// Along y from 0 to 1, in parts of the width of the arrow across.
function markGeometry(corners, triangles, shared) {
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
  geometry.setIndex(triangles);
  for (const [name, array] of Object.entries(shared)) geometry.setAttribute(name, array);
  return geometry;
}

export const discGeometry = (shared) =>
  markGeometry([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], [0, 1, 2, 0, 2, 3], shared);

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
    const numbers = () => {
      const array = new THREE.InstancedBufferAttribute(new Float32Array(3 * most), 3);
      return array.setUsage(THREE.DynamicDrawUsage);
    };
    this.given = { point: numbers(), arrow: numbers(), colour: numbers() };
    const shaft = [-0.035, 0, 0, 0.035, 0, 0, 0.035, 0.75, 0, -0.035, 0.75, 0];
    const head = [-0.1, 0.75, 0, 0.1, 0.75, 0, 0, 1, 0];
    this.dots = new THREE.Mesh(
      discGeometry(this.given),
      markMaterial(0.04 * size, false),
    );
    this.arrows = new THREE.Mesh(
      markGeometry([...shaft, ...head], [0, 1, 2, 0, 2, 3, 4, 5, 6], this.given),
      markMaterial(0.2 * size, true),
    );
    for (const mesh of [this.dots, this.arrows]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      parent.add(mesh);
    }
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
    const { point, arrow, colour: colours } = this.given;
    let n = 0;
    this.replay.eachContact(frame, (contact) => {
      const r = Math.hypot(...contact.impulse);
      const stretch = r > 0 ? (this.size * Math.min(2, Math.sqrt(r / this.largest))) / r : 0;
      point.set(contact.point, 3 * n);
      arrow.setXYZ(n, ...contact.impulse.map((x) => stretch * x));
      this.colourOf(contact, residual, colour).toArray(colours.array, 3 * n);
      n += 1;
    });
    for (const array of Object.values(this.given)) {
      array.clearUpdateRanges();
      array.addUpdateRange(0, 3 * n);
      array.needsUpdate = true;
    }
    for (const mesh of [this.dots, this.arrows]) mesh.geometry.instanceCount = n;
  }

  setVisible(dots, arrows) {
    this.dots.visible = dots;
    this.arrows.visible = arrows;
  }
}
