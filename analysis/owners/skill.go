package owners

// What a model claims may be right of all stretches together and of none alone:
// how much it knows of single ones is asked of the recording itself. Who comes and
// has to wait met an owner, and what a running thread is seen at inside shows one.
// Each is held back from what is claimed there, once.

// heldBack is what claims are made without, but for dumps.
type heldBack uint8

const (
	nothing    heldBack = iota
	theSamples          // of running threads
	theLast             // these, and who came last
)

// answers are what was held back says of claims.
type answers struct {
	came    float64 // threads that came to wait, each as often as others waited then
	squares float64 // of these weights
	met     float64 // of came: where an owner is claimed
	all     float64 // waiting in ns that was asked about
	owned   float64 // of it: what is claimed to be an owner's
	shown   float64 // samples of sections
	agree   float64 // of these: where it is claimed
}

// claim counts waiting that was asked about.
func (a *answers) claim(ns int64, owned bool) {
	a.all += float64(ns)
	if owned {
		a.owned += float64(ns)
	}
}

// meet counts a thread that came to wait when so many did.
func (a *answers) meet(waiters int64, owned bool) {
	weight := float64(waiters)
	a.came += weight
	a.squares += weight * weight
	if owned {
		a.met += weight
	}
}

// show counts a sample.
func (a *answers) show(agrees bool) {
	a.shown++
	if agrees {
		a.agree++
	}
}

func (a *answers) add(o *answers) {
	a.came += o.came
	a.squares += o.squares
	a.met += o.met
	a.all += o.all
	a.owned += o.owned
	a.shown += o.shown
	a.agree += o.agree
}

// skill is how much claims know of single stretches: 0 no more than their sums tell,
// 1 all. Claims that know nothing have an owner where somebody came as often as
// anywhere.
func (a *answers) skill() float64 {
	owned := a.owned / max(a.all, 1)
	if a.came == 0 || owned <= 0 || owned >= 1 {
		return 0
	}
	n := a.came * a.came / a.squares * (1 - owned) / owned // beside the chance that all are by chance
	saw := (a.met/a.came - owned) / (1 - owned)
	return min(max(n*saw/(doubted+n), 0), 1)
}
