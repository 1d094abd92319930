// Splits texts as the page does, for tests/test_paste.py: [[text, tokens that the model knows], …] as
// JSON on stdin, the tokens on stdout.
import { readFileSync } from "node:fs";

import { load } from "./load.mjs";

const js = await load("translator");
const jobs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(jobs.map(([text, srcTokens]) => js.readText("own", text, { srcTokens }).tokens)));
