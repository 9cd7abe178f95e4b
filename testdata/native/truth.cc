// A program that logs who held which of its locks when: what contend says of a
// recording of it is held to that.
//
//   truth OUT.json MILLISECONDS SEED [GATE]
//
// Eight workers take three mutexes, two of them nested, and a read-write lock,
// computing and sleeping inside the sections, and queue work for two consumers,
// which wait on a condition variable. With GATE the workers start when that file
// exists. Times are of the monotonic clock: perf's with -k CLOCK_MONOTONIC.
//
// A wait begins when a lock asked for is taken: what is had at once is no wait,
// whoever else had the CPU meanwhile.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <pthread.h>

#define KEPT __attribute__((noinline))  // a function that shows in stacks

enum Lock { inventory, ledger, audit, catalog, orders, locks };
static const char *lockNames[] = {"inventory", "ledger", "audit", "catalog", "orders"};
enum Op { checkout, refund, exportReport, transfer, auditWrite, auditScan, lookup, reprice, submit, drain, ops };
static const char *opNames[] = {"checkout", "refund", "exportReport", "transfer", "auditWrite", "auditScan", "lookup", "reprice", "submit", "drain"};

struct Section { int64_t asked, got, gave; uint8_t lock, op; bool shared, waited; };
struct Thread { std::vector<Section> sections; int64_t idle = 0, waits = 0, tid = 0; std::mt19937 rnd; std::string name; };
static thread_local Thread *self;

static int64_t now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
KEPT static void busy(int us) { volatile uint64_t sum = 0; for (int64_t end = now() + us * 1000LL; now() < end;) sum = sum + self->rnd(); }
KEPT static void nap(int us) { usleep(us); }

// Held is a section: it logs when the lock was asked for, got and given back.
template <class L, bool shared = false> struct Held {
  L &lock; size_t at;
  KEPT Held(L &l, Lock id, Op op) : lock(l), at(self->sections.size()) {
    self->sections.push_back({now(), 0, 0, uint8_t(id), uint8_t(op), shared, false});
    if constexpr (shared) { if (!l.try_lock_shared()) { self->sections[at].waited = true; l.lock_shared(); } }
    else if (!l.try_lock()) { self->sections[at].waited = true; l.lock(); }
    self->sections[at].got = now();
  }
  KEPT ~Held() {
    self->sections[at].gave = now();
    if constexpr (shared) lock.unlock_shared(); else lock.unlock();
  }
};
using Mutual = Held<std::mutex>;

static std::mutex inventoryLock, ledgerLock, auditLock, ordersLock;
static std::shared_mutex catalogLock;
static std::condition_variable arrived;
static std::deque<int> queue;
static bool closing;

KEPT static void doCheckout() { Mutual h(inventoryLock, inventory, checkout); busy(200); }
KEPT static void doRefund() { Mutual h(inventoryLock, inventory, refund); busy(700); }
KEPT static void doExportReport() { Mutual h(inventoryLock, inventory, exportReport); nap(15000); }
KEPT static void doTransfer() {
  Mutual outer(ledgerLock, ledger, transfer); busy(100);
  Mutual inner(inventoryLock, inventory, transfer); busy(250);
}
KEPT static void doAuditWrite() { Mutual h(auditLock, audit, auditWrite); busy(150); }
KEPT static void doAuditScan() { Mutual h(auditLock, audit, auditScan); nap(6000); }
KEPT static void doLookup() { Held<std::shared_mutex, true> h(catalogLock, catalog, lookup); busy(120); nap(800); }
KEPT static void doReprice() { Held<std::shared_mutex> h(catalogLock, catalog, reprice); busy(300); nap(1500); }
KEPT static void doSubmit() {
  { Mutual h(ordersLock, orders, submit); queue.push_back(1); busy(40); }
  arrived.notify_one();
}
// doDrain takes one order; false when there will be none. The waiting for the
// lock when the condition variable lets go is in nobody's log.
KEPT static bool doDrain() {
  auto h = std::make_unique<Mutual>(ordersLock, orders, drain);
  while (queue.empty() && !closing) {
    std::unique_lock<std::mutex> l(ordersLock, std::adopt_lock);
    int64_t from = now();
    self->sections[h->at].gave = from;
    arrived.wait(l);
    int64_t to = now();
    self->idle += to - from; self->waits++;
    l.release();
    h->at = self->sections.size();
    self->sections.push_back({to, to, 0, orders, drain, false, false});
  }
  if (queue.empty()) return false;
  queue.pop_front(); busy(60);
  return true;
}

static void called(Thread *t, const std::string &name) {
  self = t; t->name = name; t->tid = gettid(); t->sections.reserve(1 << 16);
  pthread_setname_np(pthread_self(), name.c_str());
}
static void work(Thread *t, int k, int64_t end) {
  called(t, "worker-" + std::to_string(k));
  while (now() < end) {
    int d = t->rnd() % 100;
    if (d < 30) doCheckout(); else if (d < 38) doRefund(); else if (d < 40) doExportReport();
    else if (d < 52) doTransfer(); else if (d < 66) doAuditWrite(); else if (d < 68) doAuditScan();
    else if (d < 80) doLookup(); else if (d < 85) doReprice(); else doSubmit();
    busy(100); if (d % 4 == 0) nap(1000);
  }
}
static void consume(Thread *t, int k) { called(t, "consumer-" + std::to_string(k)); while (doDrain()) busy(80); }

