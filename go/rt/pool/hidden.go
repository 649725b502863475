package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// MinGenerated and MaxGenerated are the versions of generated code that this runtime works with. Generated code of
// any other version does not compile.
const (
	MinGenerated = 8
	MaxGenerated = 8
)

// nilError is the error for storing something into a nil message.
func nilError() error { return &wire.Error{Code: wire.HandleMisuse} }

// Hidden is the part of a generated message that is not fields. Few messages use it, so it is one pointer.
type Hidden struct{ extra *Extra }

// Extra is the target of a Hidden.
type Extra struct {
	unknown [][]byte // runs of records, in their order
	memory  *Memory  // of a message that was decoded as the root
}

// Memory is the memory that a message keeps for its next decode.
type Memory struct {
	owner   *Hidden // another message's if the struct was copied
	decoder Decoder
	layout  *Layout        // of the message,
	slabs   unsafe.Pointer // and its slabs
	walk    Walk           // here, because arguments of interface calls escape to the heap
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

// ownMemory returns the message's memory, and allocates it if the message has none.
func (h *Hidden) ownMemory() *Memory {
	if h.extra == nil {
		h.extra = new(Extra)
	}
	if m := h.extra.memory; m == nil || m.owner != h {
		h.extra = &Extra{memory: &Memory{owner: h}}
	}
	return h.extra.memory
}

// Again starts the usual decode of b: with the default rules, into memory that an earlier decode has left. d is nil
// if there is no such memory or mode does not use it. input is b or the message's own copy.
func (r Ref) Again(b []byte, mode Mode) (d *Decoder, slabs unsafe.Pointer, input []byte) {
	h := r.Hidden()
	if h == nil || h.extra == nil || h.extra.memory == nil {
		return nil, nil, nil
	}
	m := h.extra.memory
	if m.slabs == nil || mode == Owned || len(b) > wire.MaxSize {
		return nil, nil, nil
	}
	d = &m.decoder
	if cap(d.extras.buf) > 0 || len(d.scratch) > 0 {
		d.rewind()
	}
	d.memory = usualMemory(len(b))
	d.strict, d.trusted, d.exceeded, d.strayed = false, false, -1, nil
	if m.layout.Traits&HasSlabs != 0 {
		m.walk.purpose = rewind
		m.layout.rewind(m.slabs, &m.walk)
	}
	if mode == Reuse {
		b = d.copy(b)
	}
	return d, m.slabs, b
}

// bytes returns the number of bytes that are kept.
func (m *Memory) bytes() int {
	w := Walk{purpose: measure}
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
		// Adjacent records form one run.
		last := runs[n-1]
		if size := len(last); size < cap(last) && &last[:size+1][size] == &records[0] {
			runs[n-1] = last[:size+len(records)]
			return
		}
	}
	h.extra.unknown = append(runs, records)
}

// IsEmpty reports whether the message has no unknown fields and no memory for a next decode.
func (h *Hidden) IsEmpty() bool { return h == nil || h.extra == nil }

func (h *Hidden) runs() [][]byte {
	if h == nil || h.extra == nil {
		return nil
	}
	return h.extra.unknown
}

// UnknownFields iterates over the unknown fields of a message, in their order.
func (h *Hidden) UnknownFields() UnknownFields { return UnknownFields{runs: h.runs()} }

// SetUnknown replaces the unknown fields of a message with records, which are a sequence of fields. It checks their
// wire form and does not copy them.
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

// UnknownSize returns the size of all unknown fields.
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

// EqualUnknown reports whether two messages have the same unknown fields, byte for byte.
func (h *Hidden) EqualUnknown(peer *Hidden) bool {
	if h != nil && peer != nil && h.extra == peer.extra {
		return true
	}
	a, b := h.runs(), peer.runs()
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

// KeptMemory returns the number of bytes that the message keeps for its next decode.
func (h *Hidden) KeptMemory() int {
	if h == nil || h.extra == nil || h.extra.memory == nil {
		return 0
	}
	return h.extra.memory.bytes()
}

// Shrink frees that memory if it exceeds limit bytes.
func (h *Hidden) Shrink(limit int) {
	if h != nil && h.KeptMemory() > max(limit, 0) {
		h.extra = &Extra{unknown: h.extra.unknown}
	}
}
