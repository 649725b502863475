package emit

import (
	"fmt"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// stockRuntime has what generated code must know of the runtime whose structs it works on.
type stockRuntime struct {
	Name string // in runtime=
	// fast is the import path of the package that generated code calls where the runtime itself must act.
	Fast  string
	Proto string // the import path of the runtime
	// v1 marks the runtimes with the first API: other hidden fields, extensions in a struct of their own, nil
	// messages refused.
	V1 bool
}

var stockRuntimes = map[string]*stockRuntime{
	"google": {Name: "google", Fast: RuntimePath + "/codec/google", Proto: "google.golang.org/protobuf/proto"},
	"v1":     {Name: "v1", Fast: RuntimePath + "/googlev1/fast", Proto: "github.com/golang/protobuf/proto", V1: true},
	"gogo":   {Name: "gogo", Fast: RuntimePath + "/gogo/fast", Proto: "github.com/gogo/protobuf/proto", V1: true},
}

// StockRuntime is the runtime that is asked for; Google's by default.
func (o *Options) StockRuntime() *stockRuntime {
	if o.Runtime == "" {
		return stockRuntimes["google"]
	}
	return stockRuntimes[o.Runtime]
}

// newV1Message is the struct that protoc-gen-go of golang/protobuf 1.3 writes for a message. protoc-gen-gogo
// writes the same one; its options that change structs are refused.
//
//	optional   *int32, *string; []byte; *Msg
//	implicit   int32, string, []byte
//	repeated   []int32, []string, []*Msg
//	map        map[K]V
//	oneof      an interface with a *Msg_Field
//
// Extensions are in an embedded XXX_InternalExtensions, unknown fields in XXX_unrecognized.
func newV1Message(f *File, m *plan.Message) (*StockMessage, error) {
	if err := checkV1(f.Options.StockRuntime(), m); err != nil {
		return nil, err
	}
	s := &StockMessage{
		Message:    m,
		Name:       f.MessageName(m),
		Unknown:    "m.XXX_unrecognized",
		Extensible: len(m.ExtensionRanges) > 0,
	}
	members := NewStockMembers(f.Options.StockRuntime(), m)
	oneofs := map[*plan.Oneof]*StockOneof{}
	s.StockFields = make([]*StockField, len(m.Fields))
	for _, field := range m.Declared {
		sf := &StockField{Field: field, GoName: members.StockFields[field], Bit: -1, Store: storeOf(field)}
		s.StockFields[field.Slot] = sf
		if field.Oneof == nil {
			sf.StockSlot = "m." + sf.GoName
			continue
		}
		oneof := oneofs[field.Oneof]
		if oneof == nil {
			name := members.StockOneofs[field.Oneof]
			oneof = &StockOneof{Oneof: field.Oneof, goName: name, StockSlot: "m." + name, Iface: "is" + s.Name + "_" + name}
			oneofs[field.Oneof] = oneof
			s.StockOneofs = append(s.StockOneofs, oneof)
		}
		oneof.Members = append(oneof.Members, sf)
		sf.Oneof = oneof
		sf.Wrapper = f.wrapperName(m, sf.GoName, false)
		sf.StockSlot = "w." + sf.GoName
	}
	return s, nil
}

// checkV1 refuses what the runtime's own generator refuses, and options that change the plain structs.
func checkV1(r *stockRuntime, m *plan.Message) error {
	fail := func(element, problem, fix string) error {
		return &plan.Error{File: m.FileName, Element: element, Problem: problem, Fix: fix}
	}
	customised := func(element, option string) error {
		return fail(element,
			fmt.Sprintf("it has the option %s, and the face codec supports only gogo's plain structs", option),
			"leave out the message with messages=, or remove the option")
	}
	if m.File.Syntax == "editions" {
		return fail(m.Name, fmt.Sprintf("runtime=%s does not support editions", r.Name), "use runtime=google, or proto2 or proto3")
	}
	for _, at := range []struct{ element, option string }{{m.FileName, m.File.Gogo}, {m.Name, m.Gogo}} {
		if at.option != "" {
			return customised(at.element, at.option)
		}
	}
	for _, field := range m.Fields {
		element := m.Name + "." + field.Name
		switch {
		case field.Gogo != "":
			return customised(element, field.Gogo)
		case field.Enum != nil && field.Enum.Gogo != "":
			return customised(field.Enum.Name, field.Enum.Gogo)
		case field.Synthetic != "":
			return fail(element, fmt.Sprintf("runtime=%s does not support optional fields in proto3", r.Name),
				"use runtime=google, or remove the word optional")
		}
	}
	return nil
}
