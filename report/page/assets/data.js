"use strict";
// The data: unpacked, and with what every view asks of it made once.
(function (C) {
  // served reports whether a server answers, which can do more than a page.
  C.served = () => !document.getElementById("data").textContent;

  // exact asks the server for the analysis of what some flags select.
  C.exact = async function (words) {
    const q = new URLSearchParams();
    for (let i = 0; i < words.length;
      i++) if (/^--(class|lock|thread|from|to)$/.test(words[i])) q.set(words[i].slice(2), words[i + 1]);
    const answer = await fetch("select.json?" + q, { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };

  // load reads what is inside the page, or asks the server the page is from.
  C.load = async function () {
    const inside = document.getElementById("data").textContent;
    if (!inside) {
      const answer = await fetch("data.json", { cache: "no-store" });
      if (!answer.ok) throw new Error("the server says " + answer.status);
      return answer.json();
    }
    if (!window.DecompressionStream) throw new Error("this browser is of before 2023 and cannot unpack it");
    const letters = atob(inside), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(unpacked).text());
  };

  // Model is one recording: rows and cells of the cube in typed columns.
  C.Model = function (data) {
    const t = data.cube, m = this;
    m.data = data;
    m.analyze = data.analyze;
    m.start = t.startNs;
    // what is shown counts from the start of the trace, as --from does
    m.shift = t.startNs - data.analyze.trace.startNs;
    m.bin = t.binNs;
    m.bins = t.bins;
    m.running = t.runningNs;
    m.otherNs = t.otherNs;
    t.dims.forEach((name, d) => { m[name] = Int32Array.from(t.rows[d]); });
    for (const name in t.sites) m[name] = Int32Array.from(t.sites[name]); // of each row, too
    m.rows = m.lock.length;
    m.first = new Int32Array(m.rows + 1); // cell of each row
    for (let i = 0; i < m.rows; i++) m.first[i + 1] = m.first[i] + t.cells.count[i];
    m.cellBin = Int32Array.from(t.cells.bin);
    m.cellWaits = Int32Array.from(t.cells.waits);
    m.cellNs = Float64Array.from(t.cells.ns);
    m.classes = t.classes.map(c => ({ name: C.visible(c.name), shown: C.visible(c.shown) }));
    m.baseClasses = // of the recording that this one is compared with
      data.base ? data.base.cube.classes.map(c => ({ name: C.visible(c.name), shown: C.visible(c.shown) })) : [];
    m.places = t.places.map(C.visible);
    m.locks =
      t.locks.map(l => ({ ...l, name: C.visible(l.name),
        shown: m.places[l.place] + (l.number ? " #" + l.number : "") }));
    m.named = new Map(m.locks.map(l => [l.name, l])); // two locks may have one name: no command distinguishes them
    m.groups = t.groups.map(C.visible);
    m.known = t.known;
    m.knownAt = t.known.map(k => Math.max(0, C.known.indexOf(k)));
    m.stacks = new Stacks(t.stacks);
    m.sides = { // what is known of the owners that are blamed
      direct: { stack: m.ownerStack, group: m.ownerGroup, site: m.ownerSite, took: m.ownerTook, doing: m.ownerDoing,
        blocked: m.blockedOn },
      root: { stack: m.rootStack, group: m.rootGroup, site: m.rootSite, took: m.rootTook, doing: m.rootDoing,
        blocked: new Int32Array(m.rows).fill(-1) },
    };
    m.made = new Map(); // columns and trees that were asked for
    m.duration = data.analyze.trace.durationNs;
    m.elapsed = data.analyze.elapsedNs || m.duration; // without the time between recordings, in which nothing was seen
    m.recorded = t.recorded; // the intervals that this time consists of
    m.timed = data.analyze.coverage.unit === "ns" && m.duration > 0;
    m.pauses = data.pauses;
    m.lanes = m.timed && data.lanes && data.lanes.threads.name.length ? new C.LaneModel(m, data.lanes) : null;
    m.longest =
      (data.longest || [])
        .map(w => ({ ...w, lock: m.locks[w.lock], thread: C.visible(w.thread), group: C.visible(w.group),
          parts: w.parts.map(p => ({ ...p, thread: C.visible(p.thread || ""), group: C.visible(p.group) })) }));
  };

  // shown is what the page calls a lock that the analysis names.
  C.Model.prototype.shown = function (name) { return (this.named.get(name) || { shown: name }).shown; };

  // selecting is the filter by a lock that the analysis names, or by its class;
  // null where the page knows neither.
  C.Model.prototype.selecting = function (lock, name) {
    const of = this.classes.find(c => c.name === name);
    return this.named.has(lock) ? { lock: this.shown(lock) } : of ? { class: of.shown } : null;
  };

  // Stacks are a tree of frames. A node's number is greater than its caller's.
  function Stacks(s) {
    this.caller = Int32Array.from(s.caller);
    this.frame = Int32Array.from(s.frame);
    this.names = s.names.map(C.visible);
    this.method = Int32Array.from(s.method);
    this.line = Int32Array.from(s.line);
    this.sort = Int8Array.from(s.sort);
    this.app = new Int32Array(this.caller.length); // node of the innermost frame of the program
    for (let i = 0; i < this.app.length; i++) {
      const out = this.caller[i], runtime = this.sort[this.frame[i]] === 1;
      this.app[i] = !runtime || out < 0 ? i : this.app[out];
    }
  }

  const way = []; // of the stack that is walked

  Stacks.prototype = {
    name(node) { return this.names[this.method[this.frame[node]]]; },
    text(node) {
      const line = this.line[this.frame[node]];
      return line > 0 ? this.name(node) + ":" + line : this.name(node);
    },
    pseudo(node) { return this.sort[this.frame[node]] === 2; },
    // methodOf is the name of the method a stack is about.
    methodOf(node) { return this.name(this.app[node]); },
    methodAt(node) { return this.method[this.frame[this.app[node]]]; },
    // frames lists a stack, its innermost frame first.
    frames(node) {
      const out = [];
      for (; node >= 0; node = this.caller[node]) out.push(node);
      return out;
    },
    // walk visits a stack from one of its ends.
    walk(node, outermost, visit) {
      if (!outermost) {
        for (; node >= 0; node = this.caller[node]) visit(node);
        return;
      }
      let n = 0;
      for (; node >= 0; node = this.caller[node]) way[n++] = node;
      while (n > 0) visit(way[--n]);
    },
    // holding marks the nodes that have one of these methods on their stack.
    holding(wanted) {
      const methods = new Uint8Array(this.names.length), mark = new Uint8Array(this.caller.length);
      this.names.forEach((n, i) => { methods[i] = wanted.has(n) ? 1 : 0; });
      for (let i = 0; i < mark.length; i++) {
        const out = this.caller[i];
        mark[i] = methods[this.method[this.frame[i]]] | (out >= 0 ? mark[out] : 0);
      }
      return mark;
    },
  };
})(window.contend);
