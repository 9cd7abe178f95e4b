"use strict";
// Small things that several views draw with.
(function (C) {
  const { html, useState, useRef, useEffect } = window.htmPreact;

  // Bar shows a part of a whole.
  C.Bar = ({ part, whole, kind }) =>
    html`<span class=${"bar " + (kind || "")}>
      <span style=${{ width: Math.min(100, 100 * part / Math.max(whole, 1)) + "%" }}></span></span>`;

  // sureText says how owners are known, as the first screen does.
  C.sureText = ({ parts, right, whole }) =>
    parts.map((ns, i) => {
      if (!ns) return "";
      const expected = C.known[i] === "inferred" && C.unit === "ns" ?
        ` (${(100 * right / ns).toFixed(0)} % expected right)` : "";
      return C.known[i] + " " + C.percent(ns, whole) + expected;
    }).filter(Boolean).join(", ");

  // KnownBar shows how owners are known: what is inferred and not expected to be right is pale.
  C.KnownBar = function ({ of }) {
    const { parts, right, whole } = of, text = C.sureText(of), [recorded, inferred, unknown] = parts;
    const bars = [["k0", recorded], ["k1", right], ["kwrong", inferred - right], ["k2", unknown]];
    return html`<span class="knownbar" role="img" aria-label=${text} title=${"owners: " + text}>
      ${bars.map(([kind, ns]) =>
        ns > 0 && html`<span class=${kind} style=${{ width: 100 * ns / whole + "%" }}></span>`)}
      </span>`;
  };

  // Spark draws sums over time as one small line.
  C.Spark = function ({ sums, from, to, bins }) {
    if (!sums) return html`<svg class="spark"></svg>`;
    const steps = Math.min(bins, 90), points = new Array(steps).fill(0);
    for (let b = 0; b < bins; b++) points[Math.floor(b * steps / bins)] += sums[b];
    const most = Math.max(...points, 1);
    const line =
      points.map((v, i) => (steps > 1 ? 100 * i / (steps - 1) : 0).toFixed(1) + "," + (20 - 19 * v / most).toFixed(1))
        .join(" ");
    const cut = from > 0 || to < bins;
    return html`<svg class="spark" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      ${cut &&
        html`
          <rect class="cut" x=${100 * from / bins} width=${Math.max(1, 100 * (to - from) / bins)} y="0" height="20" />`}
      <polygon points=${"0,20 " + line + " 100,20"} /><polyline points=${line} /></svg>`;
  };

  // Name writes a name of the trace, shortened, and whole when pointed at. It goes on
  // in the next line behind its dots and marks; a long part between them, where a word
  // of it begins.
  C.Name = ({ text, title }) =>
    html`<bdi class="name" title=${title || text}>
      ${C.short(text).split(/(?<=[ .$@/-]|::|[a-zA-Z0-9]_)(?=.)/)
        .flatMap(part => part.length < 18 ? part : part.split(/(?<=[a-z])(?=[A-Z])/))
        .map((piece, i) => i ? [html`<wbr />`, piece] : piece)}
      </bdi>`;

  // whole is what a short name of a lock, a place or a class stands for.
  C.whole = function (m, kind, text) {
    const of = kind === "class" ? m.classes.filter(c => c.shown === text) :
      m.locks.filter(l => (kind === "lock" ? l.shown : m.places[l.place]) === text);
    return of.slice(0, 8).map(o => o.name).join("\n") + (of.length > 8 ? "\nand " + (of.length - 8) + " more" : "");
  };

  // kindOf says of rows of one lock what it is, where it is none.
  C.kindOf = function (m, rows) {
    const l = m.locks[m.lock[rows[0]]];
    return l.resource ? html` <span class="tag">${l.kind}</span>` : "";
  };

  // Lock writes what a lock is called, and its address when pointed at.
  C.Lock = ({ m, text, kind }) => html`<${C.Name} text=${text} title=${C.whole(m, kind || "lock", text)} />`;

  // Choice is a row of buttons of which one is pressed.
  C.Choice = ({ label, name, values }) =>
    html`<span class="choice" role="group" aria-label=${label}><span class="label">${label}</span>
      ${values.map(([value, text]) =>
    html`<button type="button" aria-pressed=${C.state[name] === value} onClick=${() => C.set({ [name]: value })}>${text}
      </button>`)}
      </span>`;

  // TreeView is a tree that opens step by step. label(node) draws a node's name;
  // the heaviest way in is open at first.
  C.TreeView = function ({ tree, label, whole, kind, columns, empty }) {
    const [turned, setTurned] = useState(() => new Map()), [all, setAll] = useState(() => new Map());
    const box = useRef();
    useEffect(() => { setTurned(new Map()); setAll(new Map()); }, [tree]);
    const most = 12, lines = [];
    const walk = (node, path, level, heavy) => {
      const top = node.top(all.get(path) || most);
      top.list.forEach((kid, i) => {
        const at = path + "/" + kid.key, leads = heavy && i === 0, leaf = kid.leaf;
        const open = turned.has(at) ? turned.get(at) :
          leads && level < 24 && !leaf && (kid.ns > 0.4 * node.ns || kid.top(1).others === 0);
        lines.push({ kid, at, level, open, leaf });
        if (open) walk(kid, at, level + 1, leads);
      });
      if (top.others) lines.push({ more: top, at: path, level });
    };
    walk(tree, "", 0, true);
    const turn = (at, open) => setTurned(new Map(turned).set(at, open));
    const step = (event, i, line) => {
      const rows = [...box.current.querySelectorAll("[role=treeitem]")], here = rows.indexOf(event.currentTarget);
      const go = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 }[event.key];
      if (go !== undefined) rows[Math.max(0, Math.min(go, rows.length - 1))].focus();
      else if (event.key === "ArrowRight" && !line.leaf) turn(line.at, true);
      else if (event.key === "ArrowLeft") turn(line.at, false);
      else if ((event.key === "Enter" || event.key === " ") && event.target === event.currentTarget && !line.leaf) turn(
        line.at, !line.open);
      else return;
      event.preventDefault();
    };
    if (!lines.length) return html`<p class="none">${empty || "Nothing here."}</p>`;
    return html`<div class=${"tree " + (kind || "")} role="tree" ref=${box}>${lines.map((line, i) => line.more
      ?
        html`<div class="line more" key=${line.at + "…"} style=${{ "--level": line.level }}>
          <button type="button" onClick=${() => setAll(new Map(all).set(line.at, (all.get(line.at) || most) + 200))}>
          ${C.number(line.more.others)} more, ${C.amount(line.more.ns)}</button></div>`
      :
        html`
          <div class="line" key=${line.at} role="treeitem" tabindex=${i === 0 ? 0 : -1} aria-level=${line.level + 1}
            aria-expanded=${line.leaf ? undefined : line.open} onKeyDown=${e => step(e, i, line)}>
          <span class="figures">
            ${columns ? columns(line.kid) : html`<span class="share">${C.percent(line.kid.ns, whole)}</span>`}
            <${C.Bar} part=${line.kid.ns} whole=${whole} kind=${kind} /></span>
          <span class="what" style=${{ "--level": line.level }}>
            <button type="button" class="turn" tabindex="-1" aria-hidden="true" disabled=${line.leaf}
              onClick=${() => turn(line.at, !line.open)}>
            ${line.leaf ? "·" : line.open ? "▾" : "▸"}</button><span class="label">${label(line.kid, line)}</span>
            </span></div>`)}
            </div>`;
  };
})(window.contend);
