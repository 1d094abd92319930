// What all live figures share: words, colours, drawing, small controls, and the frame they stand in.
// A notebook takes one file a figure, so bundle.py puts this text in place of its import.
//
// Text reaches the page through textContent alone, so no token is ever parsed as HTML.

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

/** Indices of the k largest values, largest first, earlier first among equals. */
export function largest(values, k) {
  return [...values.keys()].sort((a, b) => values[b] - values[a] || a - b).slice(0, k);
}

/** A generous guess of a token's width in em, without asking the page. */
export function wordWidth(token) {
  let em = 0;
  for (const c of visible(token)) {
    em += c.codePointAt(0) >= 0x1100 ? 1 : /[A-Zmw@%<>&]/.test(c) ? 0.78 : 0.56;
  }
  return em;
}

/** A word short enough for `em` of room, as drawn. */
export function shortened(token, em) {
  let out = visible(token);
  if (wordWidth(token) <= em) return out;
  const letters = [...out];
  while (letters.length > 1 && wordWidth(letters.join("")) > em - 1) letters.pop();
  return letters.join("") + "…";
}

const PAGE = 5; // rows moved by PageUp and PageDown

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

/** A title as the name of a file. */
export const fileName = (title) => title.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "figure";

// Figures are painted through a pen of few strokes, on canvas for the page and for PNG, as
// markup for SVG: what is saved is what is seen.

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

