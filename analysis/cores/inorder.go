package cores

// Handover says how things are made of numbers on all cores, and taken in order.
type Handover[T any] struct {
	Ahead int                       // how many numbers may be worked on ahead of the one that is taken
	Room  func(i int) int           // how many things of a number may wait to be taken
	Make  func(i int, give func(T)) // makes the things of a number; several numbers at a time
	Take  func(i int, one T)        // takes one; number by number, as they were made
	Taken func(i int)               // all of a number were taken; may be nil
}

// InOrder makes things of each of n numbers and returns when all were taken.
func InOrder[T any](n int, h *Handover[T]) {
	made := make([]chan T, n)
	for i := range made {
		made[i] = make(chan T, h.Room(i))
	}
	w := window{ahead: h.Ahead}
	done := Each(n, func(i int) {
		defer close(made[i])
		w.enter(i)
		h.Make(i, func(one T) { made[i] <- one })
	})
	for i := range made {
		for one := range made[i] {
			h.Take(i, one)
		}
		if h.Taken != nil {
			h.Taken(i)
		}
		w.leave(i)
	}
	done()
}
