package wire

import "iter"

// Find looks for the field at the end of a path of field numbers, through nested
// messages and groups, and decodes nothing else. It gives a decoder that stands
// in front of the field's value, in mode Safe:
//
//	d, ok, err := wire.Find(b, 2, 1)
//	if ok {
//		name, err = d.DecodeString()
//	}
//
// Of a field that comes more than once it is the last, as it is for a reader of
// the whole message; FindAll gives all. Records on the way that have another
// wire type than a message or group are not looked into. What is beside the path
// is checked as unknown fields are: tags, lengths and groups. The wire type of
// what was found is d.Tag().Type(). An empty path is the message itself.
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

// FindAll is Find for all records at the end of the path, in their order: the
// elements of a repeated field, of all messages where one on the way is repeated.
// An error ends it.
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

// find gives false when yield does. Its decoder is a value: one that recursion
// has the address of would be on the heap.
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
