/* The program of the page for choosing: counts on the graph, the map, the columns, the builder, two trees side by side, and the
   model file. Texts from the data become text nodes, never markup. `window.treewright` offers the counts to whoever checks them. */
(() => {
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const { nodes, edges, splits, classes, columns } = data;
const byId = (id) => document.getElementById(id);
const rootEdges = new Set(Object.keys(data.roots).map(Number));

// ---------------------------------------------------------------- counts, as in tree_counts.hpp
// How many subtrees there are, by leaves and errors: for each number of leaves, ascending, { leaves, errors, counts } with the errors
// ascending. A count is a number as long as that is exact, and a BigInt beyond.

const plus = (a, b) => {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return BigInt(a) + BigInt(b);
};
const times = (a, b) => {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (product <= Number.MAX_SAFE_INTEGER) return product;
  }
  return BigInt(a) * BigInt(b);
};

class Sums {
  constructor(limit) { // the most errors by number of leaves
    this.limit = limit;
    this.byLeaves = [];
  }
  add(leaves, errors, count) {
    if (leaves >= this.limit.length || errors > this.limit[leaves]) return;
    const row = (this.byLeaves[leaves] ??= new Map());
    row.set(errors, plus(row.get(errors) ?? 0, count));
  }
  // All pairs of a left and a right subtree, `copies` times; two leaves only by their labels.
  join(a, b, labelsA, labelsB, errorsA, errorsB, copies = 1) {
    for (const left of a)
      for (const right of b) {
        const leaves = left.leaves + right.leaves;
        if (leaves >= this.limit.length) break;
        if (leaves > 2 || data.redundant) this.joinLevels(left, right, leaves, copies);
      }
    if (data.redundant) return;
    for (const labelA of labelsA)
      for (const labelB of labelsB) if (labelA !== labelB) this.add(2, errorsA[labelA] + errorsB[labelB], copies);
  }
  joinLevels(left, right, leaves, copies) {
    const most = this.limit[leaves], row = (this.byLeaves[leaves] ??= new Map());
    for (let i = 0; i < left.errors.length; ++i) {
      const errors = left.errors[i], count = times(left.counts[i], copies);
      if (errors + right.errors[0] > most) return;
      for (let j = 0; j < right.errors.length && errors + right.errors[j] <= most; ++j) {
        const both = errors + right.errors[j];
        row.set(both, plus(row.get(both) ?? 0, times(count, right.counts[j])));
      }
    }
  }
  levels() {
    const out = [];
    this.byLeaves.forEach((row, leaves) => {
      const errors = [...row.keys()].sort((a, b) => a - b);
      if (errors.length > 0) out.push({ leaves, errors, counts: errors.map((each) => row.get(each)) });
    });
    return out;
  }
}
// The same as a list of [leaves, errors, number of subtrees].
const listed = (levels) => levels.flatMap(({ leaves, errors, counts }) => errors.map((each, k) => [leaves, each, BigInt(counts[k])]));

class Counter { // `banned` is a set of columns
  constructor(banned) {
    this.banned = banned;
    this.known = new Map();
    this.open = data.groups.map((group) => group.filter(([split]) => this.allows(split)));
  }
  allows(split) { return !this.banned.has(splits[split].column); }
  group(edge) { // the splits that an edge stands for here, each with whether its left side is the edge's
    const all = this.open[edges.column[edge]];
    const only = rootEdges.has(edge) ? data.roots[edge] : data.pinned[edge];
    if (only === undefined) return all;
    const sides = new Map(data.groups[edges.column[edge]]);
    return only.filter((split) => this.allows(split)).map((split) => [split, sides.get(split) ?? 1]);
  }
  levels(node) {
    if (this.known.has(node)) return this.known.get(node);
    const sums = new Sums(nodes.most[node]);
    if (node > 0 || !data.mustSplit)
      for (const label of nodes.labels[node]) sums.add(1, nodes.errors[node][label], 1);
    for (let edge = nodes.first[node]; edge < nodes.last[node]; ++edge) {
      const copies = this.group(edge).length, left = edges.left[edge], right = edges.right[edge];
      if (copies > 0)
        sums.join(this.levels(left), this.levels(right), nodes.labels[left], nodes.labels[right], nodes.errors[left], nodes.errors[right], copies);
    }
    const out = sums.levels();
    this.known.set(node, out);
    return out;
  }
}

const counters = new Map();
function counter(banned) {
  const key = [...banned].sort((a, b) => a - b).join(",");
  if (!counters.has(key)) {
    if (counters.size > 64) counters.clear();
    counters.set(key, new Counter(new Set(banned)));
  }
  return counters.get(key);
}

// ---------------------------------------------------------------- a partial tree: a map from places ("", "L", "LR") to choices

const edgeOf = (node, split) => {
  for (let edge = nodes.first[node]; edge < nodes.last[node]; ++edge)
    for (const [member, same] of data.groups[edges.column[edge]]) if (member === split) return [edge, same];
  return null;
};
function nodeAt(tree, place) {
  let node = 0;
  for (let k = 0; k < place.length; ++k) {
    const [edge, same] = edgeOf(node, tree.get(place.slice(0, k)).split);
    node = (place[k] === "L") === (same === 1) ? edges.left[edge] : edges.right[edge];
  }
  return node;
}
function levelsAt(count, tree, place = "", node = 0) {
  const choice = tree.get(place);
  if (choice === undefined) return count.levels(node);
  if (choice.leaf !== undefined)
    return nodes.labels[node].includes(choice.leaf) && !(place === "" && data.mustSplit) ? [{ leaves: 1, errors: [nodes.errors[node][choice.leaf]], counts: [1] }] : [];
  const found = edgeOf(node, choice.split);
  if (found === null || !count.group(found[0]).some(([split]) => split === choice.split)) return [];
  const sides = found[1] === 1 ? [edges.left[found[0]], edges.right[found[0]]] : [edges.right[found[0]], edges.left[found[0]]];
  const labels = sides.map((side, k) => {
    const below = tree.get(place + "LR"[k]);
    return below === undefined ? nodes.labels[side] : below.leaf !== undefined ? [below.leaf] : [];
  });
  const sums = new Sums(nodes.most[node]);
  sums.join(levelsAt(count, tree, place + "L", sides[0]), levelsAt(count, tree, place + "R", sides[1]), labels[0], labels[1],
    nodes.errors[sides[0]], nodes.errors[sides[1]]);
  return sums.levels();
}

// Trees that keep all rules, by size. A forced column is counted by inclusion and exclusion.
function countedBySize(rules, tree) {
  const forced = [...rules.forced], byLeaves = data.most.map(() => new Map());
  for (let subset = 0; subset < 1 << forced.length; ++subset) {
    const banned = new Set(rules.banned);
    let sign = 1n;
    forced.forEach((column, k) => { if (subset & (1 << k)) { banned.add(column); sign = -sign; } });
    for (const [leaves, errors, n] of listed(levelsAt(counter(banned), tree)))
      if (leaves < data.most.length && errors <= data.most[leaves])
        byLeaves[leaves].set(errors, (byLeaves[leaves].get(errors) ?? 0n) + sign * n);
  }
  return byLeaves.flatMap((row, leaves) => [...row].filter(([, n]) => n !== 0n).map(([errors, n]) => [leaves, errors, n]));
}
const within = (size, cell) => size === null || (cell[0] === size.leaves && cell[1] >= size.low && cell[1] <= size.high);
const objective = ([leaves, errors]) => (data.base + errors + data.price * leaves) * data.unit;
function summary(rules, tree) {
  const cells = countedBySize(rules, tree).filter((cell) => within(rules.size, cell));
  let trees = 0n, best = Infinity;
  for (const cell of cells) {
    trees += cell[2];
    best = Math.min(best, objective(cell));
  }
  return { trees, best, cells };
}

function optionsAt(rules, tree, place) {
  const node = nodeAt(tree, place), out = [];
  const tried = (choice) => {
    const found = summary(rules, new Map(tree).set(place, choice));
    if (found.trees > 0n) out.push({ choice, ...found });
  };
  if (place !== "" || !data.mustSplit) for (const leaf of nodes.labels[node]) tried({ leaf });
  const seen = new Set();
  for (let edge = nodes.first[node]; edge < nodes.last[node]; ++edge)
    for (const [split] of counter(rules.banned).group(edge))
      if (!seen.has(split)) {
        seen.add(split);
        tried({ split });
      }
  return out.sort((a, b) => a.best - b.best || (a.trees < b.trees ? 1 : -1));
}
function openPlaces(tree, place = "") {
  const choice = tree.get(place);
  if (choice === undefined) return [place];
  return choice.leaf !== undefined ? [] : [...openPlaces(tree, place + "L"), ...openPlaces(tree, place + "R")];
}
function completed(rules, tree) {
  let grown = tree;
  for (let open = openPlaces(grown); open.length > 0; open = openPlaces(grown)) {
    const options = optionsAt(rules, grown, open[0]);
    if (options.length === 0) return tree;
    grown = new Map(grown).set(open[0], options[0].choice);
  }
  return grown;
}

// ---------------------------------------------------------------- a whole tree: its rows and its file

const packed = Uint8Array.from(atob(data.kinds.bits), (c) => c.charCodeAt(0));
const stride = Math.ceil(data.kinds.n / 8);
const isRight = (column, kind) => (packed[column * stride + (kind >> 3)] >> (7 - (kind & 7))) & 1;
function labelOf(tree, kind) {
  let place = "", node = 0;
  for (;;) {
    const choice = tree.get(place);
    if (choice.leaf !== undefined) return choice.leaf;
    const [edge, same] = edgeOf(node, choice.split);
    const right = isRight(edges.column[edge], kind) === 1;
    node = right ? edges.right[edge] : edges.left[edge];
    place += right === (same === 1) ? "R" : "L";
  }
}
function modelFile(tree) {
  const list = [];
  const write = (place, node) => {
    const choice = tree.get(place), at = list.length;
    const own = { split: null, left: -1, right: -1, prediction: choice.leaf ?? nodes.cheapest[node], value: nodes.value[node], n_node_samples: nodes.rows[node] };
    list.push(own);
    if (choice.leaf !== undefined) return at;
    const [edge, same] = edgeOf(node, choice.split);
    own.split = splits[choice.split].json;
    own.left = write(place + "L", same === 1 ? edges.left[edge] : edges.right[edge]);
    own.right = write(place + "R", same === 1 ? edges.right[edge] : edges.left[edge]);
    return at;
  };
  write("", 0);
  const [cell] = listed(levelsAt(counter(new Set()), tree));
  const loss = (data.base + cell[1]) * data.unit, value = loss + data.cost * cell[0];
  const optimal = value <= data.lowerBound * (1 + 1e-12);
  return {
    format: "treewright-tree", version: 1, written_by: data.model.written_by, classes: data.model.classes,
    columns: data.model.columns, nodes: list, ...data.reading,
    certificate: {
      status: optimal ? "OPTIMAL" : "FEASIBLE", objective: value, lower_bound: Math.min(value, data.lowerBound), loss,
      scope: data.scope, stop_reason: null, notes: [...data.notes, "Chosen by hand among near-optimal trees."], terms: data.terms, stats: {},
      options: optimal ? data.options : { ...data.options, ...data.chosen },
    },
  };
}

// ---------------------------------------------------------------- the page

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value);
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};
const svg = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};
const exact = (count) => count.toLocaleString("en-US");
const short = (count) => {
  const text = count.toString();
  return text.length < 7 ? exact(count) : `${text[0]}.${text[1]}e${text.length - 1}`;
};
const number = (value) => value.toPrecision(5);
const inPercent = (part) => (part === 0 || part === 1 ? `${100 * part}%` : `${Math.min(Math.max(100 * part, 0.1), 99.9).toFixed(1)}%`); // as in Python
const thousandths = (value) => (Math.round(1000 * value) / 1000 || 0).toFixed(3).replace("-", "\u2212"); // no "-0.000"
const bar = (share) => {
  const made = svg("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
  made.append(svg("rect", { class: "track", width: 100, height: 8 }), svg("rect", { class: "part", width: 100 * share, height: 8 }));
  return made;
};
// Share of two whole numbers of any size.
const share = (part, whole) => { // 0 and 1 only if exact
  if (whole === 0n || part === 0n || part === whole) return part === 0n ? 0 : 1;
  return Math.min(Math.max(Number((part * 1000000n) / whole) / 1000000, 1e-6), 1 - 1e-6);
};

let rules = { banned: new Set(), forced: new Set(), size: null };
let tree = new Map();
let at = "";
let before = [];
const kept = { a: null, b: null };

function change(next) {
  before.push({ rules, tree, at });
  if (next.rules !== undefined) rules = next.rules;
  if (next.tree !== undefined) tree = next.tree;
  const open = openPlaces(tree);
  at = next.at !== undefined && open.includes(next.at) ? next.at : (open.includes(at) ? at : open[0] ?? "");
  render();
}
const ruled = (more) => ({ rules: { banned: new Set(rules.banned), forced: new Set(rules.forced), size: rules.size, ...more } });

const BINS = 10;
let axes = null; // of the map: the same whatever the rules are
function axesOfMap() {
  if (axes !== null) return axes;
  const every = countedBySize({ banned: new Set(), forced: new Set(), size: null }, new Map());
  const lowest = every.reduce((least, cell) => Math.min(least, cell[1]), Infinity), highest = every.reduce((most, cell) => Math.max(most, cell[1]), 0);
  const step = Math.max(1, Math.ceil((highest - lowest + 1) / BINS));
  const ascending = (values) => [...new Set(values)].sort((a, b) => a - b);
  const bins = ascending(every.map((cell) => Math.floor((cell[1] - lowest) / step))); // that have trees
  return (axes = { lowest, highest, step, sizes: ascending(every.map((cell) => cell[0])), bins });
}

const loss = (errors) => ((data.base + errors) * data.unit).toFixed(4);
const lossOf = ({ low, high }) => loss(low) === loss(high) ? loss(low) : `${loss(low)} to ${loss(high)}`;
function drawMap(cells) {
  const table = byId("map"), sums = new Map(), { lowest, highest, step, sizes, bins } = axesOfMap();
  for (const [leaves, errors, n] of cells) {
    const key = `${leaves} ${Math.floor((errors - lowest) / step)}`;
    sums.set(key, (sums.get(key) ?? 0n) + n);
  }
  const head = [
    element("tr", {}, element("th", { scope: "col", rowspan: "2" }, "loss up to"), element("th", { scope: "colgroup", colspan: String(sizes.length) }, "leaves")),
    element("tr", {}, ...sizes.map((leaves) => element("th", { scope: "col" }, String(leaves)))),
  ];
  const body = element("tbody");
  for (const bin of bins) {
    const low = lowest + bin * step, high = Math.min(highest, low + step - 1);
    const row = element("tr", {}, element("th", { scope: "row" }, loss(high)));
    for (const leaves of sizes) {
      const n = sums.get(`${leaves} ${bin}`) ?? 0n;
      const pressed = rules.size !== null && rules.size.leaves === leaves && rules.size.low === low;
      const cell = element("td");
      if (n > 0n || pressed)
        cell.append(element("button", {
          type: "button", id: `size-${leaves}-${bin}`, "aria-pressed": String(pressed), title: exact(n),
          "aria-label": `${exact(n)} ${n === 1n ? "tree" : "trees"} of ${leaves} ${leaves === 1 ? "leaf" : "leaves"} and a loss up to ${loss(high)}`,
          onclick: () => change(ruled({ size: pressed ? null : { leaves, low, high } })),
        }, short(n)));
      row.append(cell);
    }
    body.append(row);
  }
  table.replaceChildren(element("thead", {}, ...head), body);
}

const asked = new Set(edges.column.flatMap((distinct) => data.groups[distinct].map(([split]) => splits[split].column)));
const used = [...asked].sort((a, b) => a - b); // columns that some tree may ask

// From the least to the most that the loss rises by, on one scale for all columns; the line is at none.
const relied = data.reliance.filter((range) => range !== null).flat();
const leastReliance = Math.min(0, ...relied), mostReliance = Math.max(1e-9, ...relied);
function relianceCell(column) {
  const range = data.reliance[column];
  if (range === null) return element("td", {}, "");
  const at = (value) => (100 * (value - leastReliance)) / (mostReliance - leastReliance);
  const made = svg("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" });
  made.append(svg("rect", { class: "track", width: 100, height: 8 }),
    svg("rect", { class: "part", x: at(range[0]), width: Math.max(1, at(range[1]) - at(range[0])), height: 8 }),
    svg("rect", { class: "zero", x: at(0), width: 0.8, height: 8 }));
  return element("td", { class: "number", "data-title": "reliance" }, `${thousandths(range[0])} to ${thousandths(range[1])}`, made);
}

