// The solids of a scene as instanced meshes: shapes of one form and size class share a geometry and
// one draw call.

import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { entryOf, repeated, tableLength, tableOf } from "./copies.js";

// Colours that stay apart for colour-blind eyes, at equal lightness.
const PALETTE = [0x4e8fc7, 0xd98b4a, 0x5faf8c, 0xb678b0, 0xc9b24b, 0x6fb7d6, 0xc96a62, 0x8a8fd0];

const GROUND = 0x8d949c;

// The transfer function of sRGB by square roots, within 0.01: powers take a tenth of the time
// of drawing without a graphics card.
THREE.ShaderChunk.colorspace_pars_fragment = `
  vec4 LinearTransferOETF(in vec4 value) { return value; }
  vec4 sRGBTransferOETF(in vec4 value) {
    vec3 a = sqrt(max(value.rgb, 0.0)), b = sqrt(a), c = sqrt(b);
    return vec4(0.585122 * a + 0.783140 * b - 0.368263 * c, value.a);
  }`;

// Forces move it, or it moves by itself.
const isFree = (body) => body.mass > 0 || body.row >= 0;

// Sides of a circle at each level of detail, from 0 (fine) to 2.
const AROUND = [36, 20, 10];

// A unit sphere, box or cylinder is scaled per instance; a capsule keeps its own proportions. make
// takes a level of detail; round is [radius, half length] of what castShader draws.
function formOf(shape) {
  switch (shape.kind) {
    case "sphere":
      return {
        key: "sphere",
        make: (level) => new THREE.SphereGeometry(1, AROUND[level], Math.round(AROUND[level] / 1.7)),
        scale: [shape.size[0], shape.size[0], shape.size[0]],
        round: [1, 0],
      };
    case "box":
      return {
        key: "box",
        make: () => new THREE.BoxGeometry(2, 2, 2),
        scale: shape.size,
      };
    case "cylinder":
      return {
        key: "cylinder",
        make: (level) => new THREE.CylinderGeometry(1, 1, 2, AROUND[level]).rotateX(Math.PI / 2),
        scale: [shape.size[0], shape.size[0], shape.size[1]],
        round: [1, 1],
      };
    case "capsule": {
      const [radius, half] = shape.size;
      return {
        key: `capsule ${radius} ${half}`,
        make: (level) =>
          new THREE.CapsuleGeometry(
            radius,
            2 * half,
            Math.round(AROUND[level] / 4),
            AROUND[level],
          ).rotateX(Math.PI / 2),
        scale: [1, 1, 1],
        round: [radius, half],
      };
    }
    case "geometry":
      return { key: `geometry ${shape.geometry}`, make: null, scale: [1, 1, 1] };
    default:
      return null; // a half-space is drawn by layGrounds
  }
}

// The triangles of a mesh or a height field, or the faces of a hull; faces are flat.
function trianglesOf({ vertices, triangles }) {
  if (triangles.length === 0) {
    const points = [];
    for (let i = 0; i < vertices.length; i += 3) {
      points.push(new THREE.Vector3(vertices[i], vertices[i + 1], vertices[i + 2]));
    }
    return new ConvexGeometry(points);
  }
  const geometry = new THREE.BufferGeometry();
  const corners = new Float32Array(3 * triangles.length);
  triangles.forEach((v, k) => {
    for (let i = 0; i < 3; i++) corners[3 * k + i] = vertices[3 * v + i];
  });
  geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  geometry.computeVertexNormals();
  return geometry;
}

const OCTANTS = `
    vec3 width = max(fwidth(vCorner), vec3(1e-9));
    vec3 sides = clamp(vCorner / width, -1.0, 1.0);
    diffuseColor.rgb *= 0.93 + 0.07 * sides.x * sides.y * sides.z;`;

