package decode

// dense makes ids small. Everything behind the decoders keeps what it knows of
// threads, locks and stacks in arrays by id, so that one id of 16 million in a
// file of a hundred bytes would cost gigabytes. Ids up to identical stay what
// they are; the others are numbered from there on, in the order they are met,
// which changes nothing in a trace that numbers without gaps.
type dense struct {
	pages [][]uint32 // by id >> pageBits; 0 is an id not met yet
	far   map[uint32]uint32
	next  uint32 // the id given last
}

const (
	identical = 1 << 16
	pageBits  = 12
	paged     = 1 << 24 // ids from here on are looked up in a map
)

// id returns the small id of one that is larger than identical.
func (d *dense) id(raw uint32) uint32 {
	if raw >= paged {
		return d.sparse(raw)
	}
	page := int(raw >> pageBits)
	if page >= len(d.pages) {
		d.pages = append(d.pages, make([][]uint32, page+1-len(d.pages))...)
	}
	if d.pages[page] == nil {
		d.pages[page] = make([]uint32, 1<<pageBits)
	}
	known := &d.pages[page][raw&(1<<pageBits-1)]
	if *known == 0 {
		*known = d.assign()
	}
	return *known
}

func (d *dense) sparse(raw uint32) uint32 {
	known, ok := d.far[raw]
	if !ok {
		if d.far == nil {
			d.far = map[uint32]uint32{}
		}
		known = d.assign()
		d.far[raw] = known
	}
	return known
}

func (d *dense) assign() uint32 {
	d.next = max(d.next, identical) + 1
	return d.next
}
