// Imports a figure's module from text, as a notebook does it: the shared code in place of its
// import, as bundle.py puts it, and no package.json to say that it's a module.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../../src/seq2seq_attention/widgets/${name}.js`, import.meta.url), "utf8");

export const load = (name) => {
  const text = read(name).replace(/^import \{[^}]*\} from "\.\/base\.js";\n/m, () => read("base"));
  return import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
};

/** Shared code, models, the oracle and its grammar in one module, as a figure that translates has them. */
const joined = ["base", "forward", "oracle"].map((name) => read(name).replace(/^import \{[^}]*\} from "\.\/\w+\.js";\n/gm, "")).join("\n");
export const oracle = await import(`data:text/javascript;base64,${Buffer.from(joined).toString("base64")}`);
