package document

import (
	"testing"

	"contend/analysis"
	"contend/blame/locks"
	"contend/format"
	"contend/golden"
)

// The end of an address that a name has is as long as it takes to tell locks of one class and site
// apart.
func TestNamesOfLocksDiffer(t *testing.T) {
	var defs []*format.Event
	var list []locks.Named
	for i, hash := range []uint64{0x12c60, 0x32c60, 0x742c61} {
		id := format.ObjectID(i + 1)
		defs = append(defs, &format.Event{Kind: format.KindObject, Object: id, Class: "Ledger", Hash: hash})
		list = append(list, locks.Named{Lock: id, Site: "Ledger.post:12"})
	}
	sym := analysis.NewSymbols(defs...)
	golden.Equal(t, NewPlaces(sym, list)[sym.LockName(1)].Digits, 5, "two end alike")
	golden.Equal(t, NewPlaces(sym, list[1:])[sym.LockName(2)].Digits, 4, "no two end alike")
	golden.Equal(t, NewPlaces(sym, list[:1])[sym.LockName(1)].Digits, 0, "one lock")
}
