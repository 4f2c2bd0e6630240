// Curves over time below the scene, with a cursor at the frame that is shown. A chart holds the
// curves of one group, which have one unit.

const LINES = ["--line-1", "--line-2", "--line-3", "--line-4"];

function digits(value) {
  if (value === 0 || !isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e4 || size < 1e-2 ? value.toExponential(1) : String(+value.toPrecision(3));
}

// Two to four round numbers between two values; of logarithms whole ones.
function marks(low, high, log) {
  let step = 10 ** Math.floor(Math.log10(high - low));
  if (log) step = Math.max(1, Math.ceil((high - low) / 4));
  else if ((high - low) / step < 2) step /= 2;
  else if ((high - low) / step > 5) step *= 2.5;
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) out.push(v);
  return out;
}

class Chart {
  constructor(group, curves, times, seek) {
    this.curves = curves;
    this.times = times;
    this.log = curves.some((curve) => curve.log);
    this.box = document.createElement("figure");
    this.box.className = "chart";
    this.box.style.flexGrow = 1 + 0.25 * (curves.length - 1); // its legend is longer
    const caption = document.createElement("figcaption");
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${group} over time`);
    this.values = curves.map((curve, k) => {
      const entry = document.createElement("span");
      const mark = document.createElement("i");
      mark.style.background = `var(${LINES[k % LINES.length]})`;
      const text = document.createElement("span");
      const value = document.createElement("b");
      text.textContent = curve.name;
      entry.append(mark, text, value);
      caption.append(entry);
      return value;
    });
    this.box.append(caption, this.canvas);
    const pointer = (event) => {
      const rect = this.canvas.getBoundingClientRect();
      const part = (event.clientX - rect.left - this.left) / (rect.width - this.left - 8);
      const [t0, t1] = [times[0], times[times.length - 1]];
      seek(t0 + Math.min(1, Math.max(0, part)) * (t1 - t0));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      pointer(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) pointer(event);
    });
    this.left = 54;
  }

  range() {
    let low = Infinity;
    let high = -Infinity;
    for (const { values } of this.curves) {
      for (const v of values) {
        if (v === null || !isFinite(v) || (this.log && !(v > 0))) continue;
        const y = this.log ? Math.log10(v) : v;
        low = Math.min(low, y);
        high = Math.max(high, y);
      }
    }
    if (!(low <= high)) return [0, 1];
    if (this.log) return [Math.floor(low), Math.max(Math.floor(low) + 1, Math.ceil(high))];
    const most = Math.max(Math.abs(low), Math.abs(high));
    const least = 0.1 * Math.max(most, 1e-12);
    if (high - low < least && most < 1e-12) return [0, 1]; // zero, but for rounding
    if (high - low < least) return [low - least / 2, high + least / 2];
    return [low - 0.05 * (high - low), high + 0.05 * (high - low)];
  }

  // The lines are drawn once per size and theme; a frame only adds its cursor.
  paint() {
    const style = getComputedStyle(this.box);
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    const sheet = document.createElement("canvas");
    sheet.width = this.canvas.width;
    sheet.height = this.canvas.height;
    const g = sheet.getContext("2d");
    g.scale(ratio, ratio);
    const [top, bottom, right] = [6, 18, 8];
    const [low, high] = this.range();
    const [t0, t1] = [this.times[0], this.times[this.times.length - 1]];
    const span = t1 > t0 ? t1 - t0 : 1;
    this.x = (t) => this.left + ((width - this.left - right) * (t - t0)) / span;
    const y = (v) => height - bottom - ((height - top - bottom) * (v - low)) / (high - low);
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = style.getPropertyValue("--faint");
    g.strokeStyle = style.getPropertyValue("--grid");
    g.textAlign = "right";
    g.textBaseline = "middle";
    let label = Infinity; // the height of the last one
    for (const v of marks(low, high, this.log)) {
      if (label - y(v) < 12) continue; // it would stand on it
      label = y(v);
      g.beginPath();
      g.moveTo(this.left, y(v));
      g.lineTo(width - right, y(v));
      g.stroke();
      g.fillText(this.log ? `1e${v}` : digits(v), this.left - 6, y(v));
    }
    g.textBaseline = "alphabetic";
    g.textAlign = "left";
    g.fillText(`${digits(t0)} s`, this.left, height - 4);
    g.textAlign = "right";
    g.fillText(`${digits(t1)} s`, width - right, height - 4);
    this.curves.forEach((curve, k) => {
      g.strokeStyle = style.getPropertyValue(LINES[k % LINES.length]);
      g.lineWidth = 1.5;
      g.lineJoin = "round";
      g.beginPath();
      let pen = false;
      curve.values.forEach((v, f) => {
        if (v === null || !isFinite(v) || (this.log && !(v > 0))) {
          pen = false;
          return;
        }
        const px = this.x(this.times[f]);
        const py = y(this.log ? Math.log10(v) : v);
        if (pen) g.lineTo(px, py);
        else g.moveTo(px, py);
        pen = true;
      });
      g.stroke();
    });
    this.sheet = sheet;
    this.cursor = style.getPropertyValue("--text");
  }

  show(frame) {
    if (!this.sheet || this.canvas.clientWidth === 0) return;
    const g = this.canvas.getContext("2d");
    const ratio = this.canvas.width / Math.max(1, this.canvas.clientWidth);
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    g.drawImage(this.sheet, 0, 0);
    g.scale(ratio, ratio);
    g.strokeStyle = this.cursor;
    g.lineWidth = 1;
    g.beginPath();
    const x = Math.round(this.x(this.times[frame])) + 0.5;
    g.moveTo(x, 4);
    g.lineTo(x, this.canvas.clientHeight - 18);
    g.stroke();
    this.curves.forEach((curve, k) => {
      const v = curve.values[frame];
      const text = v === null || v === undefined ? "" : `${digits(v)} ${curve.unit}`;
      if (this.values[k].textContent !== text) this.values[k].textContent = text;
    });
  }
}

export class Curves {
  constructor(scene, parent, seek) {
    const groups = new Map();
    for (const curve of scene.curves) {
      if (!groups.has(curve.group)) groups.set(curve.group, []);
      groups.get(curve.group).push(curve);
    }
    this.charts = [...groups].map(([group, curves]) => new Chart(group, curves, scene.times, seek));
    parent.append(...this.charts.map((chart) => chart.box));
  }
  paint() {
    for (const chart of this.charts) chart.paint();
  }
  show(frame) {
    for (const chart of this.charts) chart.show(frame);
  }
}
