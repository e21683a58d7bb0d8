/* The page's program: the tree's rule, the form, the nearest change, folding. Texts from the data become text nodes,
   never markup. What is said around an answer stands in `words`: the program does not know whether it is a class, a
   number, an action or a hazard. `window.treewright` offers the rule to whoever wants to check it. */
(() => {
"use strict";
const model = JSON.parse(document.getElementById("model").textContent);
const { columns, nodes, classes, words } = model;
const byId = (id) => document.getElementById(id);

// ---------------------------------------------------------------- the rule; the same as treewright.tree._split
// A row is an array with one number per column: numbers as they are, categories as positions, NaN for a missing value.

for (const node of nodes) {
  if (node.threshold === "inf") node.threshold = Infinity;
  if (node.threshold === "-inf") node.threshold = -Infinity;
  if (node.codes) node.codes = new Set(node.codes);
}
const isLeaf = (node) => node.kind === undefined;
const parents = nodes.map(() => null);
nodes.forEach((node, n) => {
  if (!isLeaf(node)) {
    parents[node.left] = { parent: n, goesLeft: true };
    parents[node.right] = { parent: n, goesLeft: false };
  }
});

function goesLeft(node, row) {
  let value;
  if (node.kind === "linear") {
    value = 0;
    node.columns.forEach((column, k) => { value += node.weights[k] * row[column]; });
  } else {
    value = row[node.column];
  }
  if (Number.isNaN(value)) return node.missingLeft;
  return node.kind === "category" ? node.codes.has(value) : value <= node.threshold;
}

function leafOf(row) {
  let n = 0;
  while (!isLeaf(nodes[n])) n = goesLeft(nodes[n], row) ? nodes[n].left : nodes[n].right;
  return n;
}

function pathTo(leaf) {
  const path = [leaf];
  while (parents[path[0]]) path.unshift(parents[path[0]].parent);
  return path;
}

/* The numbers that a leaf says of a row, by the same sums in the same order as treewright.tree._line. */
function valuesOf(leaf, row) {
  const { values, line } = nodes[leaf];
  if (!line) return values;
  return values.map((mean, output) => {
    let said = mean;
    line.columns.forEach((column, k) => {
      if (!Number.isNaN(row[column])) said += line.slopes[output][k] * (row[column] - line.centers[k]);
    });
    return Math.min(Math.max(said, line.low[output]), line.high[output]);
  });
}

/* What a changed row leads to beside the leaf it comes from: null if to nothing else, otherwise what is told apart. */
function leadsTo(row, own, changed) {
  const to = leafOf(changed);
  if (nodes[to].answer === nodes[own].answer) return null;
  if (words.by !== "side") return nodes[to].answer;
  const [before, after] = [valuesOf(own, row)[0], valuesOf(to, changed)[0]];
  return after === before ? null : after > before ? "higher" : "lower";
}

// ---------------------------------------------------------------- the nearest change

const isNumber = (column) => column.kind === "continuous";
const canRise = (column) => isNumber(column) || column.ordered;
const hasLinear = nodes.some((node) => node.kind === "linear");

function nextUp(x) { // the smallest float64 above x
  if (x === 0) return Number.MIN_VALUE;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  bits.setBigInt64(0, bits.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

/* The smallest value above x, and the largest up to x, that the column would be written with. Where numbers are so
   large that steps of one unit are lost, every float64 is a step. */
const hasSteps = (column, x) => column.decimals !== null && Math.abs(x) * 10 ** column.decimals < 2 ** 52;
function stepUp(column, x) {
  if (!hasSteps(column, x)) return nextUp(x);
  const unit = 10 ** column.decimals;
  let k = Math.floor(x * unit) - 1;
  while (k / unit <= x) k += 1;
  return k / unit;
}
function stepDown(column, x) {
  if (!hasSteps(column, x)) return x;
  const unit = 10 ** column.decimals;
  let k = Math.ceil(x * unit) + 1;
  while (k / unit > x) k -= 1;
  return k / unit;
}

const nextBelow = (column, x) => (hasSteps(column, x) ? stepDown(column, x - 0.5 / 10 ** column.decimals) : -nextUp(-x));

/* What a leaf asks of each column: low < x <= high, a set of positions, whether a missing value passes. */
function regionOf(leaf) {
  const region = columns.map((column) => ({
    low: -Infinity, high: Infinity, missing: true,
    codes: isNumber(column) ? null : new Set(column.categories.keys()),
  }));
  for (let n = leaf; parents[n]; n = parents[n].parent) {
    const { parent, goesLeft: left } = parents[n];
    const node = nodes[parent];
    const here = region[node.column];
    here.missing = here.missing && node.missingLeft === left;
    const passes = (code) => (node.kind === "category" ? node.codes.has(code) : code <= node.threshold) === left;
    if (here.codes) here.codes = new Set([...here.codes].filter(passes));
    else if (left) here.high = Math.min(here.high, node.threshold);
    else here.low = Math.max(here.low, node.threshold);
  }
  return region;
}

const isCode = (column, x) => column.codes.some(([code]) => code === x);

/* The nearest value to x that a leaf takes: null if there is none, {same: true} if x passes as it is. */
function nearestValue(column, here, x) {
  if (Number.isNaN(x) && here.missing) return { same: true };
  if (here.codes) {
    if (here.codes.has(x)) return { same: true };
    if (!here.codes.size) return null;
    const typical = here.codes.has(column.typical) ? column.typical : Math.min(...here.codes);
    if (!column.ordered || Number.isNaN(x)) return { value: typical, cost: 1 };
    return { value: [...here.codes].reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a)), cost: 1 };
  }
  if (x > here.low && x <= here.high) return { same: true };
  const unknown = Number.isNaN(x) || isCode(column, x);
  const from = unknown ? column.typical ?? 0 : x;
  const starts = from <= here.low ? [[stepUp(column, here.low), stepUp]]
    : from > here.high ? [[stepDown(column, here.high), nextBelow]]
      : [[from, stepUp], [from, nextBelow]]; // the typical value, in place of an unknown one
  let value = null;
  for (const [start, step] of starts) {
    let tried = start;
    while (isCode(column, tried)) tried = step(column, tried); // no number becomes a code
    const fits = tried > here.low && tried <= here.high && Number.isFinite(tried);
    if (fits && (value === null || Math.abs(tried - from) < Math.abs(value - from))) value = tried;
  }
  if (value === null) return null;
  return { value, cost: unknown ? 1 : Math.abs(value - x) / column.spread };
}

/* Whether a column may go from one value to another: an unknown one may become any. */
function allowed(column, from, to, direction) {
  if (!canRise(column) || Number.isNaN(from) || isCode(column, from)) return true;
  return !(direction === "only-up" && to < from) && !(direction === "only-down" && to > from);
}

const closer = (a, b) => !b || a.changes.length < b.changes.length
  || (a.changes.length === b.changes.length && a.distance < b.distance);

/* For each other answer the nearest change that leads to it, nearest first. Every leaf is tried: exact. */
function nearestByLeaves(row, kept, directions) {
  const own = leafOf(row);
  const best = new Map();
  nodes.forEach((node, n) => {
    if (!isLeaf(node) || node.answer === nodes[own].answer) return;
    const region = regionOf(n);
    const found = { to: node.answer, leaf: n, changes: [], distance: 0 };
    for (const [k, column] of columns.entries()) {
      const near = nearestValue(column, region[k], row[k]);
      if (near === null || (!near.same && kept.has(k))) return;
      if (near.same) continue;
      if (!allowed(column, row[k], near.value, directions[k])) return;
      found.changes.push({ column: k, value: near.value });
      found.distance += near.cost;
    }
    const changed = row.slice();
    for (const { column, value } of found.changes) changed[column] = value;
    const kind = leafOf(changed) === n ? leadsTo(row, own, changed) : null;
    if (kind !== null && closer(found, best.get(kind))) best.set(kind, found);
  });
  return [...best.values()].sort((a, b) => (closer(a, b) ? -1 : 1));
}

/* With sums of columns a leaf is no box: one column at a time, at the values where some answer changes. */
function nearestByColumns(row, kept, directions) {
  const own = leafOf(row);
  const best = new Map();
  for (const [k, column] of columns.entries()) {
    if (kept.has(k)) continue;
    let tried;
    if (!isNumber(column)) {
      tried = [...column.categories.keys()];
    } else {
      const borders = [];
      for (const node of nodes) {
        if (node.kind === "linear" && node.columns.includes(k)) {
          let rest = 0, slope = 0;
          node.columns.forEach((c, j) => { if (c === k) slope += node.weights[j]; else rest += node.weights[j] * row[c]; });
          borders.push((node.threshold - rest) / slope);
        } else if (node.kind === "threshold" && node.column === k) borders.push(node.threshold);
      }
      // Rounding can put the computed border a little off: also try values a hair beyond it on both sides.
      tried = borders.filter(Number.isFinite).flatMap((b) => {
        const hair = Math.abs(b) * 1e-12 + 1e-300;
        return [stepDown(column, b), stepUp(column, b), b - hair, b + hair].filter(
          (v, i) => i < 2 || column.decimals === null);
      });
    }
    for (const value of tried) {
      if (value === row[k] || isCode(column, value) || !allowed(column, row[k], value, directions[k])) continue;
      const changed = row.slice();
      changed[k] = value;
      const kind = leadsTo(row, own, changed);
      if (kind === null) continue;
      const leaf = leafOf(changed), to = nodes[leaf].answer;
      const known = isNumber(column) && !Number.isNaN(row[k]);
      const found = { to, leaf, changes: [{ column: k, value }], distance: known ? Math.abs(value - row[k]) / column.spread : 1 };
      if (closer(found, best.get(kind))) best.set(kind, found);
    }
  }
  return [...best.values()].sort((a, b) => (closer(a, b) ? -1 : 1));
}

const nearest = (row, kept = new Set(), directions = []) =>
  (hasLinear ? nearestByColumns : nearestByLeaves)(row, kept, directions);

window.treewright = {
  columns: columns.map((column) => column.name),
  classes,
  leaf: (row) => leafOf(row.map((x) => (x === null ? NaN : x))),
  decide: (row) => nodes[leafOf(row.map((x) => (x === null ? NaN : x)))].answer,
  values: (row) => {
    const known = row.map((x) => (x === null ? NaN : x));
    return valuesOf(leafOf(known), known);
  },
  nearest: (row, kept, directions) => nearest(row.map((x) => (x === null ? NaN : x)), new Set(kept), directions),
};

// ---------------------------------------------------------------- small helpers for the page

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const name = nameElement; // of names.js
const MINUS = "\u2212";
const signed = (x) => String(x).replace(/^-/, MINUS); // for people; what is typed has a hyphen
const withUnit = (text, column) => (column.unit ? `${text} ${column.unit}` : String(text));
function shown(column, x) {
  if (Number.isNaN(x)) return "unknown";
  const code = column.codes.find(([number]) => number === x);
  if (code) return `${x} (${code[1]})`;
  return isNumber(column) ? withUnit(signed(x), column) : column.categories[x] ?? String(x);
}
const listItem = (n) => document.querySelector(`.tw-node[data-node="${n}"]`);
for (const element of document.querySelectorAll("[data-needs-script]")) element.hidden = false;

/* A table that is wider than its place can be scrolled by keyboard as well. */
const wide = [...document.querySelectorAll(".table")];
function markWide() {
  for (const place of wide) {
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  }
}
addEventListener("resize", markWide);
markWide();

// ---------------------------------------------------------------- folding

const folds = [...document.querySelectorAll(".tw-fold")];
const foldAll = (open) => () => { for (const fold of folds) fold.checked = open; };
byId("unfold")?.addEventListener("click", foldAll(true));
byId("fold")?.addEventListener("click", foldAll(false));

function highlight(path) {
  for (const item of document.querySelectorAll(".tw-on")) item.classList.remove("tw-on");
  for (const item of document.querySelectorAll(".tw-box[aria-current]")) item.removeAttribute("aria-current");
  for (const n of path) {
    const item = listItem(n);
    if (!item) break; // deeper than the picture
    item.classList.add("tw-on");
    const fold = item.querySelector(":scope > .tw-box .tw-fold");
    if (fold) fold.checked = true;
    else item.querySelector(":scope > .tw-box").setAttribute("aria-current", "true");
  }
  const box = document.querySelector(".tw-on.tw-leaf > .tw-box");
  if (!box) return;
  const region = box.closest(".tw-scroll"); // a wide picture scrolls to the end of the path
  const [inner, outer] = [box.getBoundingClientRect(), region.getBoundingClientRect()];
  if (inner.right > outer.right || inner.left < outer.left) region.scrollLeft += inner.right - outer.right + 24;
}

// ---------------------------------------------------------------- the form

const form = byId("person");
if (!form) return;
const answer = byId("answer");
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/; // a comma that may stand between thousands, or before decimals

const fields = columns.map((column, k) => {
  const id = `value-${k}`;
  const hint = make("span", { class: "hint", id: `${id}-hint` });
  let input;
  if (isNumber(column)) {
    input = make("input", { type: "text", inputmode: "decimal", id, "aria-describedby": `${id}-hint`, spellcheck: "false" });
    const codes = column.codes.map(([code, words]) => `; ${code} means ${words}`).join("");
    const range = column.low === null ? "no value was known" : `${rangeWords(column)} in the data`;
    hint.append(range + codes);
  } else {
    input = make("select", { id, "aria-describedby": `${id}-hint` });
    column.categories.forEach((text, code) => input.append(make("option", { value: code }, text)));
    input.append(make("option", { value: "" }, "(unknown)"));
    hint.append(column.typical === null ? "no value was known" : `most often: ${column.categories[column.typical]}`);
  }
  const keep = make("select", { id: `keep-${k}` });
  const choices = [["any", "may change"], ["never", "cannot change"]];
  if (canRise(column)) choices.push(["only-up", "may only rise"], ["only-down", "may only fall"]);
  for (const [value, words] of choices) keep.append(make("option", { value }, words));
  keep.value = choices.some(([value]) => value === column.change) ? column.change : "any";
  const about = column.description ? [make("span", { class: "hint" }, name(column.description))] : [];
  byId("fields").append(make("div", { class: "field" },
    make("label", { for: id }, name(column.name)), ...about, input, hint,
    make("label", { class: "keep" }, make("span", { class: "tw-aside" }, name(column.name), " "), keep)));
  return { column, input, hint, keep, text: hint.textContent };
});

function short(x) { return signed(Number.isInteger(x) ? x : Number(x.toPrecision(6))); }
function rangeWords(column) { return withUnit(`${short(column.low)} to ${short(column.high)}`, column); }

function fill(row) {
  fields.forEach(({ column, input }, k) => {
    const x = row[k];
    input.value = x === null || Number.isNaN(x) ? "" : String(x);
  });
}

/* The row of the form, or null after telling what is wrong beside the field. */
function read() {
  let wrong = null;
  const row = fields.map((field) => {
    const { column, input, hint, text } = field;
    const written = input.value.trim().replace(/^\u2212/, "-");
    const pointed = isNumber(column) && /^[^.]*,[^,.]*$/.test(written) ? written.replace(",", ".") : written;
    let value = NaN, problem = "", beyond = "";
    if (written !== "") {
      value = Number(pointed);
      if (isNumber(column)) {
        if (THOUSANDS.test(written)) problem = `“${written.slice(0, 40)}” may be ${written.replace(",", "")} or ${Number(pointed)}; write it without the comma, or with a point.`;
        else if (!DECIMAL.test(pointed)) problem = `“${written.slice(0, 40)}” is not a number; write it like 12 or 2.5, or leave it empty.`;
        else if (!Number.isFinite(value)) problem = "This number is too large.";
        else beyond = outside(column, value);
      }
    }
    input.toggleAttribute("aria-invalid", false);
    hint.className = problem ? "hint wrong" : beyond ? "hint beyond" : "hint";
    hint.textContent = problem || (beyond ? `Outside the data: ${text}` : text);
    if (problem) {
      input.setAttribute("aria-invalid", "true");
      wrong = wrong ?? input;
    }
    return value;
  });
  if (!wrong) return row;
  wrong.focus();
  return null;
}

/* What is to be said about a number that no training row comes near; empty if there is nothing. */
function outside(column, x) {
  if (!isNumber(column) || Number.isNaN(x) || column.low === null || isCode(column, x)) return "";
  if (x >= column.low && x <= column.high) return "";
  return `${withUnit(short(x), column)} is outside the training data (${rangeWords(column)})`;
}

function sideWords(n, row) { // what the path answers at node n, in the words of the picture where it is drawn
  const node = nodes[n];
  const left = goesLeft(node, row);
  const child = listItem(left ? node.left : node.right);
  const edge = child?.querySelector(":scope > .tw-line .tw-edge");
  if (edge) return (node.kind === "linear" ? edge : edge.querySelector(":scope > bdi")).textContent;
  if (node.kind === "category") return `${left ? "is in" : "is not in"} {${[...node.codes].map((c) => columns[node.column].categories[c]).join(", ")}}`;
  if (node.kind === "linear") return `sum of columns ${left ? "≤" : ">"} ${signed(node.threshold)}`;
  return `${left ? "≤" : ">"} ${withUnit(signed(node.threshold), columns[node.column])}`;
}

/* A number with thousands apart, as in the tables; columns have none, for they may be years or codes. */
function grouped(text) { return text.replace(/^\D?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ",")); }

/* The words of a leaf for a row; the numbers of a line depend on the row. */
function saysOf(leaf, row) {
  if (!nodes[leaf].line) return nodes[leaf].says;
  const said = valuesOf(leaf, row).map((x, k) => `${words.outputs[k].name} ${grouped(short(x))} ${words.outputs[k].unit}`.trim());
  return said.join(", ");
}

/* One reason for each column on the path, with the changes of what it is weighed by; heaviest first. Decisions have
   one weight, for or against them; numbers one for each output, up or down. */
function reasonsOf(row, path, leaf) {
  const reasons = new Map();
  const places = words.outputs ? words.outputs.map((_, k) => k) : [nodes[leaf].answer];
  path.slice(0, -1).forEach((n, i) => {
    const node = nodes[n];
    const key = node.kind === "linear" ? `sum ${n}` : node.column;
    const known = reasons.get(key) ?? { node, steps: [], weights: places.map(() => 0) };
    known.steps.push({ said: sideWords(n, row), node, left: goesLeft(node, row) });
    places.forEach((place, k) => { known.weights[k] += nodes[path[i + 1]].share[place] - node.share[place]; });
    reasons.set(key, known);
  });
  const found = [...reasons.values(), ...termsOf(row, leaf)];
  const spans = places.map((_, k) => Math.max(...found.map(({ weights }) => Math.abs(weights[k]))) || 1);
  const heavy = ({ weights }) => (words.outputs ? Math.max(...weights.map((w, k) => Math.abs(w) / spans[k])) : weights[0]);
  return found.sort((a, b) => heavy(b) - heavy(a));
}

/* What each term of the line of a leaf adds, as reasons of their own. */
function termsOf(row, leaf) {
  const { line } = nodes[leaf];
  if (!line) return [];
  return line.columns.flatMap((column, k) => (Number.isNaN(row[column]) ? []
    : [{ node: { column }, steps: [{ said: "in the sum of this leaf" }], weights: line.slopes.map((slopes) => slopes[k] * (row[column] - line.centers[k])) }]));
}

/* What a reason weighs, in words. */
function weightWords(weights) {
  if (!words.outputs) {
    const amount = words.unit ? String(Math.round(words.scale * Math.abs(weights[0]))) : short3(Math.abs(weights[0]));
    if (Number(amount) === 0) return "hardly matters";
    return `${weights[0] > 0 ? words.more : words.less}${amount}${words.unit ? ` ${amount === "1" ? words.one : words.unit}` : ""}`;
  }
  const said = weights.map((w, k) => {
    const { name: output, unit } = words.outputs[k];
    if (w === 0) return "";
    return `${output ? `${output}: ` : ""}${w > 0 ? words.more : words.less}${short3(Math.abs(w))}${unit ? ` ${unit}` : ""}`;
  }).filter(Boolean);
  return said.join(", ") || "hardly matters";
}

/* What several answers about one known value come to: age > 20, > 30 and ≤ 50 is > 30 and ≤ 50. */
function together(steps) {
  const narrowest = steps.filter((step, i) => !steps.some((other, k) => k !== i && within(other, step) && (k < i || !within(step, other))));
  return narrowest.sort((a, b) => (a.node?.kind === "threshold" && b.node?.kind === "threshold" ? a.left - b.left : 0));
}

/* Whether the values that an answer allows are among those that another one allows. */
function within(inner, outer) {
  const kinds = [inner.node?.kind, outer.node?.kind];
  if (kinds.every((kind) => kind === "threshold")) {
    return inner.left === outer.left && (inner.left ? inner.node.threshold <= outer.node.threshold : inner.node.threshold >= outer.node.threshold);
  }
  if (!kinds.every((kind) => kind === "category")) return false;
  const allows = ({ node, left }, code) => node.codes.has(code) === left;
  return columns[inner.node.column].categories.every((_, code) => !allows(inner, code) || allows(outer, code));
}

const short3 = (x) => String(Number(x.toPrecision(3)));

function reasonItem({ node, steps, weights }, row) {
  const asked = node.kind === "linear" ? node.columns : [node.column];
  const item = make("li", {});
  asked.forEach((c, i) => {
    const column = columns[c], value = row[c];
    item.append(i ? ", " : "", name(column.name), Number.isNaN(value) ? " is unknown" : " is ", ...(Number.isNaN(value) ? [] : [name(shown(column, value))]));
  });
  const unknown = asked.some((c) => Number.isNaN(row[c]));
  const own = `= ${shown(columns[asked[0]], row[asked[0]])}`; // which "is" has said
  const told = unknown || asked.length > 1 ? steps : together(steps).filter(({ said }) => said !== own);
  if (told.length) item.append(unknown ? "; unknown goes with " : ": ");
  told.forEach(({ said }, i) => item.append(i ? " and " : "", name(said)));
  item.append(` (${weightWords(weights)})`);
  return item;
}

function decide() {
  const row = read();
  if (!row) {
    answer.replaceChildren(make("p", {}, "Some values cannot be read; see the marked fields."));
    return;
  }
  const leaf = leafOf(row);
  const path = pathTo(leaf);
  highlight(path);
  const decision = make("p", { class: "decision" }, `${words.answer}: `, name(saysOf(leaf, row)));
  const number = nodes[leaf].number;
  const link = byId(`leaf-${number}`) ? make("a", { href: `#leaf-${number}` }, `leaf ${number}`) : `leaf ${number}`;
  const inTree = make("span", { class: "on-screen" }, " The path is marked in ", make("a", { href: "#tree" }, "the tree"), ".");
  const where = make("p", {}, "This is ", link, ". ", nodes[leaf].record, inTree);
  const cautions = columns.map((column, k) => [column, outside(column, row[k])]).filter(([, words]) => words)
    .map(([column, words]) => make("p", { class: "note" }, name(column.name), `: ${words}. No training row had such a value, so the record of the leaf says little.`));
  const reasons = make("ol", {}, ...reasonsOf(row, path, leaf).map((reason) => reasonItem(reason, row)));
  const why = path.length > 1 ? [make("h3", {}, "Reasons, the most important first"), reasons] : [];
  answer.replaceChildren(onPaper(row), decision, where, ...cautions, ...why, ...changes(row));
}

/* What only the printed page of one person needs: reference, date, values. */
function onPaper(row) {
  const table = make("table", {}, make("caption", {}, "Values"));
  columns.forEach((column, k) => table.append(make("tr", {}, make("th", { scope: "row" }, name(column.name)), make("td", {}, name(shown(column, row[k]))))));
  const reference = byId("reference").value.trim();
  return make("div", { class: "print-only" }, make("p", {}, reference ? `Reference: ${reference}. ` : "", `Printed on ${new Date().toISOString().slice(0, 10)}.`), table);
}

function changes(row) {
  const kept = new Set(fields.flatMap(({ keep }, k) => (keep.value === "never" ? [k] : [])));
  const found = nearest(row, kept, fields.map(({ keep }) => keep.value));
  const heading = make("h3", {}, found.length > 1 ? words.changes ?? words.change : words.change);
  if (!found.length) {
    const why = hasLinear ? words.noneOfOne
      : new Set(nodes.filter(isLeaf).map((node) => node.answer)).size < 2 ? words.fixed : words.none;
    return [heading, make("p", {}, `${why}.`)];
  }
  const list = make("ul", {});
  for (const { to, leaf, changes: steps, distance } of found.slice(0, words.by === "leaf" ? 3 : 8)) {
    const changed = row.slice();
    for (const { column: k, value } of steps) changed[k] = value;
    const aim = words.by === "answer" ? classes[to] : saysOf(leaf, changed);
    const item = make("li", {}, "To ", make("strong", {}, name(aim)), ": ");
    steps.forEach(({ column: k, value }, i) => {
      item.append(i ? "; and " : "", name(columns[k].name), " from ", name(shown(columns[k], row[k])), " to ",
        make("strong", {}, name(shown(columns[k], value))));
    });
    const each = distance / steps.length;
    item.append(` (${each <= 0.25 ? "small" : each <= 1 ? "moderate" : "large"} ${steps.length === 1 ? "change" : `changes of ${steps.length} columns`}) `);
    const button = make("button", { type: "button" }, "Try it");
    button.addEventListener("click", () => {
      fill(changed);
      decide();
      answer.focus();
    });
    item.append(button);
    list.append(item);
  }
  return [heading, list];
}

byId("print-person").addEventListener("click", () => {
  decide();
  if (!answer.querySelector(".decision")) return;
  document.body.classList.add("print-person");
  print();
});
addEventListener("afterprint", () => document.body.classList.remove("print-person"));

form.addEventListener("submit", (event) => { event.preventDefault(); decide(); });
form.addEventListener("reset", (event) => {
  event.preventDefault();
  for (const { keep, column } of fields) keep.value = [...keep.options].some(({ value }) => value === column.change) ? column.change : "any";
  fill(columns.map((column) => column.typical));
  decide();
});
fill(columns.map((column) => column.typical));
})();
