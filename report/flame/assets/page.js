"use strict";
// Draws the tree in #data; keys: / searches, arrows move, Enter zooms, Escape
// goes back to the whole.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const details = document.getElementById("details");
  const colourOf = key => getComputedStyle(document.querySelector(".key." + key)).backgroundColor.match(/\d+/g);
  const changed = data.diff && { more: colourOf("grew"), less: colourOf("shrank"), same: [235, 235, 235] };
  const hues = { waiter: [66, 133, 244], lock: [120, 120, 120], owner: [234, 124, 36],
    nobody: [150, 110, 180] };
  const units = [[3600e9, "h"], [60e9, "min"], [1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

  function duration(ns) {
    for (const [n, unit] of units) if (ns >= n) return (ns / n).toPrecision(3) + " " + unit;
    return "0";
  }

  // amount writes what a frame weighs: a time, or a number of what was counted.
  function amount(n) { return data.of ? n.toLocaleString("en") + " " + data.of : duration(n) + " thread-time"; }

  function share(ns) { return (100 * ns / Math.max(data.tree.value, 1)).toFixed(1) + " %"; }

  // describe is what a frame's tooltip says.
  function describe(d) {
    const n = d.data;
    let text = n.name + " — " + amount(n.value) + " (" + share(n.value) + ")";
    if (!data.of) text += ", " + duration(n.wall) + " wall-time";
    if (n.known) text += "; owners " + n.known;
    if (data.diff) text += "; before " + amount(before(n)) + ", change " + percent(change(n));
    return text;
  }

  // before is what a frame weighed in the other trace, which may not have it.
  function before(n) { return n.base || 0; }

  // change compares shares of the whole, so that runs of unequal length compare.
  function change(n) { return n.value / Math.max(data.tree.value, 1) - before(n) / Math.max(before(data.tree), 1); }
  function percent(v) { return (v >= 0 ? "+" : "−") + (100 * Math.abs(v)).toFixed(1) + " points"; }

  function color(d) {
    const n = d.data;
    if (d.highlight) return "#d81b60";
    if (data.diff) {
      const v = Math.max(-1, Math.min(1, change(n) * 5)), most = v > 0 ? changed.more : changed.less;
      return "rgb(" + changed.same.map((c, i) => Math.round(c + (most[i] - c) * Math.abs(v))) + ")";
    }
    const strength = 0.3 + 0.6 * n.sure; // on white, whatever is behind it: labels are dark
    return "rgb(" + (hues[n.role] || [200, 200, 200]).map(c => Math.round(255 + (c - 255) * strength)) + ")";
  }

  const box = document.getElementById("search"), matched = document.getElementById("matched");
  const chart = contendFlame(document.getElementById("chart"), data.tree, {
    name: d => d.data.label || d.data.name, describe, colour: color, role: d => d.data.role || "all",
    hover: show, select: show,
    matches: (d, wanted) => new RegExp(wanted).test(d.data.name),
    found: (results, sum, total) => {
      matched.textContent = results.length ?
        results.length + " frames, " + amount(sum) + " (" + (100 * sum / Math.max(total, 1)).toFixed(1) + " %)" :
        "nothing found";
    },
  });
  function show(d) {
    details.textContent = d ? describe(d) : "Point at a frame to read it, click to zoom; arrows move, Enter zooms.";
  }
  show(null);

  // What is no regular expression, such as half of one, is looked for as it is.
  function pattern(text) {
    try { new RegExp(text); return text; } catch { return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); }
  }

  box.addEventListener("input", () => {
    chart.search(box.value && pattern(box.value));
    if (!box.value) matched.textContent = "";
  });
  function reset() {
    box.value = matched.textContent = "";
    chart.search("");
    chart.whole();
  }
  document.getElementById("reset").addEventListener("click", reset);
  document.addEventListener("keydown", e => {
    if (e.key === "Escape") { reset(); box.blur(); return; }
    if (e.target === box) return;
    if (e.key === "/") { box.focus(); e.preventDefault(); return; }
    if (chart.key(e.key) && e.key.startsWith("Arrow")) e.preventDefault();
  });
  window.addEventListener("resize", () => chart.resize());
})();
