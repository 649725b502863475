package wire_test

import (
	"strconv"
	"testing"

	"github.com/hotpb/hotpb/go/internal/vectors"
	"github.com/hotpb/hotpb/go/rt/wire"
)

func TestPrimitiveVectors(t *testing.T) {
	for _, v := range vectors.Read(t, "primitive") {
		switch v.Kind {
		case "varint":
			got, next := wire.ReadVarint(v.Input, 0)
			if skipped := wire.SkipVarint(v.Input, 0); skipped != next {
				t.Errorf("%s: read to %d, skipped to %d", v.Name, next, skipped)
			}
			if v.Error != nil {
				if next >= 0 || wire.Failed(next).String() != v.Error.Code {
					t.Errorf("%s: %d up to %d, want %s", v.Name, got, next, v.Error.Code)
				}
			} else if want, err := strconv.ParseUint(v.Value.(string), 10, 64); err != nil || got != want || next < 0 {
				t.Errorf("%s: %d up to %d, want %v", v.Name, got, next, v.Value)
			}
		case "utf8":
			if got := wire.ValidUTF8(v.Input); got != (v.Value == true) {
				t.Errorf("%s: %v", v.Name, got)
			}
		default:
			t.Errorf("%s: unknown kind %q", v.Name, v.Kind)
		}
	}
}
