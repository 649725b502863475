package google_test

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	"github.com/hotpb/hotpb/go/rt/codec/google"
)

// unreflected is a message that has no reflection as long as broken is set.
type unreflected struct{ child *p3.Child }

var broken = true

func (m *unreflected) ProtoReflect() protoreflect.Message {
	if broken {
		panic("no reflection")
	}
	return m.child.ProtoReflect()
}

// A shape that cannot be built fails at each call, and no part of it stays.
func TestAShapeThatCannotBeBuiltFailsAgain(t *testing.T) {
	m, different := &unreflected{&p3.Child{Id: 5}}, &unreflected{&p3.Child{Id: 6}}
	for range 2 {
		for name, call := range map[string]func(){
			"CloneVT": func() { google.CloneVT(proto.Message(m)) },
			"EqualVT": func() { google.EqualVT(m, proto.Message(different)) },
		} {
			func() {
				defer func() {
					if reason := recover(); reason != "no reflection" {
						t.Errorf("%s: %v", name, reason)
					}
				}()
				call()
			}()
		}
	}
	broken = false
	if google.EqualVT(m, proto.Message(different)) || !google.EqualVT(m, proto.Message(&unreflected{&p3.Child{Id: 5}})) {
		t.Error("EqualVT is wrong afterwards")
	}
}
