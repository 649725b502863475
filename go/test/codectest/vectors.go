package codectest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/wire"
)

// big is from where on a vector is big by repetition; looked at closely, deep ones take time that grows with the square.
const big = 2_000

// Vectors runs all vectors of messages that are linked.
func Vectors(t *testing.T) {
	t.Helper()
	n := 0
	before := map[string][]byte{}
	for _, file := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, file) {
			if New(v.Message) == nil {
				continue
			}
			n++
			Decode(t, v.Message, v.Input, codec.UnmarshalOptions{})
			if len(v.Input) > big {
				continue
			}
			Decode(t, v.Message, v.Input, codec.UnmarshalOptions{Alias: true, AllowPartial: true})
			Decode(t, v.Message, v.Input, codec.UnmarshalOptions{DiscardUnknown: true, AllowPartial: true})
			Merge(t, v.Message, before[v.Message], v.Input)
			before[v.Message] = v.Input
		}
	}
	if n == 0 {
		t.Error("there are no vectors of these messages")
	}
}

// otherRules are those in which the runtime differs from spec/wire.md, or the codec from the other faces: how long tags
// are, the default depth, and the order in which the values of maps are checked.
var otherRules = map[string]bool{"TAG-1": true, "ERR-2": true, "LIM-1": true, "PTH-3": true}

// longTagInGroup has a tag that only the runtime takes.
var longTagInGroup = regexp.MustCompile(`^wrong_tags_inside_an_unknown_group\..*/2$`)

var indices = regexp.MustCompile(`\[\d+\]`)

// InvalidVectors sees that errors are where the vectors have them, as far as the runtime refuses these inputs too.
func InvalidVectors(t *testing.T) {
	t.Helper()
	n := 0
	for _, v := range vectors.Read(t, "invalid") {
		m := New(v.Message)
		if m == nil || slices.ContainsFunc(v.IDs, func(id string) bool { return otherRules[id] }) || v.Options.Depth != nil || v.Options.Size != nil || v.Options.Elements != nil || v.Options.Strict {
			continue // limits of other faces
		}
		if proto.Unmarshal(v.Input, New(v.Message)) == nil || longTagInGroup.MatchString(v.Name) {
			continue
		}
		n++
		err := m.UnmarshalHot(v.Input)
		if at := (*wire.Error)(nil); errors.As(err, &at) && v.Error.Path != nil {
			// Indices are counted only where that costs nothing.
			at.Path = indices.ReplaceAllString(at.Path, "")
			*v.Error.Path = indices.ReplaceAllString(*v.Error.Path, "")
		}
		if difference := v.Error.Differs(err); difference != "" {
			t.Errorf("%s %v: %s: %x", v.Name, v.IDs, difference, []byte(v.Input[:min(len(v.Input), 100)]))
		}
	}
	if n == 0 {
		t.Error("there are no such vectors of these messages")
	}
}

// Damaged runs the vectors with random damage.
func Damaged(t *testing.T, rounds int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for _, file := range []string{"wire", "invalid"} {
		for _, v := range vectors.Read(t, file) {
			if New(v.Message) == nil || len(v.Input) > big {
				continue
			}
			for range rounds {
				Decode(t, v.Message, Damage(r, v.Input), codec.UnmarshalOptions{AllowPartial: true})
			}
			Merge(t, v.Message, Damage(r, v.Input), Damage(r, v.Input))
		}
	}
}

// Damage returns a copy of input with a few bytes lost, changed, added or repeated.
func Damage(r *rand.Rand, input []byte) []byte {
	b := bytes.Clone(input)
	for range 1 + r.IntN(3) {
		switch at := r.IntN(len(b) + 1); r.IntN(4) {
		case 0:
			b = b[:at]
		case 1:
			b = append(b[:at], append([]byte{byte(r.IntN(256))}, b[at:]...)...)
		case 2:
			if at < len(b) {
				b[at] = byte(r.IntN(256))
			}
		default:
			b = append(b, b[at:]...)
		}
	}
	return b
}
