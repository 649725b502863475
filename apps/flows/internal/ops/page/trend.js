"use strict";
// Draws the traffic over time with uPlot. The values of a column are stacked; the table has their numbers, of the latest
// step or of the one under the pointer.

const per = value => trend.answer.measure === "bits" ? short(value, "bit/s") : short(value) + "/s";
const OTHERS = 8; // index of the colour of all other values
const CHART_HEIGHT = 300;
const LINES = 9; // of the table: eight values, and the others

let trend = null;    // the last answer, cut to the span
let chart = null;    // what is drawn, and of which shape it is
let shape = "";
let asked = 0;       // the number of the last request: answers to earlier ones are out of date

const colour = i => getComputedStyle(document.documentElement).getPropertyValue(i);
const clockTime = seconds => new Date(1000 * seconds).toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", hourCycle: "h23"});
const chosen = name => byId("trend-" + name).value;

// cut takes the chosen span of an answer: the times, and a line for each value, that of all others last.
function cut(answer) {
  const n = Number(chosen("span"));
  const times = answer.others.map((_, i) => answer.end - (answer.others.length - 1 - i) * answer.step).slice(-n);
  const lines = answer.series.map((s, i) => ({label: s.label, colour: i, values: s.values.slice(-n)}));
  const others = answer.others.slice(-n);
  if (others.some(v => v > 0)) lines.push({label: "others", colour: OTHERS, values: others});
  return {answer, times, lines, known: others.map(v => v !== null)};
}

// stacked adds up the lines from below. The highest sum comes first, so that the lower ones are drawn over it.
function stacked(t) {
  const sums = [];
  let below = t.times.map((_, i) => t.known[i] ? 0 : null);
  for (const line of t.lines) {
    below = below.map((sum, i) => sum === null ? null : sum + line.values[i]);
    sums.unshift(below);
  }
  return [t.times, ...sums];
}

function draw(t) {
  const box = byId("trend-chart");
  const data = stacked(t);
  const now = [t.lines.map(l => l.colour), t.answer.measure, matchMedia("(prefers-color-scheme: dark)").matches].join();
  if (chart && shape === now) {
    chart.setData(data);
    return;
  }
  if (chart) chart.destroy();
  shape = now;
  const steps = uPlot.paths.bars({align: -1, size: [1, Infinity]}); // a step ends at its time
  const axis = {stroke: colour("--soft"), grid: {stroke: colour("--rule"), width: 1}, ticks: {show: false}, font: "12px system-ui, sans-serif"};
  chart = new uPlot({
    width: box.clientWidth, height: CHART_HEIGHT, legend: {show: false},
    cursor: {y: false, drag: {x: false, y: false}, points: {show: false}},
    scales: {x: {time: true}, y: {range: (_, least, most) => [0, most > 0 ? 1.05 * most : 1]}},
    axes: [
      {...axis, values: (_, splits) => splits.map(clockTime), space: 60, size: 34},
      {...axis, values: (_, splits) => splits.map(per), size: 78},
    ],
    series: [{}, ...t.lines.map(l => ({
      stroke: colour(`--s${l.colour + 1}`), fill: colour(`--s${l.colour + 1}`), width: 0, points: {show: false}, paths: steps,
    })).reverse()],
    hooks: {setCursor: [numbers]},
  }, data, box);
}

// numbers fills the table, with the numbers under the pointer if it is on the chart.
function numbers() {
  if (!trend) return;
  const last = trend.known.lastIndexOf(true);
  const pointed = chart && chart.cursor.idx !== null && chart.cursor.left >= 0 && trend.known[chart.cursor.idx];
  const at = pointed ? chart.cursor.idx : last;
  text("trend-when", pointed ? "At " + clockTime(trend.times[at]) : "Latest");
  const steps = Math.max(1, trend.known.filter(Boolean).length);
  const sums = trend.lines.map(l => l.values.reduce((sum, v) => sum + (v || 0), 0));
  const all = Math.max(sums.reduce((a, b) => a + b, 0), 1e-9);
  rows("trend-values", trend.lines.map((l, i) => [
    {text: l.label, kind: "s" + (l.colour + 1)}, per(at < 0 ? 0 : l.values[at]), per(sums[i] / steps), percent(sums[i] / all),
  ]), LINES, "nothing yet: the first ten seconds are not over");
}

function columns(answer) {
  const list = byId("trend-column");
  if ([...list.options].map(o => o.value).join() !== answer.columns.join()) {
    list.replaceChildren(...answer.columns.map(c => new Option(c.replaceAll("_", " "), c)));
  }
  list.disabled = answer.columns.length === 0;
  list.value = answer.column;
}

function shown(answer) {
  columns(answer);
  trend = cut(answer);
  draw(trend);
  numbers();
  text("trend-note", "From the sampled flows, in steps of ten seconds" + (answer.measure === "flows" ? "." : ", times their sampling rates." +
    (answer.unrated > 0 ? ` ${percent(answer.unrated)} of the flows have no known rate and are not multiplied.` : "")));
}

let answered = null;

async function ask() {
  const number = ++asked;
  const question = new URLSearchParams({measure: chosen("measure")});
  if (chosen("column")) question.set("column", chosen("column"));
  let reply = await fetch("api/trend?" + question, {signal: AbortSignal.timeout(5000)});
  if (reply.status === 404) { // a reload has removed the column
    question.delete("column");
    reply = await fetch("api/trend?" + question, {signal: AbortSignal.timeout(5000)});
  }
  if (reply.ok && number === asked) shown(answered = await reply.json());
}

async function askAgain() {
  try {
    await ask();
  } catch {} // the status above reports it
  setTimeout(askAgain, document.hidden ? 30000 : trend && trend.lines.length > 0 ? 5000 : 1000);
}

for (const name of ["column", "measure"]) byId("trend-" + name).addEventListener("change", () => ask().catch(() => {}));
byId("trend-span").addEventListener("change", () => answered && shown(answered));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => answered && shown(answered));
new ResizeObserver(() => chart && chart.setSize({width: byId("trend-chart").clientWidth, height: CHART_HEIGHT})).observe(byId("trend-chart"));
askAgain();
