package google

import (
	"math"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// hasNaN reports whether a number in the message is NaN.
func hasNaN(m protoreflect.Message) (is bool) {
	if !mayHoldNaN(m.Descriptor()) {
		return false
	}
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap():
			if element := field.MapValue(); canBeNaN(element) {
				value.Map().Range(func(_ protoreflect.MapKey, value protoreflect.Value) bool {
					is = isNaN(element, value)
					return !is
				})
			}
		case field.IsList():
			if canBeNaN(field) {
				for i, list := 0, value.List(); i < list.Len() && !is; i++ {
					is = isNaN(field, list.Get(i))
				}
			}
		default:
			is = isNaN(field, value)
		}
		return !is
	})
	return is
}

func isNaN(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
	switch field.Kind() {
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return math.IsNaN(value.Float())
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return hasNaN(value.Message())
	}
	return false
}

func canBeNaN(field protoreflect.FieldDescriptor) bool {
	switch field.Kind() {
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return true
	}
	return field.Message() != nil && mayHoldNaN(field.Message())
}

// mayHoldNaN reports whether a message can have a float or a double inside, in an extension if nowhere else.
func mayHoldNaN(message protoreflect.MessageDescriptor) bool {
	return reaches(&holdingNaN, message, func(m protoreflect.MessageDescriptor) bool {
		if m.ExtensionRanges().Len() > 0 {
			return true
		}
		for i, fields := 0, m.Fields(); i < fields.Len(); i++ {
			switch fields.Get(i).Kind() {
			case protoreflect.FloatKind, protoreflect.DoubleKind:
				return true
			}
		}
		return false
	})
}

var holdingNaN sync.Map // from protoreflect.MessageDescriptor to bool

// reaches reports whether a message or one inside it has a property. It remembers the answer in known.
func reaches(known *sync.Map, message protoreflect.MessageDescriptor, has func(protoreflect.MessageDescriptor) bool) bool {
	if is, found := known.Load(message); found {
		return is.(bool)
	}
	seen, found := map[protoreflect.FullName]bool{message.FullName(): true}, false
	for open := []protoreflect.MessageDescriptor{message}; len(open) > 0 && !found; {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		found = has(m)
		for i, fields := 0, m.Fields(); i < fields.Len(); i++ {
			if child := fields.Get(i).Message(); child != nil && !seen[child.FullName()] {
				seen[child.FullName()] = true
				open = append(open, child)
			}
		}
	}
	known.Store(message, found)
	return found
}
