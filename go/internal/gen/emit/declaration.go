package emit

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Declaration returns the field as it is written in the .proto, for comments.
func Declaration(field *plan.Field) string {
	var kind string
	switch {
	case field.Map != nil:
		kind = "map<" + typeText(field.Map.Key) + ", " + typeText(field.Map.Value) + ">"
	default:
		kind = typeText(field)
		switch field.Presence {
		case plan.Explicit:
			kind = "optional " + kind
		case plan.Implicit:
		default:
			kind = string(field.Presence) + " " + kind
		}
		if field.Delimited {
			kind += " (delimited)"
		}
	}
	return kind + " " + field.Name + " = " + Itoa(field.Number)
}

func typeText(field *plan.Field) string {
	switch {
	case field.Message != nil:
		return lastPart(field.Message.Name)
	case field.Enum != nil:
		return lastPart(field.Enum.Name)
	}
	return string(field.Type)
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func Packable(field *plan.Field) bool {
	return field.IsRepeated() && field.WireType != 2 && field.WireType != 3
}

func Label(field *plan.Field, packed bool) string {
	name := "field" + Itoa(field.Number)
	if packed {
		name += "packed"
	}
	return name
}
