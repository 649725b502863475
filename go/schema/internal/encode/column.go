package encode

import (
	"encoding/binary"
	"net/netip"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Column is how a column of a plan's root is encoded. Package schema passes it to package template.
type Column struct {
	Index int // among the columns of the plan
	Name  string
	Kind  wire.Kind
	Shape Shape
	Unit  uint8 // for a time or a duration
	Size  uint8 // of Tag

	Repeated bool // maps included
	Packed   bool // the elements share one record
	Logical  bool // its values are more than their kind says: addresses, times

	Tag    uint64 // its bytes, the first one lowest
	Max    uint64 // the largest value that fits; for signed numbers, of the positive ones
	Closed *wire.EnumTable

	UTF8   bool // a string that is not UTF-8 is a misfit
	Zero   bool // zero is written
	Keep   bool // the first value is kept
	Later  bool // kept in the record until its end
	Mask   bool // a misfit writes the low bits
	Refuse bool // a misfit is an error
}

// Put writes the tag; Slack bytes must be there.
func (c *Column) Put(b []byte, n int) int {
	binary.LittleEndian.PutUint64(b[n:], c.Tag)
	return n + int(c.Size)
}

// Record is a schema.Record that another package writes, at its root. Columns are named by their index.
type Record interface {
	Buffer() []byte       // the caller appends to it
	Written(to []byte)    // the buffer with further columns, of which the record does not know yet
	First(index int) bool // reports whether to write a value: not if the first one is kept and there is one
	Set(index int)        // the column is written
	Has(index int) bool   // reports whether the column is written
	Misfit(index int, reason string) (write bool)

	KeepTime(index int, seconds int64, nanos int32)
	KeepText(index int, v []byte)
	KeepIP(index int, v netip.Addr)
}

// Slab is a schema.Batch that another package writes, one message after the other.
type Slab interface {
	Buffer() []byte    // the caller appends a message to it
	Written(to []byte) // the buffer with a further message
}
