package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// size returns the size of m's encoding.
func (l *Layout) size(m unsafe.Pointer) (size int) {
	if m == nil {
		return 0
	}
	return l.sizeOfFields(m, l.Fields) + l.hidden(m).UnknownSize()
}

// sizeOfFields returns the size of the encoding of some fields of m.
func (l *Layout) sizeOfFields(m unsafe.Pointer, fields []Field) (size int) {
	for k := range fields {
		f := &fields[k]
		at := unsafe.Add(m, f[1])
		shows := f[3] >> 8 & showBits
		switch {
		case shows < showsInOneof:
			if *l.bits(f, m)>>shows&1 == 0 {
				continue
			}
		case shows == showsIn4:
			if *(*uint32)(at) == 0 {
				continue
			}
		case shows == showsInLength:
			if *(*int)(unsafe.Add(at, unsafe.Sizeof(uintptr(0)))) == 0 {
				continue
			}
		case !l.shown(f, m):
			continue
		}
		n := wire.SizeVarint(uint64(f[0]))
		switch wire.Kind(f[3] & (isList | kindBits)) {
		case wire.String, wire.Bytes:
			length := *(*int)(unsafe.Add(at, unsafe.Sizeof(uintptr(0))))
			n += wire.SizeVarint(uint64(length)) + length
		case wire.Bool:
			n++
		case wire.Fixed32, wire.Sfixed32, wire.Float:
			n += 4
		case wire.Fixed64, wire.Sfixed64, wire.Double:
			n += 8
		case wire.Int32, wire.Enum, wire.Uint32, wire.Int64, wire.Uint64, wire.Sint32, wire.Sint64:
			if shows == showsInOneof {
				n += wire.SizeVarint(narrow(*(*uint64)(at), f.kind()))
			} else {
				n += wire.SizeVarint(enc.Varint(at, f.kind()))
			}
		default:
			n = l.nestedSize(m, f)
		}
		size += n
	}
	return size
}

func tagSize(f *Field) int { return wire.SizeVarint(uint64(f[0])) }

func (l *Layout) nestedSize(m unsafe.Pointer, f *Field) (size int) {
	at := unsafe.Add(m, f[1])
	kind := f.kind()
	if kind == isMap {
		p := l.part(f)
		return p.Map.size(l, f, p, m)
	}
	if f[3]&isList == 0 {
		p := l.part(f)
		if p.Of&Pointer != 0 {
			at = *(*unsafe.Pointer)(at)
		}
		return messageSize(l.child(p), at, f)
	}
	a := *(*list)(at)
	if kind >= wire.Message {
		child := l.child(l.part(f))
		for n := range a.len {
			size += messageSize(child, unsafe.Add(a.at, n*int(child.Size)), f)
		}
		return size
	}
	size = enc.SizeList(a.at, a.len, kind)
	if f.packed() {
		return tagSize(f) + wire.SizeVarint(uint64(size)) + size
	}
	return size + a.len*tagSize(f)
}

func messageSize(child *Layout, m unsafe.Pointer, f *Field) int {
	n := child.size(m)
	if f.kind() == wire.Group {
		return n + 2*tagSize(f)
	}
	return tagSize(f) + wire.SizeVarint(uint64(n)) + n
}

// equal reports whether two messages have the same fields with the same values, and the same unknown fields. NaN is
// equal to NaN.
func (l *Layout) equal(m, peer unsafe.Pointer) bool {
	if m == peer {
		return true
	}
	if m == nil || peer == nil {
		return false
	}
	for k := range l.Fields {
		f := &l.Fields[k]
		shows := f.shows()
		a, b := unsafe.Add(m, f[1]), unsafe.Add(peer, f[1])
		if f.nested() {
			if !l.equalNested(m, peer, f) {
				return false
			}
			continue
		}
		if shows <= showsInOneof {
			if shown := l.shown(f, m); shown != l.shown(f, peer) {
				return false
			} else if !shown {
				continue
			}
		}
		if shows == showsInOneof && f[0]&7 != 2 {
			if !equalWide(*(*uint64)(a), *(*uint64)(b), f.kind()) {
				return false
			}
		} else if !equalValues(a, b, f.kind()) {
			return false
		}
	}
	return l.hidden(m).EqualUnknown(l.hidden(peer))
}

// equalValues reports whether two values that are not messages are equal.
func equalValues(a, b unsafe.Pointer, kind wire.Kind) bool {
	switch {
	case kind == wire.String:
		return *(*string)(a) == *(*string)(b)
	case kind == wire.Bytes:
		return string(*(*[]byte)(a)) == string(*(*[]byte)(b))
	case kind == wire.Double:
		return EqualFloats(*(*float64)(a), *(*float64)(b))
	case kind == wire.Float:
		return EqualFloats(*(*float32)(a), *(*float32)(b))
	case kind == wire.Bool:
		return *(*bool)(a) == *(*bool)(b)
	case sizes[kind] == 8:
		return *(*uint64)(a) == *(*uint64)(b)
	}
	return *(*uint32)(a) == *(*uint32)(b)
}

// equalWide is equalValues for numbers in the eight bytes of a oneof.
func equalWide(a, b uint64, kind wire.Kind) bool {
	switch kind {
	case wire.Double:
		return equalValues(unsafe.Pointer(&a), unsafe.Pointer(&b), kind)
	case wire.Float:
		x, y := uint32(a), uint32(b)
		return equalValues(unsafe.Pointer(&x), unsafe.Pointer(&y), kind)
	}
	return a == b
}

