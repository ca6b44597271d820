/* The space-time diagram: a lane for each node on one time axis. The lane of the chosen node is open: it has a row for
 * each track, pin and variable. */
const canvas = document.getElementById("canvas"), view = document.getElementById("view"), pen = canvas.getContext("2d");
const LEFT = 92, RIGHT = 12, TOP = 26, OPEN_ROW = 18, VALUE_ROW = 40;
let from = 0, span = END * 1.02, cursor = 0, chosen = -1, scroll = 0, picked = null, draw_time = 0;
let colour = {}, lane_cache = null;

function read_colours() {
    const style = getComputedStyle(document.documentElement);
    colour = {};
    for (const name of ["paper", "panel", "ink", "dim", "line", "faint", "accent", "awake", "asleep", "interrupt", "listening",
        "sending", "idle", "received", "lost", "wave", "past", "future", "found", "cursor"])
        colour[name] = style.getPropertyValue("--" + name).trim();
    colour.dark = matchMedia("(prefers-color-scheme: dark)").matches;
}
/* Tasks keep their colours: by the name. */
function task_colour(word) {
    if (word < 0) return colour.awake;
    let hash = 7;
    for (const c of words[word][0]) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
    return `hsl(${[212, 190, 262, 235, 172, 290, 205, 248][hash % 8]} ${colour.dark ? "46% 58%" : "52% 52%"})`;
}

const width = () => Math.max(50, view.clientWidth - LEFT - RIGHT);
const x_of = t => LEFT + (t - from) / span * width();
const time_at = x => from + (x - LEFT) / width() * span;

/* ---- lanes ---- */

function open_rows(n) {
    const rows = [];
    if (run) run.variables.forEach((name, i) => {
        if (loaded.values[n].has(i)) rows.push({kind: "value", number: i, name, height: VALUE_ROW});
    });
    for (const [kind, name] of [["task", "tasks"], ["interrupt", "interrupts"], ["radio", "radio"]])
        if (track_of(n, kind)) rows.push({kind, name, height: OPEN_ROW});
    const pins = nodes[n].pins.map((p, i) => ({p, i})).sort((a, b) => b.p.led - a.p.led || (a.p.name < b.p.name ? -1 : 1));
    for (const {p, i} of pins) rows.push({kind: "pin " + i, name: p.name, pin: p, height: OPEN_ROW});
    return rows;
}
function lanes() {
    if (lane_cache) return lane_cache;
    const most = view.clientHeight - TOP - 8, rows = chosen >= 0 && run ? open_rows(chosen) : [];
    const more = rows.reduce((sum, r) => sum + r.height, 0) + (rows.length ? 8 : 0);
    const height = Math.max(run ? 22 : 14, Math.min(84, (most - Math.min(more, most / 2)) / nodes.length));
    let y = TOP;
    const list = nodes.map((_, n) => {
        const lane = {top: y, height, rows: n == chosen ? rows : []};
        y += height + (n == chosen ? more : 0);
        return lane;
    });
    return lane_cache = {list, height, bottom: y};
}
const y_of = n => lanes().list[n].top - scroll + lanes().height / 2;
function lanes_changed() {
    lane_cache = null;
    scroll = Math.max(0, Math.min(scroll, lanes().bottom - view.clientHeight + 8));
}

/* ---- bars ---- */

/* Bars of a track that are in sight, those on the same points as one. */
function each_bar(track, f) {
    if (!track) return;
    const pixel = span / width(), last_time = from + span;
    let i = Math.max(0, first_at(track.begin, from) - 8), group = -1, end = 0, busy = 0, several = false;
    for (; i < track.begin.length && track.begin[i] <= last_time; i++) {
        if (track.end[i] < from) continue;
        if (group >= 0 && track.begin[i] - end < pixel && track.end[i] - track.begin[group] < 3 * pixel) {
            end = Math.max(end, track.end[i]);
            busy += (track.end[i] - track.begin[i]) * bar_share(track, i);
            several = several || track.word[group] != track.word[i];
            continue;
        }
        if (group >= 0) f(track.begin[group], end, several ? -1 : track.word[group], busy);
        group = i, end = track.end[i], several = false;
        busy = (track.end[i] - track.begin[i]) * bar_share(track, i);
    }
    if (group >= 0) f(track.begin[group], end, several ? -1 : track.word[group], busy);
}

