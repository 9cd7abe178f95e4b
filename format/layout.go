package format

// fieldCode names one field of an event as the binary and the text form write
// it. Codes never change their meaning; format/README.md lists them.
type fieldCode uint8

const (
	fThread   fieldCode = iota // unsigned
	fOwner                     // unsigned
	fObject                    // unsigned
	fStack                     // unsigned
	fTime                      // signed, difference to the previous event's time in the block
	fEnd                       // signed, difference to the event's own time
	fIntended                  // signed, difference to the event's own time
	fWeight                    // signed
	fMode                      // unsigned
	fLockKind                  // unsigned
	fActivity                  // unsigned
	fLive                      // unsigned
	fIdle                      // unsigned
	fHash                      // unsigned
	fBytes                     // signed
	fCount                     // unsigned
	fName                      // string
	fGroup                     // string
	fClass                     // string
	fValue                     // string
	fFrames                    // count, then class, method, file, signed line each
	fOwners                    // count, then thread, stack, mode each
	fWaiters                   // as above
	fFailed                    // unsigned
	fWoken                     // unsigned
	fAgain                     // signed
	fResource                  // unsigned
	fNotifier                  // unsigned; Event.Owner of an activity
	fWaits                     // unsigned; Event.Count of a contention event
	fieldCount
)

// isNumber reports whether a field is one varint.
func (f fieldCode) isNumber() bool { return f < fName || f > fWaiters }

// appended are the fields that kinds gained after the first traces were written. They come
// last. At the end of an event, zeros of these fields are omitted, and missing ones are
// read as zero.
var appended = [fieldCount]bool{fFailed: true, fResource: true, fNotifier: true, fWaits: true}

// layouts lists the fields of each kind in order. A later version may append
// fields to a kind, never change them: a reader ignores what follows the ones
// it knows.
var layouts = [kindCount][]fieldCode{
	KindThread:      {fThread, fName, fGroup},
	KindObject:      {fObject, fClass, fHash, fLockKind, fName, fStack},
	KindStack:       {fStack, fFrames},
	KindThreadStart: {fTime, fThread},
	KindThreadEnd:   {fTime, fThread},
	KindRecording:   {fTime, fEnd},
	KindTick:        {fTime, fIntended, fWeight, fLive, fIdle},
	KindGap:         {fTime, fEnd, fBytes, fName},
	KindSetting:     {fName, fValue, fWeight},
	KindEnd:         {fCount},
	KindContention:  {fTime, fWeight, fObject, fOwners, fWaiters, fWaits},
	KindWait:        {fTime, fEnd, fThread, fObject, fMode, fStack, fOwner, fFailed},
	KindTenure:      {fTime, fEnd, fThread, fObject, fMode, fStack},
	KindActivity:    {fTime, fEnd, fThread, fActivity, fStack, fObject, fResource, fNotifier},
	KindRelease:     {fTime, fThread, fObject, fMode, fStack, fWoken, fAgain},
	KindPause:       {fTime, fEnd, fName},
	KindBlocked:     {fTime, fThread, fWeight},
	KindNote:        {fName, fValue, fWeight},
}
