package decode

// dense makes ids small. Everything behind the decoders keeps what it knows of
// threads, locks and stacks in arrays by id, so that one id of 16 million in a
// file of a hundred bytes would cost gigabytes. Ids up to identical stay what
// they are; the others are numbered from there on, in the order they are found,
// which changes nothing in a trace that numbers without gaps.
type dense struct {
	near []uint32 // by id; 0 is an id not seen yet
	far  map[uint32]uint32
	next uint32 // the id given last
}

const (
	identical = 1 << 16
	indexed   = 1 << 20 // ids from here on are looked up in a map
)

// id returns the small id of one that is larger than identical.
func (d *dense) id(raw uint32) uint32 {
	var known uint32
	if int(raw) < len(d.near) {
		known = d.near[raw]
	} else {
		known = d.far[raw]
	}
	if known != 0 {
		return known
	}
	d.next = max(d.next, identical) + 1
	if raw < indexed {
		d.near = set(d.near, raw, d.next)
		return d.next
	}
	if d.far == nil {
		d.far = map[uint32]uint32{}
	}
	d.far[raw] = d.next
	return d.next
}