export function canvasPen(ctx) {
  return {
    rect(x, y, w, h, fill, alpha = 1) { ctx.globalAlpha = alpha; ctx.fillStyle = fill; ctx.fillRect(x, y, w, h); },
    path(d, fill = "none", stroke = "none", line = 1, alpha = 1, dash = []) { // d as in SVG
      const shape = new Path2D(d);
      ctx.globalAlpha = alpha;
      if (fill !== "none") { ctx.fillStyle = fill; ctx.fill(shape); }
      if (stroke !== "none") { ctx.strokeStyle = stroke; ctx.lineWidth = line; ctx.setLineDash(dash); ctx.stroke(shape); ctx.setLineDash([]); }
    },
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
    line(points, stroke, line, dash = [], alpha = 1) {
      ctx.globalAlpha = alpha; ctx.strokeStyle = stroke; ctx.lineWidth = line; ctx.setLineDash(dash); ctx.lineJoin = "round";
      ctx.beginPath();
      points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.stroke();
      ctx.setLineDash([]);
    },
    area(points, fill, alpha = 1) {
      ctx.globalAlpha = alpha; ctx.fillStyle = fill;
      ctx.beginPath();
      points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.closePath();
      ctx.fill();
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
    path: (d, fill = "none", stroke = "none", line = 1, alpha = 1, dash = []) => out.push(`<path d="${escaped(d)}" fill="${escaped(fill)}" stroke="${escaped(stroke)}" stroke-width="${n(line)}"${alpha < 1 ? ` opacity="${n(alpha)}"` : ""}${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`),
    frame: (x, y, w, h, stroke, line) => out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="none" stroke="${escaped(stroke)}" stroke-width="${n(line)}"/>`),
    curves(list, upright, stroke, line, alpha, dash = []) {
      const d = list.map(([x1, y1, x2, y2]) => {
        const [mx, my] = [n((x1 + x2) / 2), n((y1 + y2) / 2)];
        [x1, y1, x2, y2] = [x1, y1, x2, y2].map(n);
        return `M${x1} ${y1}C${upright ? `${x1} ${my} ${x2} ${my}` : `${mx} ${y1} ${mx} ${y2}`} ${x2} ${y2}`;
      }).join("");
      out.push(`<path d="${d}" fill="none" stroke="${escaped(stroke)}" stroke-width="${n(line)}" opacity="${n(alpha)}"${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`);
    },
    line: (points, stroke, line, dash = [], alpha = 1) => out.push(
      `<polyline points="${points.map((p) => p.map(n).join(" ")).join(" ")}" fill="none" stroke="${escaped(stroke)}" stroke-width="${n(line)}" stroke-linejoin="round"` +
      `${alpha < 1 ? ` opacity="${n(alpha)}"` : ""}${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`),
    area: (points, fill, alpha = 1) => out.push(
      `<polygon points="${points.map((p) => p.map(n).join(" ")).join(" ")}" fill="${escaped(fill)}"${alpha < 1 ? ` opacity="${n(alpha)}"` : ""}/>`),
    text: (x, y, text, fill, size, anchor = "start", turn = 0, bold = false) => out.push(
      `<text x="${n(x)}" y="${n(y)}" fill="${escaped(fill)}" font-size="${n(size)}" text-anchor="${anchor}" dominant-baseline="central"` +
      `${turn ? ` transform="rotate(${turn} ${n(x)} ${n(y)})"` : ""}${bold ? ' font-weight="600"' : ""}>${escaped(text)}</text>`),
    markup: (width, height, title, description) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" role="img" font-family="${FONT}">` +
      `<title>${escaped(title)}</title><desc>${escaped(description)}</desc>\n${out.join("\n")}\n</svg>\n`,
  };
}

/** An element with attributes, then children: nodes, or strings as text. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) node.addEventListener(k.slice(2), v);
    else if (v !== undefined && v !== false) node.setAttribute(k, v === true ? "" : v);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return node;
}

export const tokenNode = (side, token) =>
  h("bdi", { class: `att-word att-${side}`, dir: "auto", title: wordWidth(token) > 6 ? token : undefined }, visible(token));

export function icon(path) {
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(NS, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}
export const ICONS = {
  play: "M4 2.5v11l9-5.5z", pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  back: "M12 2.5v11L5 8zM3 2.5h1.8v11H3z", next: "M4 2.5v11L11 8zM11.2 2.5H13v11h-1.8z",
};

export const clamp = (i, count) => Math.max(0, Math.min(i, count - 1));

/** Size a canvas to w x h CSS px, sharp but never beyond 4 million real ones, and clear it. */
export function pencil(canvas, w, h) {
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
export function marker() {
  let marked = [];
  return (...pairs) => {
    for (const [node, name] of marked) node.classList.remove(name);
    marked = pairs.filter(([node]) => node);
    for (const [node, name] of marked) node.classList.add(name);
  };
}

export const iconButton = (name, label, go, testid) =>
  h("button", { type: "button", "aria-label": label, title: label, "data-testid": testid, onclick: go }, icon(ICONS[name]));

/** A play button for `count` positions; it starts over from the end and stops there. */
export function player(testid, label, pause, ms, count, { at, go, changed }) {
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

/**
 * Back, play, next, a slider and where it stands, for `count` positions.
 * own: {name: "alignment-step", label: "Decoder step"} for hooks and screen readers.
 */
export function stepControls(count, play, { go, move }, { name, label }) {
  const back = iconButton("back", "One step back", () => move(-1), `${name}-back`);
  const next = iconButton("next", "One step forward", () => move(1), `${name}-next`);
  const slider = h("input", { type: "range", min: 0, max: Math.max(count - 1, 0), step: 1, "data-testid": name,
    "aria-label": label, disabled: count < 2, oninput: () => go(+slider.value) });
  const readout = h("output", { class: "att-readout", "aria-live": "off" });
  return {
    element: h("div", { class: "att-controls" }, h("span", { class: "att-buttons" }, back, play.button, next), slider, readout),
    show(step, token) {
      slider.value = step;
      slider.setAttribute("aria-valuetext", count ? `step ${step + 1} of ${count}: ${visible(token)}` : "no steps");
      readout.replaceChildren(`step ${count ? step + 1 : 0} of ${count}`);
      back.disabled = step <= 0;
      next.disabled = step >= count - 1;
    },
  };
}

/** One out of a few values, as radio buttons; options: [[value, text], …]. Hooks are `name-value`. */
export function choiceControl(name, label, options, choose) {
  const group = `${name}-${Math.random().toString(36).slice(2)}`, inputs = {};
  const option = ([value, text]) => {
    inputs[value] = h("input", { type: "radio", name: group, value, "data-testid": `${name}-${value}`, onchange: () => choose(value) });
    return h("label", {}, inputs[value], h("span", {}, text));
  };
  return {
    element: h("div", { class: "att-switch", role: "radiogroup", "aria-label": label }, ...options.map(option)),
    show(value) { inputs[value].checked = true; },
  };
}

/** A labelled slider that shows its value; said(value) is what a screen reader hears of it. */
export function sliderControl(name, label, range, go, said, shown = (value) => value.toFixed(2)) {
  const slider = h("input", { type: "range", ...range, "data-testid": name, oninput: () => go(+slider.value) });
  const readout = h("output", { "aria-live": "off" });
  return {
    element: h("label", { class: "att-slider" }, label, slider, readout),
    show(value) {
      slider.value = value;
      readout.textContent = shown(value);
      slider.setAttribute("aria-valuetext", said(value));
    },
  };
}

/** A labelled box to tick. */
export function checkControl(name, label, go) {
  const box = h("input", { type: "checkbox", "data-testid": name, onchange: () => go(box.checked) });
  return { element: h("label", { class: "att-check" }, box, label), show(on) { box.checked = on; } };
}

/**
 * The same numbers as a plain table, built when first opened and then kept up to date by fill().
 * build(): {caption, head: [nodes or text], rows: [[heading, ...cells]]}.
 */
export function tableControl(name, summary, build) {
  const scroller = h("div", { class: "att-scroll", role: "group", tabindex: 0, "aria-label": summary });
  const details = h("details", { "data-testid": name, ontoggle: () => fill() }, h("summary", {}, summary), scroller);
  function fill() {
    if (!details.open) return;
    const { caption, head, rows } = build();
    scroller.replaceChildren(h("table", { class: "att-numbers" }, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...head.map((cell) => h("th", { scope: "col" }, cell)))),
      h("tbody", {}, ...rows.map(([first, ...cells]) => h("tr", {}, h("th", { scope: "row" }, first), ...cells.map((cell) => h("td", {}, cell)))))));
  }
  return { element: details, fill };
}

/**
 * Buttons that hand the picture and the numbers to the reader, from any page, asking nobody.
 * prefix: of the hooks; make(): {width, height, paint(pen), description}, or null if the figure
 * has no picture to save; csv(): the numbers as text; empty: there is nothing to save.
 */
export function saveControls({ prefix, name, make = null, csv, empty = false }) {
  const status = h("span", { role: "status", class: "att-status", "data-testid": `${prefix}-status` });
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
    const text = csv();
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
  const button = (text, go, testid) => h("button", { type: "button", class: "att-text", "data-testid": testid, onclick: go, disabled: empty }, text);
  return [h("div", { class: "att-actions", role: "group", "aria-label": "Save and copy" },
    ...(make ? [button("Save SVG", svg, `${prefix}-save-svg`), button("Save PNG", png, `${prefix}-save-png`)] : []),
    button("Copy CSV", copy, `${prefix}-copy-csv`), status), box];
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

/** The colours of the page's theme, as the style sheet has them. */
export function coloursOf(root) {
  const style = getComputedStyle(root), get = (name) => style.getPropertyValue(`--att-${name}`).trim();
  const found = { onHigh: get("on-high"), ramp: ramp(get("ramp-low"), get("ramp-high")) };
  for (const name of ["ink", "muted", "source", "target", "encoder", "decoder", "attention", "gold", "vanilla", "surface"]) found[name] = get(name);
  return found;
}

/** Follow the page's theme while the figure lives; returns how to stop. */
export function followTheme(root, changed) {
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

/**
 * The frame every figure stands in: a root that follows theme and width, drawn from traits.
 * own.kind: its class and hook; own.label(model): its name; own.data: traits that need it built
 * anew; own.figure(model, root, page): builds it and returns {draw: {trait: redraw, …} in the order
 * of the first drawing, resize(), repaint(), stop()}; page: {width, coarse, colours, named}.
 */
export function framed(own) {
  return ({ model, el }) => {
    const root = h("div", { class: `att att-${own.kind}`, role: "group", "data-testid": own.kind });
    el.append(root);
    root.addEventListener("keydown", (e) => { // JupyterLab would go to another cell, and the control wouldn't move
      if (e.key.startsWith("Arrow") || e.target.closest("textarea")) e.stopPropagation();
    });
    let now = null;
    const page = { width: 0, coarse: matchMedia("(pointer: coarse)"), colours: null, named: Boolean(el.closest(".att-pair")) };
    const unfollow = followTheme(root, () => { page.colours = coloursOf(root); now?.repaint(); });

    const resize = () => { page.width = root.clientWidth || 640; now.resize(); };
    const build = () => {
      now?.stop();
      root.setAttribute("aria-label", own.label(model));
      page.width = root.clientWidth || 640;
      now = own.figure(model, root, page);
      for (const redraw of Object.values(now.draw)) redraw();
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
    for (const name of own.data) listeners.push([`change:${name}`, rebuild]);
    for (const [event, call] of listeners) model.on(event, call);

    return () => {
      for (const [event, call] of listeners) model.off(event, call);
      sizes.disconnect();
      unfollow();
      now.stop();
      now = null;
      root.remove();
    };
  };
}

// A sentence is a list of parts: strings, and {side, text} for what stands in quotation marks.

/** A sentence as plain text. */
export const spoken = (parts) => parts.map((p) => (p.text === undefined ? p : `“${p.text}”`)).join("");

/** A sentence as nodes, words in the colour of their side. */
export const spokenNodes = (parts) => parts.map((p) => (p.text === undefined ? p
  : h("span", { class: `att-${p.side}` }, "“", h("bdi", { dir: "auto" }, p.text), "”")));

/** One line of CSV. */
export const csvLine = (...items) => items.map((item) => (/[",\r\n]/.test(item) ? `"${String(item).replace(/"/g, '""')}"` : item)).join(",") + "\n";

/** A trait's bytes, however they have come, as a DataView. */
export const viewOf = (bytes) => (ArrayBuffer.isView(bytes) ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new DataView(bytes));
