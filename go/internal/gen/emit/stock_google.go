package emit

import (
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// NewGoogleMessage is the struct that protoc-gen-go of google.golang.org/protobuf writes for a message.
//
//	           open, hybrid                        opaque
//	optional   *int32, *string; []byte; *Msg       int32, *string, []byte and a bit; *Msg (lazy: and a bit)
//	implicit   int32, string, []byte               the same
//	repeated   []int32, []string, []*Msg           []int32, []string, *[]*Msg
//	map        map[K]V                             the same
//	oneof      an interface with a *Msg_Field      the same, with a *msg_Field
//
// The bits are numbered as the struct's fields are; a oneof counts as one.
func NewGoogleMessage(f *File, m *plan.Message) *StockMessage {
	s := &StockMessage{
		Message:    m,
		Name:       f.MessageName(m),
		Unknown:    "m.unknownFields",
		Extensible: len(m.ExtensionRanges) > 0,
		Opaque:     f.isOpaque(m),
	}
	if f.Gen.ignoresUnknown(m) {
		s.Unknown = ""
	}
	prefix := "m."
	if s.Opaque {
		prefix = "m.xxx_hidden_"
	}
	var special []string
	if !s.Opaque { // no method has the name of an opaque struct's field
		special = f.Options.SpecialNames
	}
	members := NewStockMembers(stockRuntimes["google"], m, special)
	oneofs := map[*plan.Oneof]*StockOneof{}
	bySlot := make([]*StockField, len(m.Fields))
	at := 0 // of the field in the struct
	for _, field := range m.Declared {
		sf := &StockField{Field: field, GoName: members.StockFields[field], Bit: -1}
		bySlot[field.Slot] = sf
		sf.Store = storeOf(field)
		f.Options.Vtproto.customise(sf)
		if field.Oneof != nil {
			oneof := oneofs[field.Oneof]
			if oneof == nil {
				name := members.StockOneofs[field.Oneof]
				oneof = &StockOneof{Oneof: field.Oneof, goName: name, StockSlot: prefix + name, Iface: "is" + s.Name + "_" + name}
				oneofs[field.Oneof] = oneof
				s.StockOneofs = append(s.StockOneofs, oneof)
			}
			oneof.Members = append(oneof.Members, sf)
			sf.Oneof = oneof
			sf.Wrapper = f.wrapperName(m, sf.GoName, s.Opaque)
			sf.StockSlot = "w." + sf.GoName
			if len(oneof.Members) == len(field.Oneof.Fields) {
				at++
			}
			continue
		}
		sf.StockSlot = prefix + sf.GoName
		if s.Opaque {
			sf.Boxed = field.IsRepeated() && field.Map == nil && field.Type == plan.TypeMessage
			if sf.Store == StorePointer && field.Type != plan.TypeString {
				sf.Store = StoreValue
			}
			if usesBit(field) {
				sf.Bit = at
				s.Presence = "m.XXX_presence"
			}
		}
		at++
	}
	s.StockFields = bySlot
	return s
}

// usesBit reports whether a field of an opaque struct has a presence bit; members of oneofs never have one.
func usesBit(field *plan.Field) bool {
	switch {
	case field.Map != nil:
		return false
	case field.Type == plan.TypeMessage:
		return field.Lazy
	}
	return field.HasPresence()
}

// storeOf returns how open structs store a field.
func storeOf(field *plan.Field) storage {
	switch {
	case field.Map != nil:
		return StoreMap
	case field.IsRepeated():
		return StoreList
	case field.Type == plan.TypeMessage:
		return StoreMessage
	case field.Oneof == nil && field.HasPresence() && field.Type != plan.TypeBytes:
		return StorePointer
	}
	return StoreValue
}
