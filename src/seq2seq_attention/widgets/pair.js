// AlignmentPair: two AlignmentViews side by side whose controls and cursors move together.
// The figures are drawn by their own module, alignment.js, which each of them carries along.

const SHARED = ["view", "step", "snapshot", "threshold", "show_gold", "focus"];

/** What `name` of one figure means in another of this shape [N, T, S]; undefined: nothing. */
export function translated(name, value, [N, T, S]) {
  if (name === "step") return T ? Math.min(value, T - 1) : undefined;
  if (name === "snapshot") return Math.min(value, N - 1);
  if (name === "focus") return value && (value[0] >= T || value[1] >= S) ? null : value;
  return value;
}

/** Copy every shared value from one model to the other when it changes; returns how to stop. */
export function linked(left, right) {
  let copying = false; // a value cut to fit the shorter figure must not come back
  const stops = [];
  const copy = (from, to, name) => {
    if (copying) return;
    const value = translated(name, from.get(name), to.get("shape"));
    if (value === undefined || JSON.stringify(value) === JSON.stringify(to.get(name))) return;
    copying = true;
    try { to.set(name, value); to.save_changes(); } finally { copying = false; }
  };
  for (const [from, to] of [[left, right], [right, left]]) {
    for (const name of SHARED) {
      const follow = () => copy(from, to, name);
      from.on(`change:${name}`, follow);
      stops.push(() => from.off(`change:${name}`, follow));
    }
  }
  for (const name of SHARED) copy(left, right, name); // the left one leads at first
  return () => stops.forEach((stop) => stop());
}

async function moduleOf(model) {
  // the book's pages keep modules in files of their own and know how to load them
  if (model.widget_manager.module_of) return model.widget_manager.module_of(model);
  const url = URL.createObjectURL(new Blob([model.get("_esm")], { type: "text/javascript" }));
  try { return (await import(url)).default; } finally { URL.revokeObjectURL(url); }
}

async function render({ model, el }) {
  const find = (ref) => (typeof ref === "string" ? model.widget_manager.get_model(ref.replace("IPY_MODEL_", "")) : ref);
  const models = await Promise.all([find(model.get("left")), find(model.get("right"))]);
  const root = document.createElement("div");
  root.className = "att-pair";
  root.dataset.testid = "alignment-pair";
  el.append(root);
  const figures = await moduleOf(models[0]);
  const sides = models.map(() => root.appendChild(document.createElement("div")));
  const stops = [linked(...models)];
  models.forEach((each, i) => stops.push(figures.render({ model: each, el: sides[i] })));
  sides.forEach((side, i) => side.addEventListener("att-hover", (event) => { // pointing at one lights both
    sides[1 - i].firstElementChild.dispatchEvent(new CustomEvent("att-peer", { detail: event.detail }));
  }));
  return () => { stops.forEach((stop) => stop()); root.remove(); };
}

export default { render };
