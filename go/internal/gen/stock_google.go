package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// newGoogleMessage is the struct that protoc-gen-go of google.golang.org/protobuf makes of a message.
//
//	           open, hybrid                        opaque
//	optional   *int32, *string; []byte; *Msg       int32, *string, []byte and a bit; *Msg (lazy: and a bit)
//	implicit   int32, string, []byte               the same
//	repeated   []int32, []string, []*Msg           []int32, []string, *[]*Msg
//	map        map[K]V                             the same
//	oneof      an interface with a *Msg_Field      the same, with a *msg_Field
//
// The bits are numbered as the struct's fields are, a oneof being one.
func newGoogleMessage(f *File, m *plan.Message) *stockMessage {
	s := &stockMessage{
		Message:    m,
		name:       f.MessageName(m),
		unknown:    "m.unknownFields",
		extensible: len(m.ExtensionRanges) > 0,
		opaque:     f.isOpaque(m),
	}
	prefix := "m."
	if s.opaque {
		prefix = "m.xxx_hidden_"
	}
	members := newStockMembers(stockRuntimes["google"], m)
	oneofs := map[*plan.Oneof]*stockOneof{}
	bySlot := make([]*stockField, len(m.Fields))
	at := 0 // of the field in the struct
	for _, field := range m.Declared {
		sf := &stockField{Field: field, goName: members.fields[field], bit: -1}
		bySlot[field.Slot] = sf
		sf.store = storeOf(field)
		if field.Oneof != nil {
			oneof := oneofs[field.Oneof]
			if oneof == nil {
				name := members.oneofs[field.Oneof]
				oneof = &stockOneof{Oneof: field.Oneof, goName: name, slot: prefix + name, iface: "is" + s.name + "_" + name}
				oneofs[field.Oneof] = oneof
				s.oneofs = append(s.oneofs, oneof)
			}
			oneof.members = append(oneof.members, sf)
			sf.oneof = oneof
			sf.wrapper = f.wrapperName(m, sf.goName, s.opaque)
			sf.slot = "w." + sf.goName
			if len(oneof.members) == len(field.Oneof.Fields) {
				at++
			}
			continue
		}
		sf.slot = prefix + sf.goName
		if s.opaque {
			sf.boxed = field.IsRepeated() && field.Map == nil && field.Type == plan.TypeMessage
			if sf.store == storePointer && field.Type != plan.TypeString {
				sf.store = storeValue
			}
			if usesBit(field) {
				sf.bit = at
				s.presence = "m.XXX_presence"
			}
		}
		at++
	}
	s.fields = bySlot
	return s
}

// usesBit tells the fields of an opaque struct that have a presence bit; members of oneofs never have.
func usesBit(field *plan.Field) bool {
	switch {
	case field.Map != nil:
		return false
	case field.Type == plan.TypeMessage:
		return field.Lazy
	}
	return field.HasPresence()
}

// storeOf is how open structs keep a field.
func storeOf(field *plan.Field) storage {
	switch {
	case field.Map != nil:
		return storeMap
	case field.IsRepeated():
		return storeList
	case field.Type == plan.TypeMessage:
		return storeMessage
	case field.Oneof == nil && field.HasPresence() && field.Type != plan.TypeBytes:
		return storePointer
	}
	return storeValue
}