function draw_bar(begin, end, y, height, fill, share, least = 0.18) {
    const x1 = Math.max(LEFT, x_of(begin)), x2 = Math.min(LEFT + width(), x_of(end));
    pen.globalAlpha = Math.max(least, Math.min(1, share));
    pen.fillStyle = fill;
    pen.fillRect(x1, y, Math.max(1, x2 - x1), height);
    pen.globalAlpha = 1;
    return [x1, x2];
}
function bar_text(text, x1, x2, y) {
    if (x2 - x1 < 26) return;
    pen.save();
    pen.beginPath();
    pen.rect(x1, y - 12, x2 - x1 - 2, 16);
    pen.clip();
    pen.fillText(text, x1 + 3, y);
    pen.restore();
}
const share_of = (begin, end, busy) => end > begin ? busy / (end - begin) : 1;

function draw_radio(n, y, height, named) {
    const fills = {idle: colour.idle, listening: colour.listening, sending: colour.sending};
    each_bar(track_of(n, "radio"), (begin, end, word, busy) => {
        const name = word_text(word), [x1, x2] = draw_bar(begin, end, y, height, fills[name] || colour.listening, share_of(begin, end, busy));
        pen.fillStyle = name == "sending" ? colour.panel : colour.dim;
        if (named && word >= 0) bar_text(name, x1, x2, y + height - 4);
    });
}
/* Awake is what is not sleep. */
function draw_cpu(n, y, height) {
    const sleep = track_of(n, "sleep");
    const pixel = span / width();
    let at = sleep ? Math.max(from, sleep.begin[0] || 0) : 0;
    draw_bar(0, END, y, height, colour.asleep, 1);
    if (nodes[n].logged) return;
    if (!sleep) {
        if (nodes[n].chip && loaded && loaded.tracks[n].size) draw_bar(0, END, y, height, colour.awake, 1);
        return;
    }
    if (sleep.begin[0] > from && loaded.from <= sleep.begin[0] && track_of(n, "interrupt"))
        at = Math.max(from, Math.min(sleep.begin[0], track_of(n, "interrupt").begin[0]));
    each_bar(sleep, (begin, end, word, busy) => {
        if (begin > at) draw_bar(at, begin, y, height, colour.awake, (begin - at) / pixel, 0);
        const awake = 1 - share_of(begin, end, busy);
        if (awake > 0.001) draw_bar(begin, end, y, height, colour.awake, 0.06 + awake * 0.94, 0.06);
        at = Math.max(at, end);
    });
    if (at < Math.min(END, from + span)) draw_bar(at, END, y, height, colour.awake, 1);
}
function draw_tasks(n, y, height, named) {
    each_bar(track_of(n, "task"), (begin, end, word, busy) => {
        const [x1, x2] = draw_bar(begin, end, y, height, task_colour(word), 0.04 + share_of(begin, end, busy), 0.04);
        pen.fillStyle = share_of(begin, end, busy) > 0.5 ? "#fff" : colour.ink;
        if (named && word >= 0) bar_text(word_text(word), x1, x2, y + height - 5);
    });
}
function draw_interrupts(n, y, height, named) {
    each_bar(track_of(n, "interrupt"), (begin, end, word, busy) => {
        const [x1, x2] = draw_bar(begin, end, y, height, colour.interrupt, 0.2 + share_of(begin, end, busy));
        pen.fillStyle = share_of(begin, end, busy) > 0.5 ? colour.panel : colour.ink;
        if (named && word >= 0) bar_text(word_text(word), x1, x2, y + height - 5);
    });
}
function draw_pin(n, row, y) {
    const low = y + OPEN_ROW - 5, high = y + 4;
    pen.strokeStyle = row.pin.led ? colour.sending : colour.wave;
    pen.beginPath();
    pen.moveTo(LEFT, low + 0.5);
    each_bar(track_of(n, row.kind), (begin, end, word, busy) => {
        const x1 = Math.max(LEFT, x_of(begin)), x2 = Math.min(LEFT + width(), x_of(end));
        if (begin <= from) pen.moveTo(LEFT, high + 0.5);
        if (share_of(begin, end, busy) < 0.97) {
            pen.globalAlpha = 0.4;
            pen.fillStyle = pen.strokeStyle;
            pen.fillRect(x1, high, Math.max(1, x2 - x1), low - high);
            pen.globalAlpha = 1;
        }
        if (begin > from) pen.lineTo(x1, low + 0.5);
        pen.lineTo(x1, high + 0.5), pen.lineTo(x2, high + 0.5);
        if (end < Math.min(from + span, END)) pen.lineTo(x2, low + 0.5); else pen.moveTo(x2, low + 0.5);
    });
    pen.lineTo(Math.min(LEFT + width(), x_of(END)), low + 0.5);
    pen.stroke();
}
/* From the least to the most of the values in sight. A few far above the others (65535 for "none") are cut off. */
function value_range(values) {
    const sorted = Float64Array.from(values).sort(), low = sorted[0], top = sorted[sorted.length - 1];
    const usual = sorted[Math.floor((sorted.length - 1) * 0.95)];
    return top - low > 8 * (usual - low) && usual > low ? {low, high: usual, top} : {low, high: top, top};
}
function draw_value(n, row, y) {
    const list = loaded.values[n].get(row.number);
    const first = Math.max(0, first_at(list.times, from) - 1), last = first_at(list.times, from + span);
    if (last <= first) return;
    const {low, high, top} = value_range(list.values.slice(first, last)), above = y + 6, below = y + VALUE_ROW - 6;
    const of = v => high > low ? below - Math.min(1.1, (v - low) / (high - low)) * (below - above) : (above + below) / 2;
    pen.strokeStyle = colour.accent;
    pen.lineWidth = 1.4;
    pen.beginPath();
    for (let i = first; i < last; i++) {
        const x = Math.max(LEFT, x_of(list.times[i]));
        if (i == first) pen.moveTo(x, of(list.values[i]));
        else pen.lineTo(x, of(list.values[i - 1])), pen.lineTo(x, of(list.values[i]));
    }
    pen.lineTo(Math.min(x_of(END), LEFT + width()), of(list.values[last - 1]));
    pen.stroke();
    pen.lineWidth = 1;
    const text = (high > low ? `${low} … ${high}` : `${low}`) + (top > high ? `, at times ${top}` : "");
    pen.fillStyle = colour.panel;
    pen.globalAlpha = 0.8;
    pen.fillRect(LEFT + 3, above - 6, pen.measureText(text).width + 6, 13);
    pen.globalAlpha = 1;
    pen.fillStyle = colour.dim;
    pen.fillText(text, LEFT + 6, above + 4);
}

