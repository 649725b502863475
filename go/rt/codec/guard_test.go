package codec_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// A guard that cannot compare fails at each call, and does not let code pass that was never compared.
func TestAGuardThatCannotCompareFailsAgain(t *testing.T) {
	works := false
	lines := []string{"1 optional int32"}
	g := codec.Guard{File: "a.proto", Messages: []codec.Guarded{{Fingerprint: codec.FingerprintOf(lines)}}, Describe: func(any) codec.Description {
		if !works {
			panic("no description")
		}
		return codec.Description{Name: "a.M", Lines: lines}
	}}
	calls := map[string]func() bool{
		"Stops": func() bool { return g.Stops(new(codec.Decoder), false) },
		"Bars":  func() bool { return g.Bars(new(codec.Encoder)) },
	}
	for range 2 {
		for name, call := range calls {
			func() {
				defer func() {
					if why := fmt.Sprint(recover()); why != "no description" {
						t.Errorf("%s: %s", name, why)
					}
				}()
				call()
			}()
		}
	}
	works = true
	for name, call := range calls {
		if call() {
			t.Errorf("%s refuses code that fits", name)
		}
	}
	g = codec.Guard{File: "a.proto", Messages: []codec.Guarded{{Fingerprint: 1}}, Describe: g.Describe}
	for range 2 {
		for name, call := range calls {
			if !call() {
				t.Errorf("%s accepts code that does not fit", name)
			}
		}
	}
	var stale *codec.StaleError
	if err := codec.Unmarshal(guarded{&g}, nil, new(codec.UnmarshalOptions), false); !errors.As(err, &stale) || !errors.Is(err, wire.InvalidSchema) || stale.Message != "a.M" {
		t.Errorf("the error is %v", err)
	}
}

// guarded is a message without fields.
type guarded struct{ g *codec.Guard }

func (m guarded) DecodeHot(d *codec.Decoder, _ []byte, _, _ int) int {
	if m.g.Stops(d, false) {
		return -1
	}
	return 0
}
