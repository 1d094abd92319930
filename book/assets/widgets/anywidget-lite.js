// Live figures on a static page: starts every anywidget stored in the page, without a kernel.
//
// A notebook page holds its widgets as JSON (one script of state, one script per view). This
// file turns the state into models, loads each figure's own module and draws it in place. The
// build puts modules and styles into files (book/_ext/book_pages.py); in a page that holds them
// itself they work as well. It asks no other server for anything and works from file:// too.
//
// Drawn: anywidgets, boxes (VBox, HBox) of them, and jslink/jsdlink between them. An ordinary
// control needs Python to answer it, so a short note stands in its place.
(() => {
  "use strict";
  const STATE = 'script[type="application/vnd.jupyter.widget-state+json"]';
  const VIEW = 'script[type="application/vnd.jupyter.widget-view+json"]';
  const NOTE = "This control needs a running notebook; open this chapter in Jupyter to use it.";
  const REF = "IPY_MODEL_";
  const FILE = /^file:([0-9a-f]+)$/; // stands for a module that the build has put into a file
  const HERE = document.currentScript.src;

  const specs = new Map(); // model id -> {model_name, model_module, state, buffers}
  const models = new Map(); // model id -> Model
  const definitions = new Map(); // source text -> promise of {initialize?, render?}
  const styles = new Set();

  const bare = (ref) => String(ref).replace(REF, "");
  const same = (a, b) => a === b || (typeof a === "object" && !ArrayBuffer.isView(a) && JSON.stringify(a) === JSON.stringify(b));

  function bytes({ data, encoding }) {
    const array = encoding === "hex"
      ? Uint8Array.from(data.match(/../g) || [], (pair) => parseInt(pair, 16))
      : Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    return new DataView(array.buffer);
  }

  /** What a figure's module sees as its model: the same calls as in a live notebook. */
  class Model {
    #state; #unsaved = false; #calls = new Map();
    constructor(state) { this.#state = state; }
    widget_manager = { get_model: async (ref) => {
      const found = models.get(bare(ref));
      if (!found) throw new Error(`no figure with the id ${bare(ref)} in this page`);
      return found;
    }, module_of: (model) => definition(model.get("_esm")), bytes_of: fromData };
    get(name) { return this.#state[name]; }
    set(name, value) {
      if (typeof name === "object") { for (const [k, v] of Object.entries(name)) this.set(k, v); return; }
      if (same(this.#state[name], value)) return;
      this.#state[name] = value;
      this.#unsaved = true;
      this.#tell(`change:${name}`, this, value);
      this.#tell("change", this);
    }
    save_changes() { this.#unsaved = false; }
    on(names, call) {
      for (const name of names.split(/\s+/)) this.#calls.set(name, [...(this.#calls.get(name) || []), call]);
    }
    off(names, call) {
      for (const name of names ? names.split(/\s+/) : [...this.#calls.keys()]) {
        this.#calls.set(name, call ? (this.#calls.get(name) || []).filter((c) => c !== call) : []);
      }
    }
    send() {} // nobody listens
    #tell(name, ...args) { for (const call of this.#calls.get(name) || []) call(...args); }
  }

  /** Every model of the page, its binary buffers put back where they belong. */
  function read(script) {
    for (const [id, spec] of Object.entries(JSON.parse(script.textContent).state)) {
      specs.set(id, spec);
      for (const buffer of spec.buffers || []) {
        const holder = buffer.path.slice(0, -1).reduce((part, key) => part[key], spec.state);
        holder[buffer.path.at(-1)] = bytes(buffer);
      }
      if (spec.model_module === "anywidget") models.set(id, new Model(spec.state));
    }
  }

  /** jslink and jsdlink: copy one model's value to another whenever it changes. */
  function link(spec) {
    const both = spec.model_name === "LinkModel";
    if (!both && spec.model_name !== "DirectionalLinkModel") return;
    const [[from, a], [to, b]] = [spec.state.source, spec.state.target];
    const [source, target] = [models.get(bare(from)), models.get(bare(to))];
    if (!source || !target) return;
    const copy = (x, p, y, q) => { y.set(q, x.get(p)); y.save_changes(); };
    copy(source, a, target, b);
    source.on(`change:${a}`, () => copy(source, a, target, b));
    if (both) target.on(`change:${b}`, () => copy(target, b, source, a));
  }

  function fromText(text) {
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    return import(url).finally(() => URL.revokeObjectURL(url));
  }

  const load = (src) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src, onload: resolve, onerror: () => reject(new Error(`its file ${src.split("/").at(-1)} is missing`)) });
    document.head.append(script);
  });

  async function fromFile(name) {
    const url = (end) => new URL(`../figures/${name}${end}`, HERE).href;
    if (location.protocol !== "file:") return import(url(".js"));
    // browsers import no module from disk, but they load scripts from there
    if (!globalThis.bookFigures?.[name]) await load(url(".text.js"));
    return fromText(globalThis.bookFigures[name]);
  }

  /** Bytes that the build has put into a file, as a script: that works from disk, too. */
  async function fromData(reference) {
    const name = FILE.exec(reference)?.[1];
    if (!name) throw new Error(`no file of this site: ${reference}`);
    if (!globalThis.bookData?.[name]) await load(new URL(`../figures/${name}.data.js`, HERE).href);
    return bytes({ data: globalThis.bookData[name] });
  }

  /** The module of a figure; the same text is loaded once, however many figures use it. */
  function definition(text) {
    if (typeof text !== "string") throw new Error("its module is not in the page");
    if (!definitions.has(text)) {
      const name = FILE.exec(text)?.[1];
      definitions.set(text, (name ? fromFile(name) : fromText(text)).then(async (module) => {
        const made = module.default ?? module;
        return typeof made === "function" ? made() : made;
      }));
    }
    return definitions.get(text);
  }

  function style(text) {
    if (!text || styles.has(text)) return;
    styles.add(text);
    const sheet = new CSSStyleSheet(); // unlike a <style> element, allowed by a strict CSP
    sheet.replaceSync(text);
    document.adoptedStyleSheets.push(sheet);
  }

  function paragraph(name, text) {
    const node = document.createElement("p");
    node.className = name;
    node.textContent = text;
    return node;
  }

  const started = new Map(); // model id -> promise: initialize runs once, however many views

  async function drawFigure(id, el) {
    const model = models.get(id);
    const signal = new AbortController().signal;
    const experimental = { invoke: () => Promise.reject(new Error("there is no running notebook")) };
    style(model.get("_css"));
    const made = await definition(model.get("_esm"));
    if (!started.has(id)) started.set(id, (async () => made.initialize?.({ model, signal, experimental }))());
    await started.get(id);
    if (!made.render) throw new Error("its module has no render function");
    await made.render({ model, el, signal, experimental });
  }

  /** Draw one model in `el`; true if something in it needs Python. */
  async function draw(id, el) {
    if (models.has(id)) {
      try {
        await drawFigure(id, el);
      } catch (error) {
        el.append(paragraph("figure-error", `This interactive figure could not start: ${error.message}`));
        console.error(error);
      }
      return false;
    }
    const spec = specs.get(id);
    if (/LinkModel$/.test(spec?.model_name || "")) return false;
    if (!/^([HV]|Grid)?BoxModel$/.test(spec?.model_name || "")) return true;
    let needs = false;
    if (spec.model_name === "HBoxModel") el.classList.add("anywidget-lite-row");
    for (const child of spec.state.children || []) {
      const box = document.createElement("div");
      el.append(box);
      needs = (await draw(bare(child), box)) || needs;
    }
    return needs;
  }

  async function start() {
    document.querySelectorAll(STATE).forEach(read);
    specs.forEach(link);
    await Promise.all([...document.querySelectorAll(VIEW)].map(async (view) => {
      const el = document.createElement("div");
      el.className = "anywidget-lite";
      view.before(el);
      const needs = await draw(bare(JSON.parse(view.textContent).model_id), el);
      if (needs) el.append(paragraph("needs-kernel", NOTE));
    }));
    document.documentElement.dataset.figures = "ready";
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
