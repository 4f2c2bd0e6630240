// The replay page: camera and light, play and scrub, picking, and what is drawn of a frame.
//
// The address may hold #frame=N or #time=T, play, theme=light|dark,
// ui=none: the scene alone, and quality=best (whatever it costs) or quick (also what rests). `window.percuss` is for tests and
// for pages that embed this one: ready, frameCount, seek(frame), frame, fps.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Replay } from "./data.js";
import { Solids } from "./solids.js";
import { Contacts, STATUS_COLOURS } from "./contacts.js";
import { Joints } from "./joints.js";
import { Curves } from "./curves.js";

const element = (id) => document.getElementById(id);
const number = (value, n = 4) => (Math.abs(value) < 1e-12 ? "0" : String(+value.toPrecision(n)));

const BACKGROUND = { light: 0xeef1f4, dark: 0x14181d };
const GROUND = { light: 0xd9dee3, dark: 0x3a424b };

// Whether the browser draws without a graphics card.
function inSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

class Stage {
  // `smooth`: every pixel is the mean of samples, which takes as long again without a graphics card.
  constructor(canvas, up, smooth) {
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: smooth,
      preserveDrawingBuffer: true, // a picture of the canvas can be saved at any time
    });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.restRatio = smooth ? Math.min(2, window.devicePixelRatio || 1) : 2;
    this.quickRatio = smooth ? this.restRatio : 1;
    this.quick = false;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(...up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.sky = new THREE.HemisphereLight(0xffffff, 0xa9b0b8, 1.7);
    this.sky.position.set(...up);
    this.sun = new THREE.DirectionalLight(0xffffff, 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  // Puts camera and light about a box. A flat mechanism is seen across its plane.
  frame(box, mechanism) {
    const centre = box.getCenter(new THREE.Vector3());
    const size = Math.max(1e-6, box.getSize(new THREE.Vector3()).length());
    this.size = size;
    this.centre = centre;
    const up = this.camera.up;
    const side = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    side.addScaledVector(up, -side.dot(up)).normalize();
    const across = new THREE.Vector3().crossVectors(up, side);
    this.home = side
      .clone()
      .multiplyScalar(0.55)
      .addScaledVector(across, -0.85)
      .addScaledVector(up, 0.42)
      .normalize();
    const extent = box.getSize(new THREE.Vector3());
    const thin = ["x", "y", "z"].reduce((a, b) => (extent[a] <= extent[b] ? a : b));
    if (mechanism && extent[thin] < 0.12 * size) {
      const normal = new THREE.Vector3();
      normal[thin] = Math.sign(this.home[thin]) || 1;
      // of a plane seen from above the upright axis stays upright
      if (Math.abs(normal.dot(up)) > 0.9) this.home.copy(across).multiplyScalar(-0.7);
      this.home.multiplyScalar(0.3).addScaledVector(normal, 0.9).normalize();
    }
    const angle = (this.camera.fov * Math.PI) / 360;
    this.away = mechanism
      ? this.awayFrom(extent, angle)
      : (0.5 * size) / Math.tan(angle) / Math.min(1, Math.max(0.45, this.camera.aspect));
    this.camera.near = size / 500;
    this.camera.far = 60 * size;
    this.camera.updateProjectionMatrix();
    this.reset();
    this.sun.position
      .copy(centre)
      .addScaledVector(up, 2.2 * size)
      .addScaledVector(side, -0.9 * size)
      .addScaledVector(across, -0.7 * size);
    this.sun.target.position.copy(centre);
    const shadow = this.sun.shadow;
    const half = 1.1 * size;
    Object.assign(shadow.camera, { left: -half, right: half, top: half, bottom: -half });
    shadow.camera.near = 0.1 * size;
    shadow.camera.far = 6 * size;
    shadow.camera.updateProjectionMatrix();
    shadow.bias = -0.0004;
    shadow.normalBias = 0.004 * size;
  }

  // The distance at which all corners of a box of this extent are in view, with a rim.
  awayFrom(extent, angle) {
    const right = new THREE.Vector3().crossVectors(this.camera.up, this.home).normalize();
    const top = new THREE.Vector3().crossVectors(this.home, right);
    const tangent = 0.86 * Math.tan(angle);
    const wide = tangent * Math.max(0.45, this.camera.aspect);
    let away = 0;
    for (let k = 0; k < 8; k++) {
      const sides = [1, 2, 4].map((bit) => (k & bit ? 0.5 : -0.5));
      const corner = new THREE.Vector3(...sides).multiply(extent);
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(top)) / tangent);
      away = Math.max(away, across + corner.dot(this.home));
    }
    return away;
  }

  // The part of each colour that a face with this normal reflects where no shadow falls.
  lightOn(normal) {
    const { sky, sun } = this;
    const up = 0.5 + 0.5 * normal.dot(sky.position.clone().normalize());
    const light = sky.groundColor.clone().lerp(sky.color, up).multiplyScalar(sky.intensity);
    const front = normal.dot(sun.position.clone().sub(sun.target.position).normalize());
    light.add(sun.color.clone().multiplyScalar(sun.intensity * Math.max(0, front)));
    return light.multiplyScalar(1 / Math.PI);
  }

  reset() {
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(this.home, this.away);
    this.controls.update();
  }

  setTheme(theme) {
    const colour = new THREE.Color(BACKGROUND[theme]);
    this.scene.background = colour;
  }

  fit() {
    const canvas = this.renderer.domElement;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.quick ? this.quickRatio : this.restRatio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  // Draws without shadows and with fewer pixels, or as well as the machine can.
  setQuick(on) {
    this.quick = on;
    this.sun.castShadow = !on;
    this.fit();
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
  }
}