function draw_lane(n) {
    const lane = lanes().list[n], y = lane.top - scroll, h = lane.height;
    if (y > view.clientHeight || y + h + 400 < 0 || !run) return;
    const large = h >= 34, pad = large ? 4 : 3, body = h - 2 * pad;
    const radio = track_of(n, "radio") ? Math.max(3, body * 0.24) : 0;
    if (radio) draw_radio(n, y + pad, radio - 1, false);
    const cpu = y + pad + radio, rest = body - radio, half = Math.max(4, rest * 0.62);
    draw_cpu(n, cpu, half);
    draw_tasks(n, cpu, half, large);
    draw_interrupts(n, cpu + half + 1, Math.max(2, rest - half - 2), false);
    let row_y = y + h + 2;
    for (const row of lane.rows) {
        if (row.kind == "task") draw_tasks(n, row_y + 2, OPEN_ROW - 4, true);
        else if (row.kind == "interrupt") draw_interrupts(n, row_y + 2, OPEN_ROW - 4, true);
        else if (row.kind == "radio") draw_radio(n, row_y + 2, OPEN_ROW - 4, true);
        else if (row.kind == "value") draw_value(n, row, row_y);
        else draw_pin(n, row, row_y);
        row_y += row.height;
    }
}

/* ---- frames ---- */

