// AlignmentView: attention weights as a matrix to step through. Drawn from the traits of
// alignment.py, in a live notebook and on a static page alike. Rows are target words t,
// columns source words s; -1 in place of t or s means a whole column or row.
//
// Text reaches the page through textContent alone, so no token is ever parsed as HTML.
// The DOM holds words and empty cells, built once; one canvas under them shows the weights,
// so that a step, a hover or a snapshot is one painting, however large the matrix.

const PLAY_MS = 900;
const PAGE = 5; // rows moved by PageUp and PageDown

// ---------------------------------------------------------------- pure functions (node tests)

/** Bytes of `_packed` in alignment.py to thousandths, ordered snapshot, target, source. */
export function unpack(bytes, N, T, S) {
  const raw = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  const out = new Uint16Array(N * T * S);
  const mode = raw[0];
  let read = 1, i = 0; // i counts cell by cell through the snapshots
  const fail = () => { throw new Error(`${raw.length} bytes of weights cannot hold ${out.length} values`); };
  if (!(mode <= 1)) fail();
  while (read < raw.length) {
    const byte = raw[read++];
    if (byte >= 192 && byte < 255) { i += 2 ** (byte - 192); continue; }
    let number = byte;
    if (byte === 255) { number = raw[read] + 256 * raw[read + 1]; read += 2; }
    if (i >= out.length || read > raw.length) fail();
    const cell = Math.floor(i / N);
    out[(i - cell * N) * T * S + cell] = number;
    i++;
  }
  if (i !== out.length) fail();
  if (mode === 1) { // zigzag changes since the snapshot before
    for (let at = 0; at < out.length; at++) {
      const change = out[at] & 1 ? -(out[at] + 1) / 2 : out[at] / 2;
      out[at] = (at >= T * S ? out[at - T * S] : 0) + change;
    }
  }
  return out;
}

/** A token as shown: blanks and nothing get a visible sign. */
export function visible(token) {
  if (token === "") return "∅";
  return /^\s+$/u.test(token) ? token.replace(/\s/gu, "␣") : token;
}

/** "2nd", "3rd": which copy of a repeated token this is; "" if it is the only one. */
export function ordinal(tokens, i) {
  if (tokens.indexOf(tokens[i]) === tokens.lastIndexOf(tokens[i])) return "";
  const n = tokens.slice(0, i + 1).filter((token) => token === tokens[i]).length;
  const tail = n % 100 > 10 && n % 100 < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] || "th";
  return `${n}${tail}`;
}

/** Where a key leads from (t, s) in a T x S grid with a header row and column at -1, or null. */
export function nextCell(key, [t, s], T, S, ctrl = false) {
  const to = {
    ArrowUp: [t - 1, s], ArrowDown: [t + 1, s], ArrowLeft: [t, s - 1], ArrowRight: [t, s + 1],
    Home: ctrl ? [0, 0] : [t, 0], End: ctrl ? [T - 1, S - 1] : [t, S - 1],
    PageUp: [Math.max(t - PAGE, Math.min(t, 0)), s], PageDown: [Math.min(t + PAGE, T - 1), s],
  }[key];
  if (!to) return null;
  const [r, c] = to;
  return r < -1 || c < -1 || r >= T || c >= S || (r < 0 && c < 0) ? [t, s] : to;
}

/** Indices of the k largest values, largest first, earlier first among equals. */
export function largest(values, k) {
  return [...values.keys()].sort((a, b) => values[b] - values[a] || a - b).slice(0, k);
}

const word = (side, tokens, i) => {
  const nth = ordinal(tokens, i);
  return [{ side, text: visible(tokens[i]) }, nth && ` (${nth})`];
};

/**
 * What is lit, in words: a list of strings and of {side, text} for tokens.
 * data: {src, tgt, step, at(t, s), isGold(t, s)}; lit: null (the step itself) or [t, s].
 */
export function sentence({ src, tgt, step, at, isGold }, lit) {
  const T = tgt.length, S = src.length;
  if (!T || !S) return ["There are no target words, so nothing is looked at."];
  const num = (t, s) => at(t, s).toFixed(3);
  const [t, s] = lit || [step, -1];
  const lead = lit ? "" : `Step ${step + 1} of ${T}: `;
  if (t > step) {
    return [...word("tgt", tgt, t), ` is not produced yet: the decoder is at step ${step + 1} of ${T}.`]
      .filter(Boolean);
  }
  let parts;
  if (t >= 0 && s >= 0) {
    parts = [...word("tgt", tgt, t), ` looks ${num(t, s)} at `, ...word("src", src, s),
      isGold(t, s) ? " — gold link." : "."];
  } else if (t >= 0) {
    const [a, b] = largest(src.map((_, i) => at(t, i)), 2);
    parts = [lead, ...word("tgt", tgt, t), " looks most at ", ...word("src", src, a), ` (${num(t, a)})`];
    if (b !== undefined && at(t, b) >= 0.0005) parts.push(", then at ", ...word("src", src, b), ` (${num(t, b)})`);
    parts.push(".");
  } else {
    const [a] = largest(tgt.slice(0, step + 1).map((_, i) => at(i, s)), 1);
    parts = [...word("src", src, s), " is looked at most by ", ...word("tgt", tgt, a), ` (${num(a, s)}).`];
  }
  return parts.filter(Boolean);
}

/** The parts of `sentence` as plain text, tokens in quotation marks. */
export const plain = (parts) => parts.map((p) => (p.text === undefined ? p : `“${p.text}”`)).join("");

/** A generous guess of a token's width in em, without asking the page. */
export function wordWidth(token) {
  let em = 0;
  for (const c of visible(token)) {
    em += c.codePointAt(0) >= 0x1100 ? 1 : /[A-Zmw@%<>&]/.test(c) ? 0.78 : 0.56;
  }
  return em;
}