class Page {
  constructor(replay) {
    this.replay = replay;
    this.frame = 0;
    this.time = replay.scene.times[0];
    this.playing = false;
    this.picked = null;
    this.speed = 1;
    const up = replay.scene.up;
    this.quality = new URLSearchParams(location.hash.slice(1)).get("quality");
    this.slow =
      this.quality === "quick" ||
      (this.quality !== "best" && replay.scene.shapes.length > 100 && inSoftware());
    this.stage = new Stage(element("view"), up, !this.slow);
    this.solids = new Solids(replay, this.stage.scene);
    this.stage.fit();
    this.stage.controls.addEventListener("start", () => {
      this.moved = true;
    });
    this.place();
    this.solids.layGrounds(this.stage.size, this.stage.centre, this.stage.camera.up);
    this.contacts = new Contacts(replay, this.stage.scene, this.arrowSize());
    this.joints = new Joints(replay, this.stage.scene, this.arrowSize());
    this.curves = new Curves(replay.scene, element("curves"), (t) => this.seekTime(t));
    this.residuals = replay.scene.curves.find((curve) => curve.name === "residual")?.values;
    element("curves").hidden = window.innerHeight < 600;
    this.text();
    this.controls();
    this.theme(this.wantedTheme());
    this.resize();
    this.fromAddress();
    this.show();
  }

  place() {
    const { joints, shapes } = this.replay.scene;
    const mechanism = joints.length > 0 && !shapes.some((shape) => shape.kind === "half-space");
    this.stage.frame(this.solids.bounds, mechanism);
  }

  // The length of a large arrow, m: about a body, but visible in the whole scene.
  arrowSize() {
    const { size } = this.stage;
    return Math.min(0.16 * size, Math.max(0.03 * size, 1.3 * this.solids.typical));
  }

  // ---- what stands on the page

  text() {
    const { scene } = this.replay;
    document.title = `${scene.title} - percuss`;
    element("title").textContent = scene.title;
    const list = element("facts");
    for (const [name, value] of scene.facts) {
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      list.append(term, text);
    }
    const legend = element("legend");
    for (const name of scene.statuses) {
      const entry = document.createElement("span");
      const mark = document.createElement("i");
      mark.style.background = new THREE.Color(
        STATUS_COLOURS[name] ?? STATUS_COLOURS.undecided,
      ).getStyle();
      entry.append(mark, name);
      legend.append(entry);
    }
    const scrub = element("scrub");
    scrub.max = this.replay.frameCount - 1;
  }

