// Runs forward.js for tests/test_export_js.py: a list of jobs as JSON on stdin, their results as
// JSON on stdout. A job: {file: path, do: what, …}; an error's message is a result too.
import { readFileSync } from "node:fs";

import { load } from "./load.mjs";

const js = await load("forward");
const rows = (lists) => lists && lists.map((list) => Array.from(list));
const plain = ({ ids, tokens, logProb, weights, complete, score }) => ({ ids, tokens, logProb, weights: rows(weights), complete, score });

/** Teacher forcing: log-probabilities, states and weights of every step. */
function force(model, encoded, { tgt, valid = null, weights = [] }) {
  const out = [];
  let state = encoded.final;
  tgt.forEach((id, t) => {
    out.push(js.decodeStep(model, encoded, id, state, { valid, weights: weights[t] ?? null }));
    state = out.at(-1).state;
  });
  const list = (name) => rows(out.map((step) => step[name]));
  return { logProbs: list("logProbs"), states: list("state"), weights: out[0].weights && list("weights") };
}

const JOBS = {
  describe: ({ config, task, note, dtype, srcTokens, tgtTokens }) => ({ config, task, note, dtype, srcTokens, tgtTokens }),
  force: (model, job) => force(model, js.encode(model, job.src), job),
  greedy: (model, job) => plain(js.greedySearch(model, js.encode(model, job.src), job.options)),
  sample: (model, job) => plain(js.sampleSearch(model, js.encode(model, job.src), job.options)),
  beam: (model, job) => js.beamSearch(model, js.encode(model, job.src), job.options).map(plain),
  shape: (model, job) => Array.from(js.shapeProbs(job.logProbs, job.options)),
  ids: (model, job) => js.sourceIds(model, job.words),
};

const models = new Map();
const run = (job) => {
  try {
    if (!models.has(job.file)) models.set(job.file, js.parseModel(readFileSync(job.file)));
    return JOBS[job.do](models.get(job.file), job);
  } catch (error) {
    return { error: error.message };
  }
};
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(run)));