func (l *Layout) equalNested(m, peer unsafe.Pointer, f *Field) bool {
	a, b := unsafe.Add(m, f[1]), unsafe.Add(peer, f[1])
	kind := f.kind()
	if kind == isMap {
		p := l.part(f)
		return p.Map.equal(l, f, p, m, peer)
	}
	if f[3]&isList == 0 {
		shown := l.shown(f, m)
		if shown != l.shown(f, peer) {
			return false
		}
		p := l.part(f)
		if p.Of&Pointer != 0 {
			a, b = *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
		}
		return !shown || l.child(p).equal(a, b)
	}
	left, right := *(*list)(a), *(*list)(b)
	if left.len != right.len {
		return false
	}
	if kind >= wire.Message {
		child := l.child(l.part(f))
		for n := range left.len {
			if at := n * int(child.Size); !child.equal(unsafe.Add(left.at, at), unsafe.Add(right.at, at)) {
				return false
			}
		}
		return true
	}
	for n := range left.len {
		if at := n * int(sizes[kind]); !equalValues(unsafe.Add(left.at, at), unsafe.Add(right.at, at), kind) {
			return false
		}
	}
	return true
}

// missing returns the path of the first required field that is absent in m, or "". It looks at the message's own
// fields first, then at its nested messages, both by ascending number. It visits maps by key if byKey is set, else in
// input order.
func (l *Layout) missing(m unsafe.Pointer, byKey bool) string {
	if l.Traits&Requires == 0 {
		return ""
	}
	if m == nil || l.Traits&RequiresMore != 0 || l.Must != 0 && *(*uint32)(unsafe.Add(m, l.Has))&l.Must != l.Must {
		for k := range l.Fields {
			if f := &l.Fields[k]; f.required() && (m == nil || !l.shown(f, m)) {
				return l.tableOf(f).Name
			}
		}
	}
	if m == nil {
		return ""
	}
	for _, k := range l.Inner {
		f := &l.Fields[k]
		kind := f.kind()
		if kind < wire.Message || !l.shown(f, m) {
			continue
		}
		p := l.part(f)
		if kind == isMap {
			if p.Is&kindBits == uint32(wire.Message) && l.child(p).Traits&Requires != 0 {
				if path := p.Map.missing(l, f, p, m, byKey); path != "" {
					return path
				}
			}
			continue
		}
		child := l.child(p)
		if child.Traits&Requires == 0 {
			continue
		}
		at := unsafe.Add(m, f[1])
		if f[3]&isList == 0 {
			if p.Of&Pointer != 0 {
				at = *(*unsafe.Pointer)(at)
			}
			if path := child.missing(at, byKey); path != "" {
				return wire.Within(l.tableOf(f).Name, -1, path)
			}
			continue
		}
		a := *(*list)(at)
		for n := range a.len {
			at := unsafe.Add(a.at, n*int(child.Size))
			if len(child.Inner) == 0 && child.Traits&RequiresMore == 0 && *(*uint32)(unsafe.Add(at, child.Has))&child.Must == child.Must {
				continue
			}
			if path := child.missing(at, byKey); path != "" {
				return wire.Within(l.tableOf(f).Name, n, path)
			}
		}
	}
	return ""
}

// count counts the elements of an encoded message before it is decoded. It counts neither the messages of the
// message's own recursion group nor the contents of map entries.
func (l *Layout) count(slabs unsafe.Pointer, b []byte) {
	if l.Traits&(Counts|Recursive) != Counts {
		return
	}
	k := 0
	for i := 0; i < len(b); {
		tag, next := wire.Tag(b[i]), i+1
		if tag >= 0x80 {
			if tag, next = wire.ReadTag(b, i); next < 0 {
				return
			}
		}
		if k >= len(l.Fields) || l.Fields[k][0] != uint32(tag) {
			k = max(l.find(tag.Number()), 0)
		}
		var f *Field
		if f = &l.Fields[k]; f[0] != uint32(tag) && (f.number() != tag.Number() || !f.takes(tag)) || !f.nested() || tag.Type() == wire.StartGroup {
			if i = wire.Skip(b, next, tag, wire.DefaultDepth); i < 0 {
				return
			}
			k++
			continue
		}
		p := l.part(f)
		kind := f.kind()
		from, end := next, next
		if tag.Type() == wire.BytesType {
			from, end = wire.ReadBytes(b, next)
		} else {
			end = wire.Skip(b, next, tag, wire.DefaultDepth)
		}
		if end < 0 {
			return
		}
		i = end
		if kind == wire.Message {
			if p.Of&InSlab != 0 {
				slabAt(slabs, p.Slab).want++
			}
			if child := l.child(p); child.Traits&(Counts|Recursive) == Counts {
				child.count(l.slabsOf(p, slabs), b[from:end])
			}
		} else if kind == isMap {
			p.Map.count(p, slabs)
		} else if kind.Type() == wire.BytesType || tag.Type() != wire.BytesType {
			slabAt(slabs, p.Slab).want++
		} else {
			n := (end - from) / int(sizes[kind])
			if kind.Type() == wire.VarintType {
				n, _, _ = wire.CountVarints(b[from:end])
			}
			slabAt(slabs, p.Slab).want += n
		}
	}
}
