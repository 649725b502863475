package lazyproto

import "github.com/hotpb/hotpb/go/wire"

// DecodeResult has the defined fields of a message. A nil result, and the zero result, have none.
type DecodeResult struct {
	pass       *pass
	node       *node
	serial     uint32
	start, end uint32 // the message has the records that begin here
	root       bool
}

// check returns the error of a result that cannot be used.
func (r *DecodeResult) check() error {
	if r == nil || r.pass == nil {
		return ErrTagNotDefined
	}
	if r.serial != r.pass.serial.Load() {
		return ErrClosed
	}
	return nil
}

// Close makes the result, and everything that came from it, invalid, and lets the next decode use its memory. Closing a
// nested result, or a result twice, does nothing.
func (r *DecodeResult) Close() error {
	if r != nil && r.pass != nil && r.root && r.pass.serial.Load() == r.serial {
		r.pass.close()
	}
	return nil
}

// GetFieldData returns the field with a number.
func (r *DecodeResult) GetFieldData(tag uint32) (*FieldData, error) {
	return r.field(new(FieldData), tag) // inlined: the caller's new FieldData need not be on the heap
}

// FieldData returns the field at the end of a path of numbers: FieldData(1, 2) is field 2 of the message in field 1, of all
// its records.
func (r *DecodeResult) FieldData(tags ...uint32) (*FieldData, error) {
	return r.fieldAt(new(FieldData), tags)
}

func (r *DecodeResult) fieldAt(f *FieldData, tags []uint32) (*FieldData, error) {
	if len(tags) == 0 {
		return nil, ErrTagNotDefined
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	at := *r
	for len(tags) > 1 {
		if _, err := at.nested(&at, tags[0]); err != nil {
			return nil, err
		}
		tags = tags[1:]
	}
	return at.field(f, tags[0])
}

// field sets f to a field that has at least one record, and returns f.
func (r *DecodeResult) field(f *FieldData, tag uint32) (*FieldData, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	at := r.node.index(tag)
	if at < 0 {
		return nil, ErrTagNotDefined
	}
	if *f = r.fieldOf(at); f.first == f.last {
		return nil, ErrTagNotFound
	}
	return f, nil
}

// fieldOf returns the field with an index, with or without records.
func (r *DecodeResult) fieldOf(at int) FieldData {
	slot := r.node.first + at
	column := r.pass.columns[slot]
	first, last := 0, len(column)
	if int(r.start) > 0 || int(r.end) < len(r.pass.data) {
		first = search(column, r.start)
		last = first + search(column[first:], r.end)
	}
	return FieldData{pass: r.pass, serial: r.serial, slot: slot, first: first, last: last}
}

// search returns the index of the first record that begins at position or later.
func search(column []record, position uint32) int {
	low, high := 0, len(column)
	for low < high {
		if middle := int(uint(low+high) / 2); column[middle].head < position {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// NestedResult returns the message in a field. If the field has several records, the result has the fields of all of them:
// the parts of one message.
func (r *DecodeResult) NestedResult(tag uint32) (*DecodeResult, error) {
	return r.nested(new(DecodeResult), tag)
}

// nested sets a result, which may be r itself, and returns it.
func (r *DecodeResult) nested(nested *DecodeResult, tag uint32) (*DecodeResult, error) {
	var f FieldData
	if err := r.nestedField(&f, tag); err != nil {
		return nil, err
	}
	*nested = DecodeResult{pass: r.pass, serial: r.serial, node: r.node.below[r.node.index(tag)], start: r.start, end: r.end}
	return nested, nil
}

// nestedField sets f to a field with at least one message.
func (r *DecodeResult) nestedField(f *FieldData, tag uint32) error {
	_, err := r.field(f, tag)
	if err != nil && err != ErrTagNotFound {
		return err
	}
	if r.node.below[r.node.index(tag)] == nil {
		return ErrNestingNotDefined
	}
	if err != nil {
		return err
	}
	for _, match := range f.records() {
		if isMessage(match.kind) {
			return nil
		}
	}
	return f.mismatch(wire.BytesType)
}

// NestedResults returns the messages in a field, one for each record: the elements of a repeated field.
func (r *DecodeResult) NestedResults(tag uint32) ([]*DecodeResult, error) {
	var f FieldData
	if err := r.nestedField(&f, tag); err != nil {
		return nil, err
	}
	records := f.records()
	all, results := make([]DecodeResult, 0, len(records)), make([]*DecodeResult, 0, len(records))
	below := r.node.below[r.node.index(tag)]
	for _, match := range records {
		if isMessage(match.kind) {
			all = append(all, DecodeResult{pass: r.pass, serial: r.serial, node: below, start: match.start, end: match.end})
			results = append(results, &all[len(all)-1])
		}
	}
	return results, nil
}

// Range calls fn for each defined field, by ascending number, until fn returns false. The field is nil if the message does
// not have it.
func (r *DecodeResult) Range(fn func(tag uint32, field *FieldData) bool) {
	if r.check() != nil {
		return
	}
	for at, tag := range r.node.tags {
		field := new(FieldData)
		if *field = r.fieldOf(at); field.first == field.last {
			field = nil
		}
		if !fn(tag, field) || r.check() != nil {
			return
		}
	}
}
