"use strict";
// What every part of the page uses: how numbers, times and names are written,
// and the colours. All names come from the trace and go into text nodes only.
window.contend = {};
(function (C) {
  // and from where on
  const units =
    [[3600e9, 3597e9, "h"], [60e9, 59.95e9, "min"], [1e9, 999.5e6, "s"], [1e6, 999.5e3, "ms"], [1e3, 1e3, "µs"],
      [1, 1, "ns"]];

  // duration writes three digits, as the commands do.
  C.duration = function (ns) {
    const [n, , unit] = units.find(u => Math.abs(ns) >= u[1]) || [], v = ns / n, size = Math.abs(v);
    return !n ? "0" : (n === 1 || size >= 99.95 ? C.number(v) : v.toFixed(size >= 9.995 ? 1 : 2)) + " " + unit;
  };

  C.number = n => Math.round(n).toLocaleString("en");

  C.percent = function (part, whole) {
    if (!whole) return "0 %";
    const p = 100 * part / whole;
    return (p > 0 && p < 0.05 ? "<0.1" : p.toFixed(p >= 99.95 || p === 0 ? 0 : 1)) + " %";
  };

  // average writes how many threads are meant, as the first screen does: 0.03, 1.2, 12.
  C.average = v => v === 0 ? "0" : v < 0.0095 ? "<0.01" : v >= 9.95 ? C.number(v) : v.toFixed(v >= 0.095 ? 1 : 2);

  // unit is what the waiting of this trace is counted in; amount writes it.
  C.unit = "ns";
  C.sums = () => C.unit === "delays"; // of waiting by stack: instants are unknown, and perhaps the number of waits
  C.amount = v => C.unit === "ns" || C.sums() ? C.duration(v) : C.number(v) + " " + C.unit;
  C.waits = n => C.sums() && !n ? "–" : C.number(n);
  C.inWaits = n => C.sums() && !n ? "" : " in " + C.plural(n, "wait");

  // visible replaces characters that act instead of being seen.
  const acting = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
  C.visible = s => s.replace(acting, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

  // short writes a name of the program without its package, as contend's first
  // screen does; of a stack all its frames.
  C.paths = false; // names have paths instead of packages: a Go program's
  C.short = function (name) {
    if (name.includes(" < ")) return name.split(" < ").map(C.short).join(" < ");
    // a class has no method
    if (name.startsWith("blocked on ")) return "blocked on " + C.short(name.slice(11) + ".x").slice(0, -2);
    if (/^in [^ ]+[.]/.test(name)) return "in " + C.short(name.slice(3)); // an owner whose acquisition is not known
    if (!name || name[0] === "[" || name.includes(" ")) return name;
    if (C.paths || name.includes("/")) return name.slice(name.lastIndexOf("/") + 1);
    const parts = name.split("."), at = parts.slice(0, -1).findIndex(p => /^\p{Lu}|\$/u.test(p));
    return parts.slice(at >= 0 ? at : Math.max(parts.length - 2, 0)).join(".");
  };

  // Colours that people with any kind of colour vision distinguish (Okabe and
  // Ito); what is not among the first is grey.
  C.colours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800"];
  C.grey = "#8a8f98";
  C.known = ["recorded", "inferred", "unknown"];

  // heat returns a colour for a share of the most, from pale to dark.
  C.heat = v =>
    `color-mix(in oklab, var(--heat) ${Math.round(8 + 92 * Math.sqrt(Math.max(0, Math.min(1, v))))}%, var(--back))`;

  C.order = (list, by) => list.sort((a, b) => by(b) - by(a));

  C.plural = (n, one, many) => C.number(n) + " " + (n === 1 ? one : many || one + "s");
})(window.contend);
