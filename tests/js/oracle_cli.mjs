// Runs the oracle for tests/test_oracle_js.py: [[function, task, argument], …] as JSON on stdin,
// the results on stdout.
import { readFileSync } from "node:fs";

import { oracle as js } from "./oracle_load.mjs";

const jobs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(jobs.map(([name, ...args]) => js[name](...args))));