  wantedTheme() {
    const asked = new URLSearchParams(location.hash.slice(1)).get("theme");
    if (asked === "light" || asked === "dark") return asked;
    return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  theme(name) {
    this.themeName = name;
    document.documentElement.dataset.theme = name;
    this.stage.setTheme(name);
    this.solids.setGroundColour(GROUND[name], (normal) => this.stage.lightOn(normal));
    this.joints.setTheme(name, this.stage.scene.background);
    this.joints.show(this.frame);
    this.curves.paint();
    this.curves.show(this.frame);
    this.dirty = true;
  }

  resize() {
    this.stage.fit();
    if (!this.moved) this.place();
    this.curves.paint();
    this.curves.show(this.frame);
    this.dirty = true;
  }

  fromAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.get("ui") === "none") document.documentElement.dataset.ui = "none";
    if (asked.has("frame")) this.seek(Number(asked.get("frame")));
    else if (asked.has("time")) this.seekTime(Number(asked.get("time")));
    this.resize();
    if (asked.has("play")) this.play(true);
  }

  // ---- time

  seek(frame) {
    const last = this.replay.frameCount - 1;
    this.frame = Math.min(last, Math.max(0, Math.round(frame) || 0));
    this.time = this.replay.scene.times[this.frame];
    this.show();
  }

  seekTime(t) {
    this.seek(this.replay.frameAt(t));
    this.time = Math.max(this.time, Math.min(t, this.replay.scene.times.at(-1)));
  }

  play(on) {
    const { times } = this.replay.scene;
    if (on && this.frame === times.length - 1) this.seek(0);
    this.playing = on;
    element("play").textContent = on ? "\u275a\u275a" : "\u25b6";
    element("play").setAttribute("aria-label", on ? "Pause" : "Play");
    this.clock = null;
    this.dirty = true;
  }

  advance(now) {
    if (!this.playing) return;
    const { times } = this.replay.scene;
    if (this.clock !== null) {
      this.time += (this.speed * (now - this.clock)) / 1000;
      if (this.time >= times.at(-1)) {
        if (element("loop").checked) this.time = times[0];
        else {
          this.time = times.at(-1);
          this.play(false);
        }
      }
      const frame = this.replay.frameAt(this.time);
      if (frame !== this.frame) {
        this.frame = frame;
        this.show();
      }
    }
    this.clock = now;
  }

  // ---- a frame

  show() {
    const { times } = this.replay.scene;
    this.solids.show(this.frame);
    this.joints.show(this.frame);
    this.contacts.show(this.frame, this.residuals ? this.residuals[this.frame] : 0);
    this.curves.show(this.frame);
    element("scrub").value = this.frame;
    element("clock").textContent =
      `${times[this.frame].toFixed(3)} s \u00b7 frame ${this.frame} of ${times.length - 1}`;
    this.tell();
    this.dirty = true;
  }

  // The panel of the body that is picked.
  tell() {
    const panel = element("body");
    panel.hidden = this.picked === null;
    if (this.picked === null) return;
    const { scene } = this.replay;
    const body = scene.bodies[this.picked];
    const q =
      body.row < 0 ? body.pose : this.replay.pose(this.frame, body.row, new Array(7)).slice();
    const lines = [
      ["mass", body.mass > 0 ? `${number(body.mass)} kg` : "cannot move"],
      ["position", `${q.slice(0, 3).map((x) => number(x)).join(", ")} m`],
      ["quaternion", q.slice(3).map((x) => number(x)).join(", ")],
    ];
    const other = this.frame > 0 ? this.frame - 1 : Math.min(1, this.replay.frameCount - 1);
    const dt = scene.times[this.frame] - scene.times[other];
    if (body.row >= 0 && dt !== 0) {
      const p = this.replay.pose(other, body.row, new Array(7));
      const v = [0, 1, 2].map((i) => (q[i] - p[i]) / dt);
      lines.push(["velocity", `${v.map((x) => number(x, 3)).join(", ")} m/s (between frames)`]);
    }
    let count = 0;
    const sum = [0, 0, 0];
    this.replay.eachContact(this.frame, (c) => {
      const sign = c.bodies[0] === this.picked ? 1 : c.bodies[1] === this.picked ? -1 : 0;
      if (sign === 0) return;
      count += 1;
      for (let i = 0; i < 3; i++) sum[i] += sign * c.impulse[i];
    });
    lines.push(["contacts", String(count)]);
    if (count > 0) lines.push(["impulse", `${sum.map((x) => number(x, 3)).join(", ")} N s`]);
    element("body-name").textContent = body.name || `body ${this.picked}`;
    const list = element("body-facts");
    list.replaceChildren();
    for (const [name, value] of lines) {
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      term.textContent = name;
      text.textContent = value;
      list.append(term, text);
    }
  }

  pick(body) {
    this.picked = body;
    this.solids.light(body);
    this.tell();
    this.dirty = true;
  }

  // ---- what the user does

  controls() {
    const view = element("view");
    element("play").addEventListener("click", () => this.play(!this.playing));
    element("back").addEventListener("click", () => this.seek(this.frame - 1));
    element("next").addEventListener("click", () => this.seek(this.frame + 1));
    element("scrub").addEventListener("input", (event) => this.seek(Number(event.target.value)));
    element("speed").addEventListener("change", (event) => {
      this.speed = Number(event.target.value);
    });
    element("theme").addEventListener("click", () => {
      this.theme(this.themeName === "dark" ? "light" : "dark");
    });
    element("home").addEventListener("click", () => {
      this.stage.reset();
      this.dirty = true;
    });
    element("contact-colour").addEventListener("change", (event) => {
      this.contacts.by = event.target.value;
      element("legend").hidden = event.target.value !== "status";
      this.show();
    });
    const marks = () => {
      this.contacts.setVisible(element("dots").checked, element("arrows").checked);
      this.joints.setVisible(element("joints").checked);
      this.dirty = true;
    };
    for (const id of ["dots", "arrows", "joints"]) element(id).addEventListener("change", marks);
    element("joints").parentElement.hidden = this.replay.scene.joints.length + this.replay.scene.forces.length === 0;
    element("body-colour").addEventListener("change", (event) => {
      this.solids.paint(event.target.value);
      this.solids.light(this.picked);
      this.dirty = true;
    });
    element("menu").addEventListener("click", () => {
      const panel = element("settings");
      panel.hidden = !panel.hidden;
      element("menu").setAttribute("aria-expanded", String(!panel.hidden));
    });
    element("charts").addEventListener("click", () => {
      const strip = element("curves");
      strip.hidden = !strip.hidden;
      element("charts").setAttribute("aria-expanded", String(!strip.hidden));
      this.resize();
    });
    element("body-close").addEventListener("click", () => this.pick(null));
    this.stage.controls.addEventListener("change", () => {
      this.dirty = true;
    });
    // a click picks, a drag rotates the camera
    let down = null;
    view.addEventListener("pointerdown", (event) => {
      down = [event.clientX, event.clientY];
    });
    view.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 5) return;
      const rect = view.getBoundingClientRect();
      const at = new THREE.Vector2(
        (2 * (event.clientX - rect.left)) / rect.width - 1,
        1 - (2 * (event.clientY - rect.top)) / rect.height,
      );
      const raycaster = new THREE.Raycaster();
      raycaster.setFromCamera(at, this.stage.camera);
      this.pick(this.solids.pick(raycaster));
    });
    window.addEventListener("keydown", (event) => {
      if (event.target.matches("select, input[type=text]") || event.ctrlKey || event.metaKey) return;
      const key = event.key;
      if (key === " ") this.play(!this.playing);
      else if (key === "ArrowLeft") this.seek(this.frame - (event.shiftKey ? 10 : 1));
      else if (key === "ArrowRight") this.seek(this.frame + (event.shiftKey ? 10 : 1));
      else if (key === "Home") this.seek(0);
      else if (key === "End") this.seek(this.replay.frameCount - 1);
      else if (key === "Escape") this.pick(null);
      else return;
      event.preventDefault();
    });
    window.addEventListener("resize", () => this.resize());
    window.addEventListener("hashchange", () => this.fromAddress());
  }

  // Draws when something changed: on a slow machine quickly, and well once nothing has changed for
  // a while. A machine is slow that cannot play in time; it then loses fine pixels, too.
  loop() {
    const REST = 300; // ms
    let before = null;
    let late = 0;
    let changed = 0;
    this.fps = 0;
    const tick = (now) => {
      requestAnimationFrame(tick);
      this.advance(now);
      this.stage.controls.update();
      if (this.playing && before !== null) {
        const rate = 1000 / Math.max(1, now - before);
        this.fps = this.fps === 0 ? rate : 0.9 * this.fps + 0.1 * rate;
        late = now - before > 36 ? late + 1 : 0;
        if (late > 12) {
          late = 0;
          this.cheaper();
        }
      }
      before = now;
      if (this.dirty) changed = now;
      const quick = this.slow && (now - changed < REST || this.quality === "quick");
      if (!this.dirty && quick === this.stage.quick) return;
      this.dirty = false;
      this.setQuick(quick);
      this.stage.draw();
    };
    requestAnimationFrame(tick);
  }

  setQuick(on) {
    if (on === this.stage.quick) return;
    this.stage.setQuick(on);
    this.solids.setQuick(on);
  }

  cheaper() {
    if (this.quality) return;
    const { stage } = this;
    if (this.slow) {
      stage.quickRatio = Math.max(0.75, stage.quickRatio / 1.4);
      stage.fit();
    }
    this.slow = true;
  }
}

function fail(message) {
  element("loading").textContent = message;
  element("loading").classList.add("failed");
}

async function start() {
  window.percuss = { ready: false };
  if (typeof DecompressionStream === "undefined") {
    fail("This browser is too old for the replay page: it has no DecompressionStream.");
    return;
  }
  const replay = await Replay.open((part) => {
    element("progress").style.width = `${Math.round(100 * part)}%`;
  });
  if (replay.frameCount === 0) {
    fail("The trajectory has no frames.");
    return;
  }
  const page = new Page(replay);
  element("loading").remove();
  page.loop();
  Object.defineProperties(window.percuss, {
    ready: { value: true },
    frameCount: { get: () => replay.frameCount },
    frame: { get: () => page.frame },
    fps: { get: () => page.fps },
    seek: {
      value: (frame) => {
        page.seek(frame);
        page.stage.draw();
        return page.frame;
      },
    },
    play: { value: (on) => page.play(on) },
    pick: { value: (body) => page.pick(body) },
  });
}

start().catch((error) => {
  fail(`The replay cannot be shown: ${error.message}`);
  throw error;
});
