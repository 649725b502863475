package migrate

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// COD-122: a call is rewritten where the types of its arguments show that both behave alike; the other lines have the difference.
func TestCallsThatDifferAreByHand(t *testing.T) {
	s := start(t, "csproto")
	s.write("calls.go", `package main

import (
	"github.com/CrowdStrike/csproto"
	"google.golang.org/protobuf/proto"

	"example.com/watch/events"
)

type own struct{ *events.Event }

func (own) Unmarshal([]byte) error { return nil }

type fast struct{ *events.Event }

func (fast) MarshalVT() ([]byte, error) { return nil, nil }

func calls[T proto.Message](b []byte, e *events.Event, m proto.Message, x any, typed T, f func(any, string, int32) error) {
	_ = csproto.Unmarshal(b, &own{})
	_, _ = csproto.Marshal(&fast{})
	_ = csproto.Size(&fast{})
	_, _ = csproto.Marshal(m)
	_, _ = csproto.Marshal(typed)
	_ = csproto.Equal(e, m)
	_ = csproto.HasExtension(e, x)
	csproto.ClearExtension(e, events.E_Note)
	_ = csproto.RangeExtensions(e, f)
	_, _ = csproto.ExtensionFieldNumber(x)
	_, _ = csproto.MarshalText(e)
	csproto.Reset(e)
	_, _ = csproto.GetExtension(e, events.E_Note)

	_ = csproto.HasExtension(e, events.E_Note)
	_ = csproto.RangeExtensions(&events.Event{}, f)
	_ = csproto.RangeExtensions(new(events.Event), f)
	_, _ = csproto.ExtensionFieldNumber(events.E_Note)
	_ = csproto.Equal(e, e)
	_ = csproto.Clone(m)
	_ = csproto.Equal(m, m)
	_ = csproto.Clone(x)
}

var _ = calls[proto.Message]
`)
	s.run(s.folder, "go", "vet", "./...")
	s.commit()
	list, _ := s.migrate(Command{All: true})
	safely, rest, _ := strings.Cut(list, "\nby hand\n")
	for _, want := range []string{"calls.go:33:6", "calls.go:34:6", "calls.go:35:6", "calls.go:36:9", "calls.go:37:6", "calls.go:38:6"} {
		if !strings.Contains(safely, want) {
			t.Errorf("%s is not safe:\n%s", want, safely)
		}
	}
	for _, want := range []string{
		"calls.go:19:6: csproto.Unmarshal: hotpb.Unmarshal: compare with the method Unmarshal", "csproto.Marshal: hotpb.Marshal: it calls vtprotobuf's methods", "calls.go:21:6: csproto.Size: hotpb.Size: it calls vtprotobuf's methods",
		"calls.go:22:9", "calls.go:23:9", "csproto.Equal: hotpb.Equal: it is false for messages of two Go types, where csproto asks their runtime [2 places: calls.go:24:6 calls.go:39:6]", "calls.go:25:6: csproto.HasExtension: hotpb.HasExtension: it refuses",
		"calls.go:26:2: csproto.ClearExtension: hotpb.ClearExtension: it returns an error", "calls.go:27:6: csproto.RangeExtensions: hotpb.RangeExtensions: it returns an error for a nil message",
		"calls.go:28:9: csproto.ExtensionFieldNumber: hotpb.ExtensionFieldNumber: import", "calls.go:29:9: csproto.MarshalText: hotpb.MarshalText: it returns a []byte, where csproto returns a string",
		"calls.go:30:2: csproto.Reset: hotpb.Reset: it returns an error", "csproto.GetExtension: hotpb.GetExtension: for an extension that is not set", "calls.go:40:6: csproto.Clone: hotpb.Clone: import",
	} {
		if !strings.Contains(rest, want) {
			t.Errorf("no %q in\n%s", want, rest)
		}
	}
	if _, err := s.migrate(Command{Write: true}); err == nil {
		t.Error("what is left by hand is no error")
	}
	s.require()
	s.run(s.folder, "go", "vet", "./...")
}

// The codec of a program with messages of other runtimes is by hand.
func TestMessagesOfOtherRuntimesAreSeen(t *testing.T) {
	at := func(path, version, replaced string) *packages.Package {
		m := &packages.Module{Path: path, Version: version}
		if replaced != "" {
			m.Replace = &packages.Module{Path: path, Version: replaced}
		}
		return &packages.Package{PkgPath: path, Module: m}
	}
	for _, c := range []struct {
		imported *packages.Package
		path     string
		files    []string
		want     string
	}{
		{at("", "", ""), "fmt", nil, ""},
		{at(gogoModule, "v1.3.2", ""), gogoProto, nil, "messages of gogo"},
		{at("github.com/golang/protobuf", "v1.5.4", ""), googleV1Proto, nil, ""},
		{at("github.com/golang/protobuf", "v1.3.5", ""), googleV1Proto, nil, "messages of golang/protobuf before 1.4"},
		{at("github.com/golang/protobuf", "v1.5.4", "v1.3.5"), googleV1Proto, nil, "messages of golang/protobuf before 1.4"},
		{at(vtprotoPath, "v0.6.0", ""), vtprotoPath + "/protohelpers", nil, "methods of vtprotobuf"},
		{at("", "", ""), "fmt", []string{"x/a_vtproto.pb.go"}, "methods of vtprotobuf"},
	} {
		if got := otherMessages(&packages.Package{Imports: map[string]*packages.Package{c.path: c.imported}, GoFiles: c.files}); got != c.want {
			t.Errorf("%s %s: %q", c.path, c.imported.Module.Version, got)
		}
	}
}
