package jfr

// words numbers texts that repeat in the constants of all chunks: names of classes,
// methods and threads. Each is kept once.
type words struct {
	ids  map[string]uint32
	list []string
}

func newWords() words { return words{ids: map[string]uint32{"": 0}, list: []string{""}} }

// of returns the number of a text, which is new mostly at the beginning.
func (w *words) of(text []byte) uint32 {
	if id, ok := w.ids[string(text)]; ok {
		return id
	}
	return w.add(string(text))
}

func (w *words) ofString(text string) uint32 {
	if id, ok := w.ids[text]; ok {
		return id
	}
	return w.add(text)
}

func (w *words) add(text string) uint32 {
	id := uint32(len(w.list))
	w.ids[text] = id
	w.list = append(w.list, text)
	return id
}
