// Imports a figure's module from text, as a notebook does it: the shared code in place of its
// import, as bundle.py puts it, and no package.json to say that it's a module.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../../src/seq2seq_attention/widgets/${name}.js`, import.meta.url), "utf8");

export const load = (name) => {
  const text = read(name).replace(/^import \{[^}]*\} from "\.\/base\.js";\n/m, () => read("base"));
  return import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
};
