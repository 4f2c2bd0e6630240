// Reads what the page carries: the scene as JSON, geometries and frames as blocks of deflated
// numbers.
//
// Positions are 16-bit steps of a box of each body, quaternions 16-bit fractions. Within a block a
// frame holds the differences to the frame before, and a contact those to the contact of the same
// bodies in it; all low bytes of a channel come first, then all high bytes: what rests costs next to
// nothing. doc/replay.md has the layout.

import { Quaternion } from "three";

const CHANNELS = 7; // x y z, then the quaternion w x y z

async function inflate(base64) {
  const text = atob(base64.trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// Takes numbers from a block in the order in which they were written, each array on 4 bytes.
class Cursor {
  constructor(buffer) {
    this.buffer = buffer;
    this.at = 0;
  }
  take(Type, n) {
    const array = new Type(this.buffer, this.at, n);
    this.at += Math.ceil((n * Type.BYTES_PER_ELEMENT) / 4) * 4;
    return array;
  }
}

// n numbers of 16 bits, low bytes before high bytes.
function takePlanes(cursor, n) {
  const low = cursor.take(Uint8Array, n);
  const high = cursor.take(Uint8Array, n);
  const numbers = new Uint16Array(n);
  for (let k = 0; k < n; k++) numbers[k] = low[k] | (high[k] << 8);
  return numbers;
}

const FRESH = 65535; // there is no contact of these bodies in the frame before

function readContacts(cursor, count) {
  const offsets = cursor.take(Uint32Array, count + 1);
  const n = offsets[count];
  const [unit] = cursor.take(Float32Array, 1); // N s of the square of one step
  const skip = takePlanes(cursor, n);
  const channels = [0, 1, 2, 3, 4, 5].map(() => takePlanes(cursor, n));
  const status = cursor.take(Uint8Array, n);
  let fresh = 0;
  for (let j = 0; j < n; j++) fresh += skip[j] === FRESH;
  const given = cursor.take(Uint32Array, 2 * fresh);
  const bodies = new Uint32Array(2 * n);
  let next = 0;
  for (let f = 0; f < count; f++) {
    let before = f > 0 ? offsets[f - 1] : 0;
    for (let j = offsets[f]; j < offsets[f + 1]; j++) {
      if (skip[j] === FRESH) {
        bodies[2 * j] = given[next];
        bodies[2 * j + 1] = given[next + 1];
        next += 2;
        continue;
      }
      before += skip[j];
      for (const channel of channels) channel[j] += channel[before];
      bodies[2 * j] = bodies[2 * before];
      bodies[2 * j + 1] = bodies[2 * before + 1];
      before += 1;
    }
  }
  const points = channels.slice(0, 3);
  const impulses = channels.slice(3).map((channel) => new Int16Array(channel.buffer));
  return { offsets, unit, points, impulses, bodies, status };
}

// The frames of one block: raw 16-bit poses [frame][channel][row], and its contacts.
function readBlock(buffer, rows) {
  const cursor = new Cursor(buffer);
  const [first, count] = cursor.take(Uint32Array, 2);
  const size = CHANNELS * rows;
  const poses = new Uint16Array(count * size);
  for (let c = 0; c < CHANNELS; c++) {
    const steps = takePlanes(cursor, count * rows);
    for (let f = 0, k = 0; f < count; f++) {
      const at = f * size + c * rows;
      for (let b = 0; b < rows; b++, k++) {
        poses[at + b] = (f > 0 ? poses[at - size + b] : 0) + steps[k];
      }
    }
  }
  return { first, count, poses, contacts: readContacts(cursor, count) };
}

export class Replay {
  // `report(fraction)` is called as blocks arrive, and once before the first.
  static async open(report) {
    const replay = new Replay();
    replay.scene = JSON.parse(document.getElementById("percuss-scene").textContent);
    replay.rows = replay.scene.rows.step.length / 3;
    replay.geometries = [];
    for (const block of document.querySelectorAll("script.percuss-geometry")) {
      const cursor = new Cursor(await inflate(block.textContent));
      const [vertices, triangles] = cursor.take(Uint32Array, 2);
      replay.geometries.push({
        vertices: cursor.take(Float32Array, 3 * vertices),
        triangles: cursor.take(Uint32Array, 3 * triangles), // none of a hull
      });
      block.remove();
    }
    replay.blocks = [];
    replay.blockOf = new Uint32Array(replay.scene.times.length);
    const elements = document.querySelectorAll("script.percuss-frames");
    for (let k = 0; k < elements.length; k++) {
      report(k / elements.length);
      const block = readBlock(await inflate(elements[k].textContent), replay.rows);
      replay.blockOf.fill(k, block.first, block.first + block.count);
      replay.blocks.push(block);
      elements[k].remove();
    }
    return replay;
  }

  get frameCount() {
    return this.scene.times.length;
  }

  // The last frame at or before time t.
  frameAt(t) {
    const times = this.scene.times;
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The pose of a moving body: x y z, then w x y z with |Q| = 1.
  pose(frame, row, out) {
    const block = this.blocks[this.blockOf[frame]];
    const rows = this.rows;
    const at = (frame - block.first) * CHANNELS * rows + row;
    const { lo, step } = this.scene.rows;
    for (let i = 0; i < 3; i++) {
      out[i] = lo[3 * row + i] + step[3 * row + i] * block.poses[at + i * rows];
    }
    let square = 0;
    for (let i = 3; i < 7; i++) {
      out[i] = (block.poses[at + i * rows] - 32768) / 32767;
      square += out[i] * out[i];
    }
    const scale = 1 / Math.sqrt(square);
    for (let i = 3; i < 7; i++) out[i] *= scale;
    return out;
  }

  // The rotation of a body, as a quaternion.
  rotation(frame, body, out) {
    const { row, pose } = this.scene.bodies[body];
    const q = row < 0 ? pose : this.pose(frame, row, new Array(7));
    return out.set(q[4], q[5], q[6], q[3]);
  }

  // Where the point of a joint on its first (side 0) or second body is, as a vector, m.
  jointPoint(frame, joint, side, out) {
    const { row, pose } = this.scene.bodies[joint.bodies[side]];
    const q = row < 0 ? pose : this.pose(frame, row, new Array(7));
    out.fromArray(joint.points, 3 * side).applyQuaternion(new Quaternion(q[4], q[5], q[6], q[3]));
    out.x += q[0];
    out.y += q[1];
    out.z += q[2];
    return out;
  }

  contactCount(frame) {
    const block = this.blocks[this.blockOf[frame]];
    const k = frame - block.first;
    return block.contacts.offsets[k + 1] - block.contacts.offsets[k];
  }

  // Calls visit({ point, impulse, status, bodies }) for each contact of a frame; the object is
  // the same each time.
  eachContact(frame, visit) {
    const block = this.blocks[this.blockOf[frame]];
    const k = frame - block.first;
    const c = block.contacts;
    const { lo, step } = this.scene.contacts;
    const contact = { point: [0, 0, 0], impulse: [0, 0, 0], status: 0, bodies: [0, 0] };
    for (let j = c.offsets[k]; j < c.offsets[k + 1]; j++) {
      for (let i = 0; i < 3; i++) {
        const root = c.impulses[i][j];
        contact.point[i] = lo[i] + step[i] * c.points[i][j];
        contact.impulse[i] = c.unit * root * Math.abs(root);
      }
      contact.status = c.status[j];
      contact.bodies[0] = c.bodies[2 * j];
      contact.bodies[1] = c.bodies[2 * j + 1];
      visit(contact);
    }
  }
}
