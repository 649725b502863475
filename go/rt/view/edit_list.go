package view

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// The methods below serve the repeated fields of every generated editor. k is the index of the field.

func (l *Layout) run(e *Edit, f *Field) *Run { return (*Run)(f.slot(e.raw())) }

// AddNumbers appends to a repeated field of numbers, bools or enums.
func AddNumbers[T ~int32 | ~int64 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~bool](l *Layout, e *Edit, k int, values []T) {
	l.addNumbers(e, k, unsafe.Pointer(unsafe.SliceData(values)), len(values), unsafe.Sizeof(*new(T)))
}

func (l *Layout) addNumbers(e *Edit, k int, values unsafe.Pointer, n int, size uintptr) {
	if !l.Ready(e) || n == 0 {
		return
	}
	f := &l.Fields[k]
	kind := f.kind()
	value := func(i int) uint64 { return onWire(kind, unsafe.Add(values, uintptr(i)*size)) }
	for i := 0; f.is(isClosed) && i < n; i++ {
		if !e.defines(l.closed(f), int32(value(i))) {
			return
		}
	}
	if f.tag().Type() == wire.BytesType {
		l.addPacked(e, f, n, value)
		return
	}
	if size := wire.SizeVarint(uint64(f.tag())); !e.buf.fits(n*(size+wire.MaxVarint)) && !e.buf.has(n*size+sizeOfNumbers(kind, n, value)) {
		return
	}
	run := l.run(e, f)
	for i := range n {
		x := value(i)
		var at uint32
		switch kind.Type() {
		case wire.VarintType:
			at = e.addVarint(f.tag(), x)
		case wire.Fixed32Type:
			at = e.addFixed32(f.tag(), uint32(x))
		default:
			at = e.addFixed64(f.tag(), x)
		}
		if at != 0 {
			run.Add(int(at)-wire.SizeVarint(uint64(f.tag())), e.buf.size(), 1)
		}
	}
}

// onWire returns the number on the wire for the one at p.
func onWire(kind wire.Kind, p unsafe.Pointer) uint64 {
	switch kind {
	case wire.Int32, wire.Enum:
		return uint64(int64(*(*int32)(p)))
	case wire.Sint32:
		return wire.EncodeZigzag(int64(*(*int32)(p)))
	case wire.Sint64:
		return wire.EncodeZigzag(*(*int64)(p))
	case wire.Uint32, wire.Fixed32, wire.Sfixed32, wire.Float:
		return uint64(*(*uint32)(p))
	case wire.Bool:
		return BoolVarint(*(*bool)(p))
	}
	return *(*uint64)(p)
}

// sizeOfNumbers returns the size of n values without tags.
func sizeOfNumbers(kind wire.Kind, n int, value func(int) uint64) (size int) {
	if width := widthOf(kind.Type()); width > 0 {
		return n * width
	}
	for i := range n {
		size += wire.SizeVarint(value(i))
	}
	return size
}

// addPacked appends to the field's one packed record.
func (l *Layout) addPacked(e *Edit, f *Field, n int, value func(int) uint64) {
	slot := l.run(e, f)
	size := sizeOfNumbers(f.kind(), n, value)
	if slot.count > 0 && !e.isOnePacked(*slot, f.tag()) {
		if !e.repack(*slot, l.tableOf(f), size) || !l.Rescan(e) {
			return
		}
	} else if !e.buf.hasPacked(wire.SizeVarint(uint64(f.tag())) + 1 + size) {
		return
	}
	run, ok := e.openPacked(*slot, f.tag())
	if !ok {
		return
	}
	added := 0
	for i := range n {
		switch x := value(i); f.kind().Type() {
		case wire.VarintType:
			added += e.packVarint(x)
		case wire.Fixed32Type:
			added += e.packFixed32(uint32(x))
		default:
			added += e.packFixed64(x)
		}
	}
	run, from, delta := e.closePacked(run, added)
	*slot = run // the end of the run moves, too
	l.Shift(e, from, delta)
}

// AddStrings appends to a repeated string field.
func (l *Layout) AddStrings(e *Edit, k int, values []string) {
	l.addTexts(e, &l.Fields[k], texts{unsafe.Pointer(unsafe.SliceData(values)), len(values), unsafe.Sizeof("")})
}

