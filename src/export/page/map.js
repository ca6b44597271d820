/* The network seen from above at the time of the cursor: who hears whom, frames in flight, LEDs, who is awake. */
const map = document.getElementById("map"), ground = map.getContext("2d");
let map_places = [];

/* Nodes that are all in one place stand in a circle. */
function place_nodes(w, h) {
    const xs = nodes.map(n => n.at[0]), ys = nodes.map(n => n.at[1]), pad = 30;
    const low = [Math.min(...xs), Math.min(...ys)], size = [Math.max(...xs) - low[0], Math.max(...ys) - low[1]];
    if (!size[0] && !size[1]) {
        const radius = nodes.length > 1 ? Math.min(w, h) / 2 - pad : 0;
        map_places = nodes.map((_, i) => [w / 2 + radius * Math.sin(2 * Math.PI * i / nodes.length),
            h / 2 - radius * Math.cos(2 * Math.PI * i / nodes.length)]);
        return;
    }
    const scale = Math.min((w - 2 * pad) / (size[0] || 1e-9), (h - 2 * pad) / (size[1] || 1e-9));
    const left = (w - size[0] * scale) / 2, top = (h - size[1] * scale) / 2;
    map_places = nodes.map(n => [left + (n.at[0] - low[0]) * scale, top + (n.at[1] - low[1]) * scale]);
}

/* Frames on the air at the cursor, and the ones before it that are still fresh at this zoom. */
function frames_on_air() {
    if (!loaded) return [];
    const fresh = Math.max(2e6, Math.min(span / 60, 5e7)), list = [];
    for (let i = first_at(loaded.frame_begins, cursor + 1) - 1; i >= 0 && loaded.frames[i].begin > cursor - fresh - 1e8; i--) {
        const f = loaded.frames[i], age = cursor - f.end;
        if (age < fresh) list.push({frame: f, alpha: age <= 0 ? 1 : 1 - age / fresh, flying: age <= 0});
        if (list.length > 7) break;
    }
    return list;
}

function map_line(a, b, style, thickness, dash) {
    const [x1, y1] = map_places[a], [x2, y2] = map_places[b], length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const cut = node_radius() + 2, ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    ground.strokeStyle = style, ground.lineWidth = thickness;
    ground.setLineDash(dash || []);
    ground.beginPath();
    ground.moveTo(x1 + ux * cut, y1 + uy * cut);
    ground.lineTo(x2 - ux * cut, y2 - uy * cut);
    ground.stroke();
    ground.setLineDash([]);
    return [x2 - ux * cut, y2 - uy * cut, Math.atan2(uy, ux)];
}
const node_radius = () => nodes.length > 40 ? 7 : nodes.length > 12 ? 10 : 14;

function draw_links() {
    for (const [a, b, received, lost] of run.links) {
        if (a > b && run.links.some(l => l[0] == b && l[1] == a)) continue;
        const share = received / (received + lost);
        ground.globalAlpha = nodes.length > 12 ? 0.35 : 0.7;
        map_line(a, b, colour.line, 0.6 + 1.6 * share, share < 0.5 ? [3, 4] : null);
    }
    ground.globalAlpha = 1;
}
function draw_flying() {
    for (const {frame, alpha, flying} of frames_on_air()) {
        const [x, y] = map_places[frame.node], part = flying ? (cursor - frame.begin) / (frame.end - frame.begin || 1) : 1;
        ground.globalAlpha = 0.25 + 0.75 * alpha;
        ground.strokeStyle = colour.sending, ground.lineWidth = 2;
        ground.beginPath();
        ground.arc(x, y, node_radius() + 4 + 12 * part, 0, 7);
        ground.stroke();
        for (const h of frame.heard) {
            if (is_for_another(h.outcome)) continue;
            const lost = h.outcome >= run.lost;
            const [hx, hy, angle] = map_line(frame.node, h.node, lost ? colour.lost : colour.received, 2, lost ? [4, 4] : null);
            ground.beginPath();
            for (const turn of [-0.45, 0.45]) ground.moveTo(hx, hy), ground.lineTo(hx - 8 * Math.cos(angle + turn), hy - 8 * Math.sin(angle + turn));
            ground.stroke();
        }
        ground.globalAlpha = 1;
    }
}
function draw_node(n) {
    const [x, y] = map_places[n], radius = node_radius(), {state} = run ? state_now(n) : {state: "awake"};
    ground.beginPath();
    ground.arc(x, y, radius, 0, 7);
    ground.fillStyle = state == "off" ? colour.panel : state == "asleep" || state == "mixed" || state == "logged" ? colour.asleep
        : state == "interrupt" ? colour.interrupt : state == "fault" ? colour.lost : colour.awake;
    ground.fill();
    ground.lineWidth = n == chosen ? 2.5 : 1;
    ground.strokeStyle = n == chosen ? colour.accent : colour.dim;
    ground.stroke();
    ground.fillStyle = state == "interrupt" || state == "fault" ? "#fff" : colour.ink;
    ground.font = (radius > 8 ? "600 11px" : "9px") + " system-ui, sans-serif";
    ground.textAlign = "center";
    ground.fillText(nodes[n].id, x, y + (radius > 8 ? 4 : 3));
    ground.textAlign = "left";
    const leds = nodes[n].pins.map((p, i) => ({p, i})).filter(({p}) => p.led);
    leds.forEach(({p, i}, k) => {
        ground.beginPath();
        ground.arc(x + (k - (leds.length - 1) / 2) * 8, y + radius + 6, 2.8, 0, 7);
        ground.fillStyle = led_is_on(n, i, cursor) ? led_colour(p.name) : colour.faint;
        ground.fill();
        ground.lineWidth = 0.6, ground.strokeStyle = colour.dim;
        ground.stroke();
    });
}
function led_colour(name) {
    for (const c of ["red", "green", "blue", "yellow", "orange", "white"])
        if (name.toLowerCase().includes(c)) return {green: "#1fb86a", yellow: "#e8b90c", blue: "#3b82f6", red: "#ef4444"}[c] || c;
    return "#f59e0b";
}

function draw_map() {
    const w = map.parentElement.clientWidth, h = map.clientHeight;
    size_canvas(map, w, h);
    place_nodes(w, h);
    if (run) draw_links(), draw_flying();
    for (let n = 0; n < nodes.length; n++) draw_node(n);
    ground.font = "11px system-ui, sans-serif";
    ground.fillStyle = colour.dim;
    const flying = frames_on_air().filter(f => f.flying).length;
    ground.fillText(flying ? flying + (flying > 1 ? " frames" : " frame") + " in flight" : "", 10, h - 10);
}
map.onclick = e => {
    const near = map_places.findIndex(([x, y]) => Math.hypot(x - e.offsetX, y - e.offsetY) < node_radius() + 6);
    choose(near);
};
