/* The data of the page in the form in which it is drawn. Times are nanoseconds.
 *
 * `run` is what a view has collected: lists of bars by node and track, frames, values. `story` is merged logs: events
 * with causes. A window of the run is all of it (a report), or what the server sent for the zoom (motet view). */
const run = data.run, story = data.story;
const nodes = run ? run.nodes : story.nodes.map((id, i) => ({id, board: "", chip: "", at: [0, 0, 0], pins: [],
    energy: {t: [], v: []}, log: story.logs[i]}));
const words = run ? run.words : [];
const served = run !== null && run.served;
const END = run ? run.end : Math.max(1, ...story.time) * 1e9;
const node_of_id = new Map(nodes.map((n, i) => [n.id, i]));

/* Differences to times. */
function summed(list) {
    const times = new Float64Array(list.length);
    let at = 0;
    for (let i = 0; i < list.length; i++) times[i] = at += list[i];
    return times;
}

/* The first of a rising list at a value or beyond it. */
function first_at(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
}

for (const n of nodes) n.energy.times = summed(n.energy.t);

function read_track(t) {
    const begin = summed(t.b), length = Float64Array.from(t.d), end = begin.map((b, i) => b + length[i]);
    return {node: t.n, kind: t.k, number: t.i, begin, end, word: t.w, count: t.c || null, busy: t.u || null};
}

/* What is loaded: by node, then by kind ("sleep", "task", "pin 3"). */
let loaded = null;
function read_window(w) {
    const made = {from: w.from, to: w.to, gap: w.gap, hidden: w.frames_hidden, tracks: nodes.map(() => new Map()),
        values: nodes.map(() => new Map()), bars: 0};
    for (const t of w.tracks) {
        const track = read_track(t);
        made.tracks[t.n].set(t.k == "pin" ? "pin " + t.i : t.k, track);
        made.bars += track.begin.length;
    }
    for (const v of w.values) made.values[v.n].set(v.i, {times: summed(v.t), values: v.v, stride: v.stride});
    made.frames = w.frames.map(([number, begin, length, node, text, heard, bytes]) => {
        const f = {number, begin, end: begin + length, node, text, bytes, heard: []};
        for (let i = 0; i < heard.length; i += 3)
            f.heard.push({node: heard[i], outcome: heard[i + 1], end: begin + heard[i + 2]});
        return f;
    });
    made.frame_begins = Float64Array.from(made.frames, f => f.begin);
    loaded = made;
}
if (run) read_window(data.window);

const track_of = (n, kind) => loaded ? loaded.tracks[n].get(kind) : undefined;

/* The bar of a track that a time lies in; -1 if none does. Nested ones: the innermost. */
function bar_at(track, time) {
    if (!track) return -1;
    for (let i = first_at(track.begin, time + 1) - 1, tries = 0; i >= 0 && tries < 8; i--, tries++)
        if (track.end[i] > time) return i;
    return -1;
}
const word_text = w => w < 0 ? "several" : words[w][0];

/* How often and how long: of a merged bar all that it stands for. */
const bar_count = (t, i) => t.count ? t.count[i] : 1;
const bar_share = (t, i) => t.busy && t.end[i] > t.begin[i] ? t.busy[i] / (t.end[i] - t.begin[i]) : 1;

/* What the bars say about a node at a time: the state, and the place in the source as far as they know it. */
function state_of(n, at) {
    const time = Math.min(at, END - 1); /* what lasts to the end lasts at it */
    if (nodes[n].logged) return {state: "logged", word: -1};
    const sleep = track_of(n, "sleep"), interrupt = track_of(n, "interrupt"), task = track_of(n, "task");
    let i = bar_at(interrupt, time);
    if (i >= 0 && bar_count(interrupt, i) == 1) return {state: "interrupt", word: interrupt.word[i]};
    i = bar_at(sleep, time);
    if (i >= 0 && bar_count(sleep, i) == 1) return {state: "asleep", word: sleep.word[i], exact: true};
    i = bar_at(task, time);
    if (i >= 0 && bar_count(task, i) == 1) return {state: "task", word: task.word[i]};
    i = bar_at(sleep, time);
    if (i >= 0) return {state: "mixed", word: -1, share: bar_share(sleep, i)};
    return {state: has_begun(n, time) ? "awake" : "off", word: -1};
}
function has_begun(n, time) {
    if (!loaded) return true;
    for (const t of loaded.tracks[n].values()) if (t.begin.length && t.begin[0] <= time) return true;
    return false;
}

function led_is_on(n, pin, time) { return bar_at(track_of(n, "pin " + pin), Math.min(time, END - 1)) >= 0; }
function value_at(list, time) {
    const i = first_at(list.times, time + 1) - 1;
    return i < 0 ? null : list.values[i];
}
function energy_at(n, time) {
    const {times, v} = nodes[n].energy;
    if (!times.length) return null;
    const i = first_at(times, time);
    if (i >= times.length) return v[v.length - 1];
    const before = i ? times[i - 1] : 0, low = i ? v[i - 1] : 0;
    return times[i] > before ? low + (v[i] - low) * (time - before) / (times[i] - before) : v[i];
}

/* Serial output and notes of all nodes, by time. */
const outputs = run ? run.serial.map(([time, node, port, text]) => ({time, node, port, text})) : [];
const notes = run ? run.notes.map(([time, node, kind, text]) => ({time, node, kind, text})) : [];
outputs.sort((a, b) => a.time - b.time || a.node - b.node);
notes.sort((a, b) => a.time - b.time || a.node - b.node);
for (const list of [outputs, notes]) list.times = Float64Array.from(list, e => e.time);

/* Lines of source: executions and the time of the first, by line. */
const files = run ? run.files.map(f => {
    const lines = new Map();
    for (let i = 0; i < f.lines.length; i += 3) lines.set(f.lines[i], {count: f.lines[i + 1], first: f.lines[i + 2]});
    return {name: f.name, base: f.name.split("/").pop(), text: f.text, lines};
}) : [];

const outcome_text = o => o < run.lost ? "received" : "lost: " + run.losses[o - run.lost];
const is_for_another = o => o >= run.lost && run.losses[o - run.lost] == "address";

function time_text(t, digits = 6) { return (t / 1e9).toFixed(digits) + " s"; }
function length_text(t) {
    if (t >= 1e9) return (t / 1e9).toPrecision(4) + " s";
    if (t >= 1e6) return (t / 1e6).toPrecision(4) + " ms";
    return t >= 1e3 ? (t / 1e3).toPrecision(4) + " µs" : t + " ns";
}