let drawing = 0;
function drawColumns(whole) {
  const table = byId("uses"), body = element("tbody"), mine = ++drawing;
  for (const column of used) {
    const banned = rules.banned.has(column), forced = rules.forced.has(column);
    const toggle = (name, own, other) => () => {
      const next = ruled({});
      next.rules[other].delete(column);
      if (!next.rules[own].delete(column)) next.rules[own].add(column);
      change(next);
    };
    const facts = [element("td", { class: "number", "data-title": "in trees" }, "…"), element("td", { "data-title": "without it" }, "")];
    body.append(element("tr", {}, element("th", { scope: "row" }, nameElement(columns[column])), ...facts, element("td", { class: "choice" },
      element("button", { type: "button", id: `ban-${column}`, "aria-pressed": String(banned), "aria-label": `Ban ${columns[column]}`, onclick: toggle("ban", "banned", "forced") }, "Ban"),
      element("button", { type: "button", id: `force-${column}`, "aria-pressed": String(forced), "aria-label": `Force ${columns[column]}`,
        ...(!forced && rules.forced.size >= 4 ? { disabled: "" } : {}), onclick: toggle("force", "forced", "banned") }, "Force")), relianceCell(column)));
    setTimeout(() => { // one column after the other, so that the page stays alive
      if (mine !== drawing) return;
      const without = banned ? whole : forced ? { trees: 0n, best: Infinity } : summary(ruled({ banned: new Set([...rules.banned, column]) }).rules, tree);
      const part = share(whole.trees - without.trees, whole.trees);
      facts[0].replaceChildren(inPercent(part), bar(part));
      const text = banned ? "banned" : forced ? "forced" : whole.trees === 0n ? "" : without.trees === 0n ? "needed: every tree uses it"
        : part === 0 ? "used by no tree" : without.best <= whole.best ? "replaceable at no cost" : `replaceable at +${(100 * (without.best / whole.best - 1)).toFixed(2)}%`;
      facts[1].replaceChildren(text);
      if (column === used[used.length - 1]) document.body.dataset.ready = "yes";
    }, 0);
  }
  if (used.length === 0) document.body.dataset.ready = "yes";
  table.replaceChildren(element("thead", {}, element("tr", {}, ...["Column", "In trees", "Without it", "Rule", "Reliance"].map((text) => element("th", { scope: "col", ...(text === "Rule" ? { class: "choice" } : {}) }, text)))), body);
}

