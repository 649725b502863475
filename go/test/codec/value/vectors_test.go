package value_test

import (
	"errors"
	"regexp"
	"testing"

	"google.golang.org/protobuf/types/dynamicpb"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/wire"
)

// COD-102, COD-106, COD-107
func TestVectorsDecodeAsDynamicMessages(t *testing.T) {
	n := 0
	for _, file := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, file) {
			kind := messageTypes[v.Message]
			if kind == nil {
				continue
			}
			n++
			compare(t, kind, v.Input, codec.UnmarshalOptions{})
			compare(t, kind, v.Input, codec.UnmarshalOptions{Alias: true, AllowPartial: true})
			compare(t, kind, v.Input, codec.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true})
		}
	}
	t.Logf("%d vectors", n)
	if n < 1000 {
		t.Errorf("only %d vectors", n)
	}
}

// longTagInGroup has a tag that only the runtime accepts.
var longTagInGroup = regexp.MustCompile(`^wrong_tags_inside_an_unknown_group\..*/2$`)

var indices = regexp.MustCompile(`\[\d+\]`)

// COD-105
func TestInvalidVectorsGiveTheirErrors(t *testing.T) {
	// The rules in which the codec differs from the other faces (COD-10).
	others := map[string]bool{"TAG-1": true, "ERR-2": true, "LIM-1": true, "PTH-3": true}
	n := 0
	for _, v := range vectors.Read(t, "invalid") {
		kind := messageTypes[v.Message]
		differs := kind == nil || v.Options.Depth != nil || v.Options.Size != nil || v.Options.Elements != nil || v.Options.Strict
		for _, id := range v.IDs {
			differs = differs || others[id]
		}
		if differs || longTagInGroup.MatchString(v.Name) || proto.Unmarshal(v.Input, dynamicpb.NewMessage(kind.Descriptor())) == nil {
			continue
		}
		n++
		err := kind.New().Interface().(message).UnmarshalHot(v.Input)
		if at := (*wire.Error)(nil); errors.As(err, &at) && v.Error.Path != nil {
			at.Path = indices.ReplaceAllString(at.Path, "")
			*v.Error.Path = indices.ReplaceAllString(*v.Error.Path, "")
		}
		if difference := v.Error.Differs(err); difference != "" {
			t.Errorf("%s %v: %s: %x", v.Name, v.IDs, difference, []byte(v.Input[:min(len(v.Input), 100)]))
		}
	}
	t.Logf("%d vectors", n)
	if n < 200 {
		t.Errorf("only %d vectors", n)
	}
}
