/* The panels beside the diagram. All text goes in as text: nothing of a run is ever read as HTML. */
const panel_place = document.getElementById("panel"), tabs = document.getElementById("tabs");
let tab = run ? (run.about ? "Events" : "Nodes") : "Story", source_file = -1, source_follow = true, last_write = null, exact = null;

function add(parent, tag, text, of_class) {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (of_class) e.className = of_class;
    parent.append(e);
    return e;
}
function link(parent, text, act) {
    const a = add(parent, "a", text);
    a.tabIndex = 0;
    a.setAttribute("role", "button");
    a.onclick = act;
    a.onkeydown = e => { if (e.key == "Enter") act(); };
    return a;
}

/* Of the server if it has answered for this time, else what the bars say. */
function state_now(n) {
    if (exact && exact.time == cursor) {
        const s = exact.nodes[n], local = state_of(n, cursor);
        const state = s.state == "running" ? (local.state == "interrupt" ? "interrupt" : "awake")
            : s.state == "stopped at a fault" ? "fault" : s.state;
        return {state, said: s.state, place: s.place, file: s.file, line: s.line, calls: s.calls, exact: true};
    }
    const s = state_of(n, cursor), at = s.word >= 0 ? words[s.word] : null;
    const names = {asleep: "asleep", interrupt: "in interrupt", task: "running", awake: "awake", off: "off", logged: "replayed",
        mixed: `asleep ${Math.round(100 * (s.share || 0))}%`};
    return {state: s.state == "task" ? "awake" : s.state, said: names[s.state],
        place: !at ? "" : s.state == "asleep" ? (at[1] >= 0 ? `${files[at[1]].base}:${at[2]}` : at[0]) : at[0] + "()",
        file: at ? at[1] : -1, line: at ? at[2] : 0, exact: !!s.exact};
}

/* ---- nodes ---- */

function nodes_panel(panel) {
    const table = add(panel, "table"), head = add(table, "tr");
    for (const name of ["Node", "State", "Where", "LEDs", "mJ"]) add(head, "th", name);
    nodes.forEach((n, i) => {
        const s = state_now(i), row = add(table, "tr", undefined, "row" + (i == chosen ? " chosen" : ""));
        row.onclick = () => choose(i == chosen ? -1 : i);
        add(row, "td", n.id);
        add(row, "td", s.said);
        const where = add(row, "td", undefined, "code");
        where.title = s.place;
        if (s.file >= 0) link(where, s.exact ? `${files[s.file].base}:${s.line}` : s.place, e => { e.stopPropagation(); show_source(s.file, s.line); });
        else where.textContent = s.place;
        const lamps = add(row, "td");
        n.pins.forEach((p, k) => {
            if (!p.led) return;
            const lamp = add(lamps, "i", undefined, "lamp");
            lamp.title = p.name;
            if (led_is_on(i, k, cursor)) lamp.style.background = led_colour(p.name);
        });
        const energy = energy_at(i, cursor);
        add(row, "td", energy === null ? "" : energy.toPrecision(4), "number");
    });
    if (picked) picked_panel(panel);
    if (chosen >= 0) chosen_panel(panel);
}
function chosen_panel(panel) {
    const n = nodes[chosen], s = state_now(chosen);
    add(panel, "h2", `Node ${n.id}: ${n.board}, ${n.chip}`);
    if (s.calls) add(panel, "pre", s.calls.trim());
    variables_panel(panel);
}
function variables_panel(panel) {
    if (run.variables.length) {
        const table = add(panel, "table");
        run.variables.forEach((name, i) => {
            const list = loaded.values[chosen].get(i), row = add(table, "tr");
            if (!list) return;
            const before = first_at(list.times, cursor + 1) - 1;
            add(row, "td", name, "code");
            add(row, "td", before < 0 ? "" : list.values[before], "number");
            const when = add(row, "td");
            if (before >= 0) link(when, "changed " + time_text(list.times[before]), () => go_to(list.times[before]));
        });
    }
    const tools = add(panel, "div", undefined, "row-of-tools"), input = add(tools, "input");
    input.type = "text", input.placeholder = "variable, such as links[0].etx", input.id = "variable";
    input.value = last_write ? last_write.what : "";
    const ask = add(tools, "button", "Last written?");
    ask.id = "written";
    if (!served) {
        ask.disabled = input.disabled = true;
        add(panel, "p", "Any variable, and when it was written last: motet view answers that. A report has those named with --variable.", "dim");
        return;
    }
    ask.onclick = () => ask_last_write(input.value.trim());
    input.onkeydown = e => { e.stopPropagation(); if (e.key == "Enter") ask.onclick(); };
    if (last_write && last_write.node == chosen) {
        const box = add(panel, "div");
        box.id = "answer";
        if (last_write.error) add(box, "p", last_write.error, "bad");
        else {
            add(box, "pre", `${last_write.what} = ${last_write.value}\n${(last_write.said || "").trim()}`);
            if (last_write.written !== undefined) link(box, "go there", () => go_to(last_write.written, true));
        }
    }
}
function picked_panel(panel) {
    add(panel, "h2", "Selected");
    const list = add(panel, "dl"), item = (name, text, of_class) => { add(list, "dt", name); return add(list, "dd", text, of_class); };
    item("time", time_text(picked.time, 9));
    if (picked.frame) {
        const f = picked.frame;
        item("frame", f.text);
        item("sent by", `node ${nodes[f.node].id}, ${length_text(f.end - f.begin)} on the air`);
        for (const h of f.heard) link(item(outcome_text(h.outcome)), `node ${nodes[h.node].id}`, () => go_to(h.end));
        if (f.bytes) item("bytes", f.bytes.replace(/../g, "$& "), "code");
        else if (served) item("bytes", "zoom in to see them");
    }
    if (picked.track) {
        const t = picked.track, i = picked.bar;
        item(t.kind == "pin" ? "pin" : t.kind, t.kind == "pin" ? nodes[t.node].pins[t.number].name : word_text(t.word[i]));
        item("took", bar_count(t, i) > 1 ? `${bar_count(t, i)} of them, ${length_text(t.busy[i])} in all; zoom in to see each` : length_text(t.end[i] - t.begin[i]));
    }
    if (picked.change) item("changed", change_text(picked.change), "code");
    if (picked.output) item("serial port " + picked.output.port, picked.output.text, "code");
    if (picked.note) add(item(picked.note.kind), "pre", picked.note.text);
}

