"use strict";
// Fetches the collector's figures every second. The page shows them as text, never as markup.

const byId = id => document.getElementById(id);
const text = (id, value) => { byId(id).textContent = value; };
const NBSP = "\u00a0";

// 1234567 -> "1.23 M"
function short(n, unit = "") {
  const sizes = ["", "k", "M", "G", "T", "P", "E"];
  let i = 0;
  while (n >= 999.5 && i < sizes.length - 1) { n /= 1000; i++; }
  const digits = i === 0 ? (n < 10 && n !== Math.round(n) ? 1 : 0) : n < 9.995 ? 2 : n < 99.95 ? 1 : 0;
  return (n.toFixed(digits) + NBSP + sizes[i] + unit).trim();
}
const whole = n => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
const percent = x => (x > 0 && x < 0.001 ? "<0.1" : (100 * x).toFixed(x < 0.9995 ? 1 : 0)) + NBSP + "%";

function ago(seconds) {
  if (seconds < 1.5) return "now";
  if (seconds < 120) return Math.round(seconds) + NBSP + "s ago";
  if (seconds < 7200) return Math.round(seconds / 60) + NBSP + "min ago";
  return Math.round(seconds / 3600) + NBSP + "h ago";
}

function lasting(seconds) {
  const s = Math.floor(seconds);
  if (s < 60) return s + NBSP + "s";
  if (s < 3600) return Math.floor(s / 60) + NBSP + "min";
  if (s < 86400) return Math.floor(s / 3600) + NBSP + "h " + Math.floor(s % 3600 / 60) + NBSP + "min";
  return Math.floor(s / 86400) + NBSP + "d " + Math.floor(s % 86400 / 3600) + NBSP + "h";
}

// rows builds the body of a table from lists of cells; the first cell is the row head. It has at least `least` rows, so that
// nothing below moves. A cell is a string, or {text, kind, share}.
function rows(id, lines, least, none) {
  const body = byId(id).tBodies[0];
  const width = byId(id).tHead.rows[0].cells.length;
  const count = Math.max(lines.length, least);
  while (body.rows.length > count) body.deleteRow(-1);
  while (body.rows.length < count) {
    const row = body.insertRow();
    for (let i = 0; i < width; i++) {
      const cell = document.createElement(i === 0 ? "th" : "td");
      if (i === 0) cell.scope = "row";
      row.append(cell);
    }
  }
  for (let r = 0; r < count; r++) {
    for (let i = 0; i < width; i++) {
      const cell = body.rows[r].cells[i];
      let value = lines[r] ? lines[r][i] : NBSP;
      if (typeof value !== "object") value = {text: value};
      if (r === 0 && i === 0 && lines.length === 0) value = {text: none, kind: "none"};
      const head = byId(id).tHead.rows[0].cells[i].className;
      const kind = [head, value.kind || ""].join(" ").trim();
      if (cell.className !== kind) cell.className = kind;
      if (cell.textContent !== value.text) cell.textContent = value.text;
      cell.style.backgroundSize = value.share === undefined ? "" : (100 * value.share).toFixed(1) + "% 70%";
    }
  }
}