function frames_in_sight() {
    if (!loaded) return [];
    const first = Math.max(0, first_at(loaded.frame_begins, from) - 20), last = first_at(loaded.frame_begins, from + span);
    return loaded.frames.slice(first, last).filter(f => f.end >= from || f.heard.some(h => h.end >= from));
}
/* Arrows, or, where there would be too many, ticks on the lanes: sent above, lost below. */
const ARROWS = 2500;
function draw_frames() {
    const list = frames_in_sight(), arrows = list.reduce((sum, f) => sum + f.heard.length, 0), few = list.length < 80;
    if (arrows > ARROWS || loaded.hidden) draw_frame_ticks();
    for (const f of arrows > ARROWS ? [] : list) draw_frame(f, few, arrows);
    if (picked && picked.frame) draw_frame(picked.frame, true, 0);
    pen.lineWidth = 1;
    const hidden = loaded.hidden || (arrows > ARROWS ? list.length : 0);
    if (!hidden) return;
    const text = `${hidden} frames: zoom in for arrows`, x = LEFT + width() - pen.measureText(text).width - 6;
    pen.fillStyle = colour.dim;
    pen.fillText(text, x, Math.min(view.clientHeight - 6, lanes().bottom - scroll + 12));
}
function draw_frame(f, few, arrows) {
    const strong = picked && picked.frame == f;
    for (const h of f.heard) {
        const lost = h.outcome >= run.lost, other = is_for_another(h.outcome);
        if (other && !few && !strong) continue;
        pen.globalAlpha = strong || lost || few ? 1 : Math.max(0.2, 1 - arrows / ARROWS);
        pen.strokeStyle = other ? colour.dim : lost ? colour.lost : colour.received;
        pen.lineWidth = strong ? 2 : few ? 1.1 : 0.7;
        pen.setLineDash(lost ? [3, 3] : []);
        pen.beginPath();
        pen.moveTo(x_of(f.begin), y_of(f.node));
        pen.lineTo(x_of(h.end), y_of(h.node));
        pen.stroke();
        if (few) frame_head(x_of(h.end), y_of(h.node), lost && !other);
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
    const x = x_of(f.begin), w = Math.max(2, x_of(f.end) - x);
    pen.fillStyle = colour.sending;
    pen.fillRect(x, y_of(f.node) - 3, w, 6);
    pen.fillStyle = colour.ink;
    if (few && span / width() * 90 < 40e6) pen.fillText(f.text.split(",")[0], x + 2, y_of(f.node) - 6);
}
function draw_frame_ticks() {
    const half = lanes().height / 2;
    for (let n = 0; n < nodes.length; n++) {
        each_bar(track_of(n, "sent"), (begin, end, word, busy) =>
            draw_bar(begin, end, y_of(n) - half + 2, half * 0.5, colour.sending, 0.3 + share_of(begin, end, busy)));
        each_bar(track_of(n, "missed"), (begin, end) => draw_bar(begin, end, y_of(n) - half + 2, half * 0.9, colour.lost, 0.8));
    }
}
function frame_head(x, y, lost) {
    pen.setLineDash([]);
    pen.beginPath();
    if (lost) pen.moveTo(x - 3, y - 3), pen.lineTo(x + 3, y + 3), pen.moveTo(x - 3, y + 3), pen.lineTo(x + 3, y - 3);
    else pen.arc(x, y, 2.5, 0, 7);
    pen.stroke();
}

/* ---- notes and serial output: signs above a lane ---- */

function draw_signs() {
    const pixel = span / width();
    for (const [list, fill] of [[outputs, colour.wave], [notes, colour.lost]]) {
        const last = nodes.map(() => -Infinity);
        for (let i = first_at(list.times, from); i < list.length && list[i].time <= from + span; i++) {
            const e = list[i];
            if (e.time - last[e.node] < 3 * pixel) continue;
            last[e.node] = e.time;
            const x = x_of(e.time), y = lanes().list[e.node].top - scroll + 1;
            pen.fillStyle = e.kind && e.kind != "fault" ? colour.interrupt : fill;
            pen.beginPath();
            pen.moveTo(x - 3.5, y), pen.lineTo(x + 3.5, y), pen.lineTo(x, y + 6);
            pen.fill();
        }
    }
}

/* ---- axes ---- */

function nice_step(least) {
    const power = Math.pow(10, Math.floor(Math.log10(least)));
    for (const m of [1, 2, 5, 10]) if (m * power >= least) return m * power;
    return 10 * power;
}
function draw_axes() {
    const step = nice_step(span * 110 / width()), digits = Math.max(0, Math.ceil(9 - Math.log10(step) - 1e-9));
    const bottom = Math.min(view.clientHeight, lanes().bottom - scroll);
    pen.font = "11px system-ui, sans-serif";
    for (let t = Math.ceil(Math.max(from, 0) / step) * step; t < from + span; t += step) {
        const x = Math.round(x_of(t)) + 0.5;
        pen.strokeStyle = colour.faint;
        pen.beginPath();
        pen.moveTo(x, TOP), pen.lineTo(x, bottom);
        pen.stroke();
        pen.fillStyle = colour.dim;
        const text = (t / 1e9).toFixed(digits) + " s";
        if (x + 6 + pen.measureText(text).width < LEFT + width() + RIGHT) pen.fillText(text, x + 3, 16);
    }
    lanes().list.forEach((lane, n) => {
        const y = lane.top - scroll + lane.height;
        pen.strokeStyle = colour.line;
        pen.beginPath();
        pen.moveTo(0, Math.round(y) + 0.5), pen.lineTo(LEFT + width(), Math.round(y) + 0.5);
        pen.stroke();
    });
}
function draw_labels() {
    pen.fillStyle = colour.panel;
    pen.fillRect(0, 0, LEFT, view.clientHeight);
    lanes().list.forEach((lane, n) => {
        const y = lane.top - scroll;
        if (n == chosen) {
            pen.fillStyle = colour.accent;
            pen.fillRect(0, y + 2, 3, lane.height - 4);
        }
        pen.font = (n == chosen ? "600 " : "") + "12px system-ui, sans-serif";
        pen.fillStyle = colour.ink;
        pen.fillText("node " + nodes[n].id, 10, y + lane.height / 2 + (lane.height > 34 && nodes[n].board ? -2 : 4));
        pen.font = "11px system-ui, sans-serif";
        pen.fillStyle = colour.dim;
        if (lane.height > 34 && nodes[n].board) pen.fillText(nodes[n].board, 10, y + lane.height / 2 + 12);
        let row_y = y + lane.height + 2;
        for (const row of lane.rows) {
            pen.fillText(row.name.length > 12 ? row.name.slice(0, 11) + "…" : row.name, 18, row_y + row.height / 2 + 4);
            row_y += row.height;
        }
    });
    pen.fillStyle = colour.panel;
    pen.fillRect(0, 0, LEFT, TOP);
}
function draw_cursor() {
    const x = x_of(cursor);
    if (x < LEFT - 1 || x > LEFT + width() + 1) return;
    pen.strokeStyle = colour.cursor;
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(x, TOP - 6), pen.lineTo(x, view.clientHeight);
    pen.stroke();
    pen.fillStyle = colour.cursor;
    pen.beginPath();
    pen.moveTo(x - 5, TOP - 10), pen.lineTo(x + 5, TOP - 10), pen.lineTo(x, TOP - 3);
    pen.fill();
    pen.lineWidth = 1;
}

function size_canvas(c, w, h) {
    const scale = window.devicePixelRatio || 1;
    if (c.width != Math.round(w * scale) || c.height != Math.round(h * scale)) {
        c.width = Math.round(w * scale), c.height = Math.round(h * scale);
        c.style.width = w + "px", c.style.height = h + "px";
    }
    const p = c.getContext("2d");
    p.setTransform(scale, 0, 0, scale, 0, 0);
    p.clearRect(0, 0, w, h);
}

function draw() {
    const began = performance.now();
    size_canvas(canvas, view.clientWidth, view.clientHeight);
    draw_axes();
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP, width(), view.clientHeight);
    pen.clip();
    pen.font = "11px system-ui, sans-serif";
    for (let n = 0; n < nodes.length; n++) draw_lane(n);
    if (run) draw_frames(), draw_signs();
    if (story) draw_story();
    pen.restore();
    draw_labels();
    draw_cursor();
    draw_time = performance.now() - began;
}

