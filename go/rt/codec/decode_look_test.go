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
	// A field 1 is a list, 2 is one message with such a list, and 3 is a text.
	fields := []SlabField{{Tag: 0x0a, Kind: SlabOfList}, {Tag: 0x12, Kind: SlabOfOne}}
	fields[0].Inside, fields[1].Inside = fields, fields
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
		"as deep as looked":   {wrap(long, deepestLook-1), true},
		"deeper than looked":  {wrap(long, deepestLook), false},
		"many texts":          {bytes.Repeat(record(3, 30), 40), false},
		"one many times":      {bytes.Repeat(record(2, 30), 40), false},
		"a list in a text":    {wire.AppendString(wire.AppendTag(nil, 3, wire.BytesType), string(long)), false},
		"behind a long text":  {append(record(3, 2*len(long)), long...), false},
		"numbers backwards":   {append(record(3, 9), append(record(2, 9), long...)...), true},
	} {
		if got := startsList(fields, c.b); got != c.want {
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