/** Sizes in px for a box `width` wide: cell, row heading, heading height, heading style. */
export function layout(width, src, tgt, coarse) {
  const S = Math.max(src.length, 1);
  const font = width < 520 ? 13 : 14;
  const longest = Math.max(1, ...src.map(wordWidth));
  const capped = Math.min(longest, 9) * font;
  const row = Math.ceil(Math.min(Math.max(4.2, ...tgt.map(wordWidth)), width < 520 ? 7 : 10) * font) + 24;
  let slanted = width >= 520, lean = 0;
  if (slanted) lean = Math.ceil(capped * 0.71);
  const fit = (extra) => Math.floor((width - row - extra) / S);
  let cell = Math.min(fit(lean), 40);
  if (cell < 20) { slanted = false; lean = 0; cell = Math.min(fit(0), 40); }
  if (cell < 20 && (coarse || cell < 9)) cell = 24; // too small to hit: scroll inside the box
  const style = longest * font <= cell - 4 ? "flat" : slanted ? "slanted" : "upright";
  const small = Math.max(9, Math.min(font, cell - 1));
  const head = { flat: font * 1.7, slanted: capped * 0.71 + font * 1.2, upright: Math.min(longest, 9) * small + 10 };
  return { width, cell, row, style, font: small, lean: style === "slanted" ? lean : 0, head: Math.ceil(head[style]) };
}

/**
 * Where a key leads in the two rows of words; `partner(t, s)` is the word most linked to one.
 * sideBySide: the words stand in two columns, source left, so the arrows turn with them.
 */
export function nextWord(key, [t, s], T, S, sideBySide, partner) {
  const [back, on, toTarget, toSource] = sideBySide
    ? ["ArrowUp", "ArrowDown", "ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"];
  const target = t >= 0, i = target ? t : s, count = target ? T : S;
  const word = (at) => (target ? [at, -1] : [-1, at]);
  if (key === back) return word(Math.max(i - 1, 0));
  if (key === on) return word(Math.min(i + 1, count - 1));
  if (key === "Home") return word(0);
  if (key === "End") return word(count - 1);
  if (key === toTarget) return target || !T ? [t, s] : [partner(-1, s), -1];
  if (key === toSource) return target && S ? [-1, partner(t, -1)] : [t, s];
  return null;
}

/** The colours from low to high in `steps` even steps, mixed in OKLab as CSS does. */
export function ramp(low, high, steps = 100) {
  const M1 = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]];
  const M2 = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]];
  const B2 = [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]];
  const B1 = [[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965], [-0.0041960863, -0.7034186147, 1.707614701]];
  const times = (m, v) => m.map((r) => r[0] * v[0] + r[1] * v[1] + r[2] * v[2]);
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const gamma = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
  const lab = (hex) => times(M2, times(M1, [1, 3, 5].map((i) => linear(parseInt(hex.slice(i, i + 2), 16) / 255))).map(Math.cbrt));
  const [a, b] = [lab(low), lab(high)];
  return Array.from({ length: steps + 1 }, (_, i) => {
    const rgb = times(B1, times(B2, a.map((v, k) => v + ((b[k] - v) * i) / steps)).map((v) => v ** 3));
    return "#" + rgb.map((c) => Math.round(255 * Math.max(0, Math.min(gamma(c), 1))).toString(16).padStart(2, "0")).join("");
  });
}

/** The weights as CSV text, source words across, three decimals. */
export function csv({ src, tgt, at }) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const line = (...items) => items.map(quoted).join(",") + "\n";
  return line("target \\ source", ...src) + tgt.map((token, t) => line(token, ...src.map((_, s) => at(t, s).toFixed(3)))).join("");
}

/** A title as the name of a file. */
export const fileName = (title) => title.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "alignment";

// ---------------------------------------------------------------- drawing with a pen
// Both views are painted through a pen of four strokes, on canvas for the page and for PNG,
// as markup for SVG: what is saved is what is seen.

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

export function canvasPen(ctx) {
  return {
    rect(x, y, w, h, fill, alpha = 1) { ctx.globalAlpha = alpha; ctx.fillStyle = fill; ctx.fillRect(x, y, w, h); },
    frame(x, y, w, h, stroke, line) { ctx.globalAlpha = 1; ctx.strokeStyle = stroke; ctx.lineWidth = line; ctx.strokeRect(x, y, w, h); },
    curves(list, upright, stroke, line, alpha, dash = []) {
      ctx.globalAlpha = alpha; ctx.strokeStyle = stroke; ctx.lineWidth = line; ctx.setLineDash(dash);
      ctx.beginPath();
      for (const [x1, y1, x2, y2] of list) {
        const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
        ctx.moveTo(x1, y1);
        if (upright) ctx.bezierCurveTo(x1, my, x2, my, x2, y2); else ctx.bezierCurveTo(mx, y1, mx, y2, x2, y2);
      }
      ctx.stroke();
      ctx.setLineDash([]);
    },
    text(x, y, text, fill, size, anchor = "start", turn = 0, bold = false) {
      ctx.save();
      ctx.globalAlpha = 1; ctx.fillStyle = fill; ctx.font = `${bold ? 600 : 400} ${size}px ${FONT}`;
      ctx.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
      ctx.textBaseline = "middle";
      ctx.translate(x, y); ctx.rotate((turn * Math.PI) / 180); ctx.fillText(text, 0, 0);
      ctx.restore();
    },
  };
}

/** Text made safe inside SVG: markup characters escaped, characters that XML forbids shown as �. */
export const escaped = (text) => String(text)
  .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
  .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

