package wire

import "iter"

// Find looks for the field at the end of a path of field numbers, through nested messages and groups, and decodes
// nothing else. It returns a decoder at the field's value, in mode Safe:
//
//	d, ok, err := wire.Find(b, 2, 1)
//	if ok {
//		name, err = d.DecodeString()
//	}
//
// If a field occurs more than once, Find returns the last occurrence, as a reader of the whole message would; FindAll
// returns all. Find does not look into records on the path that are neither messages nor groups. Records off the path
// are checked as unknown fields are: tags, lengths and groups. d.Tag().Type() is the wire type of the record found.
// An empty path is the message itself.
func Find(b []byte, path ...uint32) (d Decoder, found bool, err error) {
	root := Decoder{b: b, levels: DefaultDepth}
	if len(path) == 0 {
		return root, true, nil
	}
	_, err = find(root, path, func(each Decoder, _ error) bool {
		d, found = each, true
		return true
	})
	if err != nil {
		return Decoder{}, false, err
	}
	return d, found, nil
}

// FindAll is Find for all records at the end of the path, in their order: the elements of a repeated field, from all
// messages if a field on the path is repeated. An error ends the sequence.
func FindAll(b []byte, path ...uint32) iter.Seq2[Decoder, error] {
	return func(yield func(Decoder, error) bool) {
		d := Decoder{b: b, levels: DefaultDepth}
		if len(path) == 0 {
			yield(d, nil)
			return
		}
		if _, err := find(d, path, yield); err != nil {
			yield(Decoder{}, err)
		}
	}
}

// find returns false if yield does. Its decoder is a value, because a decoder whose address the recursion holds would
// be on the heap.
func find(d Decoder, path []uint32, yield func(Decoder, error) bool) (bool, error) {
	for d.More() {
		number, t, err := d.DecodeTag()
		if err != nil {
			return false, err
		}
		if number == path[0] && len(path) > 1 && (t == BytesType || t == StartGroup) {
			nested, err := d.open()
			if err != nil {
				return false, err
			}
			if ok, err := find(nested, path[1:], yield); !ok {
				return false, err
			}
			continue
		}
		found := d
		if _, err := d.Skip(); err != nil {
			return false, err
		}
		if number == path[0] && len(path) == 1 && !yield(found, nil) {
			return false, nil
		}
	}
	return true, nil
}

func (d *Decoder) open() (Decoder, error) {
	if d.tag.Type() == StartGroup {
		return d.Group()
	}
	return d.Nested()
}