function drawTree(shown, pick) {
  const draw = (place, words) => {
    const choice = shown.get(place), item = element("li", {}, element("span", { class: "side" }, ...(words === "" ? [] : [nameElement(words), ": "])));
    if (choice === undefined) {
      item.append(element("button", { type: "button", id: `${pick ? "open" : "seen"}-${place}`, "aria-pressed": String(place === at), "aria-label": words === "" ? "open node" : `open node, ${words}`, "data-place": place, onclick: () => { at = place; render(); } }, "open node"));
    } else if (choice.leaf !== undefined) {
      item.append(element("span", { class: "leaf" }, nameElement(classes[choice.leaf])));
    } else {
      const split = splits[choice.split];
      item.append(element("span", {}, nameElement(columns[split.column]), "?"));
      item.append(element("ul", {}, draw(place + "L", split.left), draw(place + "R", split.right)));
    }
    if (pick && choice !== undefined)
      item.insertBefore(element("button", {
        type: "button", id: `drop-${place}`, title: "Remove this choice", "aria-label": `Remove the choice: ${choice.leaf !== undefined ? `leaf ${classes[choice.leaf]}` : `question about ${columns[splits[choice.split].column]}`}`,
        onclick: () => change({ tree: new Map([...shown].filter(([key]) => !key.startsWith(place))), at: place }),
      }, "×"), item.children[1]);
    return item;
  };
  return element("ul", { class: "grown" }, draw("", ""));
}

