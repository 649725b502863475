package view

import "github.com/hotpb/hotpb/go/rt/wire"

// A message set is a sequence of items:
//
//	0b  10 <type_id>  1a <length> <message>  0c
//
// Inside an item, type_id and message may have any order. An extension that comes as an ordinary length-delimited
// field is read as well, as libprotobuf does. Items stay among the unknown fields until the user reads the extension
// of that number.
const (
	itemTag        = wire.Tag(1<<3 | uint32(wire.StartGroup))
	itemTypeTag    = wire.Tag(2<<3 | uint32(wire.VarintType))
	itemMessageTag = wire.Tag(3<<3 | uint32(wire.BytesType))
)

// readItem reads the item whose contents are between i and the end of b. It is complete if it has both parts; of
// several type_ids the last one counts.
func readItem(b []byte, i int) (id uint32, complete bool) {
	var hasID, hasMessage bool
	for i < len(b) {
		tag, at := wire.ReadTag(b, i)
		if at < 0 {
			return 0, false
		}
		switch tag {
		case itemTypeTag:
			v, _ := wire.ReadVarint(b, at)
			id, hasID = uint32(v), true
		case itemMessageTag:
			hasMessage = true
		}
		if i = wire.Skip(b, at, tag, 1<<15-1); i < 0 {
			return 0, false
		}
	}
	return id, hasID && hasMessage
}

// Item returns the message-set item of an extension in the message set m; items with the same number merge. If there
// is none, the message is empty.
func (m Message) Item(number uint32) (item Message, has bool) {
	items := Messages{b: m.b, i: m.start, end: m.end, item: number, rules: m.rules.below()}
	records := items
	if !records.Next() {
		return Message{rules: rules{epoch: m.epoch, limit: m.limit, strict: m.strict}}, false
	}
	item = records.Message()
	if records.Next() {
		item = Message{b: items.b, start: items.i, end: items.end, item: number, rules: items.rules, several: true}
	}
	return item, true
}

// nextItem moves to the next message record in an item of this number.
func (m *Messages) nextItem() bool {
	for {
		for m.inner < m.innerEnd {
			start, stop, next := record(m.b, m.inner, m.innerEnd, itemMessageTag, 0)
			if next != 0 {
				m.body, m.stop, m.inner = start, stop, next
				return true
			}
			if m.inner = skipRecord(m.b, m.inner, m.innerEnd); m.inner == 0 {
				m.innerEnd = 0
			}
		}
		if m.i >= m.end {
			return false
		}
		start, stop, next := record(m.b, m.i, m.end, itemTag, 1<<15-1)
		if next == 0 && m.item <= wire.MaxNumber {
			// The extension may also come as an ordinary field.
			m.body, m.stop, next = record(m.b, m.i, m.end, wire.MakeTag(m.item, wire.BytesType), 0)
			if next != 0 {
				m.i = next
				return true
			}
		}
		if next == 0 {
			if m.i = skipRecord(m.b, m.i, m.end); m.i == 0 {
				m.end = 0
			}
			continue
		}
		m.i = next
		if id, complete := readItem(m.b[:stop], int(start)); complete && id == m.item {
			m.inner, m.innerEnd = start, stop
		}
	}
}
