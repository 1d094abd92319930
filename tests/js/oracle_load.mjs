// Shared code, models, the oracle and its grammar as one module, as a figure that translates has them.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../../src/seq2seq_attention/widgets/${name}.js`, import.meta.url), "utf8");
const bare = (name) => read(name).replace(/^import \{[^}]*\} from "\.\/\w+\.js";\n/gm, "");
const text = ["base", "forward", "oracle", "oracle_grammar"].map(bare).join("\n");

export const oracle = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