function drawOptions() {
  const box = byId("options"), open = openPlaces(tree);
  const options = open.length === 0 ? [] : optionsAt(rules, tree, at);
  byId("best").disabled = options.length === 0;
  for (const id of ["keep-a", "keep-b", "save"]) byId(id).disabled = open.length > 0;
  byId("undo").disabled = before.length === 0;
  if (open.length === 0) {
    box.replaceChildren(element("p", {}, "The tree is complete: keep it, compare it, or save it."));
    return;
  }
  if (options.length === 0) {
    box.replaceChildren(element("p", {}, "No tree is left, so there is nothing to choose: undo the last step, or remove a restriction."));
    return;
  }
  const body = element("tbody");
  for (const option of options) {
    const words = option.choice.leaf !== undefined ? `leaf: ${classes[option.choice.leaf]}` : splits[option.choice.split].left;
    body.append(element("tr", {}, element("td", {}, element("button", { type: "button", onclick: () => {
      change({ tree: new Map(tree).set(at, option.choice) });
      (byId("options").querySelector("button") ?? byId("keep-a")).focus();
    } }, nameElement(words))), element("td", { class: "number", title: exact(option.trees) }, short(option.trees)), element("td", { class: "number" }, number(option.best))));
  }
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Split or leaf"), ...["Trees left", "Best objective left"].map((text) => element("th", { scope: "col", class: "number" }, text))));
  box.replaceChildren(element("h3", {}, "Choices for the marked open node"), element("div", { class: "table" }, element("table", { class: "narrow" }, head, body)));
}

