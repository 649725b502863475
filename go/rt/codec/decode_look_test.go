package codec

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/rt/wire"
)

func TestOnlyLongListsAreCounted(t *testing.T) {
	record := func(number uint32, size int) []byte {
		return wire.AppendString(wire.AppendTag(nil, number, wire.BytesType), strings.Repeat("x", size))
	}
	long := bytes.Repeat(record(1, 30), 40)
	few := bytes.Repeat(record(1, 300), 16)
	var mixed []byte
	for n := range uint32(40) {
		mixed = append(mixed, record(n%7+1, 30)...)
	}
	wrapped := wire.AppendString(wire.AppendTag(record(3, 9), 2, wire.BytesType), string(long))
	for name, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"a long list": {long, true}, "a list of few": {few, false}, "many fields": {mixed, false}, "a long list inside": {wrapped, true},
		"behind numbers": {append(bytes.Repeat([]byte{0x20, 1}, 9), long...), true},
		"behind more":    {append(bytes.Repeat([]byte{0x20, 1}, 90), long...), false},
		"nothing":        {nil, false}, "a bad tag": {[]byte{0x07}, false}, "a cut record": {long[:20], false},
		"a length beyond all": {append([]byte{0x0a}, bytes.Repeat([]byte{0xff}, 9)...), false},
		"deeper than looked":  {wrap(long, deepestLook), false},
	} {
		if got := startsList(c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func wrap(b []byte, levels int) []byte {
	for range levels {
		b = wire.AppendString(wire.AppendTag(nil, 1, wire.BytesType), string(b))
	}
	return b
}
