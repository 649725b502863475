package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// MinGenerated and MaxGenerated are the versions of generated code that this
// runtime works with; generated code compiles with no other.
const (
	MinGenerated = 4
	MaxGenerated = 4
)

// nilError is the error of a nil message that something is to be put into.
func nilError() error { return &wire.Error{Code: wire.HandleMisuse} }

// Hidden is what every generated message holds beside its fields: what few
// messages have, and so is one pointer.
type Hidden struct{ extra *Extra }

// Extra is what a Hidden leads to.
type Extra struct {
	unknown [][]byte // runs of records, in their order
	memory  *Memory  // of a message that was decoded as a whole
}

// Memory is what a message keeps for its next decode.
type Memory struct {
	owner   *Hidden // not the message's own when the struct was copied
	decoder Decoder
	layout  *Layout        // of the message,
	slabs   unsafe.Pointer // and its slabs
	walk    Walk           // here, because what is called through an interface is on the heap
}

// Reset forgets the unknown fields and keeps the memory.
func (h *Hidden) Reset() {
	if h == nil || h.extra == nil {
		return
	}
	if h.extra.memory == nil || h.extra.memory.owner != h {
		h.extra = nil
		return
	}
	h.extra.unknown = h.extra.unknown[:0]
}

// ownMemory is the message's memory, new when it has none.
func (h *Hidden) ownMemory() *Memory {
	if h.extra == nil {
		h.extra = new(Extra)
	}
	if m := h.extra.memory; m == nil || m.owner != h {
		h.extra = &Extra{memory: &Memory{owner: h}}
	}
	return h.extra.memory
}

// Again starts the usual decode, of b by the default rules into memory that an earlier decode has left. d is nil when
// there is none, or when none is wanted; input is b or the message's own copy.
func (r Ref) Again(b []byte, mode Mode) (d *Decoder, slabs unsafe.Pointer, input []byte) {
	h := r.Hidden()
	if h == nil || h.extra == nil || h.extra.memory == nil {
		return nil, nil, nil
	}
	m := h.extra.memory
	if m.slabs == nil || mode == Owned || len(b) > wire.MaxSize {
		return nil, nil, nil
	}
	m.decoder.again(len(b))
	if m.layout.Traits&HasSlabs != 0 {
		m.walk.what = rewind
		m.layout.rewind(m.slabs, &m.walk)
	}
	if mode == Reuse {
		b = m.decoder.copy(b)
	}
	return &m.decoder, m.slabs, b
}

// bytes is the memory that is kept.
func (m *Memory) bytes() int {
	w := Walk{what: measure}
	m.decoder.extras.visit(&w)
	if m.slabs != nil {
		m.layout.walk(m.slabs, &w)
	}
	return w.bytes + cap(m.decoder.block) + cap(m.decoder.scratch)
}

// keep adds records to the unknown fields.
func (h *Hidden) keep(d *Decoder, records []byte) {
	if h.extra == nil {
		h.extra = d.extras.One()
		*h.extra = Extra{unknown: h.extra.unknown[:0]}
	}
	runs := h.extra.unknown
	if n := len(runs); n > 0 {
		// Records that stand side by side are one run.
		last := runs[n-1]
		if size := len(last); size < cap(last) && &last[:size+1][size] == &records[0] {
			runs[n-1] = last[:size+len(records)]
			return
		}
	}
	h.extra.unknown = append(runs, records)
}

// IsEmpty tells that it holds nothing: no unknown fields, and no memory for a next decode.
func (h *Hidden) IsEmpty() bool { return h == nil || h.extra == nil }

func (h *Hidden) runs() [][]byte {
	if h == nil || h.extra == nil {
		return nil
	}
	return h.extra.unknown
}

// UnknownFields iterates over the unknown fields of a message, in their order.
func (h *Hidden) UnknownFields() UnknownFields { return UnknownFields{runs: h.runs()} }

// SetUnknown makes records, behind each other, the unknown fields of a message.
// They are checked as to their wire form, and not copied.
func (h *Hidden) SetUnknown(records []byte) error {
	if h == nil {
		return nilError()
	}
	var none wire.MessageTable
	if err := wire.Check([]wire.MessageTable{none}, 0, records, wire.Options{}); err != nil {
		return err
	}
	h.setRuns(records)
	return nil
}

func (h *Hidden) setRuns(records []byte) {
	h.Reset()
	if len(records) == 0 {
		return
	}
	if h.extra == nil {
		h.extra = new(Extra)
	}
	h.extra.unknown = append(h.extra.unknown, records[:len(records):len(records)])
}

// UnknownSize is the size of all unknown fields.
func (h *Hidden) UnknownSize() (size int) {
	if h != nil && h.extra != nil {
		for _, run := range h.extra.unknown {
			size += len(run)
		}
	}
	return size
}

// AppendUnknown appends all unknown fields.
func (h *Hidden) AppendUnknown(dst []byte) []byte {
	for _, run := range h.runs() {
		dst = append(dst, run...)
	}
	return dst
}

// EqualUnknown tells whether two messages have the same unknown fields, byte for byte.
func (h *Hidden) EqualUnknown(other *Hidden) bool {
	if h != nil && other != nil && h.extra == other.extra {
		return true
	}
	a, b := h.runs(), other.runs()
	var left, right []byte
	for {
		for len(left) == 0 && len(a) > 0 {
			left, a = a[0], a[1:]
		}
		for len(right) == 0 && len(b) > 0 {
			right, b = b[0], b[1:]
		}
		n := min(len(left), len(right))
		if n == 0 {
			return len(left) == len(right)
		}
		if string(left[:n]) != string(right[:n]) {
			return false
		}
		left, right = left[n:], right[n:]
	}
}

// KeptMemory is how many bytes the message keeps for its next decode.
func (h *Hidden) KeptMemory() int {
	if h == nil || h.extra == nil || h.extra.memory == nil {
		return 0
	}
	return h.extra.memory.bytes()
}

// Shrink gives that memory back when it is more than limit bytes.
func (h *Hidden) Shrink(limit int) {
	if h != nil && h.KeptMemory() > max(limit, 0) {
		h.extra = &Extra{unknown: h.extra.unknown}
	}
}