function drawPair() {
  for (const side of ["a", "b"]) if (kept[side] !== null) byId(`tree-${side}`).replaceChildren(drawTree(kept[side], false), element("p", {}, `objective ${number(objective(listed(levelsAt(counter(new Set()), kept[side]))[0]))}`));
  if (kept.a === null || kept.b === null) return;
  const differ = differences(kept.a, kept.b);
  const rows = differ.reduce((sum, kind) => sum + data.kinds.rows[kind], 0);
  const shown = differ.slice(0, 40).map((kind) => data.kinds.first[kind] + 1).join(", ");
  byId("difference").textContent = rows === 0 ? "The two trees decide alike on all training rows."
    : `They differ on ${exact(BigInt(rows))} training rows, of ${differ.length} kinds. One row of each kind (row numbers, from 1): ${shown}${differ.length > 40 ? ", and more" : ""}.`;
}
function drawGap() {
  const { points, proven } = data.gaps, slider = byId("gap-at");
  const shown = (place) => new Map(Object.entries(points[place].tree));
  const percent = (value) => `${(100 * value).toFixed(2)}%`;
  const show = () => {
    const place = Number(slider.value), point = points[place];
    const words = `gap of ${percent(point.gap)}: objective ${number(point.best)}, ${(100 * (point.best / points[0].best - 1)).toFixed(2)}% more than the best tree`;
    slider.setAttribute("aria-valuetext", words);
    byId("gap-says").textContent = `Step ${place + 1} of ${points.length}, ${words}.${place + 1 < points.length ? "" : proven ? " No tree of the set has a smaller gap, which is a proof." : " Smaller gaps were not searched."}`;
    byId("gap-tree").replaceChildren(drawTree(shown(place), false));
  };
  slider.max = String(points.length - 1);
  slider.value = "0";
  slider.addEventListener("input", show);
  byId("gap-build").addEventListener("click", () => {
    change({ rules: { banned: new Set(), forced: new Set(), size: null }, tree: shown(Number(slider.value)) });
    byId("build-title").scrollIntoView();
  });
  for (const side of ["a", "b"]) byId(`gap-${side}`).addEventListener("click", () => { kept[side] = shown(Number(slider.value)); drawPair(); });
  const body = element("tbody");
  for (const point of points) body.append(element("tr", {}, element("td", { class: "number" }, percent(point.gap)), element("td", { class: "number" }, number(point.best)), element("td", { class: "number" }, String(Object.values(point.tree).filter((choice) => choice.leaf !== undefined).length))));
  byId("gap-steps").replaceChildren(element("thead", {}, element("tr", {}, ...["Gap", "Objective", "Leaves"].map((text) => element("th", { scope: "col", class: "number" }, text)))), body);
  show();
}
const differences = (a, b) => Array.from({ length: data.kinds.n }, (_, kind) => kind).filter((kind) => labelOf(a, kind) !== labelOf(b, kind));

