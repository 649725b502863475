package plan

import (
	"slices"
	"strings"
)

// Tier is the kind of code a message gets.
type Tier string

// The values of Tier.
const (
	Straight Tier = "straight"
	ByTable  Tier = "table"
)

// A message of more than mostFields fields, or of a oneof of more than mostMembers, is by table (PLN-32). Its encoder may be
// straight even so, up to mostEncoded fields: code that writes a field is much smaller than code that reads it.
const (
	mostFields  = 16
	mostEncoded = 64
	mostMembers = 8
)

// chooseTiers sets the tier of each message of the requested files.
func chooseTiers(p *Plan) {
	options := optionsOnly(p)
	findListed(p)
	for _, m := range p.Messages {
		for _, field := range m.Fields {
			if field.Message != nil && field.Message != m {
				field.Message.Held = true
			}
		}
		m.Tier, m.EncodeTier = Straight, Straight
		if options[m] || hasLargeOneof(m) || len(m.Fields) > mostEncoded {
			m.EncodeTier = ByTable
		}
		if m.EncodeTier == ByTable || len(m.Fields) > mostFields {
			m.Tier = ByTable
		}
	}
}

// findListed marks the messages of which an encoding may have many.
func findListed(p *Plan) {
	var open []*Message
	mark := func(m *Message) {
		if m != nil && !m.Listed {
			m.Listed = true
			open = append(open, m)
		}
	}
	for _, m := range p.Messages {
		for _, field := range m.Fields {
			if field.Presence == Repeated || m.MapEntry {
				mark(field.Message)
			}
		}
	}
	for len(open) > 0 {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		for _, field := range m.Fields {
			mark(field.Message)
		}
	}
}

func hasLargeOneof(m *Message) bool {
	return slices.ContainsFunc(m.Oneofs, func(oneof *Oneof) bool { return len(oneof.Fields) > mostMembers })
}

// holdsOptions reports whether the message is extended to define options.
func holdsOptions(m *Message) bool {
	return m.FileName == "google/protobuf/descriptor.proto" && strings.HasPrefix(m.Name, "google.protobuf.") &&
		strings.HasSuffix(m.Name, "Options")
}

// optionsOnly finds the messages that only options hold. A message is one as soon as all messages that hold it
// are.
func optionsOnly(p *Plan) map[*Message]bool {
	heldBy := make(map[*Message][]*Message)
	holders := make(map[*Message]int)
	add := func(holder, held *Message) {
		if held != nil && held != holder {
			heldBy[holder] = append(heldBy[holder], held)
			holders[held]++
		}
	}
	found := make(map[*Message]bool)
	var open []*Message
	enter := func(m *Message) {
		if !found[m] {
			found[m] = true
			open = append(open, m)
		}
	}
	for _, file := range p.AllFiles {
		for _, m := range file.Messages {
			if holdsOptions(m) {
				enter(m)
			}
		}
		if !file.Requested {
			continue
		}
		for _, m := range file.Messages {
			for _, field := range m.Fields {
				add(m, field.Message)
			}
		}
		for _, extension := range file.Extensions {
			add(extension.Extendee, extension.Message)
		}
	}
	for len(open) > 0 {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		for _, held := range heldBy[m] {
			if holders[held]--; holders[held] == 0 {
				enter(held)
			}
		}
	}
	return found
}
