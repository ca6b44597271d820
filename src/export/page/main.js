/* The hand on it: mouse, keys, the slider, and the server if there is one. */
const by_id = id => document.getElementById(id);
let pending = 0, playing = null;

function refresh() {
    if (pending) return;
    pending = requestAnimationFrame(() => {
        pending = 0;
        lanes_changed();
        draw();
        draw_map();
        refresh_panel();
        by_id("now").textContent = time_text(cursor, 9);
        if (document.activeElement != by_id("slider")) by_id("slider").value = 100000 * cursor / END;
        by_id("slider").setAttribute("aria-valuetext", time_text(cursor));
        const grain = run ? Math.max(loaded.gap, run.merged) : 0;
        by_id("grain").textContent = grain > span / width() ? "merged below " + length_text(grain) : "";
        by_id("grain").title = served ? "There were too many to keep each." : "A file has no room for each of them; motet view shows all.";
        if (served) want_window(), want_state();
    });
}
function go_to(time, show) {
    cursor = Math.round(Math.max(0, Math.min(END, time)));
    if (show && (cursor < from || cursor > from + span)) from = cursor - span / 2;
    refresh();
}
function choose(n) { chosen = n; source_follow = true; refresh(); }
function zoom(factor, at) {
    const share = (at - from) / span;
    span = Math.max(200, Math.min(END * 1.5, span * factor));
    from = at - share * span;
    refresh();
}
function show_all() { from = -END * 0.01, span = END * 1.02; refresh(); }

/* ---- the server ---- */

let asking_window = false, asking_state = false, state_timer = 0;
async function ask(path, parameters) {
    const answer = await fetch(path + "?" + new URLSearchParams(parameters));
    if (!answer.ok) throw new Error(path);
    return answer.json();
}
/* What is loaded does not cover what is in sight, or is much coarser than the zoom. */
function want_window() {
    const to = Math.min(END, from + span), begin = Math.max(0, from), length = loaded.to - loaded.from;
    const covers = loaded.from <= begin && loaded.to >= to, fine = length <= 4 * span || (!loaded.gap && !loaded.hidden);
    const pins = chosen < 0 || loaded.pins_of == chosen;
    if ((covers && fine && pins) || asking_window || to <= begin) return;
    asking_window = true;
    const pins_of = chosen, wanted = {from: Math.round(Math.max(0, from - span)), to: Math.round(Math.min(END, from + 2 * span))};
    ask("window", chosen < 0 ? wanted : {...wanted, node: chosen})
        .then(w => { read_window(w); loaded.pins_of = pins_of; asking_window = false; refresh(); })
        .catch(lost_server);
}
function want_state() {
    if (exact && exact.time == cursor) return;
    clearTimeout(state_timer);
    state_timer = setTimeout(() => {
        if (asking_state || playing) return;
        asking_state = true;
        const time = cursor;
        ask("at", {time}).then(s => { asking_state = false; exact = {...s, time}; refresh(); }).catch(lost_server);
    }, 80);
}
function ask_last_write(what) {
    if (!what) return;
    const asked = {what, node: chosen};
    document.activeElement.blur();
    ask("variable", {what, node: chosen, time: cursor, last: 1})
        .then(a => { last_write = {...asked, ...a}; refresh(); }).catch(lost_server);
}
function lost_server() { by_id("about").textContent = "The server has ended: start motet view again."; }

/* ---- mouse ---- */

let drag = null;
canvas.onmousedown = e => { drag = {x: e.offsetX, y: e.offsetY, from, scroll, moved: false}; };
window.addEventListener("mouseup", () => { drag = null; });
canvas.onmousemove = e => {
    if (!drag) { canvas.title = hint(e.offsetX, e.offsetY); return; }
    drag.moved = drag.moved || Math.abs(e.offsetX - drag.x) > 3 || Math.abs(e.offsetY - drag.y) > 6;
    if (!drag.moved) return;
    from = drag.from - (e.offsetX - drag.x) / width() * span;
    scroll = drag.scroll - (e.offsetY - drag.y);
    refresh();
};
canvas.onmouseup = e => { if (drag && !drag.moved) click(e.offsetX, e.offsetY); };
function click(x, y) {
    if (x < LEFT) { const n = lane_at(y); choose(n == chosen ? -1 : n); return; }
    const i = story_near(x, y);
    if (i >= 0) { select(i); return; }
    if (selected >= 0) selected = -1, mark = null;
    picked = run ? event_near(x, y) : null;
    if (picked && run) tab = tab == "Story" ? "Nodes" : tab;
    go_to(picked ? picked.time : time_at(x));
}
canvas.addEventListener("wheel", e => {
    e.preventDefault();
    if (e.shiftKey || e.offsetX < LEFT) { scroll += e.deltaY; refresh(); return; }
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) { from += e.deltaX / width() * span; refresh(); return; }
    zoom(Math.exp(e.deltaY * 0.0015), time_at(e.offsetX));
}, {passive: false});