export function svgPen() {
  const out = [], n = (v) => String(Math.round(v * 100) / 100);
  return {
    rect: (x, y, w, h, fill, alpha = 1) => out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${escaped(fill)}"${alpha < 1 ? ` opacity="${n(alpha)}"` : ""}/>`),
    frame: (x, y, w, h, stroke, line) => out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="none" stroke="${escaped(stroke)}" stroke-width="${n(line)}"/>`),
    curves(list, upright, stroke, line, alpha, dash = []) {
      const d = list.map(([x1, y1, x2, y2]) => {
        const [mx, my] = [n((x1 + x2) / 2), n((y1 + y2) / 2)];
        [x1, y1, x2, y2] = [x1, y1, x2, y2].map(n);
        return `M${x1} ${y1}C${upright ? `${x1} ${my} ${x2} ${my}` : `${mx} ${y1} ${mx} ${y2}`} ${x2} ${y2}`;
      }).join("");
      out.push(`<path d="${d}" fill="none" stroke="${escaped(stroke)}" stroke-width="${n(line)}" opacity="${n(alpha)}"${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`);
    },
    text: (x, y, text, fill, size, anchor = "start", turn = 0, bold = false) => out.push(
      `<text x="${n(x)}" y="${n(y)}" fill="${escaped(fill)}" font-size="${n(size)}" text-anchor="${anchor}" dominant-baseline="central"` +
      `${turn ? ` transform="rotate(${turn} ${n(x)} ${n(y)})"` : ""}${bold ? ' font-weight="600"' : ""}>${escaped(text)}</text>`),
    markup: (width, height, title, description) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" role="img" font-family="${FONT}">` +
      `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>\n${out.join("\n")}\n</svg>\n`,
  };
}

const decimals = (w) => w.toFixed(2).replace(/^0/, "");

/** The matrix: g = {x, y, cell, tall, bars} is its place; look = {lit, gold}; c the colours. */
export function drawMatrix(pen, data, g, { lit, gold }, c) {
  const { T, S, step, threshold, at } = data;
  const [t, s] = lit || [-1, -1];
  const x = (i) => g.x + i * g.cell, y = (i) => g.y + i * g.tall;
  if (step < T) pen.rect(g.x, y(step), S * g.cell, g.tall, c.attention, 0.08);
  if (s >= 0) pen.rect(x(s), g.y, g.cell, T * g.tall, c.attention, t >= 0 ? 0.08 : 0.16);
  if (t >= 0) pen.rect(g.x, y(t), S * g.cell, g.tall, c.attention, 0.16);
  if (g.cell >= 18) {
    for (let i = 1; i <= S; i++) pen.rect(x(i) - 1, g.y, 1, T * g.tall, c.ink, 0.08);
    for (let i = 1; i <= T; i++) pen.rect(g.x, y(i) - 1, S * g.cell, 1, c.ink, 0.08);
  }
  const size = 0.8 * Math.min(g.cell, g.tall), middle = 0.5 * g.cell, half = 0.5 * g.tall;
  for (let i = 0; i <= Math.min(step, T - 1); i++) {
    for (let k = 0; k < S; k++) {
      const w = at(i, k);
      if (w < 0.0005 || w < threshold) continue;
      const side = size * Math.sqrt(w); // size and shade both say the weight
      pen.rect(x(k) + middle - side / 2, y(i) + half - side / 2, side, side, c.ramp[Math.round(100 * w)]);
      if (w >= 0.6 && g.cell >= 33) pen.text(x(k) + middle, y(i) + half, decimals(w), c.onHigh, 11, "middle");
    }
  }
  if (gold) {
    const line = g.cell < 18 ? 1.5 : 2;
    for (const [i, k] of data.links) pen.frame(x(k) + line / 2, y(i) + line / 2, g.cell - line - 1, g.tall - line - 1, c.gold, line);
  }
  if (t >= 0 && s >= 0) pen.frame(x(s), y(t), g.cell, g.tall, c.ink, 2);
  const bar = t >= 0 ? t : s >= 0 ? -1 : step; // the lit row as a chart over the source words
  pen.rect(g.x, g.y - 1, S * g.cell, 1, c.muted);
  if (bar < 0 || bar > step || bar >= T) return;
  for (let k = 0; k < S; k++) {
    const tall = at(bar, k) * (g.bars - 2);
    if (tall > 0) pen.rect(x(k) + 0.25 * g.cell, g.y - 1 - tall, 0.5 * g.cell, tall, c.attention);
  }
}

const THICK = 12; // px of a ribbon of weight 1
const FINE = 0.005; // ribbons of what is lit below it are not seen
const FAINT = 0.05; // nor are those of the rest below this: a thousand of them are fog, and slow

/** The flow: g = {src, tgt: [x, y] of each word's edge, upright: words stand in rows}. */
export function drawFlow(pen, data, g, { lit, gold }, c) {
  const { T, S, step, threshold, at } = data;
  const [t, s] = lit || [step, -1];
  const chosen = (i, k) => (t < 0 || i === t) && (s < 0 || k === s);
  const faint = new Map(), strong = []; // faint ones of about the same weight are one path
  for (let i = 0; i <= Math.min(step, T - 1); i++) {
    for (let k = 0; k < S; k++) {
      const w = at(i, k);
      if (w < threshold || w < (chosen(i, k) ? FINE : FAINT)) continue;
      const ribbon = [...g.src[k], ...g.tgt[i]];
      if (chosen(i, k)) { strong.push([w, ribbon, i, k]); continue; }
      const key = Math.ceil(w * 20);
      if (!faint.has(key)) faint.set(key, []);
      faint.get(key).push(ribbon);
    }
  }
  for (const [key, list] of faint) pen.curves(list, g.upright, c.muted, 0.5 + (key / 20) * THICK, 0.04 + 0.22 * (key / 20));
  for (const [w, ribbon] of strong.sort((a, b) => a[0] - b[0])) {
    pen.curves([ribbon], g.upright, c.ramp[Math.round(100 * w)], 0.5 + w * THICK, 0.35 + 0.65 * w);
  }
  if (gold) for (const [i, k] of data.links) pen.curves([[...g.src[k], ...g.tgt[i]]], g.upright, c.gold, 2, 1, [5, 4]);
  for (const [w, , i, k] of strong) { // in numbers too, at the far end
    if (w < 0.1) continue;
    const [x, y] = t >= 0 ? g.src[k] : g.tgt[i], away = (t >= 0 ? 1 : -1) * (g.upright ? 9 : 14);
    const [px, py] = g.upright ? [x, y + away] : [x + away, y];
    pen.rect(px - 11, py - 7, 22, 14, c.surface, 0.85);
    pen.text(px, py, decimals(w), c.ink, 11, "middle");
  }
}

/** A word short enough for `em` of room, as drawn. */
export function shortened(token, em) {
  let out = visible(token);
  if (wordWidth(token) <= em) return out;
  const letters = [...out];
  while (letters.length > 1 && wordWidth(letters.join("")) > em - 1) letters.pop();
  return letters.join("") + "…";
}

/** Where each word of the flow stands in a saved picture `width` wide, starting at (x, y). */
export function flowPlaces(src, tgt, width, x, y) {
  const wide = (token) => Math.max(24, Math.min(wordWidth(token), 9) * 14 + 12);
  const need = Math.max(...[src, tgt].map((side) => side.reduce((sum, token) => sum + wide(token), 0)));
  const upright = need <= width;
  const along = (side, across) => {
    if (!upright) return side.map((_, i) => [across, y + 14 + 28 * i]);
    const gap = (width - side.reduce((sum, token) => sum + wide(token), 0)) / Math.max(side.length, 1);
    let from = x;
    return side.map((token) => { const to = from + wide(token) + gap; const mid = (from + to) / 2; from = to; return [mid, across]; });
  };
  if (upright) return { upright, src: along(src, y + 22), tgt: along(tgt, y + 190), bottom: y + 212, right: x + width };
  const column = (side) => Math.max(...side.map((token) => Math.min(wordWidth(token), 12) * 14), 24) + 10;
  const left = x + column(src), right = left + 260;
  return { upright, src: along(src, left), tgt: along(tgt, right), bottom: y + 28 * Math.max(src.length, tgt.length), right: right + column(tgt) };
}

/** A whole picture to save: returns {width, height, paint(pen)}. */
export function picture(data, view, look, c, caption) {
  const PAD = 16, top = PAD + (data.title ? 24 : 0) + 20, { src, tgt, S, T } = data;
  const heading = (pen, width, height) => {
    pen.rect(0, 0, width, height, c.surface);
    if (data.title) pen.text(PAD, PAD + 10, shortened(data.title, (width - 2 * PAD) / 16), c.ink, 16, "start", 0, true);
    pen.text(PAD, top - 12, caption, c.muted, 13);
  };
  if (view === "flow") {
    const g = flowPlaces(src, tgt, 800, PAD, top);
    const [width, height] = [g.right + PAD, g.bottom + PAD], room = g.upright ? 9 : 12;
    return { width, height, paint(pen) {
      heading(pen, width, height);
      drawFlow(pen, data, g, look, c);
      const words = (side, places, colour, anchor, dx, dy) => side.forEach((token, i) => {
        const [x, y] = places[i], [px, py] = g.upright ? [x, y + dy] : [x + dx, y];
        pen.text(px, py, shortened(token, room), colour(i), 14, g.upright ? "middle" : anchor);
      });
      words(src, g.src, () => c.source, "end", -6, -11);
      words(tgt, g.tgt, (t) => (t > data.step ? c.muted : c.target), "start", 6, 11);
    } };
  }
  const sizes = layout(800, src, tgt, true), bars = 26;
  const g = { x: PAD + sizes.row, y: top + sizes.head + bars, cell: sizes.cell, tall: sizes.cell, bars };
  const width = Math.max(g.x + S * g.cell + sizes.lean + PAD, 260), height = g.y + T * g.tall + PAD;
  return { width, height, paint(pen) {
    heading(pen, width, height);
    drawMatrix(pen, data, g, look, c);
    tgt.forEach((token, t) => pen.text(g.x - 8, g.y + (t + 0.5) * g.tall, shortened(token, (sizes.row - 24) / sizes.font),
      t > data.step ? c.muted : c.target, sizes.font, "end"));
    src.forEach((token, s) => {
      const x = g.x + (s + 0.5) * g.cell, y = g.y - bars - 4;
      const [turn, anchor, up] = { flat: [0, "middle", 8], slanted: [-45, "start", 4], upright: [-90, "start", 2] }[sizes.style];
      pen.text(x, y - up, shortened(token, 9), c.source, sizes.font, anchor, turn);
    });
  } };
}

/** "light" or "dark", as the page around the figure says; its system's wish otherwise. */
export function themeOf(html, body, prefersDark) {
  const sphinx = html.dataset.theme;
  if (sphinx === "light" || sphinx === "dark") return sphinx;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter) return jupyter === "true" ? "light" : "dark";
  if (/vscode-(dark|high-contrast)(?!-light)/.test(body.className)) return "dark";
  if (/vscode-/.test(body.className)) return "light";
  if (html.getAttribute("theme") === "dark") return "dark"; // Colab
  return prefersDark ? "dark" : "light";
}

