// Many copies of a geometry in one draw call, without instances: a machine without a graphics card
// takes 10 us for each instance, and 1 us for a triangle. What differs between the copies is in a
// texture: some texels of four numbers for each copy.

import * as THREE from "three";

const ACROSS = 256; // copies in a row of the texture

const inRow = (count) => Math.min(ACROSS, Math.max(1, count));

// The length of an array for `count` copies: it fills the rows of the texture.
export function tableLength(count, texels) {
  return 4 * texels * inRow(count) * Math.ceil(Math.max(1, count) / inRow(count));
}

// The texture of an array, which it reads again after its `needsUpdate = true`.
export function tableOf(array, count, texels) {
  const width = texels * inRow(count);
  const height = array.length / (4 * width);
  const table = new THREE.DataTexture(array, width, height, THREE.RGBAFormat, THREE.FloatType);
  table.needsUpdate = true;
  return table;
}

// For a vertex shader: entry(k) is the texel k of the copy that the vertex belongs to.
export const entryOf = (corners, texels) => `
  uniform highp sampler2D table;
  vec4 entry(int k) {
    int copy = gl_VertexID / ${corners}, across = textureSize(table, 0).x / ${texels};
    return texelFetch(table, ivec2(${texels} * (copy % across) + k, copy / across), 0);
  }`;

// The vertices of a geometry `count` times.
export function repeated(geometry, count) {
  const whole = new THREE.BufferGeometry();
  const corners = geometry.attributes.position.count;
  for (const [name, { array, itemSize }] of Object.entries(geometry.attributes)) {
    const all = new Float32Array(count * array.length);
    for (let k = 0; k < count; k++) all.set(array, k * array.length);
    whole.setAttribute(name, new THREE.BufferAttribute(all, itemSize));
  }
  if (geometry.index) {
    const { array } = geometry.index;
    const all = new Uint32Array(count * array.length);
    for (let k = 0; k < count; k++) {
      for (let i = 0; i < array.length; i++) all[k * array.length + i] = k * corners + array[i];
    }
    whole.setIndex(new THREE.BufferAttribute(all, 1));
  }
  return whole;
}