// AddBytes appends to a repeated bytes field.
func (l *Layout) AddBytes(e *Edit, k int, values [][]byte) {
	l.addTexts(e, &l.Fields[k], texts{unsafe.Pointer(unsafe.SliceData(values)), len(values), unsafe.Sizeof([]byte(nil))})
}

// texts is a slice of strings or of byte slices; both begin with a pointer and a length.
type texts struct {
	first unsafe.Pointer
	n     int
	size  uintptr // of an element
}

func (t *texts) at(i int) []byte {
	x := (*struct {
		p *byte
		n int
	})(unsafe.Add(t.first, uintptr(i)*t.size))
	return unsafe.Slice(x.p, x.n)
}

// addTexts appends all values, or none if the field rejects one of them.
func (l *Layout) addTexts(e *Edit, f *Field, values texts) {
	b, r := e.buf, e.raw()
	if b == nil {
		return
	}
	size, valid, checked := 0, true, f.kind() == wire.String && (f[2]&verifies != 0 || r.strict)
	for i := range values.n {
		x := values.at(i)
		size += sizeOf(f.tag(), len(x))
		valid = valid && (!checked || wire.ValidUTF8(x))
	}
	// If bytes will move, copy the values that are a part of the buffer, one after the other.
	var own, kept []byte
	if !e.current() || b.tail != 0 || debug {
		own = b.b
		b.scratch = b.scratch[:0]
		for i := range values.n {
			if x := values.at(i); within(own, x) {
				b.scratch = append(b.scratch, x...)
			}
		}
		kept = b.scratch
	}
	switch {
	case !l.Ready(e):
		return
	case !valid:
		b.fail(wire.InvalidUtf8)
		return
	case !b.has(size):
		return
	}
	for i := range values.n {
		x := values.at(i)
		if within(own, x) {
			x, kept = kept[:len(x):len(x)], kept[len(x):]
		}
		if s := e.addBytes(f.tag(), x); s.at != 0 {
			header := wire.SizeVarint(uint64(f.tag())) + wire.SizeVarint(uint64(s.n))
			l.run(e, f).Add(int(s.at)-header, b.size(), 1)
		}
	}
}

// SetVarintAt sets element n, as SetVarint does; so do SetFixed32At, SetFixed64At, SetStringAt and SetBytesAt.
func (l *Layout) SetVarintAt(e *Edit, k, n int, x uint64) {
	if f := &l.Fields[k]; l.Ready(e) && (!f.is(isClosed) || e.defines(l.closed(f), int32(x))) {
		from, delta := e.varintAt(*l.run(e, f), l.tableOf(f), n, x)
		l.Shift(e, from, delta)
	}
}

// SetFixed32At sets element n.
func (l *Layout) SetFixed32At(e *Edit, k, n int, x uint32) {
	if f := &l.Fields[k]; l.Ready(e) {
		e.fixed32At(*l.run(e, f), l.tableOf(f), n, x)
	}
}

// SetFixed64At sets element n.
func (l *Layout) SetFixed64At(e *Edit, k, n int, x uint64) {
	if f := &l.Fields[k]; l.Ready(e) {
		e.fixed64At(*l.run(e, f), l.tableOf(f), n, x)
	}
}

// SetStringAt sets element n.
func (l *Layout) SetStringAt(e *Edit, k, n int, x string) { l.SetBytesAt(e, k, n, textBytes(x)) }

// SetBytesAt sets element n.
func (l *Layout) SetBytesAt(e *Edit, k, n int, x []byte) {
	if !e.current() {
		x = e.keep(x)
	}
	if f := &l.Fields[k]; l.Ready(e) && e.takes(e.raw(), f, x) {
		from, delta := e.bytesAt(*l.run(e, f), l.tableOf(f), n, x)
		l.Shift(e, from, delta)
	}
}

// Remove removes the elements from one index up to, but not including, another.
func (l *Layout) Remove(e *Edit, k, from, to int) {
	if f := &l.Fields[k]; l.Ready(e) && e.removeElements(*l.run(e, f), l.tableOf(f), from, to) {
		l.Rescan(e)
	}
}
