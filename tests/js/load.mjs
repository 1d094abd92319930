// Imports a figure's module from text, as a notebook does it: the shared code before it in place of
// its imports, as bundle.py puts it, and no package.json to say that it's a module.
import { readFileSync } from "node:fs";

const IMPORT = /^import (?:\{[^}]*\} from )?"\.\/(base|forward|oracle|oracle_grammar)\.js";\n/gm;
const read = (name) => readFileSync(new URL(`../../src/seq2seq_attention/widgets/${name}.js`, import.meta.url), "utf8");

/** A file after those that it imports, each once. */
function joined(name, seen = new Set()) {
  seen.add(name);
  const own = read(name), before = [...own.matchAll(IMPORT)].map(([, part]) => (seen.has(part) ? "" : joined(part, seen)));
  return before.join("") + own.replace(IMPORT, "");
}

export const load = (name) => import(`data:text/javascript;base64,${Buffer.from(joined(name)).toString("base64")}`);