// Shading that shows a body as it is: boxes have darker edges, so that one ends where the next
// begins; of round shapes every second octant is darker, so that one sees them rotate.
function marked(material, key) {
  if (key.startsWith("geometry")) return material;
  const edges = `
    vec3 inset = (1.0 - abs(vCorner)) * vSide;
    vec3 width = max(fwidth(vCorner) * vSide, vec3(1e-9)) * 1.2;
    vec3 near = 1.0 - smoothstep(vec3(0.0), width, inset);
    float rim = near.x + near.y + near.z - max(near.x, max(near.y, near.z));
    diffuseColor.rgb *= 1.0 - 0.45 * clamp(rim, 0.0, 1.0);`;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vCorner;\nvarying vec3 vSide;")
      .replace(
        "#include <begin_vertex>",
        `#include <begin_vertex>
         vCorner = position;
         vSide = vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz),
                      length(instanceMatrix[2].xyz));`,
      );
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vCorner;\nvarying vec3 vSide;")
      .replace("#include <color_fragment>", `#include <color_fragment>\n${key === "box" ? edges : OCTANTS}`);
  };
  material.customProgramCacheKey = () => (key === "box" ? "edges" : "octants");
  return material;
}

// A round shape as one square that faces the camera: the fragment shader intersects the ray of its
// pixel with the shape. Two triangles in place of hundreds, and a round outline. In the axes of the
// shape the ray is o + t e, and the shape has a radius and a half length along z.
function cast(material, key, round) {
  const flat = key === "cylinder";
  const vertex = `
    mat4 placed = modelViewMatrix * instanceMatrix;
    vCentre = placed[3].xyz;
    vec3 sides = vec3(length(placed[0].xyz), length(placed[1].xyz), length(placed[2].xyz));
    vAxes = mat3(placed[0].xyz / sides.x, placed[1].xyz / sides.y, placed[2].xyz / sides.z);
    vRound = form * sides.xz;
    // along the shape as it is seen, and across; what is nearer than its centre is seen larger
    float away = length(vCentre);
    vec3 sight = vCentre / away;
    float front = dot(vAxes[2], sight);
    vec3 along = vAxes[2] - front * sight;
    float slant = length(along);
    along = slant > 1e-3 ? along / slant
                         : normalize(cross(sight, abs(sight.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0)));
    float nearer = vRound.y * abs(front) + vRound.x;
    float larger = away / max(away - nearer, 0.05 * away);
    vRay = vCentre + larger * (position.x * (vRound.y * slant + vRound.x) * along
                               + position.y * vRound.x * cross(along, sight));
    gl_Position = projectionMatrix * vec4(vRay, 1.0);`;
  const end = flat
    ? `t = (end - o.z) / e.z;
       n = vec3(0.0, 0.0, sign(end));
       vec2 off = o.xy + t * e.xy;
       if (dot(off, off) > vRound.x * vRound.x) discard;`
    : `vec3 from = o - vec3(0.0, 0.0, end);
       float b = dot(from, e);
       float inside = b * b - dot(from, from) + vRound.x * vRound.x;
       if (inside < 0.0) discard;
       t = -b - sqrt(inside);
       n = (from + t * e) / vRound.x;`;
  const side = `
    float A = max(dot(e.xy, e.xy), 1e-9), B = dot(o.xy, e.xy);
    float within = B * B - A * (dot(o.xy, o.xy) - vRound.x * vRound.x);
    if (within < 0.0) discard;
    t = (-B - sqrt(within)) / A;
    float z = o.z + t * e.z;
    n = vec3((o.xy + t * e.xy) / vRound.x, 0.0);
    if (abs(z) > vRound.y) {
      float end = z > 0.0 ? vRound.y : -vRound.y;
      ${end}
    }`;
  const sphere = `float end = 0.0;\n${end}`;
  const fragment = `
    vec3 sight = normalize(vRay), o = -vCentre * vAxes, e = sight * vAxes, n;
    float t;
    ${round[1] > 0 ? side : sphere}
    vec3 vCorner = o + t * e, vNormal = vAxes * n, vViewPosition = -t * sight;
    float depth = vViewPosition.z;
    gl_FragDepth = 0.5 + 0.5 * (projectionMatrix[3].z - depth * projectionMatrix[2].z) / depth;`;
  const passed = "flat varying mat3 vAxes;\nflat varying vec3 vCentre;\nflat varying vec2 vRound;\nvarying vec3 vRay;";
  material.onBeforeCompile = (shader) => {
    shader.uniforms.form = { value: new THREE.Vector2(...round) };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", `#include <common>\n${passed}\nuniform vec2 form;`)
      .replace("#include <project_vertex>", `#include <project_vertex>\n${vertex}`);
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\n${passed}\nuniform mat4 projectionMatrix;`)
      .replace("void main() {", `void main() {\n${fragment}`)
      .replace("#include <color_fragment>", `#include <color_fragment>\n${OCTANTS}`);
  };
  material.customProgramCacheKey = () => `cast ${flat} ${round[1] > 0}`;
  return material;
}

// A face that fades into the background at its rim, with a line every `pitch` metres and a stronger
// one every ten. The face of a wall is a breath, and its lines show where it is.
function ruled(material, pitch, radius, centre, wall) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.pitch = { value: pitch };
    shader.uniforms.radius = { value: radius };
    shader.uniforms.centre = { value: new THREE.Vector2(centre.x, centre.y) };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vPlace;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        `#include <common>
         varying vec2 vPlace;
         uniform float pitch, radius;
         uniform vec2 centre;
         float ruling(vec2 place, vec2 width) {
           vec2 apart = abs(fract(place - 0.5) - 0.5);
           vec2 near = clamp(1.5 - apart / width, 0.0, 1.0) * clamp(1.4 - 2.8 * width, 0.0, 1.0);
           return max(near.x, near.y);
         }`,
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
         vec2 place = (vPlace + centre) / pitch, width = max(fwidth(place), vec2(1e-9));
         float line = max(0.10 * ruling(place, width), 0.18 * ruling(0.1 * place, 0.1 * width));
         ${wall ? "diffuseColor.a = mix(diffuseColor.a, 1.0, 4.0 * line); line *= 2.0;" : ""}
         diffuseColor.rgb *= 1.0 - line;
         diffuseColor.a *= 1.0 - smoothstep(0.25, 1.0, length(vPlace) / radius);`,
      );
  };
  material.customProgramCacheKey = () => `ruled ${wall}`;
  return material;
}

const MATRIX = 4; // texels of a copy: the columns of its matrix

// Draws copies of a geometry with the code of three.js for instances.
function copied(material, corners, table) {
  const before = material.onBeforeCompile;
  material.vertexColors = true;
  material.onBeforeCompile = (shader, renderer) => {
    before(shader, renderer);
    shader.uniforms.table = { value: table };
    shader.vertexShader = `
      #define USE_INSTANCING
      ${entryOf(corners, MATRIX)}
      ${shader.vertexShader.replace(
        "void main() {",
        "void main() {\nmat4 instanceMatrix = mat4(entry(0), entry(1), entry(2), entry(3));",
      )}`;
  };
  const key = material.customProgramCacheKey();
  material.customProgramCacheKey = () => `${key} ${corners} copied`;
  return material;
}

// How many corners the copies of a form may have; with more, the form stays as instances.
const MOST_CORNERS = 2e6;

export class Solids {
  constructor(replay, parent) {
    this.replay = replay;
    this.groundColour = new THREE.Color(GROUND);
    this.grounds = []; // shapes that are half-spaces
    this.discs = []; // their faces
    this.movingGrounds = [];
    this.parts = []; // { mesh, items: [{ body, row, local }] }
    this.group = new THREE.Group();
    parent.add(this.group);
    const { scene } = replay;
    const forms = new Map();
    scene.shapes.forEach((shape, number) => {
      const form = formOf(shape);
      if (form === null) {
        if (shape.kind === "half-space") this.grounds.push(shape);
        return;
      }
      const moves = scene.bodies[shape.body].row >= 0;
      const key = `${form.key} ${moves}`;
      if (!forms.has(key)) forms.set(key, { form, moves, shape, items: [] });
      const local = new THREE.Matrix4().compose(
        new THREE.Vector3(...shape.pose.slice(0, 3)),
        new THREE.Quaternion(shape.pose[4], shape.pose[5], shape.pose[6], shape.pose[3]),
        new THREE.Vector3(...form.scale),
      );
      forms.get(key).items.push({
        body: shape.body,
        row: scene.bodies[shape.body].row,
        number,
        material: shape.material,
        local,
      });
    });
    for (const { form, moves, shape, items } of forms.values()) {
      const level = scene.shapes.length <= 400 ? 0 : scene.shapes.length <= 3000 ? 1 : 2;
      const geometry = form.make ? form.make(level) : trianglesOf(replay.geometries[shape.geometry]);
      const open = shape.kind === "geometry" && replay.geometries[shape.geometry].triangles.length > 0;
      const plain = () =>
        new THREE.MeshLambertMaterial({
          flatShading: shape.kind === "geometry",
          side: open ? THREE.DoubleSide : THREE.FrontSide,
        });
      const count = items.length;
      const mesh = new THREE.InstancedMesh(geometry, marked(plain(), form.key), 0);
      const matrices = new Float32Array(tableLength(count, MATRIX));
      mesh.instanceMatrix = new THREE.InstancedBufferAttribute(matrices, 16);
      mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
      mesh.count = count;
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.receiveShadow = true;
      mesh.userData.items = items;
      this.group.add(mesh);
      const makeQuick = () => {
        const one = form.round ? new THREE.PlaneGeometry(2, 2) : geometry;
        const corners = one.attributes.position.count;
        if (count * corners > MOST_CORNERS) return mesh;
        const material = form.round ? cast(plain(), shape.kind, form.round) : marked(plain(), form.key);
        const table = tableOf(matrices, count, MATRIX);
        const quick = new THREE.Mesh(repeated(one, count), copied(material, corners, table));
        quick.frustumCulled = false;
        quick.userData = { table, corners };
        this.group.add(quick);
        return quick;
      };
      this.parts.push({ mesh, items, moves, makeQuick, quick: null });
    }
    this.paint("body");
    this.still = false;
    this.bounds = this.boundsOfRun();
  }

  // `lightOn(normal)` is the light that a face reflects of its colour.
  setGroundColour(colour, lightOn) {
    this.groundColour.set(colour);
    for (const { fine, quick, normal } of this.discs) {
      fine.color.set(colour);
      if (quick !== fine) quick.color.set(colour).multiply(lightOn(normal));
    }
  }

  // A half-space is drawn as a large disc at its face.
  layGrounds(size, centre, up) {
    for (const shape of this.grounds) {
      const body = this.replay.scene.bodies[shape.body];
      const frame = new THREE.Object3D();
      const pose = body.row < 0 ? body.pose : [0, 0, 0, 1, 0, 0, 0];
      frame.position.set(pose[0], pose[1], pose[2]);
      frame.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
      const face = new THREE.Object3D();
      face.position.set(...shape.pose.slice(0, 3));
      face.quaternion.set(shape.pose[4], shape.pose[5], shape.pose[6], shape.pose[3]);
      frame.add(face);
      frame.updateMatrixWorld(true);
      const local = face.worldToLocal(centre.clone());
      // a wall must not hide what stands before it
      const normal = new THREE.Vector3(0, 0, 1).transformDirection(face.matrixWorld);
      const wall = normal.dot(up) < 0.5,
        radius = (wall ? 2 : 8) * size;
      const faceOf = (Material) =>
        ruled(
          new Material({
            transparent: true,
            opacity: wall ? 0.12 : 1,
            depthWrite: !wall,
            polygonOffset: true,
            polygonOffsetFactor: 2,
            polygonOffsetUnits: 2,
          }),
          10 ** Math.floor(Math.log10(wall ? 0.5 * size : size)),
          radius,
          local,
          wall,
        );
      const fine = faceOf(THREE.MeshLambertMaterial);
      const disc = new THREE.Mesh(new THREE.PlaneGeometry(2 * radius, 2 * radius), fine);
      disc.position.set(local.x, local.y, 0);
      disc.receiveShadow = !wall;
      disc.renderOrder = wall ? 1 : 0; // over the floor behind it
      // without shadows the light is the same everywhere, as long as the face does not turn
      const quick = body.row < 0 ? faceOf(THREE.MeshBasicMaterial) : fine;
      this.discs.push({ disc, fine, quick, normal });
      face.add(disc);
      this.group.add(frame);
      if (body.row >= 0) this.movingGrounds.push({ frame, body });
    }
  }

  // How far a shape reaches from the centre of its body, m.
  reachOf(shape) {
    const place = new THREE.Vector3(...shape.pose.slice(0, 3));
    if (shape.kind === "box") return place.length() + Math.hypot(...shape.size);
    if (shape.kind !== "geometry") return place.length() + shape.size.reduce((a, b) => a + b, 0);
    const rotation = new THREE.Quaternion(shape.pose[4], shape.pose[5], shape.pose[6], shape.pose[3]);
    const { vertices } = this.replay.geometries[shape.geometry];
    const v = new THREE.Vector3();
    let far = 0;
    for (let i = 0; i < vertices.length; i += 3) {
      v.fromArray(vertices, i).applyQuaternion(rotation).add(place);
      far = Math.max(far, v.length());
    }
    return far;
  }

  // Where the solids are over the whole run, for the camera: a box about the centres that moved,
  // widened by its shapes; and the points of joints at the start.
  boundsOfRun() {
    const { scene } = this.replay;
    const q = new Array(7);
    const sides = [[], [], []];
    const take = (pose, margin) => {
      for (let i = 0; i < 3; i++) sides[i].push(pose[i] - margin, pose[i] + margin);
    };
    const reach = (shape) => this.reachOf(shape);
    const solid = scene.shapes.filter((shape) => shape.kind !== "half-space");
    const free = solid.filter((shape) => isFree(scene.bodies[shape.body]));
    const counted = free.length > 0 ? free : solid;
    const sizes = counted.map(reach).sort((a, b) => a - b);
    this.typical = sizes.length > 0 ? sizes[sizes.length >> 1] : 1; // radius of a usual body, m
    const bars = scene.joints.length > 0 && counted.length < 1000;
    const every = Math.max(1, Math.floor(this.replay.frameCount / (bars ? 60 : 8)));
    // the bars of a mechanism are long: their corners count, and not balls about them
    const corner = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const takeCorners = (pose, shape) => {
      for (let k = 0; k < 8; k++) {
        corner.set(...shape.size.map((half, i) => (k & (1 << i) ? half : -half)));
        for (const [x, y, z, ...Q] of [shape.pose, pose]) {
          corner.applyQuaternion(turn.set(Q[1], Q[2], Q[3], Q[0]));
          corner.x += x;
          corner.y += y;
          corner.z += z;
        }
        take(corner.toArray(), 0);
      }
    };
    for (const shape of counted) {
      const body = scene.bodies[shape.body];
      const margin = reach(shape);
      if (bars && shape.kind === "box") {
        const frames = body.row < 0 ? 1 : this.replay.frameCount;
        for (let f = 0; f < frames; f += every) {
          takeCorners(body.row < 0 ? body.pose : this.replay.pose(f, body.row, q), shape);
        }
        continue;
      }
      if (body.row < 0) take(body.pose, margin);
      else {
        for (let f = 0; f < this.replay.frameCount; f += every) {
          take(this.replay.pose(f, body.row, q), margin);
        }
      }
    }
    const point = new THREE.Vector3();
    // bodies without a shape are drawn between their points
    const bare = new Set(scene.bodies.keys());
    for (const shape of scene.shapes) bare.delete(shape.body);
    const other = new THREE.Vector3();
    const takePart = (part, wide) => {
      for (const side of [0, 1]) {
        const frames = bare.has(part.bodies[side]) ? this.replay.frameCount : 1;
        for (let f = 0; f < frames; f += every) {
          this.replay.jointPoint(f, part, side, point);
          const apart = point.distanceTo(this.replay.jointPoint(f, part, 1 - side, other));
          take(point.toArray(), wide * apart);
        }
      }
    };
    for (const joint of scene.joints) takePart(joint, 0);
    for (const force of scene.forces) takePart(force, 0.08); // a coil is as wide
    if (sides[0].length === 0) take([0, 0, 0], 1);
    // one body in a hundred may fly away without taking the camera with it
    const low = [];
    const high = [];
    for (const side of sides) {
      side.sort((a, b) => a - b);
      const drop = bars ? 0 : Math.floor(0.01 * side.length);
      low.push(side[drop]);
      high.push(side[side.length - 1 - drop]);
    }
    return new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high));
  }

  // Draws all shapes by their triangles, or quickly: round ones as squares, each form in one draw
  // call without instances, and without shadows.
  setQuick(on) {
    for (const part of this.parts) {
      if (on && !part.quick) {
        part.quick = part.makeQuick();
        this.dye(part);
      }
      part.mesh.visible = !on || part.quick === part.mesh;
      if (part.quick && part.quick !== part.mesh) part.quick.visible = on;
    }
    for (const { disc, fine, quick } of this.discs) disc.material = on ? quick : fine;
  }

  // Gives the copies of a part the colours of its instances.
  dye({ mesh, quick }) {
    mesh.instanceColor.needsUpdate = true;
    if (!quick || quick === mesh) return;
    const { corners } = quick.userData;
    const colours = new Float32Array(3 * corners * mesh.count);
    for (let k = 0; k < corners * mesh.count; k++) {
      const at = 3 * Math.floor(k / corners);
      for (let i = 0; i < 3; i++) colours[3 * k + i] = mesh.instanceColor.array[at + i];
    }
    quick.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  }

  // Colours by "body", "material" or nothing else; what cannot move is grey.
  paint(by) {
    const colour = new THREE.Color();
    const hsl = {};
    for (const part of this.parts) {
      const { mesh, items } = part;
      items.forEach((item, k) => {
        const free = isFree(this.replay.scene.bodies[item.body]);
        const key = by === "material" ? item.material : item.body;
        colour.set(free ? PALETTE[key % PALETTE.length] : GROUND);
        if (free && by === "body") {
          // neighbours in a heap differ a little in lightness as well
          colour.getHSL(hsl);
          const shift = (((item.body * 2654435761) >>> 8) % 1000) / 1000 - 0.5;
          colour.setHSL(hsl.h, hsl.s, hsl.l + 0.12 * shift);
        }
        mesh.setColorAt(k, colour);
      });
      this.dye(part);
    }
    this.by = by;
  }

  light(body) {
    this.paint(this.by);
    if (body === null) return;
    const bright = new THREE.Color(0xffe08a);
    for (const part of this.parts) {
      part.items.forEach((item, k) => {
        if (item.body === body) part.mesh.setColorAt(k, bright);
      });
      this.dye(part);
    }
  }

  show(frame) {
    const q = new Array(7);
    const pose = new THREE.Matrix4();
    const whole = new THREE.Matrix4();
    const position = new THREE.Vector3();
    const rotation = new THREE.Quaternion();
    const one = new THREE.Vector3(1, 1, 1);
    for (const { mesh, items, moves, quick } of this.parts) {
      if (!moves && this.still) continue;
      for (let k = 0; k < items.length; k++) {
        const item = items[k];
        const at = moves
          ? this.replay.pose(frame, item.row, q)
          : this.replay.scene.bodies[item.body].pose;
        position.set(at[0], at[1], at[2]);
        rotation.set(at[4], at[5], at[6], at[3]);
        pose.compose(position, rotation, one);
        mesh.setMatrixAt(k, whole.multiplyMatrices(pose, item.local));
      }
      mesh.instanceMatrix.needsUpdate = true;
      if (quick?.userData.table) quick.userData.table.needsUpdate = true;
      mesh.boundingSphere = null; // picking computes it again
    }
    for (const { frame: ground, body } of this.movingGrounds) {
      this.replay.pose(frame, body.row, q);
      ground.position.set(q[0], q[1], q[2]);
      ground.quaternion.set(q[4], q[5], q[6], q[3]);
    }
    this.still = true;
  }

  // The body under a ray, or null.
  pick(raycaster) {
    const hit = raycaster.intersectObjects(
      this.parts.map(({ mesh }) => mesh),
      false,
    )[0];
    return hit ? hit.object.userData.items[hit.instanceId].body : null;
  }
}
