package lazyproto

import (
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/wire"
)

// scan notes the records of the defined fields in data[i:end], the contents of a message. It returns false if anything is
// wrong with them.
func (p *pass) scan(n *node, i, end, levels int) bool {
	b := p.data[:end]
	for i < end {
		head := i
		tag, value := rt.ReadTag(b, i)
		if value < 0 {
			return false
		}
		at := n.index(tag.Number())
		if at < 0 {
			if i = rt.Skip(b, value, tag, levels); i < 0 {
				return false
			}
			continue
		}
		start, stop := value, 0
		switch kind := tag.Type(); kind {
		case wire.BytesType:
			start, stop = rt.ReadBytes(b, value)
			i = stop
		case wire.StartGroup:
			stop, i = rt.SkipGroup(b, value, tag.Number(), levels)
		default:
			stop = rt.Skip(b, value, tag, levels)
			i = stop
		}
		if i < 0 {
			return false
		}
		column := &p.columns[n.first+at]
		if len(*column) == 0 {
			p.touched = append(p.touched, n.first+at)
		}
		*column = append(*column, record{head: uint32(head), start: uint32(start), end: uint32(stop), kind: tag.Type()})
		if below := n.below[at]; below != nil && isMessage(tag.Type()) {
			if levels <= 0 || !p.scan(below, start, stop, levels-1) {
				return false
			}
		}
	}
	return true
}

func isMessage(kind wire.Type) bool { return kind == wire.BytesType || kind == wire.StartGroup }

// explain returns the error of a message for which scan returns false. It reads it in the same order, with a Decoder,
// which knows where an error is.
func explain(data []byte, n *node) error {
	err := walk(*wire.NewDecoder(data), n)
	if err == nil { // a fault of this package
		return &wire.Error{Code: wire.Truncated, Offset: int64(len(data))}
	}
	return err
}

func walk(d wire.Decoder, n *node) error {
	for d.More() {
		number, kind, err := d.DecodeTag()
		if err != nil {
			return err
		}
		at := n.index(number)
		if at < 0 || n.below[at] == nil || !isMessage(kind) {
			if _, err := d.Skip(); err != nil {
				return err
			}
			continue
		}
		open := d.Nested
		if kind == wire.StartGroup {
			open = d.Group
		}
		nested, err := open()
		if err != nil {
			return err
		}
		if err := walk(nested, n.below[at]); err != nil {
			return err
		}
	}
	return nil
}