/* ---- what is near a point ---- */

function lane_at(y) {
    const list = lanes().list;
    for (let n = 0; n < list.length; n++) {
        const more = list[n].rows.reduce((sum, r) => sum + r.height, 0);
        if (y + scroll >= list[n].top && y + scroll < list[n].top + list[n].height + more) return n;
    }
    return -1;
}
function distance_to(x, y, x1, y1, x2, y2) {
    const dx = x2 - x1, dy = y2 - y1, t = Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}
const change_text = c => c.from === null ? `${c.name} is ${c.to}` : `${c.name} from ${c.from} to ${c.to}`;
/* A few words on what is near, for the mouse. */
function hint(x, y) {
    const e = run && x > LEFT ? event_near(x, y) : null;
    if (!e) return "";
    if (e.frame) return `${e.frame.text}\nsent by node ${nodes[e.frame.node].id} at ${time_text(e.frame.begin)}`;
    if (e.output) return e.output.text;
    if (e.change) return change_text(e.change);
    if (e.note) return e.note.text;
    const name = e.track.kind == "pin" ? nodes[e.node].pins[e.track.number].name : word_text(e.track.word[e.bar]);
    const many = bar_count(e.track, e.bar);
    return many > 1 ? `${many} of ${e.track.kind}` : `${name}, ${length_text(e.track.end[e.bar] - e.track.begin[e.bar])}`;
}
/* An event of the run: its time, and what to say of it. NULL: nothing is near. */
function event_near(x, y) {
    const n = lane_at(y);
    let best = null, least = 7;
    const offer = (distance, event) => { if (distance < least) least = distance, best = event; };
    for (const [list, kind] of [[notes, "note"], [outputs, "output"]])
        for (let i = first_at(list.times, time_at(x - 6)); i < list.length && x_of(list[i].time) < x + 6; i++)
            if (list[i].node == n && Math.abs(y + scroll - lanes().list[n].top - 3) < 7)
                offer(Math.abs(x_of(list[i].time) - x) - 3, {time: list[i].time, node: n, [kind]: list[i]});
    const frames = frames_in_sight();
    if (frames.length < 3000)
        for (const f of frames) {
            const bar_x = Math.max(x_of(f.begin) - x, x - x_of(f.end), 0);
            if (f.node == n) offer(Math.hypot(bar_x, Math.max(0, Math.abs(y - y_of(n)) - 3)), {time: f.begin, node: n, frame: f});
            for (const h of f.heard)
                offer(distance_to(x, y, x_of(f.begin), y_of(f.node), x_of(h.end), y_of(h.node)) + 1,
                    Math.abs(x_of(h.end) - x) < 5 ? {time: h.end, node: h.node, frame: f} : {time: f.begin, node: f.node, frame: f});
        }
    if (best || n < 0) return best;
    return bar_near(n, x, y);
}
function bar_near(n, x, y) {
    const lane = lanes().list[n], inside = y + scroll - lane.top, time = time_at(x), near = 3 * span / width();
    let kinds = ["interrupt", "task"], row_y = lane.height + 2;
    if (inside > lane.height)
        for (const row of lane.rows) {
            if (inside >= row_y && inside < row_y + row.height) {
                if (row.kind == "value") return value_near(n, row, time, 2 * near);
                kinds = [row.kind];
            }
            row_y += row.height;
        }
    for (const kind of kinds) {
        const track = track_of(n, kind);
        if (!track) continue;
        let i = bar_at(track, time);
        if (i < 0) {
            const next = first_at(track.begin, time);
            if (next < track.begin.length && track.begin[next] - time < near) i = next;
            else if (next > 0 && time - track.end[next - 1] < near) i = next - 1;
        }
        if (i >= 0 && track.end[i] - track.begin[i] < 12 * near) return {time: track.begin[i], node: n, track, bar: i};
    }
    return null;
}

