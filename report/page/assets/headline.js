"use strict";
// The headline: the verdicts, each a link that sets the filter.
(function (C) {
  const { html } = window.htmPreact;

  // meanings say what owners that are no threads stand for.
  C.meanings = {
    "[handoff]": "the lock was free and not yet taken: a woken thread was still on its way",
    "[gc pause]": "the virtual machine had stopped all threads to collect garbage",
    "[safepoint]": "the virtual machine had stopped all threads",
    "[unknown owner]": "the trace does not show which thread held the lock",
    "[external]": "the owner had left the trace",
    "[unknown stack]": "the thread is known, its call chain is not",
    "[no owner]": "no thread holds a pool, queue, latch or result: look for the reason why its waits end late",
    "[other]": "small rows that were added up to keep the page small",
  };

  // holder says who had objects of a pool, or ran tasks, while others waited.
  C.holder = h => [html`<b>${C.average(h.threads)}</b> ${C.thread}s `, html`<${C.Name} text=${C.visible(h.site)} />`,
    h.doing ? `, ${h.doing}` : "", h.shown ? "" : " (inferred)"];

  // top returns the largest group of the selected rows that fits.
  const top = (s, rows, column, fits) => C.groupBy(s, rows, s.column(column)).find(fits);

  // derived are the verdicts that the sums alone give; what a finding says
  // already they leave out.
  function derived(m, s, reported) {
    const out = [], { took } = s.side, rows = s.some.filter(i => !m.locks[m.lock[i]].resource),
      lockTime = s.locks < s.total ? " of the waiting for locks" : " of the waiting";
    const lock = top(s, s.some, "place", g => g.text !== "[other]");
    if (
      lock) out.push({ title: "Most contended",
        text: [html`<${C.Lock} m=${m} text=${lock.text} kind="place" />`, C.kindOf(m, lock.rows), " has ",
          html`<b>${C.percent(lock.ns, s.total)}</b>`, " of the waiting"],
        filter: { place: lock.text }, ns: Infinity });
    const ends = lock && m.locks[m.lock[lock.rows[0]]].released || [];
    if (
      ends.length > 0) out.push({ title: "Released by",
        text: [
          ends.map((u, i) => [i ? ", " : "",
            u.site ? html`<${C.Name} text=${C.visible(u.site)} />` : `${C.visible(u.group)} ${C.thread}s`, " ",
            html`<b>${C.percent(u.share, 1)}</b>`]),
          ": they end the waits at ", html`<${C.Lock} m=${m} text=${lock.text} kind="place" />`],
        filter: { place: lock.text }, ns: lock.ns });
    const held = (lock && m.locks[m.lock[lock.rows[0]]].holders || []).filter((h, i, all) =>
      h.threads >= 0.05 * all[0].threads);
    if (
      held.length > 0) out.push({ title: m.locks[m.lock[lock.rows[0]]].kind === "result" ? "Run by" : "Held by",
        text: [held.map((h, i) => [i ? "; " : "", ...C.holder(h)]),
          ", while others waited for ", html`<${C.Lock} m=${m} text=${lock.text} kind="place" />`],
        filter: { place: lock.text }, ns: lock.ns });
    const e = !C.filtered(C.state.filter) && (m.analyze.executors || [])[0];
    if (
      e && e.allBusy >= 0.25 && e.doing.length > 0) out.push({ title: "Workers",
        text: [`all ${C.number(e.workers)} ${C.visible(e.pool)} ${C.thread}s were busy `,
          e.instants ? `at ${Math.round(e.allBusy * e.instants)} of ${C.plural(e.instants, "instant")}` :
            html`<b>${C.percent(e.allBusy, 1)}</b> of the time`, ": ",
          e.doing.slice(0, 2).map((h, i) => [i ? "; " : "", ...C.holder(h)])],
        ns: 0 });
    const culprit = top(s, rows, "owner-site", g => took[g.rows[0]] >= 0);
    if (culprit && !reported.some(f => f.filter && f.filter.ownerSite === culprit.text)) {
      const at = C.mainDoing(s, culprit.rows);
      out.push({ title: "Caused by",
        text: [culprit.text.startsWith("in ") && "a thread ", html`<${C.Name} text=${culprit.text} />`,
          " held the lock during ", html`<b>${C.percent(culprit.ns, s.locks)}</b>`, lockTime,
          at && ", mostly " + C.short(at)],
        filter: { ownerSite: culprit.text }, ns: culprit.ns });
    }
    const waiter = top(s, rows, "waiter-site", g => !g.text.startsWith("["));
    if (
      waiter) out.push({ title: "Waits most",
        text: [html`<${C.Name} text=${waiter.text} />`, " accounts for ", html`<b>${C.percent(waiter.ns, s.locks)}</b>`,
          lockTime],
        filter: { waiterSite: waiter.text }, ns: waiter.ns });
    const free = top(s, rows, "owner-site", g => g.text === "[handoff]");
    if (
      free &&
        free.ns > 0.2 * s.locks) out.push({ title: "Slow hand-offs",
          text: ["for ", html`<b>${C.percent(free.ns, s.locks)}</b>`,
            lockTime + " the lock was free: a woken thread was still on its way to it"],
          filter: { ownerSite: "[handoff]" }, ns: free.ns });
    return out.sort((a, b) => b.ns - a.ns);
  }

  // circle names the threads of a deadlock.
  const circle = d => {
    if (d.found) return "All threads wait";
    const names = d.cycle.map(c => C.visible(c.thread));
    if (names.length === 1) return names[0] + " waits for itself";
    return (names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names).join(", ")
      .replace(/, ([^,]*)$/, " and $1") +
      " wait for each other";
  };

  // members are the threads of a deadlock: where each took the lock it holds, for which the
  // one before waits, and where it waits for the next.
  C.members = (m, i) =>
    m.analyze.deadlocks[i]
      .cycle.map(c => ({ thread: C.visible(c.thread), lock: m.shown(C.visible(c.lock)), name: C.visible(c.lock),
        stack: c.stack, holds: m.shown(C.visible(c.holds)), took: C.visible(c.took || ""),
        at: c.stack.map(f => ({ ...f, name: C.visible((f.class ? f.class + "." : "") + f.method) })) }));

  // Stuck says it of one of them in a line.
  C.Stuck = function ({ m, t }) {
    const own = t.at.find(f => !/^(java|jdk|sun)\./.test(f.name)) || t.at[0];
    return html`<span class="stuck"><bdi>${t.thread}</bdi> took <${C.Lock} m=${m} text=${t.holds} />
      ${own && t.took === own.name + ":" + own.line ? html` in <${C.Name} text=${own.name} /> at line ${own.line} or before` :
        t.took && !t.holds.endsWith(C.short(t.took)) ? html` at <${C.Name} text=${t.took} />` : ""}, waits
      ${own ? html` at <${C.Name} text=${own.name + (own.line > 0 ? ":" + own.line : "")} />` : ""} for <${C.Lock}
        m=${m} text=${t.lock} />
      </span>`;
  };

  // site is what the page calls the site of an owner: one whose acquisition is not known
  // was in it.
  const site = (m, owner) => m.stacks.names.includes("in " + owner) ? "in " + owner : owner;

  // severalOf names the lock of a finding, or all of its class and site.
  const severalOf = (m, f) =>
    m.shown(C.visible(f.lock)).replace(...f.locks > 1 ? [/( [@#]\w+)?$/, ` (${f.locks} locks)`] : ["", ""]);

  // found are the findings of contend analyze; deadlocks have a verdict anyway.
  const found = m =>
    m.found = m.found ||
      (m.analyze.findings || []).filter(f => !f.deadlock)
        .map(f => ({ ...f, lock: severalOf(m, f), owner: site(m, C.visible(f.owner || "")),
          root: f.root ? m.shown(C.visible(f.root)) : "", site: C.visible(f.site || ""),
          thread: C.visible(f.thread || ""), evidence: C.visible(f.evidence || ""),
          selects: m.selecting(f.locks > 1 ? "" : C.visible(f.lock), C.visible(f.class || "")) }));

  // evidence is what owners were at, by the kind of a finding.
  const evidence =
    { "sleep-while-holding": "asleep", "file-while-holding": "in file I/O", "socket-while-holding": "in socket I/O",
      "io-while-holding": "in I/O", "blocked-while-holding": "blocked",
      "descheduled-while-holding": "ready, without a processor",
      "paused-while-holding": "stopped by a garbage collection" };

  // subject is what a finding about no owner is about. One about what is no lock has a share of all waiting.
  const subject = (m, f) => ({
    title: f.title, remedy: f.remedy, sure: f.confidence,
    share: f.share, nonLock: /^(pool-exhausted|notify-storm|polling)$/.test(f.kind),
      text: [f.thread ? ["thread ", html`<${C.Name} text=${f.thread} />`, ", "] : "",
        f.lock ?
          [html`<${C.Lock} m=${m} text=${f.lock} />`,
            f.site && !f.lock.endsWith(f.site) ? [", waited for at ", html`<${C.Name} text=${f.site} />`] : ""] :
          html`<${C.Name} text=${f.site} />`,
        ": ", f.evidence],
    filter: f.selects,
  });

  const finding = (m, f) => !f.owner ? subject(m, f) : ({
    title: f.title, remedy: f.remedy, sure: f.confidence, share: f.share,
    text: [f.owner.startsWith("in ") && "a thread ", html`<${C.Name} text=${f.owner} />`,
      f.owner.startsWith("in ") ? " held " : " took ", html`<${C.Lock} m=${m} text=${f.lock} />`,
      f.root ? [", then waited for ", html`<${C.Lock} m=${m} text=${f.root} />`] : ""],
    filter: { ...f.selects, ownerSite: f.owner, ...(evidence[f.kind] ? { doing: evidence[f.kind] } : {}) },
  });

  // reported are the findings about what is selected, with what each has of it: all of the
  // recording's where nothing is selected, also those about no lock.
  function reported(m, s) {
    const most = 4, all = found(m).map(f => finding(m, f));
    if (!C.filtered(C.state.filter)) return all.slice(0, most);
    return all.filter(f => f.filter).map(f => {
      const ok = C.passes(m, Object.fromEntries(Object.entries(f.filter).map(([kind, v]) => [kind, [v]])), "direct");
      return { ...f, share: s.some.reduce((sum, i) => ok[i] ? sum + s.ns[i] : sum, 0) / Math.max(s.locks, 1) };
    }).filter(f => f.share >= 0.01).sort((a, b) => b.share - a.share).slice(0, most);
  }

  // lead says in one sentence how bad it is, of what is selected: what most waiting is for first.
  function lead(m, s, all) {
    const part = C.filtered(C.state.filter),
      of = part ? html`Selected: <b>${C.percent(s.total, all.total)}</b> of all waiting. ` : "",
      rest = s.total - s.locks;
    const kinds = rest > 0 && C.groupBy(s, s.some.filter(i => m.locks[m.lock[i]].resource), s.column("place")),
      others = rest > 0 &&
        [html`<${C.Lock} m=${m} text=${kinds[0].text} kind="place" />`, C.kindOf(m, kinds[0].rows),
          kinds.length > 1 ? ` and ${kinds.length - 1} more` : ""];
    if (C.sums()) return html`<p class="lead">${of}
      <b>${C.amount(s.locks)}</b> of waiting for locks${C.inWaits(s.locksBegun)}, summed by stack. This input has no instants of waits.</p>`;
    if (!m.timed) return html`<p class="lead">${of}
      ${C.amount(s.locks)} waited for locks, in ${C.plural(s.locksBegun, "wait")}
      ${rest > 0 && html`, ${C.amount(rest)} at ${others}`}. This input counts and measures no time.</p>`;
    // where threads are not known to run, between two bounds
    const bounds = part ? null : m.analyze.coverage.running, pressure = s.locks / Math.max(s.running, 1),
      d = Math.max(s.span, 1);
    const share = bounds && bounds.lowNs > 0 && bounds.highNs > bounds.lowNs ?
      C.percent(s.locks, bounds.highNs) + " to " + C.percent(s.locks, bounds.lowNs) : C.percent(pressure, 1);
    const damages = ["lost-data", "truncated", "damaged-source", "interrupted"],
      damaged = m.analyze.coverage.warnings.some(w => damages.includes(w.code));
    const locks = !s.locks ? html`none for a lock, over ${C.duration(d)}` :
      html`<b>${C.average(s.locks / d)}</b>
        ${rest > s.locks ? "" : ` of ${C.plural(m.analyze.trace.threads, C.thread)} waited`} for a lock${damaged ? " in the part that was read" : ""}: <b>
        ${C.duration(s.locks)}</b> in ${C.plural(s.locksBegun, "wait")} over ${C.duration(d)}
        ${s.running ? html`, <b>${share}</b> of all running time` : ""}`;
    const nonLock = rest > 0 &&
      html`<b>${C.average(rest / d)}</b>
        ${rest > s.locks ? ` of ${C.plural(m.analyze.trace.threads, C.thread)} waited` : ""} at ${others}`;
    return html`<p class="lead">${of}
      On average ${rest > s.locks ? html`${nonLock}, and ${locks}` : html`${locks}${nonLock && html`; ${nonLock}`}`}.
      ${!part && s.total / d < 0.05 && pressure < 0.01 ? " Locks are no bottleneck here." : ""}</p>`;
  }

  const card = (v, whole) =>
    html`
      <button type="button" class=${"verdict" + (v.remedy ? " found" : "")}
        onClick=${() => v.filter ? C.only(v.filter, { blame: "direct" }) : C.set({ view: "about" })}
        title=${v.filter ? "show this alone" : ""}>
      <span class="title">${v.title}</span><span>${v.text}
      ${v.share !== undefined &&
        html`: <b>${C.percent(v.share, 1)}</b> of the waiting${whole || v.nonLock ? "" : " for locks"}`}
      </span>${v.remedy && html`<small class="remedy">${v.remedy} <i>Confidence: ${v.sure}.</i></small>`}</button>`;

  C.Headline = function ({ model: m, s, all }) {
    const t = m.analyze.total;
    if (!t.waits && !t.waitNs && !m.analyze.deadlocks.length) return html`
      <${C.Empty} model=${m} reported=${found(m).map(f => finding(m, f))} lead=${all.total > 0 && lead(m, s, all)} />`;
    const dead = m.analyze.deadlocks.length, direct = s.blame === "direct" ? s : C.select(m, C.state.filter, "direct"),
      findings = reported(m, direct), cards = derived(m, direct, findings), known = C.sureness(s, s.some);
    // findings are about locks: then they come later
    const left = m.analyze.notCounted || [], leads = s.total > 2 * s.locks;
    const cause = findings.length > 0 &&
      html`<div class="verdicts findings">${findings.map(f => card(f, s.locks === s.total))}</div>`;
    return html`<section class="headline" aria-label="headline">${lead(m, s, all)}
      ${m.data.diff && html`<${Changes} m=${m} d=${m.data.diff} />`}
      ${dead > 0 &&
        html`<div class="verdicts findings">
          <button type="button" class="verdict bad" onClick=${() => C.set({ view: "deadlocks" })}><span class="title">
          ${C.plural(dead, "Deadlock")}</span>
          ${m.analyze.deadlocks.slice(0, 3)
            .map((d, i) =>
              html`<span><b>${circle(d)}</b>${d.queued.length > 0 && `, ${C.plural(d.queued.length, C.thread)} behind`}
                </span>${C.members(m, i).slice(0, 4).map(t => html`<${C.Stuck} m=${m} t=${t} />`)}`)}
          ${dead > 3 && html`<span>and ${C.plural(dead - 3, "more deadlock")}</span>`}</button></div>`}
      ${!leads && cause}
      <div class="verdicts">
        ${cards.map(v => card(v))}
        <button type="button" class="verdict sure" onClick=${() => C.set({ view: "about" })}><span class="title">
          How sure</span><span>${known.whole > 0 ? html`owners ${C.sureText(known)} <${C.KnownBar} of=${known} />` :
            "no owners: no waiting for locks"}</span></button>
      </div>${leads && cause}
        ${left.length > 0 &&
          html`<p class="left"><b>Not counted:</b> ${left.map(w => C.visible(w.text)).join("; ")}</p>`}
        </section>`;
  };

  // Changes says what waits more or less than in the recording that this one is compared with, of
  // all together and of the largest differences that are no noise.
  function Changes({ m, d }) {
    const list = C.changes(m, d), open = () => C.set({ view: "compare" }), whole = C.change(d, d.total);
    return html`<p class="lead">Compared with <${C.Side} d=${d} side=${d.base} />: ${whole.text}${whole.noise ?
        ", which may be noise" : ""}.</p>
      <div class="verdicts findings changes">
        ${list.map(r => html`<button type="button" class=${"verdict" + (r.grew && r.large ? " found" : "")}
          onClick=${open}><span class="title">${r.grew ? "Grew" : "Shrank"}</span><span>${r.role} <${C.Name}
          text=${r.name} title=${r.whole} />: ${r.text}</span></button>`)}
        ${!list.length && html`<button type="button" class="verdict sure" onClick=${open}><span class="title">
          Compared</span><span>no change is larger than noise may be</span></button>`}</div>`;
  }

  // Empty says what was not recorded, and how to record it; where anything else is
  // wrong, that.
  C.Empty = function ({ model: m, reported, lead }) {
    lead = lead ||
      html`<p class="lead">No thread waited for a lock in what was recorded
        ${reported.length > 0 ? "; this was found beside:" : "."}</p>`;
    if (reported.length > 0) return html`<section class="headline">${lead}
      <div class="verdicts findings">${reported.map(f => card({ ...f, filter: null }, true))}</div></section>`;
    const java = /jfr/.test(m.analyze.trace.format),
      virtual = m.analyze.coverage.warnings.some(w => w.code === "virtual-threads"),
      resources = m.analyze.resourceTotal;
    const why = virtual ? "JDK 25 can record the waits of virtual threads for locks of java.util.concurrent:" : java ?
      "The JDK's own settings leave out waits shorter than 10 or 20 ms. To record all of them:" :
      "To record a Java program:";
    return html`<section class="headline empty">${lead}
      ${resources && resources.waitNs > 0 &&
        html`<p><b>${C.amount(resources.waitNs)}</b> of waiting for pools, permits and queues, which are not locks.</p>
          `}
      ${m.analyze.coverage.warnings.map(w => html`<p>${C.visible(w.text)}</p>`)}
      <p>${why}</p>
      <pre>
        ${java ?
          `contend jfc${virtual ? " --exact" :
            ""} > contend.jfc\njcmd PID JFR.start name=locks settings=$PWD/contend.jfc` :
          "contend record PID"}
        </pre>
      <p>For a Go program: an execution trace, from trace.Start or /debug/pprof/trace.</p>
      <p>For any Java program: a series of thread dumps, jstack -l PID.</p></section>`;
  };
})(window.contend);
