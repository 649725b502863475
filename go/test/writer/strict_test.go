package writer_test

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors"
	strict "github.com/hotpb/hotpb/go/internal/testgen/strict_p3/strict_p3hot"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/vectors/vectorshot"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/writer"
)

// texts are the ways to write text into a message, with pieces that form the text together.
func texts[W interface {
	SetSingleString(string)
	SetSingleStringParts(...[]byte)
	SetOptionalString(string)
	SetOptionalStringParts(...[]byte)
	AddRepeatedString(string)
	AddRepeatedStringParts(...[]byte)
	SetOneofString(string)
	SetOneofStringParts(...[]byte)
	SetOtherText(string)
	AddKeyString(string, string)
	AddValueString(int32, string)
}](w W) map[string]func(pieces ...string) {
	whole := func(set func(string)) func(...string) {
		return func(pieces ...string) {
			all := ""
			for _, piece := range pieces {
				all += piece
			}
			set(all)
		}
	}
	many := func(set func(...[]byte)) func(...string) {
		return func(pieces ...string) {
			var parts [][]byte
			for _, piece := range pieces {
				parts = append(parts, []byte(piece))
			}
			set(parts...)
		}
	}
	return map[string]func(...string){
		"SetSingleString": whole(w.SetSingleString), "SetSingleStringParts": many(w.SetSingleStringParts),
		"SetOptionalString": whole(w.SetOptionalString), "SetOptionalStringParts": many(w.SetOptionalStringParts),
		"AddRepeatedString": whole(w.AddRepeatedString), "AddRepeatedStringParts": many(w.AddRepeatedStringParts),
		"SetOneofString": whole(w.SetOneofString), "SetOneofStringParts": many(w.SetOneofStringParts),
		"SetOtherText":   whole(w.SetOtherText),
		"a map's key":    whole(func(text string) { w.AddKeyString(text, "value") }),
		"a map's value":  whole(func(text string) { w.AddKeyString("key", text) }),
		"a map's value2": whole(func(text string) { w.AddValueString(1, text) }),
	}
}

// WTR-7. Text that is not UTF-8: code generated with utf8=strict does not write it, and the error sticks. By default
// it is written without an error, and readers reject it.
func TestTextThatIsNoUTF8IsWrittenByDefaultAndRefusedWhenStrict(t *testing.T) {
	for _, c := range []struct {
		pieces []string
		good   bool
	}{
		{[]string{"plain"}, true}, {[]string{""}, true}, {nil, true}, {[]string{"h\u00e9", "\U0001f600"}, true},
		{[]string{"\xe2", "\x82", "\xac"}, true}, {[]string{"\xf0\x9f", "", "\x98\x80x"}, true},
		{[]string{"\xff"}, false}, {[]string{"a", "\xc3"}, false}, {[]string{"\xc3", "a"}, false}, {[]string{"\xed\xa0\x80"}, false},
		{[]string{"\xc0\x80"}, false}, {[]string{"\xf0\x9f", "", "\x98"}, false}, {[]string{"\xf5\x80\x80\x80"}, false},
	} {
		var out, plain writer.Buffer
		for name := range texts(strict.NewAllWriter(&out)) {
			out.Reset()
			w := strict.NewAllWriter(&out)
			w.SetSingleInt32(5)
			texts(w)[name](c.pieces...)
			err := w.End()
			switch {
			case c.good && err != nil:
				t.Errorf("%s(%q): %v", name, c.pieces, err)
			case !c.good && !errors.Is(err, wire.InvalidUtf8):
				t.Errorf("%s(%q), strict: %v", name, c.pieces, err)
			}
			if !c.good {
				if _, status := out.Status(); !errors.Is(status, wire.InvalidUtf8) || !errors.Is(writer.Complete(&out), wire.InvalidUtf8) {
					t.Errorf("%s(%q): status %v", name, c.pieces, status)
				}
				w.SetSingleInt32(6)
				if length, err := out.Status(); length != 2 || !errors.Is(err, wire.InvalidUtf8) {
					t.Errorf("%s(%q): %d bytes parse, %v: the field before is lost, or one after it is there", name, c.pieces, length, err)
				}
			}
			plain.Reset()
			p := p3.NewAllWriter(&plain)
			p.SetSingleInt32(5)
			texts(p)[name](c.pieces...)
			if err := p.End(); err != nil {
				t.Errorf("%s(%q), by default: %v", name, c.pieces, err)
			}
			if err := proto.Unmarshal(plain.Bytes(), new(stock.All)); (err == nil) != c.good {
				t.Errorf("%s(%q), by default: the stock runtime reads it with %v", name, c.pieces, err)
			}
			if c.good && string(plain.Bytes()) != string(out.Bytes()) {
				t.Errorf("%s(%q): %x strict, %x by default", name, c.pieces, out.Bytes(), plain.Bytes())
			}
		}
	}
}
