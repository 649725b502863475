package emit

import (
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// stockRuntime describes, for generated code, the runtime whose structs it works on.
type stockRuntime struct {
	Name string // in runtime=
	// fast is the import path of the package that generated code calls where the runtime itself must act.
	Fast  string
	Proto string // the import path of the runtime
	// v1 marks the runtimes with the first API: other hidden fields, extensions in a struct of their own, nil
	// messages refused.
	V1 bool
	// Gogo marks gogo's runtime, whose options change structs. Marshals and Faster say what its generators, such as
	// gogofaster, turn on and off: the methods of messages; hidden fields, and pointers to numbers and strings.
	Gogo, Marshals, Faster bool
	// Values says that this generator writes the structs itself, for structs=value.
	Values bool
}

var stockRuntimes = map[string]*stockRuntime{
	"google": {Name: "google", Fast: RuntimePath + "/rt/codec/google", Proto: "google.golang.org/protobuf/proto"},
	"v1":     {Name: "v1", Fast: RuntimePath + "/googlev1/rt/fast", Proto: "github.com/golang/protobuf/proto", V1: true},

	"gogo":       newGogo("gogo", false, false),
	"gogofast":   newGogo("gogofast", true, false),
	"gogofaster": newGogo("gogofaster", true, true),
	"gogoslick":  newGogo("gogoslick", true, true),
}

// valueRuntimes are the rules of gogo's generators for structs that this generator writes itself, without gogo.
var valueRuntimes = map[string]*stockRuntime{
	"":           newValues("gogofast"), // which keeps presence in proto2
	"gogo":       newValues("gogo"),
	"gogofast":   newValues("gogofast"),
	"gogofaster": newValues("gogofaster"),
	"gogoslick":  newValues("gogoslick"),
}

func newValues(name string) *stockRuntime {
	r := *stockRuntimes[name]
	r.Fast, r.Proto, r.Values = RuntimePath+"/rt/codec/value", "", true
	return &r
}

func newGogo(name string, marshals, faster bool) *stockRuntime {
	return &stockRuntime{Name: name, Fast: RuntimePath + "/gogo/rt/fast", Proto: "github.com/gogo/protobuf/proto",
		V1: true, Gogo: true, Marshals: marshals, Faster: faster}
}

// StockRuntime is the runtime that is asked for; Google's by default.
func (o *Options) StockRuntime() *stockRuntime {
	if o.Values {
		return valueRuntimes[o.Runtime]
	}
	if o.Runtime == "" {
		return stockRuntimes["google"]
	}
	return stockRuntimes[o.Runtime]
}

// newV1Message is the struct that protoc-gen-go of golang/protobuf 1.3 writes for a message. protoc-gen-gogo
// writes the same one, if no option changes it.
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
	r := f.Options.StockRuntime()
	if r.Values {
		if err := checkValueTypes(f, m); err != nil {
			return nil, err
		}
	}
	if r.Gogo {
		s.Hidden = GogoHidden{
			Unkeyed:   r.gogoBool(m, plan.GogoUnkeyed),
			Unknown:   r.gogoBool(m, plan.GogoUnrecognized),
			SizeCache: r.gogoBool(m, plan.GogoSizeCache),
			Declared:  r.gogoBool(m, plan.GogoTypeDecl),
		}
		if r.Values {
			s.Extensible = false // they are unknown fields
			s.Hidden.Unkeyed, s.Hidden.SizeCache = false, false
			s.Hidden.Unknown = m.GogoBool(plan.GogoUnrecognized, s.Hidden.Declared || !r.Faster)
		}
		if !s.Hidden.Unknown {
			s.Unknown = ""
		}
		s.Marshals = slices.Contains(r.GogoMethods(m), "Marshal")
		s.Stable = r.gogoBool(m, plan.GogoStableMarshaler)
		s.ProtoSizer = r.gogoBool(m, plan.GogoProtoSizer)
	} else {
		s.Hidden = GogoHidden{Unkeyed: true, Unknown: true, SizeCache: true, Declared: true}
	}
	members := NewStockMembers(f.Options.StockRuntime(), m, f.Options.SpecialNames)
	oneofs := map[*plan.Oneof]*StockOneof{}
	s.StockFields = make([]*StockField, len(m.Fields))
	for _, field := range m.Declared {
		sf := &StockField{Field: field, GoName: members.StockFields[field], Bit: -1, Store: storeOf(field)}
		s.StockFields[field.Slot] = sf
		r.customise(sf)
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
	if m.File.Syntax == "editions" && !r.Values {
		return fail(m.Name, fmt.Sprintf("runtime=%s does not support editions", r.Name), "use runtime=google, or proto2 or proto3")
	}
	for _, field := range m.Fields {
		element := m.Name + "." + field.Name
		if field.Synthetic != "" && !r.Values {
			return fail(element, fmt.Sprintf("runtime=%s does not support optional fields in proto3", r.Name),
				"use runtime=google, or remove the word optional")
		}
	}
	if r.Gogo {
		return checkGogo(r, m)
	}
	return nil
}

// customise applies the options of a field that change its place in the struct.
func (r *stockRuntime) customise(sf *StockField) {
	if !r.Gogo {
		return
	}
	sf.GogoNullable = r.gogoNullable(sf.Field)
	sf.Custom, sf.Embedded = r.CustomOf(sf.Field), sf.GogoOptions.Bool(plan.GogoEmbed, false)
	if sf.Map != nil {
		sf.CustomKey, sf.MapType = r.CustomKeyOf(sf.Field), sf.GogoOptions.Text(plan.GogoCastType)
	}
	switch {
	case sf.Store == StoreMap || sf.Store == StoreList:
	case sf.Custom.IsPayload():
		sf.Store = StoreMessage
	case sf.Store == StorePointer && !r.gogoNullable(sf.Field):
		sf.Store, sf.Always = StoreValue, true
	}
}