// ---------------------------------------------------------------- small DOM helpers

/** An element with attributes, then children: nodes, or strings as text. */
function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) node.addEventListener(k.slice(2), v);
    else if (v !== undefined && v !== false) node.setAttribute(k, v === true ? "" : v);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return node;
}

const tokenNode = (side, token) =>
  h("bdi", { class: `att-word att-${side}`, dir: "auto", title: wordWidth(token) > 6 ? token : undefined }, visible(token));

function icon(path) {
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(NS, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}
const ICONS = {
  play: "M4 2.5v11l9-5.5z", pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  back: "M12 2.5v11L5 8zM3 2.5h1.8v11H3z", next: "M4 2.5v11L11 8zM11.2 2.5H13v11h-1.8z",
};

const clamp = (i, count) => Math.max(0, Math.min(i, count - 1));

/** Size a canvas to w x h CSS px, sharp but never beyond 4 million real ones, and clear it. */
function pencil(canvas, w, h) {
  const ratio = Math.min(devicePixelRatio || 1, Math.sqrt(4e6 / Math.max(w * h, 1)));
  const [width, height] = [Math.max(1, Math.round(w * ratio)), Math.max(1, Math.round(h * ratio))];
  if (canvas.width !== width || canvas.height !== height) {
    [canvas.width, canvas.height] = [width, height];
    canvas.style.setProperty("width", `${w}px`);
    canvas.style.setProperty("height", `${h}px`);
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.setTransform(width / w, 0, 0, height / h, 0, 0);
  return canvasPen(ctx);
}

/** Adds classes to nodes and takes all of them away again at the next call. */
function marker() {
  let marked = [];
  return (...pairs) => {
    for (const [node, name] of marked) node.classList.remove(name);
    marked = pairs.filter(([node]) => node);
    for (const [node, name] of marked) node.classList.add(name);
  };
}

// ---------------------------------------------------------------- the two views
// Each is words and cells to reach by pointer and keys, over one canvas that shows the weights.
// Methods: resize(width, coarse), paint(look, colours), step(t), light(pinned, hovered),
// labels(), node(t, s), next(key, at, ctrl), reveal(s).

function matrixView(data) {
  const { src, tgt, T, S, at } = data;
  const cells = [], rows = [], heads = { src: [], tgt: [] };
  const position = (t, s) => ({ "data-t": t, "data-s": s, tabindex: -1 });

  const top = h("tr", { class: "att-head" }, h("td", { class: "att-corner" },
    h("span", { class: "att-tgt" }, "target ↓"), h("span", { class: "att-src" }, "source →")));
  src.forEach((token, s) => heads.src.push(h("th", { scope: "col", ...position(-1, s) }, tokenNode("src", token))));
  top.append(...heads.src);
  const strip = h("tr", { class: "att-bars", "aria-hidden": "true" }, h("td"), S ? h("td", { colspan: S }) : null);
  const body = h("tbody");
  tgt.forEach((token, t) => {
    heads.tgt.push(h("th", { scope: "row", ...position(t, -1) }, tokenNode("tgt", token)));
    const row = h("tr", {}, heads.tgt[t]);
    for (let s = 0; s < S; s++) {
      cells.push(h("td", { role: "gridcell", "data-testid": "alignment-cell", ...position(t, s) }));
      row.append(cells.at(-1));
    }
    rows.push(row);
    body.append(row);
  });
  const grid = h("table", { role: "grid", class: "att-grid", "aria-label": data.title || "Attention weights",
    "aria-rowcount": T + 1, "aria-colcount": S + 1 }, h("thead", {}, top, strip), body);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const element = h("div", { class: "att-scroll" }, h("div", { class: "att-stage" }, canvas, grid));

  const mark = marker();
  let home = null, place = null;
  const node = (t, s) => (t < 0 ? heads.src[s] : s < 0 ? heads.tgt[t] : cells[t * S + s]);

  return {
    element, area: grid, node,
    resize(width, coarse) {
      const sizes = layout(width, src, tgt, coarse);
      element.toggleAttribute("data-more", sizes.row + sizes.cell * S + sizes.lean > sizes.width);
      grid.dataset.heads = sizes.style;
      grid.dataset.size = sizes.cell < 18 ? "small" : "large";
      for (const key of ["cell", "row", "head", "lean", "font"]) grid.style.setProperty(`--${key}`, `${sizes[key]}px`);
      if (!T || !S) { place = null; return; }
      const bars = strip.offsetHeight, [x, y] = [cells[0].offsetLeft, strip.offsetTop];
      canvas.style.setProperty("left", `${x}px`);
      canvas.style.setProperty("top", `${y}px`);
      place = { x: 0, y: bars, bars, cell: cells[0].offsetWidth, tall: body.offsetHeight / T };
    },
    paint(look, colours) {
      if (place) drawMatrix(pencil(canvas, place.cell * S, place.bars + place.tall * T), data, place, look, colours);
    },
    labels() {
      cells.forEach((cell, i) => {
        const t = Math.floor(i / S), s = i % S, text = at(t, s).toFixed(3) + (data.isGold(t, s) ? ", gold link" : "");
        if (cell.ariaLabel !== text) cell.setAttribute("aria-label", text);
      });
    },
    step(t) {
      rows.forEach((row, i) => {
        row.classList.toggle("att-future", i > t);
        row.classList.toggle("att-now", i === t);
      });
    },
    light(pinned, hovered) {
      const [t, s] = hovered || pinned || [-1, -1];
      mark([rows[t], "att-lit"], [heads.src[s], "att-lit"], [t >= 0 && s >= 0 ? node(t, s) : null, "att-cell"]);
      const next = pinned ? node(...pinned) : home || node(...(S && T ? [0, 0] : S ? [-1, 0] : [0, -1]));
      if (!next || next === home) return; // the one cell that Tab reaches
      if (home) home.tabIndex = -1;
      next.tabIndex = 0;
      home = next;
    },
    next: (key, from, ctrl) => nextCell(key, from, T, S, ctrl),
    reveal(s) { // scroll the box, never the page, so that column s is in sight
      if (element.scrollWidth <= element.clientWidth || !heads.src[s]) return;
      const left = heads.src[s].offsetLeft, size = heads.src[s].offsetWidth, from = element.scrollLeft + heads.tgt[0].offsetWidth;
      if (left < from) element.scrollLeft += left - from;
      else if (left + size > element.scrollLeft + element.clientWidth) element.scrollLeft = left + size - element.clientWidth;
    },
  };
}

function flowView(data) {
  const { src, tgt, T, S, at } = data;
  const side = (name, tokens, attributes) => {
    const words = tokens.map((token, i) => h("button", { type: "button", class: "att-item", "data-testid": "alignment-word",
      tabindex: -1, "aria-pressed": "false", ...attributes(i) }, tokenNode(name, token)));
    const label = name === "src" ? "Source words" : "Target words";
    return { words, element: h("div", { class: "att-words", role: "group", "aria-label": label }, ...words) };
  };
  const source = side("src", src, (s) => ({ "data-t": -1, "data-s": s }));
  const target = side("tgt", tgt, (t) => ({ "data-t": t, "data-s": -1 }));
  const canvas = h("canvas", { "aria-hidden": "true" });
  const element = h("div", { class: "att-flow", role: "group", "aria-label": data.title || "Attention as ribbons" },
    canvas, source.element, target.element);

  const mark = marker();
  let place = null, home = null, pressed = null;
  const node = (t, s) => (t >= 0 ? target.words[t] : source.words[s]);
  const partner = (t, s) => {
    const values = t >= 0 ? src.map((_, i) => at(t, i)) : tgt.slice(0, data.step + 1).map((_, i) => at(i, s));
    return largest(values, 1)[0];
  };

  return {
    element, area: element, node,
    resize() {
      element.dataset.lay = "rows";
      const fits = (box) => box.scrollWidth <= box.clientWidth + 1;
      if (![source.element, target.element].every(fits)) element.dataset.lay = "columns";
      const upright = element.dataset.lay === "rows";
      const edge = (word, first) => (upright
        ? [word.offsetLeft + word.offsetWidth / 2, word.offsetTop + (first ? word.offsetHeight : 0)]
        : [word.offsetLeft + (first ? word.offsetWidth : 0), word.offsetTop + word.offsetHeight / 2]);
      place = { upright, width: element.clientWidth, height: element.offsetHeight,
        src: source.words.map((word) => edge(word, true)), tgt: target.words.map((word) => edge(word, false)) };
    },
    paint(look, colours) {
      if (place?.width && S) drawFlow(pencil(canvas, place.width, place.height), data, place, look, colours);
    },
    labels() {},
    step(t) {
      target.words.forEach((word, i) => {
        word.classList.toggle("att-future", i > t);
        word.classList.toggle("att-now", i === t);
      });
    },
    light(pinned, hovered) {
      const [t, s] = hovered || pinned || [-1, -1];
      mark([target.words[t], "att-lit"], [source.words[s], "att-lit"]);
      const now = pinned ? node(...pinned) : null;
      if (pressed !== now) {
        pressed?.setAttribute("aria-pressed", "false");
        now?.setAttribute("aria-pressed", "true");
        pressed = now;
      }
      const next = now || home || target.words[0] || source.words[0];
      if (!next || next === home) return;
      if (home) home.tabIndex = -1;
      next.tabIndex = 0;
      home = next;
    },
    next: (key, from) => nextWord(key, from, T, S, element.dataset.lay === "columns", partner),
    reveal() {},
  };
}

// ---------------------------------------------------------------- controls and wiring

const iconButton = (name, label, go, testid) =>
  h("button", { type: "button", "aria-label": label, title: label, "data-testid": testid, onclick: go }, icon(ICONS[name]));

/** A play button for `count` positions; it starts over from the end and stops there. */
function player(testid, label, pause, ms, count, { at, go, changed }) {
  let timer = null;
  const button = iconButton("play", label, () => toggle(), testid);
  button.disabled = count < 2;
  const say = (on) => {
    button.replaceChildren(icon(on ? ICONS.pause : ICONS.play));
    button.setAttribute("aria-label", on ? pause : label);
    button.title = on ? pause : label;
    changed();
  };
  const stop = () => { if (timer === null) return; clearInterval(timer); timer = null; say(false); };
  function toggle() {
    if (timer !== null) { stop(); return; }
    if (at() >= count - 1) go(0);
    timer = setInterval(() => { const next = at() + 1; if (next >= count - 1) stop(); go(next); }, ms);
    say(true);
  }
  return { button, stop, get on() { return timer !== null; } };
}

function stepControls(T, play, act) {
  const back = iconButton("back", "One step back", () => act.move(-1));
  const next = iconButton("next", "One step forward", () => act.move(1));
  const slider = h("input", { type: "range", min: 0, max: Math.max(T - 1, 0), step: 1, "data-testid": "alignment-step",
    "aria-label": "Decoder step", disabled: T < 2, oninput: () => act.go(+slider.value) });
  const readout = h("output", { class: "att-readout", "aria-live": "off" });
  return {
    element: h("div", { class: "att-controls" }, h("span", { class: "att-buttons" }, back, play.button, next), slider, readout),
    show(step, token) {
      slider.value = step;
      slider.setAttribute("aria-valuetext", T ? `step ${step + 1} of ${T}: ${visible(token)}` : "no steps");
      readout.replaceChildren(`step ${T ? step + 1 : 0} of ${T}`);
      back.disabled = step <= 0;
      next.disabled = step >= T - 1;
    },
  };
}

function snapshotControl(N, play, go) {
  if (N < 2) return { element: null, show() {} };
  const slider = h("input", { type: "range", min: 0, max: N - 1, step: 1, "data-testid": "alignment-snapshot",
    "aria-label": "Training snapshot", oninput: () => go(+slider.value) });
  const readout = h("output", { class: "att-readout", "aria-live": "off" });
  return {
    element: h("div", { class: "att-controls" }, h("span", { class: "att-buttons att-label" }, play.button, "training"), slider, readout),
    show(i, label) {
      slider.value = i;
      slider.setAttribute("aria-valuetext", label);
      readout.textContent = label;
    },
  };
}

function viewSwitch(choose) {
  const name = `att-view-${Math.random().toString(36).slice(2)}`;
  const inputs = {};
  const option = (value, text) => {
    inputs[value] = h("input", { type: "radio", name, value, "data-testid": `alignment-view-${value}`, onchange: () => choose(value) });
    return h("label", {}, inputs[value], h("span", {}, text));
  };
  return {
    element: h("div", { class: "att-switch", role: "radiogroup", "aria-label": "View" }, option("matrix", "Matrix"), option("flow", "Flow")),
    show(value) { inputs[value].checked = true; },
  };
}

function thresholdControl(go) {
  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.01, "data-testid": "alignment-threshold", oninput: () => go(+slider.value) });
  const readout = h("output", { "aria-live": "off" });
  return {
    element: h("label", { class: "att-threshold" }, "hide below", slider, readout),
    show(value) {
      slider.value = value;
      readout.textContent = value.toFixed(2);
      slider.setAttribute("aria-valuetext", value ? `weights below ${value.toFixed(2)} are hidden` : "every weight is shown");
    },
  };
}

