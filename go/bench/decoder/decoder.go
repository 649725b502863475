// Package decoder holds the task decode-string: what a string costs that is copied, and one that is the input's own
// bytes, as csproto's README has it for its decoder.
package decoder

import (
	"fmt"

	"github.com/VictoriaMetrics/easyproto"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/wire"
)

const text = "this is a test"

// Tasks returns the grid of this package.
func Tasks() harness.Tasks {
	input := protowire.AppendString([]byte{0x12}, text)
	var fc easyproto.FieldContext
	return harness.Tasks{"decode-string/14-bytes": {
		"hotpb-decoder":                hotpb(input, wire.Safe, (*wire.Decoder).DecodeString, "copied; UTF-8 checked"),
		"hotpb-decoder:unchecked":      hotpb(input, wire.Safe, (*wire.Decoder).DecodeStringUnchecked, "copied; UTF-8 not checked"),
		"hotpb-decoder:fast":           hotpb(input, wire.Fast, (*wire.Decoder).DecodeString, "aliases the input; UTF-8 checked"),
		"hotpb-decoder:fast+unchecked": hotpb(input, wire.Fast, (*wire.Decoder).DecodeStringUnchecked, "aliases the input; UTF-8 not checked"),
		"protowire": contender(input, "copied; UTF-8 not checked", func() (uint32, string, error) {
			number, _, n := protowire.ConsumeTag(input)
			if n < 0 {
				return 0, "", protowire.ParseError(n)
			}
			s, n := protowire.ConsumeString(input[n:])
			return uint32(number), s, protowire.ParseError(n)
		}),
		"easyproto": contender(input, "aliases the input; UTF-8 not checked", func() (uint32, string, error) {
			if _, err := fc.NextField(input); err != nil {
				return 0, "", err
			}
			s, ok := fc.String()
			if !ok {
				return 0, "", fmt.Errorf("no string")
			}
			return fc.FieldNum, s, nil
		}),
	}}
}

// hotpb has the decoder set up already, as csproto's benchmark has.
func hotpb(input []byte, mode wire.Mode, decode func(*wire.Decoder) (string, error), note string) harness.Factory {
	d := wire.NewDecoder(input)
	d.SetMode(mode)
	return contender(input, note, func() (uint32, string, error) {
		d.Reset()
		number, _, err := d.DecodeTag()
		if err != nil {
			return 0, "", err
		}
		s, err := decode(d)
		return number, s, err
	})
}

func contender(input []byte, note string, decode func() (uint32, string, error)) harness.Factory {
	return func([]byte) (harness.Contender, error) {
		return harness.Contender{
			Op: func() (uint64, error) {
				number, s, err := decode()
				return uint64(number) + uint64(len(s)), err
			},
			Verify: func() error {
				number, s, err := decode()
				if err == nil && (number != 2 || s != text) {
					err = fmt.Errorf("it is %d, %q", number, s)
				}
				return err
			},
			Note: note, Size: len(input),
		}, nil
	}
}