/* A change of a variable. */
function value_near(n, row, time, near) {
    const {times, values} = loaded.values[n].get(row.number), next = first_at(times, time);
    let best = -1;
    for (const i of [next - 1, next])
        if (i >= 0 && i < times.length && Math.abs(times[i] - time) < (best < 0 ? near : Math.abs(times[best] - time))) best = i;
    return best < 0 ? null : {time: times[best], node: n, change: {name: row.name, from: best ? values[best - 1] : null, to: values[best]}};
}

/* The next event after the cursor, or the last before it: of the chosen node, or of all. */
function event_from(direction) {
    const best = {time: direction > 0 ? Infinity : -Infinity};
    const offer = (time, node) => {
        if (direction > 0 ? time > cursor && time < best.time : time < cursor && time > best.time) best.time = time, best.node = node;
    };
    const offer_list = (times, node) => {
        const i = direction > 0 ? first_at(times, cursor + 0.5) : first_at(times, cursor) - 1;
        if (i >= 0 && i < times.length) offer(times[i], node);
    };
    if (loaded) {
        loaded.tracks.forEach((tracks, n) => {
            if (chosen < 0 || n == chosen)
                for (const t of tracks.values()) if (t.kind != "radio" && t.kind != "missed") offer_list(t.begin, n);
        });
        for (let i = Math.max(0, first_at(loaded.frame_begins, cursor) - 60); i < loaded.frames.length; i++) {
            const f = loaded.frames[i];
            if (chosen < 0 || f.node == chosen) offer(f.begin, f.node);
            for (const h of f.heard) if (chosen < 0 || h.node == chosen) offer(h.end, h.node);
            if (f.begin > cursor + 1e9 && f.begin > best.time) break;
        }
    }
    for (const list of [outputs, notes])
        if (chosen < 0) offer_list(list.times, -1);
        else for (const e of list) if (e.node == chosen) offer(e.time, chosen);
    return isFinite(best.time) ? best : null;
}
