package wire

// MapEntry reads a map entry, of the kinds that the schema has for its key and
// value, and gives decoders that stand in front of these:
//
//	key, value, err := d.MapEntry(wire.String, wire.Int64)
//	if err != nil {
//		return err
//	}
//	k, err := key.DecodeString()
//	…
//	v, err := value.DecodeInt64()
//
// What is missing decodes as the zero value, or as an empty message; of what
// comes again the last counts; a message value that came in parts is one of them
// all (that is the one case that allocates, and where offsets of errors in it
// are not exact). What is unknown is dropped.
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
		case MakeTag(1, keyKind.Type()):
			key = found
		case MakeTag(2, valueKind.Type()):
			value = found
			parts++
		}
	}
	if parts > 1 && valueKind == Message {
		value.join(entry)
	}
	return key, value, nil
}

// next passes over a record, and gives a decoder in front of its value.
func (d *Decoder) next() (found Decoder, err error) {
	if _, _, err = d.DecodeTag(); err != nil {
		return Decoder{}, err
	}
	found = *d
	_, err = d.Skip()
	return found, err
}

// zeros is the zero value of every kind, a length of 0 included.
var zeros [8]byte

// join makes d, which stands in front of the last part of a message, a decoder
// of all the parts that the entry has, as one message.
func (d *Decoder) join(entry Decoder) {
	joined := make([]byte, 0, len(entry.b))
	for entry.Reset(); entry.More(); {
		part, err := entry.next()
		if err != nil {
			return // not so: it has been read before
		}
		if part.tag == d.tag {
			start, end := ReadBytes(part.b, part.i)
			joined = append(joined, part.b[start:end]...)
		}
	}
	d.b = InsertLength(joined, 0)
	d.i, d.value = 0, 0
}
