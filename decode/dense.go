package decode

// dense makes ids small. All packages after the decoders keep threads, locks and stacks in
// arrays by id, so one id of 16 million in a file of a hundred bytes would cost gigabytes.
// Ids up to identical stay the same; larger ones are numbered from there on in order of
// appearance. A trace without gaps in its ids does not change.
type dense struct {
	near []uint32 // by id; 0 is an id not seen yet
	far  map[uint32]uint32
	next uint32 // the id given last
}

const (
	identical = 1 << 16
	indexed   = 1 << 20 // ids from here on are looked up in a map
)

// id returns the small id for an id above identical.
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
