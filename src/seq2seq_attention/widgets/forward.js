// A trained model in the reader's browser: reads a file that export.py wrote, and computes what
// encoder.py, attention.py, decoder.py, search.py and beam.py compute, for one sentence at a time.
// Weights are kept in 32 bits, everything else is 64. Matrices are {rows, cols, values}, row by row.

// ---------------------------------------------------------------- the file (model_file.py)

const MAGIC = "S2S-ATTN", VERSION = 1, PROLOGUE = 24;

// what eight steps of the CRC's division do to each byte
const CRC_OF = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** CRC-32, as zlib computes it. */
export function checksum(bytes) {
  let crc = ~0;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ CRC_OF[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

/** A 16-bit float (sign, 5 bits of exponent, 10 of fraction) to a number. */
export function halfFloat(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
const hex32 = (value) => value.toString(16).padStart(8, "0");

/** Header and payload of a file whose checksum is right; any other is an error that says why. */
function openFile(bytes) {
  const magic = new TextEncoder().encode(MAGIC), begin = bytes.subarray(0, 8);
  if (!begin.every((byte, i) => byte === magic[i])) {
    throw new Error(`not a model file: expected it to begin with ${hex(magic)}, got ${hex(begin)}`);
  }
  if (bytes.length < PROLOGUE) throw new Error(`the file was cut off: it has ${bytes.length} bytes of ${PROLOGUE}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [version, headerSize, payloadSize, expected] = [8, 12, 16, 20].map((at) => view.getUint32(at, true));
  if (version !== VERSION) {
    const why = version > VERSION ? "made by a newer program" : "which never was";
    throw new Error(`the file has format version ${version}, ${why}; expected ${VERSION}`);
  }
  const size = PROLOGUE + headerSize + payloadSize;
  if (bytes.length !== size) {
    const what = bytes.length < size ? "was cut off" : "goes on too long";
    throw new Error(`the file ${what}: it has ${bytes.length} bytes, expected ${size}`);
  }
  const found = checksum(bytes.subarray(PROLOGUE));
  if (found !== expected) {
    throw new Error(`the file is damaged: its checksum is ${hex32(found)}, expected ${hex32(expected)}`);
  }
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(PROLOGUE, PROLOGUE + headerSize)));
  } catch (error) { throw new Error(`the file's header is wrong: ${error.message}`); } // bad UTF-8 and bad JSON both
  checkHeader(header);
  return { header, payload: bytes.slice(PROLOGUE + headerSize) };
}

const SPECIAL_TOKENS = ["<pad>", "<sos>", "<eos>", "<unk>"];
const isCount = (value, least) => Number.isInteger(value) && value >= least;
const CONFIG_VALUES = { // model.py: what a setting must be, and whether a value is
  attention: ["one of none, additive, concat, dot, general, scaled_dot", (v) => ["none", "additive", "concat", "dot", "general", "scaled_dot"].includes(v)],
  query: ["previous or current", (v) => v === "previous" || v === "current"],
  ...Object.fromEntries(["embed_size", "hidden_size", "encoder_size"].map((name) => [name, ["a whole number of at least 1", (v) => isCount(v, 1)]])),
  ...Object.fromEntries(["bidirectional", "tied"].map((name) => [name, ["true or false", (v) => typeof v === "boolean"]])),
  dropout: ["a number from 0 to below 1", (v) => typeof v === "number" && v >= 0 && v < 1],
};

/** Throws unless the header has what load_model asks of it; the tensors themselves come later. */
function checkHeader(header) {
  const wrong = (why) => { throw new Error(`the file's header is wrong: ${why}`); }, shown = (value) => String(JSON.stringify(value)).slice(0, 40);
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(header)) wrong(`expected an object, got ${shown(header)}`);
  const { config, tensors } = header;
  if (!isObject(config)) wrong(`config must be an object, got ${shown(config)}`);
  for (const [name, [what, fits]] of Object.entries(CONFIG_VALUES)) if (!fits(config[name])) wrong(`${name} must be ${what}, got ${shown(config[name])}`);
  for (const name of Object.keys(config)) if (!Object.hasOwn(CONFIG_VALUES, name)) wrong(`${shown(name)} is no setting of a model`);
  for (const side of ["src_tokens", "tgt_tokens"]) {
    const tokens = header[side], unk = Array.isArray(tokens) && tokens.includes("<unk>") ? 1 : 0;
    if (!Array.isArray(tokens) || !tokens.every((token) => typeof token === "string" && token)) wrong(`${side} are not a list of words`);
    if (SPECIAL_TOKENS.slice(0, 3 + unk).some((token, id) => tokens[id] !== token)) wrong(`${side} don't begin with ${SPECIAL_TOKENS.slice(0, 3 + unk).join(", ")}`);
    const seen = new Set(), twice = tokens.find((token) => seen.size === seen.add(token).size);
    if (twice !== undefined) wrong(`${side} have ${shown(twice)} twice`);
  }
  if (!Array.isArray(tensors) || !tensors.every(isObject)) wrong("tensors must be a list of objects");
  if (new Set(tensors.map(({ name }) => name)).size < tensors.length) wrong("a tensor is there twice");
}

const WIDTHS = new Map([["float16", 2], ["float32", 4], ["int8", 1]]); // bytes a weight

/** The tensor of one line of the header's table; a vector has one column. `room`: bytes that no tensor has taken yet. */
function readTensor({ name, shape, dtype, offset }, payload, room) {
  const width = WIDTHS.get(dtype), dims = Array.isArray(shape) ? shape.length : 0;
  const fits = width && [offset, ...(dims ? shape : [-1])].every((n) => isCount(n, 0)) && (dims === 2 || (dims === 1 && dtype !== "int8"));
  const [rows, cols = 1] = fits ? shape : [0], count = rows * cols;
  const start = offset + (dtype === "int8" ? 4 * rows : 0); // int8: the rows' scales come first
  const end = start + width * count;
  if (!fits || end > payload.length) throw new Error(`tensor ${name} can't be ${shape} of ${dtype} at ${offset}`);
  if (end - offset > room) throw new Error(`tensor ${name} has ${end - offset} bytes, of which others have taken some`);
  const view = new DataView(payload.buffer), values = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const at = start + width * i;
    if (dtype === "float32") values[i] = view.getFloat32(at, true);
    else if (dtype === "float16") values[i] = halfFloat(view.getUint16(at, true));
    else values[i] = view.getInt8(at) * view.getFloat32(offset + 4 * Math.floor(i / cols), true);
    if (!Number.isFinite(values[i])) throw new Error(`tensor ${name} holds ${values[i]}; only finite weights can be read`);
  }
  return { rows, cols, values, size: end - offset };
}

/** Name → [rows, columns] of every tensor that a model of this kind has. */
function expectedShapes(config, source, target) {
  const { attention, query, embed_size: E, hidden_size: H, encoder_size: N, bidirectional, tied } = config;
  const D = bidirectional ? 2 * N : N, context = attention === "none" ? 0 : D, bahdanau = context && query === "previous";
  const shapes = { "encoder.embedding.weight": [source, E], "decoder.embedding.weight": [target, E] };
  const gru = (name, end, input, size) => Object.assign(shapes, {
    [`${name}.gru.weight_ih_l0${end}`]: [3 * size, input], [`${name}.gru.weight_hh_l0${end}`]: [3 * size, size],
    [`${name}.gru.bias_ih_l0${end}`]: [3 * size, 1], [`${name}.gru.bias_hh_l0${end}`]: [3 * size, 1],
  });
  const linear = (name, output, input) => Object.assign(shapes, { [`${name}.weight`]: [output, input], [`${name}.bias`]: [output, 1] });
  gru("encoder", "", E, N);
  if (bidirectional) { gru("encoder", "_reverse", E, N); linear("encoder.bridge", H, D); }
  gru("decoder", "", bahdanau ? E + D : E, H);
  if (context) linear("decoder.combine", H, bahdanau ? H + E + D : H + D);
  if (attention === "additive") Object.assign(shapes, { "decoder.score.query_layer.weight": [H, H], "decoder.score.energy.weight": [1, H] });
  if (attention === "additive" || attention === "general") shapes["decoder.score.key_layer.weight"] = [H, D];
  if (attention === "concat") Object.assign(shapes, { "decoder.score.layer.weight": [H, H + D], "decoder.score.energy.weight": [1, H] });
  if (tied) Object.assign(shapes, { "decoder.head.project.weight": [E, H], "decoder.head.output.bias": [target, 1] });
  else linear("decoder.head.output", target, H);
  return shapes;
}

/**
 * The model in a file's bytes (Uint8Array or ArrayBuffer):
 * {config, task, note, dtype, srcTokens, tgtTokens, tensors: name → matrix}.
 */
export function parseModel(data) {
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
  const { header, payload } = openFile(bytes), { config, task, note, dtype, examples = [] } = header;
  const { src_tokens: srcTokens, tgt_tokens: tgtTokens } = header;
  const shapes = expectedShapes(config, srcTokens.length, tgtTokens.length), tensors = {};
  let room = payload.length; // so a small file can't ask for all of the memory
  for (const entry of header.tensors) {
    if (!Object.hasOwn(shapes, entry.name)) throw new Error(`tensor ${entry.name} has shape ${entry.shape}, expected none of this name`);
    const { size, ...tensor } = readTensor(entry, payload, room);
    tensors[entry.name] = tensor;
    room -= size;
  }
  for (const name of Object.keys(shapes)) {
    const found = tensors[name] && [tensors[name].rows, tensors[name].cols];
    if (`${found}` !== `${shapes[name]}`) throw new Error(`tensor ${name} has shape ${found}, expected ${shapes[name]}`);
  }
  if (config.tied) tensors["decoder.head.output.weight"] = tensors["decoder.embedding.weight"];
  if (config.attention === "concat") { // the additive score, with W and U side by side in one matrix
    const whole = tensors["decoder.score.layer.weight"];
    tensors["decoder.score.query_layer.weight"] = columns(whole, 0, config.hidden_size);
    tensors["decoder.score.key_layer.weight"] = columns(whole, config.hidden_size, whole.cols);
  }
  return { config, task, note, dtype, srcTokens, tgtTokens, examples, tensors };
}

// ---------------------------------------------------------------- tokens and ids (vocab.py)

const SOS_ID = 1, EOS_ID = 2; // <pad> is 0

/** Ids of source words; an unknown word is <unk> where the model has one, otherwise an error. */
export function sourceIds({ srcTokens }, words) {
  const unk = srcTokens.indexOf("<unk>");
  return Array.from(words, (word) => {
    const id = srcTokens.indexOf(word);
    if (id >= 0 && id <= EOS_ID) throw new Error(`"${word}" inside a sentence: a special token`);
    if (id < 0 && unk < 0) throw new Error(`"${word}" is not among the ${srcTokens.length} tokens that this model knows`);
    return id < 0 ? unk : id;
  });
}

// ---------------------------------------------------------------- parts of a network

/** Wx + b; `bias` may be missing. */
function linear({ rows, cols, values }, x, bias) {
  const out = new Float64Array(rows);
  for (let i = 0, at = 0; i < rows; i++) {
    let sum = bias ? bias.values[i] : 0;
    for (let j = 0; j < cols; j++) sum += values[at++] * x[j];
    out[i] = sum;
  }
  return out;
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

const join = (...vectors) => Float64Array.from(vectors.flatMap((vector) => Array.from(vector)));
const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** The columns of a matrix from `from` to before `to`, as a matrix. */
function columns({ rows, cols, values }, from, to) {
  const width = to - from, picked = new Float32Array(rows * width);
  for (let i = 0; i < rows; i++) picked.set(values.subarray(i * cols + from, i * cols + to), i * width);
  return { rows, cols: width, values: picked };
}

/** Row `id` of an embedding. */
function embed({ rows, cols, values }, id) {
  if (!(Number.isInteger(id) && id >= 0 && id < rows)) throw new Error(`id ${id} is outside 0..${rows - 1}`);
  return values.subarray(id * cols, (id + 1) * cols);
}

/** One step of a GRU, as encoder.py writes it out: input x, state h, next state. */
function gruStep(tensors, name, end, x, h) {
  const tensor = (kind) => tensors[`${name}.gru.${kind}_l0${end}`], H = h.length;
  const a = linear(tensor("weight_ih"), x, tensor("bias_ih")), b = linear(tensor("weight_hh"), h, tensor("bias_hh"));
  return Float64Array.from({ length: H }, (_, i) => {
    const r = sigmoid(a[i] + b[i]), z = sigmoid(a[H + i] + b[H + i]);
    const n = Math.tanh(a[2 * H + i] + r * b[2 * H + i]);
    return (1 - z) * n + z * h[i];
  });
}

/** log of softmax: the largest is subtracted first, so nothing overflows. */
export function logSoftmax(logits) {
  const top = logits.reduce((a, b) => Math.max(a, b)); // NaN stays NaN
  const total = Math.log(logits.reduce((sum, l) => sum + Math.exp(l - top), 0));
  const out = logits.map((l) => l - top - total);
  if (out.some(Number.isNaN)) throw new Error("the model's logits are not numbers (NaN or infinite)");
  return out;
}

// ---------------------------------------------------------------- encoder and attention

/** What a generator returns, its pauses passed over. */
function whole(work) {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
}

/**
 * Reads source ids: {states: h_1 .. h_S, final: the decoder's first state, keys: what the score
 * needs of the states, computed once a sentence}.
 */
export const encode = (model, ids) => whole(encoding(model, ids));

/** `encode` with a pause after each word, so that a page can do something else meanwhile. */
export function* encoding(model, ids) {
  const { config, tensors } = model;
  if (!ids.length) throw new Error("a source must have at least one word, got none");
  const embedded = Array.from(ids, (id) => embed(tensors["encoder.embedding.weight"], id));
  function* read(end, inputs) {
    let h = new Float64Array(config.encoder_size);
    const out = [];
    for (const x of inputs) { out.push(h = gruStep(tensors, "encoder", end, x, h)); yield; }
    return out;
  }
  let states = yield* read("", embedded), final = states.at(-1);
  if (config.bidirectional) {
    const back = (yield* read("_reverse", embedded.slice().reverse())).reverse();
    const both = linear(tensors["encoder.bridge.weight"], join(final, back[0]), tensors["encoder.bridge.bias"]);
    final = both.map(Math.tanh);
    states = states.map((h, i) => join(h, back[i]));
  }
  const layer = tensors["decoder.score.key_layer.weight"];
  return { states, final, keys: layer ? states.map((h) => linear(layer, h)) : states };
}

/** e_t: how well each key fits the query. The five scores of attention.py. */
function scoresOf({ config, tensors }, query, keys) {
  if (config.attention === "additive" || config.attention === "concat") {
    const asked = linear(tensors["decoder.score.query_layer.weight"], query), v = tensors["decoder.score.energy.weight"].values;
    return Float64Array.from(keys, (key) => dot(v, asked.map((q, i) => Math.tanh(q + key[i]))));
  }
  const scale = config.attention === "scaled_dot" ? Math.sqrt(query.length) : 1; // "dot", "general": 1
  return Float64Array.from(keys, (key) => dot(query, key) / scale);
}

/** Softmax over the words that are not deleted; a deleted one gets exactly 0. */
export function maskedSoftmax(scores, valid = null) {
  if (valid && valid.length !== scores.length) throw new Error(`a mask of ${valid.length} can't fit ${scores.length} words`);
  const kept = scores.map((e, i) => (!valid || valid[i] ? e : -Infinity)), top = Math.max(...kept);
  if (top === -Infinity) throw new Error("the mask leaves no word to attend to");
  const powers = kept.map((e) => Math.exp(e - top)), sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((p) => p / sum);
}

/** Weights after one was dragged to `value`: the others keep their proportions, all sum to 1. */
export function dragWeight(weights, place, value, valid = null) {
  const free = Array.from(weights, (_, i) => i !== place && (!valid || valid[i]));
  const others = free.filter(Boolean).length, rest = weights.reduce((sum, w, i) => sum + (free[i] ? w : 0), 0);
  const own = others ? Math.min(1, Math.max(0, value)) : 1;
  return Float64Array.from(weights, (w, i) => {
    if (i === place) return own;
    return free[i] ? (1 - own) * (rest > 0 ? w / rest : 1 / others) : 0;
  });
}

/** Throws unless these can stand in for the model's own weights. */
function checkWeights(weights, size, valid) {
  if (weights.length !== size) throw new Error(`${weights.length} weights can't fit ${size} words`);
  const wrong = Array.from(weights).find((w, i) => !(w >= 0 && w <= 1) || (w > 0 && valid && !valid[i]));
  if (wrong !== undefined) throw new Error(`a weight must be from 0 to 1, and 0 for a deleted word, got ${wrong}`);
  const sum = weights.reduce((a, b) => a + b, 0);
  if (Math.abs(sum - 1) > 1e-6) throw new Error(`weights must sum to 1, got ${sum}`);
}

/** Scores, weights and context for one query. `own` weights take the place of the model's. */
function attend(model, query, encoded, { valid = null, weights: own = null }) {
  const { states, keys } = encoded, scores = scoresOf(model, query, keys);
  if (own) checkWeights(own, scores.length, valid);
  const weights = own ? Float64Array.from(own) : maskedSoftmax(scores, valid), context = new Float64Array(states[0].length);
  states.forEach((h, i) => h.forEach((value, j) => { context[j] += weights[i] * value; }));
  return { scores, weights, context };
}

// ---------------------------------------------------------------- decoder

/**
 * One target step: reads y_{t-1} (an id) in state s_{t-1}.
 * valid: one truth value a source word, false = deleted, so that attention can't see it.
 * weights: α_t to use in place of the model's own.
 * Returns {logProbs, state, scores, weights, context}; the last three are null without attention.
 */
export function decodeStep(model, encoded, prev, state, options = {}) {
  const { config, tensors } = model, y = embed(tensors["decoder.embedding.weight"], prev);
  const recur = (x) => gruStep(tensors, "decoder", "", x, state);
  const combine = (...parts) => linear(tensors["decoder.combine.weight"], join(...parts), tensors["decoder.combine.bias"]).map(Math.tanh);
  let looked = { scores: null, weights: null, context: null }, next, output;
  if (config.attention === "none") { // Sutskever et al. 2014
    if (options.weights) throw new Error("this model has no attention, so there are no weights to set");
    output = next = recur(y);
  } else if (config.query === "previous") { // Bahdanau et al. 2015
    looked = attend(model, state, encoded, options);
    next = recur(join(y, looked.context));
    output = combine(next, y, looked.context);
  } else { // Luong et al. 2015
    next = recur(y);
    looked = attend(model, next, encoded, options);
    output = combine(next, looked.context);
  }
  if (config.tied) output = linear(tensors["decoder.head.project.weight"], output);
  const logits = linear(tensors["decoder.head.output.weight"], output, tensors["decoder.head.output.bias"]);
  return { logProbs: logSoftmax(logits), state: next, ...looked };
}

// ---------------------------------------------------------------- search (search.py, beam.py)

const checkCount = (name, value) => {
  if (!(Number.isInteger(value) && value >= 1)) throw new Error(`${name} must be an integer of at least 1, got ${value}`);
};
const hypothesis = ({ tgtTokens }, ids, logProb, steps, complete) => ({
  ids, tokens: ids.map((id) => tgtTokens[id]), logProb, steps, weights: steps[0].weights && steps.map((s) => s.weights), complete,
});

/**
 * One path: `choose` turns log-probabilities into the next id. options: maxLen, valid, and
 * weightsAt(t), which gives the α_t to use in step t (from 0) or null for the model's own.
 * Returns {ids, tokens, logProb, steps, weights, complete}, as Python's Hypothesis; `steps` are
 * what decodeStep gave, the <eos> step included.
 */
function* follow(model, encoded, choose, { maxLen = 100, valid = null, weightsAt = () => null } = {}) {
  checkCount("maxLen", maxLen);
  const ids = [], steps = [];
  let prev = SOS_ID, state = encoded.final, logProb = 0;
  for (let t = 0; t <= maxLen; t++) {
    const out = decodeStep(model, encoded, prev, state, { valid, weights: weightsAt(t) });
    prev = choose(out.logProbs);
    state = out.state;
    yield;
    const ends = prev === EOS_ID;
    if (!ends && t === maxLen) break; // the last step may only end
    logProb += out.logProbs[prev];
    steps.push(out);
    if (ends) return hypothesis(model, ids, logProb, steps, true);
    ids.push(prev);
  }
  return hypothesis(model, ids, logProb, steps, false);
}

/** The most probable token at every step; of equal ones the first. */
export const greedySearch = (model, encoded, options) => whole(greedySteps(model, encoded, options));

/** `greedySearch` with a pause after each token. */
export function greedySteps(model, encoded, options) {
  return follow(model, encoded, (logProbs) => logProbs.indexOf(Math.max(...logProbs)), options);
}

/**
 * What sampling draws from: temperature, then top-k, then top-p, as search.py's `adjust`, made
 * probabilities. A token stays under top-p while those that rank higher hold less than p.
 */
export function shapeProbs(logProbs, { temperature = 1, topK = null, topP = 1 } = {}) {
  if (!(temperature > 0 && temperature < Infinity)) throw new Error(`temperature must be above 0 and finite, got ${temperature}`);
  if (topK !== null) checkCount("topK", topK);
  if (!(topP > 0 && topP <= 1)) throw new Error(`topP must be above 0 and at most 1, got ${topP}`);
  const order = Array.from(logProbs.keys()).sort((a, b) => logProbs[b] - logProbs[a] || a - b).slice(0, topK ?? undefined);
  const scaled = order.map((id) => Math.exp((logProbs[id] - logProbs[order[0]]) / temperature));
  const total = scaled.reduce((a, b) => a + b, 0), out = new Float64Array(logProbs.length);
  let before = 0, kept = 0;
  order.forEach((id, rank) => {
    if (topP < 1 && before >= topP) return;
    out[id] = scaled[rank];
    kept += scaled[rank];
    before += scaled[rank] / total;
  });
  return out.map((p) => p / kept);
}

/** A generator of numbers from 0 to below 1 (mulberry32): the same seed, the same numbers. */
export function seededRandom(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every token drawn by lot. Beside greedySearch's options: temperature, topK, topP, seed. */
export const sampleSearch = (model, encoded, options) => whole(sampleSteps(model, encoded, options));

/** `sampleSearch` with a pause after each token. */
export function sampleSteps(model, encoded, { temperature = 1, topK = null, topP = 1, seed = 0, ...options } = {}) {
  const random = seededRandom(seed);
  return follow(model, encoded, (logProbs) => {
    const probs = shapeProbs(logProbs, { temperature, topK, topP });
    let left = random();
    const id = probs.findIndex((p) => (left -= p) < 0);
    return id >= 0 ? id : probs.findLastIndex((p) => p > 0); // rounding left the sum a little below 1
  }, options);
}

/**
 * Beam search as beam.py has it: up to `width` hypotheses, best first, each with its `score`,
 * logProb / length ** lengthPenalty, where length counts <eos>. If none ended, the beginnings of
 * maxLen tokens instead, with complete = false.
 */
export const beamSearch = (model, encoded, options) => whole(beamSteps(model, encoded, options));

/**
 * `beamSearch` with a pause after each step that gives the beginnings kept in it, most probable
 * first: [{ids, last, logProb}, …]; `ids` end with `last`.
 */
export function* beamSteps(model, encoded, { width = 4, lengthPenalty = 0, maxLen = 100, valid = null } = {}) {
  checkCount("width", width);
  checkCount("maxLen", maxLen);
  if (!(lengthPenalty >= 0 && lengthPenalty < Infinity)) throw new Error(`lengthPenalty must be 0 or more, got ${lengthPenalty}`);
  const scored = (node, length) => ({ ...node, score: node.logProb / length ** lengthPenalty });
  const best = (list) => list.sort((a, b) => b.score - a.score).slice(0, width); // sort is stable
  let open = [{ ids: [], last: SOS_ID, state: encoded.final, logProb: 0, steps: [] }], ends = [], before = open;
  for (let t = 0; t <= maxLen && open.length; t++) {
    before = open;
    const chosen = yield* candidates(model, encoded, open, width, valid);
    ends = best([...ends, ...chosen.filter((node) => node.last === EOS_ID).map((node) => scored(node, t + 1))]);
    open = chosen.filter((node) => node.last !== EOS_ID);
    // the first is the best; nothing more lost, and the greatest length, is all that it can reach
    if (open.length && ends.length === width && open[0].logProb / (maxLen + 1) ** lengthPenalty <= ends.at(-1).score) open = [];
    yield chosen;
  }
  const complete = ends.length > 0;
  return (complete ? ends : before.map((node) => scored(node, maxLen))).map((node) => ({
    ...hypothesis(model, complete ? node.ids.slice(0, -1) : node.ids, node.logProb, node.steps, complete), score: node.score,
  }));
}

/** The `width` most probable one-token extensions; of equal ones the better beginning, the lower id. */
function* candidates(model, encoded, open, width, valid) {
  const all = [];
  for (const { ids, last, state, logProb, steps } of open) {
    const out = decodeStep(model, encoded, last, state, { valid });
    out.logProbs.forEach((l, id) => all.push({ ids, id, steps, out, logProb: logProb + l }));
    yield;
  }
  const kept = all.filter((c) => c.logProb > -Infinity).sort((a, b) => b.logProb - a.logProb).slice(0, width);
  return kept.map(({ ids, id, steps, out, logProb }) => ({
    ids: [...ids, id], last: id, state: out.state, logProb, steps: [...steps, out],
  }));
}
