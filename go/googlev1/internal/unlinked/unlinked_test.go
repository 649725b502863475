// Package unlinked tests messages of the v1 API in a program that did not import hotpb's package for them.
package unlinked

import (
	"errors"
	"strings"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	p2 "github.com/hotpb/hotpb/go/googlev1/internal/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/googlev1/internal/codec_proto3"
)

const satellite = "github.com/hotpb/hotpb/go/googlev1"

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