/* ---- keys and buttons ---- */

function step(direction) {
    if (selected >= 0) { story_step(direction); return; }
    const e = event_from(direction);
    if (e) go_to(e.time, true);
    else if (story && count) select(direction > 0 ? Math.min(count - 1, first_at(time, cursor + 1)) : Math.max(0, first_at(time, cursor) - 1), true);
}
function play() {
    by_id("play").textContent = playing ? "▶" : "❚❚";
    if (playing) { cancelAnimationFrame(playing.frame); playing = null; refresh(); return; }
    if (cursor >= END) cursor = 0;
    playing = {at: performance.now()};
    const on = now => {
        cursor = Math.min(END, cursor + (now - playing.at) / 1000 * span / 12);
        playing.at = now;
        if (cursor > from + span * 0.9) from = cursor - span * 0.1;
        go_to(cursor);
        if (cursor >= END) { play(); return; }
        playing.frame = requestAnimationFrame(on);
    };
    playing.frame = requestAnimationFrame(on);
}
const keys = [
    ["← →", "event before, next event; of the chosen node if there is one"],
    ["Shift ← →", "a tenth of what is shown"],
    ["↑ ↓", "choose a node: its pins, variables and tasks open"],
    ["+ −", "zoom at the cursor"],
    ["Home", "all of the run"], ["g", "go to a time"],
    ["Space", "play, pause"], ["/", "find"], ["Esc", "forget what is chosen"], ["?", "this list"],
    ["Mouse", "drag moves, wheel zooms, Shift and wheel scrolls; a click takes all nodes to an event"],
];
const acts = {
    ArrowLeft: e => e.shiftKey ? go_to(cursor - span / 10, true) : step(-1),
    ArrowRight: e => e.shiftKey ? go_to(cursor + span / 10, true) : step(1),
    ArrowUp: () => choose(chosen <= 0 ? nodes.length - 1 : chosen - 1),
    ArrowDown: () => choose((chosen + 1) % nodes.length),
    "+": () => zoom(0.5, cursor_in_sight()), "=": () => zoom(0.5, cursor_in_sight()), "-": () => zoom(2, cursor_in_sight()),
    Home: show_all, " ": play, "/": () => by_id("search").focus(), "?": show_keys,
    g: () => {
        const text = prompt("Go to which time, in seconds?", (cursor / 1e9).toFixed(6));
        if (text !== null && isFinite(parseFloat(text))) go_to(parseFloat(text) * 1e9, true);
    },
    Escape: () => { picked = null; found = []; last_write = null; chosen = -1; if (selected >= 0) select(-1); refresh(); },
};
const cursor_in_sight = () => cursor >= from && cursor <= from + span ? cursor : from + span / 2;
window.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || by_id("dialog").open) return;
    if (e.target.tagName == "INPUT" && e.target.type != "range" || e.target.tagName == "SELECT") return;
    if (e.target.tagName == "BUTTON" && (e.key == " " || e.key == "Enter")) return;
    if (e.target == panel_place && (e.key == "ArrowUp" || e.key == "ArrowDown" || e.key == "Home")) return;
    if (!acts[e.key]) return;
    e.preventDefault();
    acts[e.key](e);
});
function show_dialog(fill) {
    const d = by_id("dialog");
    d.textContent = "";
    fill(d);
    const close = add(d, "button", "Close");
    close.onclick = () => d.close();
    d.showModal();
}
function show_keys() {
    show_dialog(d => {
        add(d, "h2", "Keys");
        const table = add(d, "table");
        for (const [key, text] of keys) { const row = add(table, "tr"); add(add(row, "td"), "kbd", key); add(row, "td", text); }
    });
}
function debugger_text() {
    const fill = text => text.replaceAll("{time}", (cursor / 1e9).toFixed(9) + "s");
    return run && run.debug ? fill(run.debug) + (run.then ? "\n" + fill(run.then) : "") : "";
}
function show_debugger() {
    show_dialog(d => {
        add(d, "h2", "The same position in gdb, or in Motet's own debugger");
        if (!run || !run.debug) { add(d, "p", "motet replay debugs logs; see motet replay --help."); return; }
        if (run.then) add(d, "p", "The second line is for the debugger; in gdb: monitor " + run.then.split(" ")[0] + " ...", "dim");
        add(d, "pre", debugger_text()).id = "command";
        const copy = add(d, "button", "Copy");
        copy.onclick = () => navigator.clipboard && navigator.clipboard.writeText(debugger_text());
    });
}
by_id("play").onclick = play;
by_id("back").onclick = () => step(-1);
by_id("forth").onclick = () => step(1);
by_id("help").onclick = show_keys;
by_id("debugger").onclick = show_debugger;
by_id("slider").oninput = e => go_to(e.target.value / 100000 * END, true);