/** The same numbers as a plain table, built when first opened. */
function numberTable(data, name) {
  const scroller = h("div", { class: "att-scroll", role: "group", tabindex: 0, "aria-label": "Table of weights" });
  const details = h("details", { "data-testid": "alignment-table", ontoggle: () => fill() }, h("summary", {}, "Table of weights"), scroller);
  function fill() {
    if (!details.open) return;
    const head = h("tr", {}, h("th", { scope: "col" }, "target \\ source"),
      ...data.src.map((token) => h("th", { scope: "col" }, tokenNode("src", token))));
    const rows = data.tgt.map((token, t) => h("tr", {}, h("th", { scope: "row" }, tokenNode("tgt", token)),
      ...data.src.map((_, s) => h("td", {}, data.at(t, s).toFixed(3) + (data.isGold(t, s) ? " ●" : "")))));
    scroller.replaceChildren(h("table", { class: "att-numbers" },
      h("caption", {}, name() + (data.hasGold ? "; ● marks a gold link" : "")), h("thead", {}, head), h("tbody", {}, ...rows)));
  }
  return { element: details, fill };
}

/** Buttons that hand the picture and the numbers to the reader, from any page, asking nobody. */
function saveControls(data, name, make) {
  const status = h("span", { role: "status", class: "att-status", "data-testid": "alignment-status" });
  const box = h("div", { class: "att-copy" });
  const download = (blob, end) => {
    const link = h("a", { href: URL.createObjectURL(blob), download: `${fileName(name)}.${end}` });
    document.body.append(link); // Firefox wants it in the page
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    status.textContent = `Saved as ${fileName(name)}.${end}.`;
  };
  const svg = () => {
    const { width, height, paint, description } = make(), pen = svgPen();
    paint(pen);
    download(new Blob([pen.markup(width, height, name, description)], { type: "image/svg+xml" }), "svg");
  };
  const png = () => {
    const { width, height, paint } = make(), canvas = document.createElement("canvas");
    const ratio = Math.min(2, Math.sqrt(16e6 / (width * height))); // phones refuse larger ones
    [canvas.width, canvas.height] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    paint(canvasPen(ctx));
    canvas.toBlob((blob) => download(blob, "png"), "image/png");
  };
  const copy = async () => {
    const text = csv(data);
    box.replaceChildren();
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = "The numbers are on the clipboard as CSV.";
    } catch { // no permission, or no clipboard: the reader selects or saves them
      const area = h("textarea", { readonly: true, rows: 6, "aria-label": "The numbers as CSV" });
      area.value = text;
      box.append(area, button("Save as CSV", () => download(new Blob([text], { type: "text/csv" }), "csv")));
      area.focus();
      area.select();
      status.textContent = "The clipboard is closed to this page: copy the selected text, or save it.";
    }
  };
  const button = (text, go, testid) => h("button", { type: "button", class: "att-text", "data-testid": testid, onclick: go, disabled: !data.T || !data.S }, text);
  return [h("div", { class: "att-actions", role: "group", "aria-label": "Save and copy" },
    button("Save SVG", svg, "alignment-save-svg"), button("Save PNG", png, "alignment-save-png"),
    button("Copy CSV", copy, "alignment-copy-csv"), status), box];
}

