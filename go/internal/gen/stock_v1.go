package gen

import (
	"fmt"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// stockRuntime is what generated code has to know of the runtime whose structs it is for.
type stockRuntime struct {
	name string // in runtime=
	// fast is the import path of what it calls where the runtime itself has to do something.
	fast  string
	proto string // the import path of the runtime
	// v1 tells the runtimes with the first API: other hidden fields, extensions behind a struct, nil messages refused.
	v1 bool
}

var stockRuntimes = map[string]*stockRuntime{
	"google": {name: "google", fast: runtimePath + "/codec/google", proto: "google.golang.org/protobuf/proto"},
	"v1":     {name: "v1", fast: runtimePath + "/googlev1/fast", proto: "github.com/golang/protobuf/proto", v1: true},
	"gogo":   {name: "gogo", fast: runtimePath + "/gogo/fast", proto: "github.com/gogo/protobuf/proto", v1: true},
}

// runtime is the one asked for; Google's when none is.
func (o *Options) runtime() *stockRuntime {
	if o.Runtime == "" {
		return stockRuntimes["google"]
	}
	return stockRuntimes[o.Runtime]
}

// newV1Message is the struct that protoc-gen-go of golang/protobuf 1.3 makes of a message, and protoc-gen-gogo, whose
// options that change structs are refused.
//
//	optional   *int32, *string; []byte; *Msg
//	implicit   int32, string, []byte
//	repeated   []int32, []string, []*Msg
//	map        map[K]V
//	oneof      an interface with a *Msg_Field
//
// Extensions are in an embedded XXX_InternalExtensions, unknown fields in XXX_unrecognized.
func newV1Message(f *File, m *plan.Message) (*stockMessage, error) {
	if err := checkV1(f.Options.runtime(), m); err != nil {
		return nil, err
	}
	s := &stockMessage{
		Message:    m,
		name:       f.MessageName(m),
		unknown:    "m.XXX_unrecognized",
		extensible: len(m.ExtensionRanges) > 0,
	}
	members := newStockMembers(f.Options.runtime(), m)
	oneofs := map[*plan.Oneof]*stockOneof{}
	s.fields = make([]*stockField, len(m.Fields))
	for _, field := range m.Declared {
		sf := &stockField{Field: field, goName: members.fields[field], bit: -1, store: storeOf(field)}
		s.fields[field.Slot] = sf
		if field.Oneof == nil {
			sf.slot = "m." + sf.goName
			continue
		}
		oneof := oneofs[field.Oneof]
		if oneof == nil {
			name := members.oneofs[field.Oneof]
			oneof = &stockOneof{Oneof: field.Oneof, goName: name, slot: "m." + name, iface: "is" + s.name + "_" + name}
			oneofs[field.Oneof] = oneof
			s.oneofs = append(s.oneofs, oneof)
		}
		oneof.members = append(oneof.members, sf)
		sf.oneof = oneof
		sf.wrapper = f.wrapperName(m, sf.goName, false)
		sf.slot = "w." + sf.goName
	}
	return s, nil
}

// checkV1 refuses what the runtime's own generator refuses, and what makes other structs than the plain ones.
func checkV1(r *stockRuntime, m *plan.Message) error {
	fail := func(element, problem, fix string) error {
		return &plan.Error{File: m.FileName, Element: element, Problem: problem, Fix: fix}
	}
	customised := func(element, option string) error {
		return fail(element,
			fmt.Sprintf("it has the option %s, and the face codec knows the plain structs of gogo only", option),
			"leave the message out with messages=, or the option away")
	}
	if m.File.Syntax == "editions" {
		return fail(m.Name, fmt.Sprintf("runtime=%s has no editions", r.name), "use runtime=google, or proto2 or proto3")
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
			return fail(element, fmt.Sprintf("runtime=%s has no optional fields of proto3", r.name),
				"use runtime=google, or leave the word away")
		}
	}
	return nil
}