/* ---- lists of events by time ---- */

const LIST = 60;
function event_list(panel, list, times, row) {
    const at = first_at(times, cursor + 1), first = Math.max(0, at - LIST), last = Math.min(list.length, at + LIST);
    if (first) add(panel, "p", `${first} before these`, "dim");
    for (let i = first; i < last; i++) {
        const e = add(panel, "div", undefined, "event" + (times[i] > cursor ? " future" : "") + (i == at - 1 ? " current" : ""));
        e.tabIndex = 0;
        add(e, "time", time_text(times[i], 4));
        row(e, list[i]);
        if (i == at - 1) e.id = "current";
    }
    if (last < list.length) add(panel, "p", `${list.length - last} after these`, "dim");
    const current = document.getElementById("current");
    if (current && list.length > 12) current.scrollIntoView({block: "center"});
}
function with_time(list) { list.times = Float64Array.from(list, e => e.time); return list; }
function event_row(e, n, text, act) {
    add(e, "span", n < 0 ? "" : nodes[n].id, "who");
    add(e, "span", text);
    e.onclick = act;
    e.onkeydown = k => { if (k.key == "Enter") act(); };
}
function serial_panel(panel) {
    const list = chosen < 0 ? outputs : with_time(outputs.filter(o => o.node == chosen));
    if (run.serial_left) add(panel, "p", `${run.serial_left} more lines are not shown`, "dim");
    if (!list.length) add(panel, "p", "No serial output" + (chosen < 0 ? "." : " of this node."), "dim");
    event_list(panel, list, list.times, (e, o) => event_row(e, o.node, o.text, () => { picked = {time: o.time, node: o.node, output: o}; go_to(o.time); }));
}
function frames_panel(panel) {
    if (loaded.hidden) add(panel, "p", `${loaded.hidden} frames: zoom in to list them.`, "dim");
    const list = with_time(loaded.frames.filter(f => chosen < 0 || f.node == chosen || f.heard.some(h => h.node == chosen))
        .map(f => ({time: f.begin, f})));
    event_list(panel, list, list.times, (e, {f}) => event_row(e, f.node,
        `${f.text} — ${f.heard.filter(h => h.outcome < run.lost).length} of ${f.heard.length} heard it`,
        () => { picked = {time: f.begin, node: f.node, frame: f}; go_to(f.begin); }));
}
function events_panel(panel) {
    const list = chosen < 0 ? notes : with_time(notes.filter(o => o.node == chosen));
    if (run.about) add(panel, "pre", run.about.trim(), "about");
    if (!list.length) add(panel, "p", "No faults, resets or markers.", "dim");
    event_list(panel, list, list.times, (e, o) => {
        event_row(e, o.node, "", () => { picked = {time: o.time, node: o.node, note: o}; go_to(o.time); });
        const text = add(e, "span", (o.kind == "reset" ? "reset: " : "") + o.text.split("\n")[0], o.kind == "fault" ? "bad" : "");
        text.title = o.text;
    });
}

/* ---- energy ---- */

