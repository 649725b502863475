package plan

import "slices"

// analyse computes the properties that follow from the messages' references to each other: recursion components,
// child storage, row sizes and bounds of the encoded size.
func analyse(messages []*Message) {
	components(messages)
	rows := make(map[*Message]bool, len(messages))
	sizes := make(map[*Message]bool, len(messages))
	for _, message := range messages {
		rowBytes(message, rows)
		maxSize(message, sizes)
	}
}

// components numbers the strongly connected components of the messages that can contain themselves (PLN-18). It is
// Tarjan's algorithm without recursion: schemas are untrusted, and may be as deep as they are long.
func components(messages []*Message) {
	type state struct {
		index, low int // from 1
		onStack    bool
	}
	states := make(map[*Message]*state, len(messages))
	var stack []*Message
	var found [][]*Message
	type frame struct {
		message *Message
		field   int
	}
	next := 1
	visit := func(root *Message) {
		open := func(m *Message) frame {
			states[m] = &state{index: next, low: next, onStack: true}
			next++
			stack = append(stack, m)
			return frame{message: m}
		}
		frames := []frame{open(root)}
		for len(frames) > 0 {
			top := &frames[len(frames)-1]
			at := states[top.message]
			// The next field: its message is opened, or is known to be reachable.
			if top.field < len(top.message.Fields) {
				child := top.message.Fields[top.field].Message
				top.field++
				if child == nil {
					continue
				}
				if seen := states[child]; seen == nil {
					frames = append(frames, open(child))
				} else if seen.onStack {
					at.low = min(at.low, seen.index)
				}
				continue
			}
			// All fields are visited. If nothing reaches further up, the stack from this message on is a component.
			message := top.message
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				parent := states[frames[len(frames)-1].message]
				parent.low = min(parent.low, at.low)
			}
			if at.low != at.index {
				continue
			}
			var component []*Message
			for {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				states[last].onStack = false
				component = append(component, last)
				if last == message {
					break
				}
			}
			if len(component) > 1 || containsItself(message) {
				found = append(found, component)
			}
		}
	}
	// Every message is visited once.
	for _, message := range messages {
		if states[message] == nil {
			visit(message)
		}
	}
	// The components get numbers in the order of their first messages.
	componentOf := make(map[*Message]int, len(messages)) // index in found, from 1
	for i, component := range found {
		for _, message := range component {
			componentOf[message] = i + 1
		}
	}
	numbers := make(map[int]int, len(found))
	for _, message := range messages {
		if i := componentOf[message]; i != 0 {
			if numbers[i] == 0 {
				numbers[i] = len(numbers) + 1
			}
			message.Recursion = numbers[i]
		}
	}
}

func containsItself(message *Message) bool {
	return slices.ContainsFunc(message.Fields, func(f *Field) bool { return f.Message == message })
}

// A child of more than pointerAbove bytes is stored by pointer (PLN-20).
const pointerAbove = 256

// rowBytes estimates a message's size in memory and decides where its children are stored (PLN-19, PLN-20).
// Children by value are never in the message's own component, so the recursion ends.
func rowBytes(message *Message, done map[*Message]bool) int64 {
	if done[message] {
		return message.RowBytes
	}
	done[message] = true
	size := int64(32 + 16*len(message.Oneofs))
	for _, field := range message.Fields {
		if field.Message != nil {
			field.ChildStorage = StorageValue
			if field.Presence != Repeated &&
				(message.Recursion != 0 && field.Message.Recursion == message.Recursion || rowBytes(field.Message, done) > pointerAbove) {
				field.ChildStorage = StoragePointer
			}
		}
		size += fieldRowBytes(field, done)
	}
	message.RowBytes = size
	return size
}

func fieldRowBytes(field *Field, done map[*Message]bool) int64 {
	switch {
	case field.Presence == Repeated:
		return 24
	case field.Message != nil && field.ChildStorage == StoragePointer:
		return 8
	case field.Message != nil:
		return rowBytes(field.Message, done)
	case field.Oneof != nil:
		return 0
	}
	switch field.Type {
	case TypeBool:
		return 1
	case TypeInt32, TypeUint32, TypeSint32, TypeFixed32, TypeSfixed32, TypeFloat, TypeEnum:
		return 4
	case TypeString, TypeBytes:
		return 16
	}
	return 8
}

// A bound above maxBound counts as no bound (PLN-17).
const maxBound = 1<<28 - 1

// maxSize computes the largest encoded size of a message, or Unbounded.
func maxSize(message *Message, done map[*Message]bool) int64 {
	if done[message] {
		return message.MaxSize
	}
	done[message] = true
	message.MaxSize = Unbounded
	if message.Recursion != 0 || message.MessageSet || len(message.ExtensionRanges) > 0 {
		return Unbounded
	}
	var total int64
	largest := make([]int64, len(message.Oneofs))
	for _, field := range message.Fields {
		size := fieldMaxSize(field, done)
		switch {
		case size == Unbounded:
			return Unbounded
		case field.Oneof != nil:
			largest[field.OneofIndex] = max(largest[field.OneofIndex], size)
		default:
			total += size
		}
	}
	for _, size := range largest {
		total += size
	}
	if total <= maxBound {
		message.MaxSize = total
	}
	return message.MaxSize
}

func fieldMaxSize(field *Field, done map[*Message]bool) int64 {
	if field.Presence == Repeated {
		return Unbounded
	}
	tag := int64(len(field.Tag))
	switch field.SizeClass {
	case SizeBool:
		return tag + 1
	case SizeVarint32:
		return tag + 5
	case SizeVarint64:
		return tag + 10
	case SizeFix4:
		return tag + 4
	case SizeFix8:
		return tag + 8
	}
	if field.Message == nil {
		return Unbounded // string, bytes
	}
	size := maxSize(field.Message, done)
	switch {
	case size == Unbounded:
		return Unbounded
	case field.Delimited:
		return tag + size + tag
	}
	return tag + varintSize(size) + size
}

func varintSize(value int64) int64 {
	size := int64(1)
	for ; value >= 0x80; value >>= 7 {
		size++
	}
	return size
}
