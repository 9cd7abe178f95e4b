"use strict";
// The headline: the verdicts, each a link that sets the filter.
(function (C) {
  const { html } = window.htmPreact;

  // meanings say what owners that are no threads stand for.
  C.meanings = {
    "[handoff]": "the lock was free and not yet taken: a woken thread was still on its way",
    "[gc pause]": "the virtual machine had stopped all threads to collect garbage",
    "[safepoint]": "the virtual machine had stopped all threads",
    "[unknown owner]": "nothing tells who had the lock",
    "[external]": "the owner had left the trace",
    "[unknown stack]": "the thread is known, its call chain is not",
    "[other]": "small rows that were added up to keep the page small",
  };

  // activities tell from its innermost frames what a thread was at.
  const activities = [
    [/(^|\.)Thread\.(sleep\d?|sleepNanos\d?)$|^time\.Sleep$|TimeUnit\.sleep$|VirtualThread\.sleepNanos$/, "asleep"],
    [/[sS]ocket\w*[.$].*(read|write|connect|accept)|^net\.|SocketDispatcher|NioSocketImpl/, "at a socket"],
    [/(File|RandomAccess)\w*\.(\w*read|\w*write|force|sync|open)\w*\d?$|FileDispatcher|FileChannel|^os\.\(\*File\)|^internal\/poll/, "at a file"],
    [/\bUnsafe\.park$|LockSupport\.park/, "parked"],
    [/\bObject\.wait\d?$/, "in Object.wait"],
  ];

  C.activity = function (stacks, node) {
    const frames = stacks.frames(node).slice(0, 6).map(n => stacks.name(n));
    for (const [pattern, text] of activities) if (frames.some(f => pattern.test(f))) return text;
    return "";
  };

  // top returns the largest group of the selected rows that is no pseudo owner.
  const top = (s, key, fits) => C.groupBy(s, s.some, key).find(g => !fits || fits(g));

  // derived are the verdicts that the sums alone give.
  function derived(m, s) {
    const out = [];
    const lock = top(s, i => m.locks[m.lock[i]].name, g => g.key !== "[other]");
    if (lock) {
      out.push({ title: "Most contended", text: [html`<${C.Name} text=${lock.key} />`, " has ", html`<b>${C.percent(lock.ns, s.total)}</b>`, " of the waiting"], filter: { lock: lock.key } });
    }
    const took = C.tookLock(s), site = i => took.has(i) ? m.stacks.names[m.stacks.method[took.get(i)]] : m.stacks.methodOf(m.ownerStack[i]);
    const culprit = top(s, site, g => !m.stacks.pseudo(m.stacks.app[m.ownerStack[g.rows[0]]]));
    if (culprit) {
      const at = C.activity(m.stacks, C.groupBy(s, culprit.rows, i => m.ownerStack[i])[0].key);
      out.push({ title: "Caused by", text: [html`<${C.Name} text=${culprit.key} />`, " had the lock in ", html`<b>${C.percent(culprit.ns, s.total)}</b>`, " of the waiting", at && ", mostly " + at], filter: { ownerFrame: culprit.key } });
    }
    const waiter = top(s, i => m.stacks.methodOf(m.waiterStack[i]), g => !m.stacks.pseudo(m.stacks.app[m.waiterStack[g.rows[0]]]));
    if (waiter) out.push({ title: "Waits most", text: [html`<${C.Name} text=${waiter.key} />`, " does ", html`<b>${C.percent(waiter.ns, s.total)}</b>`, " of the waiting"], filter: { waiterFrame: waiter.key } });
    const free = s.some.filter(i => m.stacks.pseudo(m.ownerStack[i]) && m.stacks.name(m.ownerStack[i]) === "[handoff]").reduce((a, i) => a + s.ns[i], 0);
    if (free > 0.2 * s.total) out.push({ title: "Slow hand-offs", text: [html`for <b>${C.percent(free, s.total)}</b>`, " of the waiting the lock was free: a woken thread was still on its way to it"], filter: { ownerFrame: "[handoff]" } });
    return out;
  }

  // found are the verdicts that contend analyze gives.
  function found(m) {
    const list = m.analyze.findings || [];
    return list.slice(0, 6).map(f => ({ title: f.title || f.kind || "", text: [C.visible(f.text || f.title || "")], filter: selection(f) }));
  }

  // selection is what of a finding can be filtered by.
  function selection(f) {
    const out = {};
    if (f.lock) out.lock = C.visible(f.lock);
    else if (f.class) out.class = C.visible(f.class);
    return out;
  }

  // lead says in one sentence how bad it is.
  function lead(m) {
    const t = m.analyze.total, d = m.duration;
    if (!m.timed) return html`<p class="lead">${C.amount(t.waitNs)} waited for locks, in ${C.plural(t.waits, "wait")}. This input counts and measures no time.</p>`;
    const pressure = t.runningNs ? t.waitNs / t.runningNs : 0;
    return html`<p class="lead">On average <b>${C.average(t.waitNs / d)}</b> of ${C.plural(m.analyze.trace.threads, "thread")} waited for a lock: <b>${C.duration(t.waitNs)}</b> in ${C.plural(t.waits, "wait")} over ${C.duration(d)}${t.runningNs ? html`, <b>${C.percent(pressure, 1)}</b> of all running time` : ""}.</p>`;
  }

  C.Headline = function ({ model: m, all }) {
    const t = m.analyze.total;
    if (!t.waits && !t.waitNs && !m.analyze.deadlocks.length) return html`<${C.Empty} model=${m} />`;
    const cards = found(m), dead = m.analyze.deadlocks.length;
    return html`<section class="headline" aria-label="headline">${lead(m)}
      <div class="verdicts">
        ${dead > 0 && html`<button type="button" class="verdict bad" onClick=${() => C.set({ view: "deadlocks" })}><span class="title">Deadlock</span><span>${C.plural(dead, "cycle")} of threads that wait for each other and will never end</span></button>`}
        ${(cards.length ? cards : derived(m, all)).map(v => html`<button type="button" class="verdict" onClick=${() => C.only(v.filter)} title="show this alone"><span class="title">${v.title}</span><span>${v.text}</span></button>`)}
        <button type="button" class="verdict sure" onClick=${() => C.set({ view: "about" })}><span class="title">How sure</span><span>owners known: <${C.KnownBar} parts=${C.knownParts(all, all.some)} />${surest(all)}</span></button>
      </div></section>`;
  };

  function surest(all) {
    const parts = C.knownParts(all, all.some), best = parts.indexOf(Math.max(...parts));
    return " mostly " + C.known[best];
  }

  // Empty says what was not recorded, and how to record it.
  C.Empty = function ({ model: m }) {
    const java = /jfr/.test(m.analyze.trace.format);
    return html`<section class="headline empty"><p class="lead">No thread waited for a lock in what was recorded.</p>
      ${m.analyze.coverage.warnings.map(w => html`<p>${C.visible(w.text)}</p>`)}
      <p>${java ? "The JDK's own settings leave out waits shorter than 10 or 20 ms. To record all of them:" : "To record a Java program:"}</p>
      <pre>${java ? "contend jfc > contend.jfc\njcmd PID JFR.start name=locks settings=$PWD/contend.jfc" : "contend record PID"}</pre>
      <p>Of a Go program: an execution trace, from trace.Start or /debug/pprof/trace. Of any Java program: a series of thread dumps, jstack -l PID.</p></section>`;
  };
})(window.contend);