function energy_panel(panel) {
    const all = nodes.map((_, n) => energy_at(n, cursor)), most = Math.max(...nodes.map((_, n) => energy_at(n, END) || 0), 1e-9);
    if (all.every(e => e === null)) { add(panel, "p", "The boards have no table of currents.", "dim"); return; }
    const table = add(panel, "table"), head = add(table, "tr");
    for (const name of ["Node", "mJ so far", "", "mW now"]) add(head, "th", name);
    nodes.forEach((n, i) => {
        const row = add(table, "tr", undefined, "row" + (i == chosen ? " chosen" : "")), step = Math.max(span / 40, END / 500);
        row.onclick = () => choose(i);
        add(row, "td", n.id);
        if (all[i] === null) { add(row, "td", "unknown", "dim"); return; }
        add(row, "td", all[i].toPrecision(5), "number");
        const bar = add(add(row, "td"), "div", undefined, "bar");
        bar.style.width = 120 * all[i] / most + "px";
        const before = energy_at(i, Math.max(0, cursor - step)), length = Math.min(step, cursor);
        add(row, "td", length > 0 ? ((all[i] - before) / (length / 1e9)).toPrecision(3) : "", "number");
    });
    add(panel, "p", "mW: on average over the last fortieth of what is shown.", "dim");
}

/* ---- source ---- */

function show_source(file, line) {
    tab = "Source", source_file = file, source_follow = false;
    refresh_panel(line);
}
function source_panel(panel, wanted) {
    const standing = new Map(), states = nodes.map((_, n) => state_now(n));
    if (source_follow && chosen >= 0 && states[chosen].file >= 0) source_file = states[chosen].file;
    if (source_file < 0) source_file = Math.max(0, states.map(s => s.file).find(f => f >= 0) ?? files.findIndex(f => f.text));
    if (!files.length) { add(panel, "p", "The firmware has no debug information: build it with -g.", "dim"); return; }
    states.forEach((s, n) => {
        if (s.file == source_file) standing.set(s.line, [...(standing.get(s.line) || []), nodes[n].id]);
    });
    const file = files[source_file], tools = add(panel, "div", undefined, "row-of-tools"), choice = add(tools, "select");
    files.forEach((f, i) => {
        const o = add(choice, "option", f.base + covered_text(f));
        o.value = i, o.selected = i == source_file, o.title = f.name;
    });
    choice.onchange = () => show_source(+choice.value, 0);
    add(panel, "div", "Green: executed by now. Grey: executed later. Red: never. Arrows: where nodes stand" +
        (served ? "." : "; exact while they sleep, else the beginning of the function they are in."), "dim");
    const box = add(panel, "div");
    box.id = "source";
    if (file.text === null) { add(box, "p", file.name + " cannot be read here.", "dim"); return; }
    const lines = file.text.split("\n");
    let target = wanted, shown = null;
    if (!target && chosen >= 0 && states[chosen].file == source_file) target = states[chosen].line;
    lines.forEach((text, i) => {
        const is = file.lines.get(i + 1), here = standing.get(i + 1);
        const e = add(box, "div", undefined, "line" + (!is ? "" : is.count && is.first <= cursor ? " hit" : is.count ? " later" : " miss") + (i + 1 == target ? " here" : ""));
        add(e, "span", here ? (here.length > 2 ? `${here.length}×▶` : here.join(",") + "▶") : "", "standing").title = here ? "nodes " + here.join(", ") : "";
        add(e, "span", is ? short_number(is.count) : "", "count");
        add(e, "span", i + 1, "number");
        add(e, "span", text);
        if (is && is.count) e.title = "first executed at " + time_text(is.first), e.ondblclick = () => go_to(is.first);
        if (i + 1 == target) shown = e;
    });
    if (shown) shown.scrollIntoView({block: "center"});
}
function covered_text(f) {
    let hit = 0;
    for (const l of f.lines.values()) hit += l.count > 0;
    return f.lines.size ? `  ${Math.round(100 * hit / f.lines.size)}% of ${f.lines.size} lines` : "";
}
const short_number = n => n < 100000 ? "" + n : n < 1e8 ? Math.round(n / 1000) + "k" : Math.round(n / 1e6) + "M";

/* ---- all ---- */

const panels = run ? {Nodes: nodes_panel, Frames: frames_panel, Serial: serial_panel, Source: source_panel, Energy: energy_panel,
    Events: events_panel} : {};
if (story) panels.Story = story_panel;
for (const name of Object.keys(panels)) {
    const b = add(tabs, "button", name);
    if (name == "Events" && (run.about || notes.some(n => n.kind == "fault"))) add(b, "i", undefined, "alarm");
    b.setAttribute("role", "tab");
    b.onclick = () => { tab = name; source_follow = true; refresh_panel(); };
}
function refresh_panel(wanted) {
    if (document.activeElement && document.activeElement.id == "variable" && wanted === undefined) return;
    const scroll_was = panel_place.scrollTop;
    [...tabs.children].forEach((b, i) => b.setAttribute("aria-selected", Object.keys(panels)[i] == tab));
    panel_place.textContent = "";
    panels[tab](panel_place, wanted);
    if (tab == "Nodes" || tab == "Energy") panel_place.scrollTop = scroll_was;
}
