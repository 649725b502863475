package pool

import "github.com/hotpb/hotpb/go/rt/wire"

// Item returns the message of a message set's item, from all its records, and whether there is one.
func Item(from *Hidden, number uint32) (message []byte, has bool) {
	for fields := from.UnknownFields(); fields.Next(); {
		switch u := fields.Field(); {
		case u.Number == 1 && u.Type == wire.StartGroup:
			var parts [][]byte
			if id, parts, complete := readItem(u.record[u.body:], parts); complete && id == number {
				has = true
				for _, part := range parts {
					message = append(message, part...)
				}
			}
		case u.Number == number && u.Type == wire.BytesType: // encoded like an ordinary field
			start, end := wire.ReadBytes(u.record, u.body)
			message, has = append(message, u.record[start:end]...), true
		}
	}
	return message, has
}

// SetItem puts an item into a message set and replaces the items with its number.
func SetItem(h *Hidden, x *wire.FieldTable, message []byte) error {
	if h == nil {
		return nilError()
	}
	records := withoutExtension(h, x)
	records = wire.AppendTag(records, 1, wire.StartGroup)
	records = wire.AppendVarint(wire.AppendTag(records, 2, wire.VarintType), uint64(x.Number))
	records = wire.AppendBytes(wire.AppendTag(records, 3, wire.BytesType), message)
	h.setRuns(wire.AppendTag(records, 1, wire.EndGroup))
	return nil
}

// SetExtension puts the records of an extension among the unknown fields and replaces those that are there; with no
// records it clears the extension.
func SetExtension(h *Hidden, x *wire.FieldTable, records []byte) error {
	if h == nil {
		return nilError()
	}
	h.setRuns(append(withoutExtension(h, x), records...))
	return nil
}

// withoutExtension returns the unknown fields without those of an extension, in new memory.
func withoutExtension(h *Hidden, x *wire.FieldTable) []byte {
	var records []byte
	for fields := h.UnknownFields().Without(x); fields.Next(); {
		records = fields.Field().Append(records)
	}
	return records
}

// readItem reads the contents of a message-set item: its number, and the records of its message, which it appends to
// parts. The item is complete if it has both; if it has several numbers, the last one counts.
func readItem(b []byte, parts [][]byte) (id uint32, _ [][]byte, complete bool) {
	var hasID bool
	for i := 0; i < len(b); {
		tag, at := wire.ReadTag(b, i)
		if at < 0 || tag.Type() == wire.EndGroup {
			break
		}
		switch tag {
		case wire.MakeTag(2, wire.VarintType):
			v, _ := wire.ReadVarint(b, at)
			id, hasID = uint32(v), true
		case wire.MakeTag(3, wire.BytesType):
			if start, end := wire.ReadBytes(b, at); end >= 0 {
				parts = append(parts, b[start:end])
			}
		}
		if i = wire.Skip(b, at, tag, anyDepth); i < 0 {
			break
		}
	}
	return id, parts, hasID && len(parts) > 0
}