function line(id, values) {
  const svg = byId(id), width = 60;
  const top = Math.max(...values, 1e-9);
  if (!svg.firstChild) {
    svg.setAttribute("viewBox", `0 0 ${width - 1} 20`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    for (const shape of ["polygon", "polyline"]) svg.append(document.createElementNS("http://www.w3.org/2000/svg", shape));
  }
  const at = width - values.length;
  const points = values.map((v, i) => `${at + i},${(20 - 18 * v / top).toFixed(2)}`);
  svg.lastChild.setAttribute("points", points.join(" "));
  svg.firstChild.setAttribute("points", [`${at},20`, ...points, `${width - 1},20`].join(" "));
}

const answers = []; // of the last ten seconds, for the rates of exporters: many send in bursts
const RATE_SECONDS = 10;

function exporters(live) {
  const now = Date.parse(live.now);
  while (answers.length > 1 && now - answers[1].at >= 1000 * RATE_SECONDS) answers.shift();
  const before = answers[0];
  const seconds = before ? (now - before.at) / 1000 : 0;
  answers.push({at: now, flows: new Map(live.exporters.map(e => [e.address, e.flows])), all: live.moreExporters === 0});
  rows("exporters", live.exporters.map(e => {
    const was = before && (before.flows.get(e.address) ?? (before.all ? 0 : undefined)); // 0: it is new
    const rate = was !== undefined && seconds > 0 && e.flows >= was ? short((e.flows - was) / seconds) : "–";
    return [e.address, e.protocols.join(", "), rate, whole(e.flows), whole(e.datagrams), whole(e.templates),
      {text: whole(e.lost), kind: e.lost > 0 ? "lossy" : ""},
      ago((Date.parse(live.now) - Date.parse(e.lastSeen)) / 1000)];
  }), 1, "none yet");
  const all = live.exporters.length + live.moreExporters;
  text("exporters-count", all === 1 ? "one address" : whole(all) + " addresses");
  byId("exporters-more").hidden = live.moreExporters === 0;
  text("exporters-more", `The ${live.exporters.length} of ${whole(all)} with the most flows.`);
}

function talkers(id, list) {
  const largest = list.length > 0 ? list[0].share : 1;
  rows(id, list.map(t => [t.address, short(t.bytes, "B"), short(t.packets),
    {text: percent(t.share), kind: "share", share: t.share / largest}]), 10, "nobody in the last minute");
}

function show(live) {
  const good = live.problems.length === 0;
  byId("status").className = good ? "good" : "bad";
  text("status", good ? "working" : "problems");
  byId("problems").hidden = good;
  byId("problems").replaceChildren(...live.problems.map(p => {
    const item = document.createElement("li");
    item.textContent = p;
    return item;
  }));
  text("about", [live.schema.message + " " + live.schema.hash, "up " + lasting(live.uptimeSeconds), live.version].join(" · "));

  const r = live.rates, t = live.totals;
  text("flows", short(r.flows) + "/s");
  text("flows-sub", whole(t.flows) + " since the start");
  text("datagrams", short(r.datagrams) + "/s");
  text("datagrams-sub", short(r.receivedBytes * 8, "bit/s") + " received");
  text("traffic", short(r.wireBytes * 8, "bit/s"));
  text("traffic-sub", short(r.wirePackets) + " packets/s");
  text("delivered", short(r.delivered) + "/s");
  text("delivered-sub", whole(t.delivered) + " in total, " + whole(t.lost) + " lost");
  line("flows-line", live.past.map(p => p.flows));
  line("datagrams-line", live.past.map(p => p.datagrams));
  line("traffic-line", live.past.map(p => p.wireBytes));
  line("delivered-line", live.past.map(p => p.delivered));

  talkers("sources", live.talkers.sources);
  talkers("destinations", live.talkers.destinations);
  text("sampled", live.talkers.missing.length > 0
    ? "The schema has no column for: " + live.talkers.missing.join(", ") + "."
    : `Traffic and top talkers: ${percent(live.talkers.sampled)} of the flows sampled, ` +
      "bytes and packets multiplied by their sampling rates." + (live.talkers.unrated > 0
        ? ` ${percent(live.talkers.unrated)} of them have no known sampling rate and are not multiplied.` : ""));
  exporters(live);
  rows("protocols", live.protocols.map(p => [p.name, whole(p.datagrams), whole(p.flows)]), 4, "nothing yet");
  rows("drops", live.drops.map(d => [d.reason.replaceAll("_", " "),
    {text: whole(d.lastMinute), kind: d.lastMinute > 0 ? "lossy" : ""}, whole(d.total)]), 4, "no losses");
}

async function poll() {
  try {
    const answer = await fetch("api/live", {signal: AbortSignal.timeout(5000)});
    if (!answer.ok) throw new Error("HTTP " + answer.status);
    show(await answer.json());
  } catch (error) {
    byId("status").className = "bad";
    text("status", "no answer from the collector (" + error.message + "), asking again");
  }
  setTimeout(poll, document.hidden ? 5000 : 1000);
}

poll();