function legend() {
  const sample = (w, text) => h("span", { class: "att-sample", "data-w": w }, h("i", { "aria-hidden": "true" }), text);
  return h("span", { class: "att-legend" }, "weight", sample(0.1, "0.1"), sample(0.5, "0.5"), sample(1, "1"));
}

/** The colours of the page's theme, as the style sheet has them. */
function coloursOf(root) {
  const style = getComputedStyle(root), get = (name) => style.getPropertyValue(`--att-${name}`).trim();
  const found = { onHigh: get("on-high"), ramp: ramp(get("ramp-low"), get("ramp-high")) };
  for (const name of ["ink", "muted", "source", "target", "attention", "gold", "surface"]) found[name] = get(name);
  return found;
}

/** Everything drawn from one state of the data traits. */
function figure(model, root, page) {
  const [N, T, S] = model.get("shape");
  const all = unpack(model.get("weights"), N, T, S);
  const links = model.get("gold");
  const gold = new Set((links || []).map(([t, s]) => t * S + s));
  const data = {
    src: model.get("src"), tgt: model.get("tgt"), title: model.get("title"), T, S, links: links || [],
    hasGold: links !== null && links !== undefined, isGold: (t, s) => gold.has(t * S + s),
    step: 0, threshold: 0, snapshot: 0, at: (t, s) => all[(data.snapshot * T + t) * S + s] / 1000,
  };
  const name = data.title || "Attention weights";
  const set = (values) => {
    for (const [k, v] of Object.entries(values)) model.set(k, v);
    model.save_changes();
  };
  const label = () => (model.get("snapshots") || [])[data.snapshot] || `snapshot ${data.snapshot + 1} of ${N}`;
  const views = {}; // built when first shown
  const makers = { matrix: matrixView, flow: flowView };
  let shown = null, hovered = null, frame = 0, settling = 0;

  const playing = () => steps.on || training.on;
  const changed = () => say.setAttribute("aria-live", playing() ? "off" : "polite"); // a reader who plays doesn't want each step read out
  const go = (step) => {
    set({ focus: null, step: clamp(step, T) });
    shown.reveal(largest(data.src.map((_, s) => data.at(data.step, s)), 1)[0]);
  };
  const steps = player("alignment-play", "Play the decoder steps", "Pause", PLAY_MS, T, { at: () => data.step, go, changed });
  const training = player("alignment-snapshot-play", "Watch the alignment form", "Pause the training", Math.max(80, Math.min(8000 / N, 700)), N,
    { at: () => data.snapshot, go: (snapshot) => set({ snapshot }), changed });
  const stepper = stepControls(T, steps, {
    go(step) { steps.stop(); go(step); },
    move(by) { steps.stop(); go(data.step + by); },
  });
  const snapshots = snapshotControl(N, training, (snapshot) => { training.stop(); set({ snapshot }); });
  const choice = viewSwitch((view) => set({ view }));
  const threshold = thresholdControl((value) => set({ threshold: value }));
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "alignment-sentence" });
  const check = h("input", { type: "checkbox", "data-testid": "alignment-gold", onchange: () => set({ show_gold: check.checked }) });
  const table = numberTable(data, () => name + (N > 1 ? `, ${label()}` : ""));
  const stage = h("div", { class: "att-view" });
  const look = () => ({ lit: hovered || model.get("focus"), gold: model.get("show_gold") && data.hasGold });
  const make = () => {
    const caption = [N > 1 && label(), T > 0 && `step ${data.step + 1} of ${T}`, data.threshold > 0 && `weights below ${data.threshold.toFixed(2)} hidden`];
    return { ...picture(data, model.get("view"), look(), page.colours, caption.filter(Boolean).join(" · ")), description: plain(sentence(data, look().lit)) };
  };
  root.replaceChildren(...[
    h("div", { class: "att-top" }, data.title ? h("p", { class: "att-title" }, data.title) : h("span"), choice.element),
    stepper.element, snapshots.element, stage, say,
    h("div", { class: "att-foot" }, data.hasGold ? h("label", { class: "att-check" }, check, h("i", { "aria-hidden": "true" }), "gold links") : null,
      threshold.element, legend()),
    table.element, ...saveControls(data, name, make)].filter(Boolean));

  function speak() {
    const parts = sentence(data, look().lit);
    say.replaceChildren(...parts.map((p) => (p.text === undefined ? p
      : h("span", { class: `att-${p.side}` }, "“", h("bdi", { dir: "auto" }, p.text), "”"))));
    if (page.named && data.title) say.prepend(h("span", { class: "att-sr" }, `${data.title}: `));
  }
  const repaint = () => { // once a frame, however much has changed
    frame ||= requestAnimationFrame(() => { frame = 0; shown.paint(look(), page.colours); });
  };
  const settle = () => { // what only screen readers and the open table need may follow a moment later
    clearTimeout(settling);
    settling = setTimeout(() => { shown.labels(); table.fill(); }, 120);
  };
  const light = () => { shown.light(model.get("focus"), hovered); speak(); repaint(); };
  const resize = () => { shown.resize(page.width, page.coarse.matches); repaint(); };
  const draw = {
    view() {
      const kind = model.get("view");
      choice.show(kind);
      if (!views[kind]) { views[kind] = makers[kind](data); wire(views[kind]); }
      shown = views[kind];
      hovered = null;
      root.dataset.attView = kind;
      stage.replaceChildren(shown.element);
      shown.step(data.step);
      shown.labels();
      resize();
      light();
    },
    step() { data.step = clamp(model.get("step"), T); stepper.show(data.step, data.tgt[data.step] || ""); shown.step(data.step); light(); },
    snapshot() { data.snapshot = clamp(model.get("snapshot"), N); snapshots.show(data.snapshot, label()); settle(); light(); },
    threshold() { data.threshold = model.get("threshold"); threshold.show(data.threshold); repaint(); },
    show_gold() { check.checked = model.get("show_gold"); repaint(); },
    focus: light,
  };

  const pin = (cell) => { hovered = null; set({ focus: cell }); };
  const hover = (cell, told = true) => {
    if (String(cell) === String(hovered)) return;
    hovered = cell;
    light();
    if (told) root.dispatchEvent(new CustomEvent("att-hover", { bubbles: true, detail: cell }));
  };
  function wire({ area, node, next }) {
    const cellOf = (event) => {
      const item = event.target.closest("[data-t]");
      return item && area.contains(item) ? [+item.dataset.t, +item.dataset.s] : null;
    };
    area.addEventListener("pointerover", (e) => { if (e.pointerType !== "touch") hover(cellOf(e)); });
    area.addEventListener("pointerleave", () => hover(null));
    area.addEventListener("focusin", (e) => { const cell = cellOf(e); if (cell) pin(cell); });
    area.addEventListener("click", (e) => { const cell = cellOf(e); if (cell) { pin(cell); node(...cell).focus(); } });
    area.addEventListener("keydown", (e) => {
      const cell = cellOf(e);
      if (!cell || e.altKey || e.metaKey) return;
      if (e.key === "Escape") { hovered = null; set({ focus: null }); e.preventDefault(); return; }
      const to = next(e.key, cell, e.ctrlKey);
      if (!to) return;
      e.preventDefault();
      e.stopPropagation(); // the notebook has keys of its own
      node(...to).focus();
    });
  }
  const inside = (cell) => cell && cell[0] < T && cell[1] < S;
  const peer = (e) => hover(inside(e.detail) ? e.detail : null, false); // the other figure of a pair is pointed at
  root.addEventListener("att-peer", peer);
  const stop = () => {
    steps.stop();
    training.stop();
    cancelAnimationFrame(frame);
    clearTimeout(settling);
    root.removeEventListener("att-peer", peer);
  };
  return { draw, resize, repaint, stop };
}

