package view

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Datum is a map key or value that will be written into an entry: a number in its wire form, or text.
type Datum struct {
	number uint64
	text   []byte
}

// Number returns a number, bool or enum: a varint after zigzag, or the bits of a fixed-width value.
func Number(x uint64) Datum { return Datum{number: x} }

// BoolVarint returns a bool in its wire form.
func BoolVarint(x bool) uint64 {
	if x {
		return 1
	}
	return 0
}

// Text returns a string.
func Text(x string) Datum { return Datum{text: textBytes(x)} }

// Data returns a byte slice, or the contents of a message.
func Data(x []byte) Datum { return Datum{text: x} }

// size returns the size of the datum without its tag.
func (d *Datum) size(k wire.Kind) int {
	switch k.Type() {
	case wire.VarintType:
		return wire.SizeVarint(d.number)
	case wire.BytesType:
		return wire.SizeVarint(uint64(len(d.text))) + len(d.text)
	}
	return widthOf(k.Type())
}

// put writes the datum at position i, without its tag.
func (d *Datum) put(b []byte, i int, k wire.Kind) int {
	switch k.Type() {
	case wire.VarintType:
		return put(b, i, d.number)
	case wire.Fixed32Type:
		binary.LittleEndian.PutUint32(b[i:], uint32(d.number))
		return i + 4
	case wire.Fixed64Type:
		binary.LittleEndian.PutUint64(b[i:], d.number)
		return i + 8
	}
	i = put(b, i, uint64(len(d.text)))
	return i + copy(b[i:], d.text)
}

// isKey reports whether the key at s, which may be absent, equals key.
func (spec *MapSpec) isKey(b []byte, s Span, key *Datum) bool {
	if spec.Key.Type() == wire.BytesType {
		return bytes.Equal(b[s.at:s.at+s.n], key.text)
	}
	v, want := Value{b, s}, key.number
	switch spec.Key {
	case wire.Bool:
		return (v.Varint() != 0) == (want != 0)
	case wire.Int32, wire.Uint32, wire.Sint32: // only the low 32 bits count
		return uint32(v.Varint()) == uint32(want)
	case wire.Fixed32, wire.Sfixed32:
		return v.Fixed32() == uint32(want)
	case wire.Fixed64, wire.Sfixed64:
		return v.Fixed64() == want
	}
	return v.Varint() == want
}

// takesEntry reports whether the map accepts a key and a value. If not, it sets the buffer's error.
func (e *Edit) takesEntry(r *Raw, spec *MapSpec, key, value *Datum) bool {
	if r.levels <= 0 {
		e.buf.fail(wire.DepthExceeded)
		return false
	}
	if spec.Key == wire.String && (spec.VerifyKey || r.strict) && !wire.ValidUTF8(key.text) ||
		spec.Value == wire.String && (spec.VerifyValue || r.strict) && !wire.ValidUTF8(value.text) {
		e.buf.fail(wire.InvalidUtf8)
		return false
	}
	return spec.Closed == nil || e.defines(spec.Closed, int32(value.number))
}

// findKey finds the last entry with a key: its record and its parts.
func (e *Edit) findKey(run Run, spec *MapSpec, key *Datum) (p place, parts entry, ok bool) {
	c := e.content()
	tag := wire.MakeTag(spec.Number, wire.BytesType)
	keyTag, valueTag := wire.MakeTag(1, spec.Key.Type()), wire.MakeTag(2, spec.Value.Type())
	for i := run.first; i < run.end; {
		start, stop, next := record(c, i, run.end, tag, 0)
		if next == 0 {
			i = skipRecord(c, i, run.end)
			continue
		}
		found := findEntry(c[:stop], int(start), keyTag, valueTag)
		known := spec.Closed == nil || !found.value.Has() || closedHas(spec.Closed, c, int(found.value.at))
		if known && spec.isKey(c, found.key, key) {
			p.record, parts, ok = i, found, true
		}
		i = next
	}
	if ok {
		p = e.recordAt(p.record)
	}
	return p, parts, ok
}

// hasKey reports whether the map has an entry with the key.
func (e *Edit) hasKey(run Run, spec *MapSpec, key Datum) bool {
	_, _, ok := e.findKey(run, spec, &key)
	return ok
}

// removeKey removes all entries with the key. The message must be scanned again.
func (e *Edit) removeKey(spec *MapSpec, key Datum) { e.remove(removalOf(spec, &key)) }

// removalOf returns the removal of the entries with a key, or of all entries if key is nil.
func removalOf(spec *MapSpec, key *Datum) *removal {
	field := wire.FieldTable{Number: spec.Number, Kind: wire.Message, Flags: wire.Repeated | wire.Map}
	return &removal{field: &field, to: math.MaxInt, spec: spec, key: key}
}

// removeEntries removes all entries of a map. The message must be scanned again.
func (e *Edit) removeEntries(spec *MapSpec) {
	e.remove(removalOf(spec, nil))
}