function drawContested() {
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Row"), element("th", { scope: "col" }, "Rows like it"), ...classes.map((name) => element("th", { scope: "col" }, nameElement(name)))));
  const body = element("tbody");
  for (const entry of data.contested)
    body.append(element("tr", {}, element("th", { scope: "row" }, String(entry.row)), element("td", {}, String(entry.rows)),
      ...entry.votes.map((vote) => element("td", {}, inPercent(vote), bar(vote)))));
  byId("rows").replaceChildren(head, body);
  if (data.contested.length === 0) byId("rows").replaceChildren(element("caption", {}, "All trees agree on all rows."));
}

function render() {
  document.body.dataset.ready = "no";
  const focused = document.activeElement?.id;
  const whole = summary(rules, tree);
  const words = [
    ...[...rules.banned].map((column) => `without ${columns[column]}`), ...[...rules.forced].map((column) => `with ${columns[column]}`),
    ...(rules.size === null ? [] : [`of ${rules.size.leaves} ${rules.size.leaves === 1 ? "leaf" : "leaves"} and a loss of ${lossOf(rules.size)}`]), ...(tree.size === 0 ? [] : [`that ${whole.trees === 1n ? "begins" : "begin"} like the one being built`]),
  ].join(", ");
  byId("state").textContent = whole.trees === 0n ? `No tree ${words}: up to the bound of ${number(data.bound)} there is none, which is a proof.`
    : `${exact(whole.trees)} ${whole.trees === 1n ? "tree" : "trees"}${words === "" ? "" : " "}${words}; the best has an objective of ${number(whole.best)}.`;
  drawMap(countedBySize({ ...rules, size: null }, tree));
  drawColumns(whole);
  byId("tree").replaceChildren(drawTree(tree, true));
  drawOptions();
  drawPair();
  if (focused) refocus(focused);
}

