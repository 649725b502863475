package hotpb_test

import (
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
)

// asked is a runtime that does something when it is asked for an extension's number.
type asked struct {
	toy
	do func()
}

func (r asked) ExtensionNumber(any) (int32, bool) { r.do(); return 0, false }

// Runtimes that are registered while others are asked do not change whom the asking goes to: run with -race, too.
func TestRegisteringLeavesTheRuntimesThatAreBeingAskedAlone(t *testing.T) {
	later := toy{name: "b/second"}
	before, after := 0, 0
	hotpb.RegisterRuntime(asked{later, func() { before++ }})
	hotpb.RegisterRuntime(asked{toy{name: "a/first"}, func() {
		hotpb.RegisterRuntime(asked{later, func() { after++ }})
	}})
	defer hotpb.RegisterRuntime(toy{name: "a/first"})
	defer hotpb.RegisterRuntime(later)
	if _, err := hotpb.ExtensionFieldNumber(3); err == nil || before != 1 || after != 0 {
		t.Errorf("%v, asked: %d, the one that came meanwhile: %d", err, before, after)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 100 {
			hotpb.RegisterRuntime(asked{later, func() {}})
		}
	}()
	for range 100 {
		hotpb.ExtensionFieldNumber(3)
	}
	<-done
}