/** Follow the page's theme while the figure lives; returns how to stop. */
function followTheme(root, changed) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => { root.dataset.attTheme = themeOf(document.documentElement, document.body, dark.matches); changed(); };
  const watcher = new MutationObserver(apply);
  for (const node of [document.documentElement, document.body]) {
    watcher.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class", "theme"] });
  }
  dark.addEventListener("change", apply);
  apply();
  return () => { watcher.disconnect(); dark.removeEventListener("change", apply); };
}

function render({ model, el }) {
  const root = h("div", { class: "att", role: "group", "data-testid": "alignment" });
  el.append(root);
  let now = null;
  const page = { width: 0, coarse: matchMedia("(pointer: coarse)"), colours: null, named: Boolean(el.closest(".att-pair")) };
  const unfollow = followTheme(root, () => { page.colours = coloursOf(root); now?.repaint(); });

  const resize = () => { page.width = root.clientWidth || 640; now.resize(); };
  const build = () => {
    now?.stop();
    root.setAttribute("aria-label", model.get("title") || "Attention weights");
    page.width = root.clientWidth || 640;
    now = figure(model, root, page);
    for (const name of ["view", "threshold", "show_gold", "snapshot", "step"]) now.draw[name]();
  };
  build();

  const sizes = new ResizeObserver(() => { if (root.clientWidth && root.clientWidth !== page.width) resize(); });
  sizes.observe(root);
  document.fonts?.ready.then(() => now?.resize()); // words may have changed their width
  let pending = false;
  const rebuild = () => { // several data traits change together
    if (pending) return;
    pending = true;
    queueMicrotask(() => { pending = false; if (now) build(); });
  };
  const listeners = Object.keys(now.draw).map((name) => [`change:${name}`, () => now.draw[name]()]);
  for (const name of ["src", "tgt", "shape", "weights", "gold", "title", "snapshots"]) listeners.push([`change:${name}`, rebuild]);
  for (const [event, call] of listeners) model.on(event, call);

  return () => {
    for (const [event, call] of listeners) model.off(event, call);
    sizes.disconnect();
    unfollow();
    now.stop();
    now = null;
    root.remove();
  };
}

export default { render };
