package cube

// index finds rows by their keys. A row keeps its id when others go and it moves up, so
// that making a table smaller costs no more than the rows that go.
type index struct {
	ids   map[Key]int32
	at    []int32 // by id: the place of the row
	free  []int32 // ids of rows that went
	alike map[groups]int32
}

// groups are those dimensions of a key that have nothing to do with stacks; of how many
// rows they are the same tells which would be one without their stacks.
type groups [5]uint32

func newIndex() index { return index{ids: map[Key]int32{}, alike: map[groups]int32{}} }

// add notes the place of a new row, and returns its id.
func (x *index) add(key Key, place int) (id int32) {
	if n := len(x.free); n > 0 {
		id, x.free = x.free[n-1], x.free[:n-1]
		x.at[id] = int32(place)
	} else {
		id = int32(len(x.at))
		x.at = append(x.at, int32(place))
	}
	x.ids[key] = id
	x.alike[key.groups()]++
	return id
}

// drop forgets a row, which cannot be found any more.
func (x *index) drop(r *Row) {
	x.free = append(x.free, r.id)
	of := r.Key.groups()
	if x.alike[of]--; x.alike[of] == 0 {
		delete(x.alike, of)
	}
}
