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
	it := Messages{b: m.b, i: m.start, end: m.end, item: number, rules: m.rules.below()}
	records := it
	if !records.Next() {
		return Message{rules: rules{epoch: m.epoch, limit: m.limit, strict: m.strict}}, false
	}
	item = records.Message()
	if records.Next() {
		item = Message{b: it.b, start: it.i, end: it.end, item: number, rules: it.rules, several: true}
	}
	return item, true
}

// nextItem moves to the next message record in an item of this number.
func (it *Messages) nextItem() bool {
	for {
		for it.inner < it.innerEnd {
			start, stop, next := record(it.b, it.inner, it.innerEnd, itemMessageTag, 0)
			if next != 0 {
				it.body, it.stop, it.inner = start, stop, next
				return true
			}
			if it.inner = skipRecord(it.b, it.inner, it.innerEnd); it.inner == 0 {
				it.innerEnd = 0
			}
		}
		if it.i >= it.end {
			return false
		}
		start, stop, next := record(it.b, it.i, it.end, itemTag, 1<<15-1)
		if next == 0 && it.item <= wire.MaxNumber {
			// The extension may also come as an ordinary field.
			it.body, it.stop, next = record(it.b, it.i, it.end, wire.MakeTag(it.item, wire.BytesType), 0)
			if next != 0 {
				it.i = next
				return true
			}
		}
		if next == 0 {
			if it.i = skipRecord(it.b, it.i, it.end); it.i == 0 {
				it.end = 0
			}
			continue
		}
		it.i = next
		if id, complete := readItem(it.b[:stop], int(start)); complete && id == it.item {
			it.inner, it.innerEnd = start, stop
		}
	}
}