// put puts a value into the last entry with the key, or into a new one at the end.
func (e *Edit) put(r *Raw, run Run, spec *MapSpec, key, value Datum) (_ Run, from, delta uint32) {
	if !e.takesEntry(r, spec, &key, &value) {
		return run, 0, 0
	}
	b := e.buf
	key, value.text = e.keepKey(key), b.stable(value.text)
	p, parts, ok := e.findKey(run, spec, &key)
	if !ok {
		return e.addEntry(run, spec, &key, &value), 0, 0
	}
	// Replace the last value of the entry, with its tag. If the entry has no value, append one to the entry.
	valueTag := uint64(wire.MakeTag(2, spec.Value.Type()))
	tagged := !parts.value.Has()
	p.at, p.stop = p.end, p.end
	if !tagged {
		p.at, p.stop = e.valueRange(parts.value, spec.Value)
	}
	n := value.size(spec.Value)
	if tagged {
		n += wire.SizeVarint(valueTag)
	}
	before := b.size()
	i := b.start + int(p.at)
	b.push(b.start+int(p.head), b.start+int(p.start), b.start+int(p.end))
	if b.replace(i, int(p.stop-p.at), n) {
		if tagged {
			i = put(b.b, i, valueTag)
		}
		value.put(b.b, i, spec.Value)
	}
	b.pop(e.level)
	e.touch()
	delta = uint32(b.size() - before)
	e.moved(p.next, delta)
	return run, p.next, delta
}

// keepKey protects a key that may be a part of the buffer from edits, until the next call.
func (e *Edit) keepKey(key Datum) Datum {
	b := e.buf
	if b != nil && b.owns(key.text) {
		b.key = append(b.key[:0], key.text...)
		key.text = b.key
	}
	return key
}

// valueRange returns the place of a value without its tag.
func (e *Edit) valueRange(value Span, k wire.Kind) (at, stop uint32) {
	c := e.content()
	if k.Type() == wire.BytesType {
		return value.at - uint32(widthBefore(c[:value.at])), value.at + value.n
	}
	return value.at, uint32(wire.Skip(c, int(value.at), wire.MakeTag(2, k.Type()), 0))
}

// addEntry adds an entry at the end.
func (e *Edit) addEntry(run Run, spec *MapSpec, key, value *Datum) Run {
	size := 2 + key.size(spec.Key) + value.size(spec.Value)
	tag := uint64(wire.MakeTag(spec.Number, wire.BytesType))
	n := wire.SizeVarint(tag) + wire.SizeVarint(uint64(size)) + size
	first := e.add(n)
	if first < 0 {
		return run
	}
	b := e.buf
	i := put(b.b, first, tag)
	i = put(b.b, i, uint64(size))
	i = key.put(b.b, put(b.b, i, uint64(wire.MakeTag(1, spec.Key.Type()))), spec.Key)
	value.put(b.b, put(b.b, i, uint64(wire.MakeTag(2, spec.Value.Type()))), spec.Value)
	run.Add(first-b.start, first-b.start+n, 1)
	return run
}

// newEntry adds an entry with an empty message, or with the given contents, and opens the message for c. The map must
// have no entry with the key.
func (e *Edit) newEntry(r *Raw, run Run, spec *MapSpec, key Datum, content []byte, c *Edit, cr *Raw) Run {
	value := Data(content)
	if !e.child(r, c, cr, 2) || !e.takesEntry(r, spec, &key, &value) {
		return run
	}
	key, value.text = e.keepKey(key), e.buf.stable(value.text)
	before := run.count
	if run = e.addEntry(run, spec, &key, &value); run.count > before {
		p := e.recordAt(run.end - e.entrySize(spec, &key, &value))
		e.enterEntry(p, place{end: p.end, start: p.end - uint32(len(value.text))}, c, cr)
	}
	return run
}

func (e *Edit) entrySize(spec *MapSpec, key, value *Datum) uint32 {
	size := 2 + key.size(spec.Key) + value.size(spec.Value)
	return uint32(wire.SizeVarint(uint64(wire.MakeTag(spec.Number, wire.BytesType))) + wire.SizeVarint(uint64(size)) + size)
}

// enterEntry opens the message at value in the entry at p for c.
func (e *Edit) enterEntry(p, value place, c *Edit, cr *Raw) {
	b := e.buf
	value.head = value.start - uint32(widthBefore(e.content()[:value.start]))
	e.descend(p.next)
	first := b.start
	b.push(first+int(p.head), first+int(p.start), first+int(p.end))
	b.push(first+int(value.head), first+int(value.start), first+int(value.end))
	c.stamp, c.id, c.level = b.stamp, b.stamp, len(b.path)-1
	cr.b, cr.epoch = c.content(), now()
}

// enterLastEntry opens the message of the last entry with the key for c, unless the message came in several records:
// the caller must then remove such an entry and add it again. ok is false if there is no entry or the message is not
// opened.
func (e *Edit) enterLastEntry(r *Raw, run Run, spec *MapSpec, key Datum, c *Edit, cr *Raw) (several Message, ok bool) {
	if !e.child(r, c, cr, 2) {
		return Message{}, false
	}
	p, parts, found := e.findKey(run, spec, &key)
	b := e.buf
	switch {
	case !found:
		return Message{}, false
	case parts.message.Several():
		return Message{
			b: e.content(), start: parts.message.first &^ split, end: parts.message.end, tag: wire.MakeTag(2, wire.BytesType), several: true,
			rules: cr.rules,
		}, true
	case !parts.value.Has(): // the message is empty
		first := b.start
		e.descend(p.next)
		b.push(first+int(p.head), first+int(p.start), first+int(p.end))
		i := first + int(p.end)
		if !b.grow(i, 2) {
			b.pop(e.level)
			return Message{}, false
		}
		b.b[i], b.b[i+1] = byte(2<<3|wire.BytesType), 0
		b.push(i+1, i+2, i+2)
		c.stamp, c.id, c.level = b.stamp, b.stamp, len(b.path)-1
		cr.b, cr.epoch = c.content(), now()
		return Message{}, true
	}
	e.enterEntry(p, place{start: parts.value.at, end: parts.value.at + parts.value.n}, c, cr)
	return Message{}, true
}
