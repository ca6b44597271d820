/* Merged logs: events in one order that extends the causal one; cause[i] is the event that i depends on, or -1. */
const count = story ? story.time.length : 0;
const {time, node, kind, cause, what, details, place, position, findings} = story || {};
const kinds = ["event", "send", "receive"], effects = new Map();
const story_lane = story ? story.nodes.map(id => node_of_id.get(id)) : [];
const lane_events = nodes.map(() => []);
let selected = -1, mark = null, found = [];
for (let i = 0; i < count; i++) {
    time[i] *= 1e9;
    lane_events[story_lane[node[i]]].push(i);
    if (cause[i] >= 0) {
        if (!effects.has(cause[i])) effects.set(cause[i], []);
        effects.get(cause[i]).push(i);
    }
}
const event_y = i => y_of(story_lane[node[i]]);
const event_name = i => "node " + story.nodes[node[i]] + " #" + position[i] + " " + story.words[what[i]];

/* 1: before the event, 2: after it, 0: neither. One pass each way, since all causes come first. */
function relate(event) {
    const mark_of = new Uint8Array(count), need = story.nodes.map(() => -1), since = story.nodes.map(() => Infinity);
    need[node[event]] = since[node[event]] = position[event];
    for (let i = event; i >= 0; i--)
        if (position[i] <= need[node[i]]) {
            mark_of[i] = 1;
            if (cause[i] >= 0 && kind[i] == 2)
                need[node[cause[i]]] = Math.max(need[node[cause[i]]], position[cause[i]]);
        }
    for (let i = event; i < count; i++) {
        if (kind[i] == 2 && cause[i] >= 0 && position[cause[i]] >= since[node[cause[i]]])
            since[node[i]] = Math.min(since[node[i]], position[i]);
        if (position[i] >= since[node[i]]) mark_of[i] = 2;
    }
    mark_of[event] = 3;
    return mark_of;
}

function story_colour(i) {
    if (!mark) return [colour.dim, colour.sending, colour.received][kind[i]];
    return [colour.line, colour.past, colour.future, colour.lost][mark[i]];
}
function draw_cause(i) {
    const x1 = x_of(time[cause[i]]), y1 = event_y(cause[i]), x2 = x_of(time[i]), y2 = event_y(i);
    const marked = mark && mark[i] && mark[cause[i]];
    pen.strokeStyle = !mark ? colour.received : !marked ? colour.line : mark[i] == 2 ? colour.future : colour.past;
    pen.lineWidth = marked ? 1.5 : 0.7;
    pen.setLineDash(kind[i] == 1 ? [3, 3] : []);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    const angle = Math.atan2(y2 - y1, x2 - x1);
    for (const turn of [-0.4, 0.4]) {
        pen.moveTo(x2 - 3 * Math.cos(angle), y2 - 3 * Math.sin(angle));
        pen.lineTo(x2 - 9 * Math.cos(angle + turn), y2 - 9 * Math.sin(angle + turn));
    }
    pen.stroke();
    pen.setLineDash([]);
    pen.lineWidth = 1;
}
function draw_story() {
    const first = first_at(time, from), last = first_at(time, from + span), pixel = span / width();
    const lately = nodes.map(() => -Infinity), labels = last - first < 60;
    for (let i = first; i < last; i++) {
        if (cause[i] >= 0 && (last - first < 20000 || (mark && mark[i]))) draw_cause(i);
        for (const e of effects.get(i) || []) if (e >= last) draw_cause(e);
    }
    for (let i = first; i < last; i++) {
        const seen = mark && mark[i] || found.length && found.includes(i);
        if (run && !kind[i] && !seen) continue; /* the lanes show what the node did */
        if (!seen && time[i] - lately[node[i]] < pixel / 2) continue; /* on the same spot */
        lately[node[i]] = time[i];
        pen.fillStyle = story_colour(i);
        pen.beginPath();
        pen.arc(x_of(time[i]), event_y(i), i == selected ? 6 : 3.5, 0, 7);
        pen.fill();
        pen.fillStyle = colour.ink;
        if (labels) pen.fillText(story.words[what[i]], x_of(time[i]) + 5, event_y(i) - 6);
    }
    for (const i of found) {
        pen.strokeStyle = colour.found;
        pen.lineWidth = 2;
        pen.beginPath();
        pen.arc(x_of(time[i]), event_y(i), 8, 0, 7);
        pen.stroke();
        pen.lineWidth = 1;
    }
}

function story_near(x, y) {
    let best = -1, least = 12;
    if (!story) return best;
    for (let i = first_at(time, time_at(x - 12)); i < count && x_of(time[i]) < x + 12; i++) {
        const distance = Math.hypot(x_of(time[i]) - x, event_y(i) - y);
        if (distance < least) least = distance, best = i;
    }
    return best;
}
function select(i, show) {
    selected = i;
    mark = i < 0 ? null : relate(i);
    if (i >= 0) {
        if (show && (time[i] < from || time[i] > from + span)) from = time[i] - span / 2;
        tab = "Story";
        go_to(time[i]);
    } else refresh();
}
function story_step(direction) {
    const lane = lane_events[story_lane[node[selected]]], to = lane.indexOf(selected) + direction;
    if (to >= 0 && to < lane.length) select(lane[to], true);
}
function story_find(text) {
    found = [];
    for (let i = 0; text && i < count && found.length < 500; i++)
        if ((story.words[what[i]] + " " + details[i] + " " + story.words[place[i]]).toLowerCase().includes(text)) found.push(i);
    return found.length;
}

function story_panel(panel) {
    if (selected >= 0) {
        const i = selected, list = add(panel, "dl");
        const item = (name, text) => { add(list, "dt", name); return add(list, "dd", text); };
        item("event", event_name(i) + " (" + kinds[kind[i]] + ")");
        item("time", (time[i] / 1e9).toFixed(9) + " s");
        if (details[i]) item("details", details[i]).className = "code";
        if (place[i]) item("source", story.words[place[i]]).className = "code";
        if (cause[i] >= 0)
            link(item(kind[i] == 2 ? "received from" : "repeats"), event_name(cause[i]), () => select(cause[i], true));
        for (const e of effects.get(i) || [])
            link(item(kind[e] == 2 ? "received by" : "repeated by"), event_name(e), () => select(e, true));
        let before = 0, after = 0;
        for (const m of mark) before += m == 1, after += m == 2;
        item("causal past, future, neither", `${before} events (orange), ${after} (blue), ${count - 1 - before - after} (grey)`);
        link(panel, "forget this event", () => select(-1));
    } else add(panel, "p", "Click an event: its causes turn orange, its effects blue.").className = "dim";
    add(panel, "h2", findings.length ? findings.length + " findings" : "No findings");
    for (const f of findings.slice(0, 200)) {
        const p = add(panel, "p");
        if (f.event >= 0) link(p, f.text, () => select(f.event, true)); else p.textContent = f.text;
    }
    add(panel, "h2", "Logs");
    story.nodes.forEach((id, n) =>
        add(panel, "div", `node ${id}: ${story.logs[n]}, ${lane_events[story_lane[n]].length} events`));
}
