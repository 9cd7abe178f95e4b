//! A Rust program for recordings of perf that no rule was made for: what truth.cc
//! logs this one logs of std::sync's locks. See truth.cc.
//!
//!   truth OUT.json MILLISECONDS SEED [GATE]
//!
//! Six workers take two Mutexes and a RwLock; one more waits for a channel.
use std::hint::black_box;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

const LOCKS: [&str; 3] = ["accounts", "statements", "rates"];
const OPS: [&str; 6] = ["deposit", "settle", "print", "archive", "quote", "publish"];

struct Section { lock: usize, op: usize, asked: u128, got: u128, gave: u128, waited: bool }
struct Log { sections: Vec<Section>, start: Instant, seed: u64 }

impl Log {
    fn now(&self) -> u128 { self.start.elapsed().as_nanos() }
    fn random(&mut self) -> u64 {
        self.seed ^= self.seed << 13; self.seed ^= self.seed >> 7; self.seed ^= self.seed << 17;
        self.seed
    }
    fn busy(&mut self, us: u128) { let end = self.now() + us * 1000; while self.now() < end { black_box(self.random()); } }
}

struct Shared { accounts: Mutex<u64>, statements: Mutex<u64>, rates: RwLock<u64> }

macro_rules! section {
    ($log:ident, $lock:expr, $op:expr, $try:expr, $take:expr, $body:block) => {{
        let asked = $log.now();
        let (guard, waited) = match $try { Ok(g) => (g, false), Err(_) => ($take.unwrap(), true) };
        let got = $log.now();
        $body
        let gave = $log.now();
        drop(guard);
        $log.sections.push(Section { lock: $lock, op: $op, asked, got, gave, waited });
    }};
}

#[inline(never)]
fn do_deposit(s: &Shared, l: &mut Log) { section!(l, 0, 0, s.accounts.try_lock(), s.accounts.lock(), { l.busy(200); }) }
#[inline(never)]
fn do_settle(s: &Shared, l: &mut Log) { section!(l, 0, 1, s.accounts.try_lock(), s.accounts.lock(), { std::thread::sleep(Duration::from_millis(8)); }) }
#[inline(never)]
fn do_print(s: &Shared, l: &mut Log) { section!(l, 1, 2, s.statements.try_lock(), s.statements.lock(), { l.busy(150); }) }
#[inline(never)]
fn do_archive(s: &Shared, l: &mut Log) { section!(l, 1, 3, s.statements.try_lock(), s.statements.lock(), { std::thread::sleep(Duration::from_millis(5)); }) }
#[inline(never)]
fn do_quote(s: &Shared, l: &mut Log) { section!(l, 2, 4, s.rates.try_read(), s.rates.read(), { l.busy(100); std::thread::sleep(Duration::from_micros(500)); }) }
#[inline(never)]
fn do_publish(s: &Shared, l: &mut Log) { section!(l, 2, 5, s.rates.try_write(), s.rates.write(), { l.busy(200); std::thread::sleep(Duration::from_millis(2)); }) }

fn work(s: Arc<Shared>, start: Instant, until: u128, seed: u64, orders: mpsc::Sender<u64>) -> Vec<Section> {
    let mut l = Log { sections: Vec::new(), start, seed };
    while l.now() < until {
        let d = l.random() % 100;
        match d {
            0..=34 => do_deposit(&s, &mut l),
            35..=39 => do_settle(&s, &mut l),
            40..=59 => do_print(&s, &mut l),
            60..=64 => do_archive(&s, &mut l),
            65..=91 => do_quote(&s, &mut l),
            _ => do_publish(&s, &mut l),
        }
        l.busy(80);
        if d % 5 == 0 { orders.send(d).unwrap(); std::thread::sleep(Duration::from_millis(1)); }
    }
    l.sections
}

/// Who had the lock how long while somebody waited, k readers one k-th each.
fn blame(w: &Section, all: &[Section], owners: &mut [f64]) -> u128 {
    let mut cuts = vec![w.asked, w.got];
    let others: Vec<&Section> = all.iter().filter(|s| s.lock == w.lock && s.got < w.got && s.gave > w.asked).collect();
    for s in &others { for c in [s.got, s.gave] { if c > w.asked && c < w.got { cuts.push(c); } } }
    cuts.sort();
    let mut covered = 0;
    for pair in cuts.windows(2) {
        let by: Vec<usize> = others.iter().filter(|s| s.got <= pair[0] && s.gave >= pair[1]).map(|s| s.op).collect();
        for &op in &by { owners[op] += (pair[1] - pair[0]) as f64 / by.len() as f64; }
        if !by.is_empty() { covered += pair[1] - pair[0]; }
    }
    covered
}

fn list(ns: &[f64]) -> String {
    let named: Vec<String> = OPS.iter().zip(ns).filter(|(_, &v)| v > 0.0).map(|(op, v)| format!("\"{op}\":{v:.0}")).collect();
    named.join(",")
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args.len() < 4 { eprintln!("usage: truth OUT.json MILLISECONDS SEED [GATE]"); std::process::exit(2); }
    let (millis, seed): (u128, u64) = (args[2].parse().unwrap(), args[3].parse().unwrap());
    while args.len() > 4 && !std::path::Path::new(&args[4]).exists() { std::thread::sleep(Duration::from_millis(1)); }
    let start = Instant::now();
    let shared = Arc::new(Shared { accounts: Mutex::new(0), statements: Mutex::new(0), rates: RwLock::new(0) });
    let (orders, inbox) = mpsc::channel::<u64>();
    let clerk = std::thread::Builder::new().name("clerk".into()).spawn(move || inbox.iter().sum::<u64>()).unwrap();
    let workers: Vec<_> = (0..6).map(|k| {
        let (s, o) = (shared.clone(), orders.clone());
        std::thread::Builder::new().name(format!("worker-{k}")).spawn(move || work(s, start, millis * 1_000_000, seed * 31 + k + 1, o)).unwrap()
    }).collect();
    drop(orders);
    let all: Vec<Section> = workers.into_iter().flat_map(|w| w.join().unwrap()).collect();
    clerk.join().unwrap();
    let mut locks = Vec::new();
    for (lock, name) in LOCKS.iter().enumerate() {
        let (mut owners, mut waiters) = ([0.0; OPS.len()], [0.0; OPS.len()]);
        let (mut waits, mut ns, mut covered) = (0, 0, 0);
        for w in all.iter().filter(|s| s.lock == lock && s.waited) {
            waits += 1;
            ns += w.got - w.asked;
            waiters[w.op] += (w.got - w.asked) as f64;
            covered += blame(w, &all, &mut owners);
        }
        locks.push(format!("\n {{\"lock\":\"{name}\",\"waits\":{waits},\"wait_ns\":{ns},\"handoff_ns\":{},\"waiters\":{{{}}},\"blocked_by\":{{{}}}}}", ns - covered, list(&waiters), list(&owners)));
    }
    std::fs::write(&args[1], format!("{{\"program\":\"truth.rs\",\"pid\":{},\"locks\":[{}\n]}}\n", std::process::id(), locks.join(","))).unwrap();
}
