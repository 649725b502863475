package wire

import rt "github.com/hotpb/hotpb/go/rt/wire"

// MapEntry reads a map entry whose key and value have these kinds in the schema. It returns decoders that stand at
// the key and at the value:
//
//	key, value, err := d.MapEntry(wire.String, wire.Int64)
//	if err != nil {
//		return err
//	}
//	k, err := key.DecodeString()
//	…
//	v, err := value.DecodeInt64()
//
// A missing key or value decodes as the zero value, or as an empty message. If one occurs more than once, the last
// one counts. A message value that came in parts is merged; only this case allocates, and only here offsets of errors
// are not exact. Unknown fields are dropped.
func (d *Decoder) MapEntry(keyKind, valueKind Kind) (key, value Decoder, err error) {
	before := d.i
	entry, err := d.Nested()
	if err != nil {
		return Decoder{}, Decoder{}, err
	}
	absent := Decoder{b: zeros[:], base: entry.base + len(entry.b), levels: entry.levels, mode: entry.mode}
	key, value = absent, absent
	parts := 0
	for entry.More() {
		found, err := entry.next()
		if err != nil {
			d.i = before
			return Decoder{}, Decoder{}, err
		}
		switch found.tag {
		case rt.MakeTag(1, keyKind.Type()):
			key = found
		case rt.MakeTag(2, valueKind.Type()):
			value = found
			parts++
		}
	}
	if parts > 1 && valueKind == Message {
		value.join(entry)
	}
	return key, value, nil
}

// next skips a record, and returns a decoder at its value.
func (d *Decoder) next() (found Decoder, err error) {
	if _, _, err = d.DecodeTag(); err != nil {
		return Decoder{}, err
	}
	found = *d
	_, err = d.Skip()
	return found, err
}

// zeros is the zero value of every kind, including a length of 0.
var zeros [8]byte

// join turns d, which stands at the last part of a message, into a decoder of all parts in the entry, as one message.
func (d *Decoder) join(entry Decoder) {
	joined := make([]byte, 0, len(entry.b))
	for entry.Reset(); entry.More(); {
		part, err := entry.next()
		if err != nil {
			return // cannot happen: the entry has been read before
		}
		if part.tag == d.tag {
			start, end := rt.ReadBytes(part.b, part.i)
			joined = append(joined, part.b[start:end]...)
		}
	}
	d.b = rt.InsertLength(joined, 0)
	d.i, d.value = 0, 0
}