// blame charges a wait to who had the lock meanwhile, k readers one k-th each.
static int64_t blame(const Section &w, const std::vector<Section> &all, size_t first, std::map<std::pair<int, int>, double> &to) {
  std::vector<const Section *> in; std::vector<int64_t> cuts{w.asked, w.got};
  for (size_t i = first; i < all.size() && all[i].got < w.got; i++)
    if (all[i].gave > w.asked) { in.push_back(&all[i]); for (int64_t c : {all[i].got, all[i].gave}) if (c > w.asked && c < w.got) cuts.push_back(c); }
  std::sort(cuts.begin(), cuts.end());
  int64_t covered = 0;
  for (size_t c = 1; c < cuts.size(); c++) {
    int64_t from = cuts[c - 1], until = cuts[c]; std::vector<int> by;
    for (auto s : in) if (s->got <= from && s->gave >= until) by.push_back(s->op);
    for (int op : by) to[{w.op, op}] += double(until - from) / by.size();
    if (!by.empty()) covered += until - from;
  }
  return covered;
}

static void report(const char *path, const std::vector<Thread *> &threads) {
  std::vector<Section> all[locks]; int64_t idle = 0, waits = 0;
  for (auto t : threads) { for (auto &s : t->sections) all[s.lock].push_back(s); idle += t->idle; waits += t->waits; }
  FILE *f = fopen(path, "w");
  if (!f) { perror(path); exit(1); }
  fprintf(f, "{\"program\":\"truth.cc\",\"pid\":%d,\"idle_ns\":%lld,\"idle_waits\":%lld,\"locks\":[", getpid(), (long long)idle, (long long)waits);
  for (int l = 0; l < locks; l++) {
    std::sort(all[l].begin(), all[l].end(), [](auto &a, auto &b) { return a.got < b.got; });
    int64_t longest = 0; for (auto &s : all[l]) longest = std::max(longest, s.gave - s.got);
    int64_t ns = 0, handoff = 0, n = 0; std::map<std::pair<int, int>, double> pairs; double owner[ops] = {}, waiter[ops] = {};
    for (auto &w : all[l]) if (w.waited) {
      n++; ns += w.got - w.asked; waiter[w.op] += w.got - w.asked;
      auto from = std::lower_bound(all[l].begin(), all[l].end(), w.asked - longest, [](auto &s, int64_t t) { return s.got < t; });
      handoff += w.got - w.asked - blame(w, all[l], from - all[l].begin(), pairs);
    }
    for (auto &p : pairs) owner[p.first.second] += p.second;
    fprintf(f, "%s\n {\"lock\":\"%s\",\"waits\":%lld,\"wait_ns\":%lld,\"handoff_ns\":%lld", l ? "," : "", lockNames[l], (long long)n, (long long)ns, (long long)handoff);
    auto list = [&](const char *key, double *v) {
      fprintf(f, ",\"%s\":{", key); const char *sep = "";
      for (int o = 0; o < ops; o++) if (v[o] > 0) { fprintf(f, "%s\"%s\":%.0f", sep, opNames[o], v[o]); sep = ","; }
      fprintf(f, "}");
    };
    list("waiters", waiter); list("blocked_by", owner);
    fprintf(f, ",\"matrix\":{"); const char *sep = "";
    for (auto &p : pairs) { fprintf(f, "%s\"%s<-%s\":%.0f", sep, opNames[p.first.first], opNames[p.first.second], p.second); sep = ","; }
    fprintf(f, "}}");
  }
  fprintf(f, "\n]}\n");
  if (fclose(f)) { perror(path); exit(1); }
  if (const char *log = getenv("TRUTH_LOG")) {  // each section, for who looks into one
    f = fopen(log, "w");
    for (auto t : threads) for (auto &s : t->sections)
      fprintf(f, "%lld %s %lld %s %s %lld %lld %lld%s%s\n", (long long)s.asked, t->name.c_str(), (long long)t->tid, lockNames[s.lock], opNames[s.op],
        (long long)s.asked, (long long)s.got, (long long)s.gave, s.waited ? " waited" : "", s.shared ? " shared" : "");
    fclose(f);
  }
}

int main(int argc, char **argv) {
  if (argc < 4) { fprintf(stderr, "usage: truth OUT.json MILLISECONDS SEED [GATE]\n"); return 2; }
  for (int i = 0; argc > 4 && access(argv[4], F_OK) && i < 30000; i++) usleep(1000);
  int64_t end = now() + atoll(argv[2]) * 1000000;
  std::vector<Thread *> all; std::vector<std::thread> workers, consumers;
  auto add = [&](int k) { auto t = new Thread; t->rnd.seed(atoi(argv[3]) * 31 + k); all.push_back(t); return t; };
  for (int k = 0; k < 2; k++) consumers.emplace_back(consume, add(100 + k), k);
  for (int k = 0; k < 8; k++) workers.emplace_back(work, add(k), k, end);
  for (auto &t : workers) t.join();
  { std::lock_guard<std::mutex> l(ordersLock); closing = true; }
  arrived.notify_all();
  for (auto &t : consumers) t.join();
  report(argv[1], all);
}