by_id("search").onchange = e => {
    const text = e.target.value.toLowerCase();
    let hits = story ? story_find(text) : 0, first = null;
    if (run && text) {
        const lists = [...outputs.map(o => [o.time, o.text]), ...notes.map(o => [o.time, o.text]), ...loaded.frames.map(f => [f.begin, f.text + " " + f.bytes])];
        for (const [at, said] of lists)
            if (said.toLowerCase().includes(text)) { hits++; if (at > cursor && (first === null || at < first)) first = at; }
        words.forEach(([word], w) => { if (word.toLowerCase().includes(text)) hits += find_word(w, at => { if (at > cursor && (first === null || at < first)) first = at; }); });
    }
    by_id("hits").textContent = text ? hits + " found" : "";
    if (found.length) select(found[0], true); else if (first !== null) go_to(first, true); else refresh();
};
function find_word(w, offer) {
    let hits = 0;
    for (const tracks of loaded.tracks) for (const t of tracks.values())
        if (t.kind == "task" || t.kind == "interrupt")
            for (let i = 0; i < t.begin.length; i++) if (t.word[i] == w) hits++, offer(t.begin[i]);
    return hits;
}

/* ---- the beginning ---- */

function legend() {
    const place = by_id("legend");
    const list = run ? [["awake", "awake"], ["asleep", "asleep"], ["interrupt", "interrupt"], ["sending", "sends"], ["received", "received"], ["lost", "lost"]]
        : [["sending", "send"], ["received", "receive"], ["dim", "other"]];
    for (const [name, text] of list) {
        add(place, "i").style.background = `var(--${name})`;
        add(place, "span", text);
    }
}
by_id("title").textContent = run ? run.title.split(" ").map(t => t.split("/").pop()).join(" ") : "merged logs";
by_id("title").title = run ? run.title : "";
by_id("about").textContent = [`${nodes.length} node${nodes.length > 1 ? "s" : ""}`, length_text(END),
    run ? `${run.frame_count} frames` : null, story ? `${count} events` : null].filter(t => t).join(" · ");
if (run) by_id("about").title = "digest " + run.digest;
document.title = "Motet: " + by_id("title").textContent;
if (!run) map.style.display = "none";
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { read_colours(); refresh(); });
window.addEventListener("resize", refresh);
read_colours();
legend();
from = -END * 0.01;
cursor = (notes.find(n => n.kind == "fault") || {time: run ? END : 0}).time;
if (run && nodes.length == 1) chosen = loaded.pins_of = 0, map.style.height = "96px";
if (story && !run && count) { from = time[0], span = Math.max(time[count - 1] - from, 1000) * 1.02; }
/* page.html#node=5&at=50&from=25&to=75: a node, and times in seconds. */
function read_address() {
    const wish = new URLSearchParams(location.hash.slice(1)), seconds = name => parseFloat(wish.get(name)) * 1e9;
    if (wish.has("node")) chosen = node_of_id.get(+wish.get("node")) ?? chosen;
    if (isFinite(seconds("from")) && seconds("to") > seconds("from")) from = seconds("from"), span = seconds("to") - from;
    if (isFinite(seconds("at"))) cursor = Math.round(Math.max(0, Math.min(END, seconds("at"))));
    if (panels[wish.get("panel")]) tab = wish.get("panel");
}
window.addEventListener("hashchange", () => { read_address(); refresh(); });
read_address();
lanes_changed();
draw();
draw_map();
const first_paint = performance.now();
refresh();
