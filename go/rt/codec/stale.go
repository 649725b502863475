package codec

import (
	"sync/atomic"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Guard checks generated code against the structs that it is linked with. The compiler compares everything that shows
// in a struct's Go types. Guard compares the rest that is needed to read and write a field, such as numbers and
// kinds, when the code is first used.
type Guard struct {
	// File is the .proto that the code was generated from.
	File string
	// Messages are the messages of the file, and all messages whose methods their code calls directly.
	Messages []Guarded
	// Describe returns the runtime's description of a message's struct.
	Describe func(message any) Description

	passed atomic.Bool
	stale  atomic.Pointer[StaleError] // as long as both are unset, each call compares: Describe may panic
}

// Guarded is a message as the generator saw it.
type Guarded struct {
	Message     any // a nil pointer to its struct
	Fingerprint uint64
}

// Description is a message as its struct's runtime describes it, with a line for each field. The generator writes the
// same lines from the .proto.
type Description struct {
	Name  string
	Lines []string
}

// Stops rejects a decode into a nil message, or by code that does not fit the struct.
func (g *Guard) Stops(d *Decoder, isNil bool) bool {
	return (isNil || !g.passed.Load()) && g.stop(d, isNil)
}

// Bars rejects an encode by code that does not fit the struct.
func (g *Guard) Bars(e *Encoder) bool { return !g.passed.Load() && g.bar(e) }

//go:noinline
func (g *Guard) stop(d *Decoder, isNil bool) bool {
	err := g.refuse(isNil)
	if err != nil {
		d.refused, d.err.Code = err, wire.InvalidSchema
	}
	return err != nil
}

//go:noinline
func (g *Guard) bar(e *Encoder) bool {
	err := g.first()
	if err != nil {
		e.failure = err
	}
	return err != nil
}

// refuse returns the error for a decode into a nil message, or by code that does not fit.
func (g *Guard) refuse(isNil bool) error {
	if isNil {
		return Nil()
	}
	return g.first()
}

//go:noinline
func (g *Guard) first() error {
	if stale := g.stale.Load(); stale != nil {
		return stale
	}
	for _, m := range g.Messages {
		is := g.Describe(m.Message)
		if FingerprintOf(is.Lines) != m.Fingerprint {
			g.stale.CompareAndSwap(nil, &StaleError{Message: is.Name, File: g.File})
			return g.stale.Load()
		}
	}
	g.passed.Store(true)
	return nil
}

// FingerprintOf returns the FNV-1a hash of the lines, each with its line end.
func FingerprintOf(lines []string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, line := range lines {
		for _, c := range []byte(line + "\n") {
			h = (h ^ uint64(c)) * 0x100000001b3
		}
	}
	return h
}
