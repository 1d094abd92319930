// Runs the oracle for tests/test_oracle_js.py: [[function, task, argument], …] as JSON on stdin,
// the results on stdout.
import { readFileSync } from "node:fs";

import { load } from "./load.mjs";

const js = await load("oracle_grammar"); // and oracle.js, which it imports
const jobs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(jobs.map(([name, ...args]) => js[name](...args))));