/* What had the focus is drawn anew; where it is gone or disabled, the focus goes to the next thing to do. */
function refocus(id) {
  const others = id.startsWith("size-") ? [] : [`open-${at}`, "keep-a", "undo"];
  [id, ...others, "reset"].map(byId).find((each) => each !== null && !each.disabled)?.focus();
}

/* Two bars stay at the top; what gets the focus is scrolled to below them. */
new ResizeObserver(() => {
  document.documentElement.style.scrollPaddingTop = `${parseFloat(getComputedStyle(byId("state")).top) + byId("state").offsetHeight + 12}px`;
}).observe(byId("state"));

byId("reset").addEventListener("click", () => change({ rules: { banned: new Set(), forced: new Set(), size: null }, tree: new Map(), at: "" }));
byId("undo").addEventListener("click", () => { if (before.length > 0) { ({ rules, tree, at } = before.pop()); render(); } });
byId("best").addEventListener("click", () => change({ tree: completed(rules, tree) }));
for (const side of ["a", "b"]) byId(`keep-${side}`).addEventListener("click", () => { kept[side] = tree; drawPair(); });
byId("save").addEventListener("click", () => {
  const link = element("a", { download: "model.json", href: URL.createObjectURL(new Blob([JSON.stringify(modelFile(tree), null, 1)], { type: "application/json" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
drawContested();
if (data.gaps !== null) drawGap();
// A large set takes seconds to count: the page is shown before.
byId("state").textContent = "Counting the trees \u2026";
window.addEventListener("load", () => setTimeout(render, 0));

const given = (asked) => ({ banned: new Set(asked.banned ?? []), forced: new Set(asked.forced ?? []), size: asked.size ?? null });
window.treewright = {
  count: (asked, places = {}) => {
    const found = summary(given(asked), new Map(Object.entries(places)));
    return { trees: found.trees.toString(), best: found.best, cells: found.cells.map(([leaves, errors, n]) => [leaves, errors, n.toString()]) };
  },
  options: (asked, places, place) => optionsAt(given(asked), new Map(Object.entries(places)), place).map(({ choice, trees, best }) => ({ choice, trees: trees.toString(), best })),
  model: (asked, places = {}) => modelFile(completed(given(asked), new Map(Object.entries(places)))),
  shown: () => modelFile(tree),
};
})();
