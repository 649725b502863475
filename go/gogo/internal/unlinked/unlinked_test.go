// Package unlinked tests messages of gogo in a program that did not import hotpb's package for them.
package unlinked

import (
	"errors"
	"strings"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto3"
	fast3 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto3_fast"
)

const satellite = "github.com/hotpb/hotpb/go/gogo"

func wants(t *testing.T, err error) {
	t.Helper()
	var e *hotpb.Error
	if !errors.Is(err, hotpb.ErrNotLinked) || !errors.As(err, &e) || e.Import != satellite {
		t.Errorf("%v", err)
	} else if !strings.Contains(err.Error(), `import _ "`+satellite+`"`) {
		t.Errorf("it does not say what to import: %v", err)
	}
}

// COD-30.
func TestTheErrorSaysWhatToImport(t *testing.T) {
	for _, msg := range []any{new(p3.Batch), new(p2.BaseEvent)} {
		_, err := hotpb.Marshal(msg)
		wants(t, err)
		wants(t, hotpb.Unmarshal(nil, msg))
		wants(t, hotpb.SetExtension(msg, p2.E_Note, nil))
		if hotpb.Size(msg) != 0 || hotpb.HasExtension(msg, p2.E_Note) || hotpb.Clone(msg) != nil {
			t.Error("Size, HasExtension or Clone without the runtime")
		}
	}
	_, err := hotpb.ExtensionFieldNumber(p2.E_Note)
	wants(t, err)
}

// COD-2. A message with methods for its encoding needs no runtime for that.
func TestMessagesWithMethodsAreEncoded(t *testing.T) {
	m := &fast3.Actor{Id: 7}
	b, err := hotpb.Marshal(m)
	if err != nil || len(b) != 2 || hotpb.Size(m) != 2 {
		t.Errorf("%x, %v", b, err)
	}
	_, err = hotpb.MarshalJSON(m)
	wants(t, err)
}
