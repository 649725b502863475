package inspect

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
	"github.com/hotpb/hotpb/go/wire"
)

// Hostile bytes end in bounded time, depth and output: a line has a bound, and a byte makes few lines.
func FuzzInspect(f *testing.F) {
	flags := schemas.Flags{Schema: []string{"../../testdata/shop.proto"}, Message: "Order"}
	schema, err := flags.Load()
	if err != nil {
		f.Fatal(err)
	}
	root, err := flags.Root(schema)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		"\x08\x96\x01\x12\x03ann\x1a\x06\x0a\x02te\x10\x02\x32\x03\x01\x02\x03\x3a\x06\x0a\x01a\x12\x01b", "\x1a\x06\x0a\x02te\x10\x80\x12\x03ann",
		"\x1a\x80\x80\x80\x80\x00\x0a\x00", "\x5a\x1c\x0a\x13type.x/shop.Address\x12\x05\x0a\x03Roa", "\x8b\x01\x0a\x01a\x8c\x01", "\x07\x08\x01\x12\x03ann\x02\x08\x02",
	} {
		for options := range byte(24) {
			f.Add([]byte(s), options)
		}
	}
	f.Add(bytes.Repeat([]byte{0x1b}, 500), byte(0))
	f.Add(bytes.Repeat([]byte{0x0a, 0x80, 0x01}, 300), byte(0))
	f.Fuzz(func(t *testing.T, b []byte, options byte) {
		c := &Command{Depth: 100, At: -1, File: "f", Delimited: options&2 != 0, Sizes: options&4 != 0, Format: []string{"text", "json", "html"}[options>>3%3]}
		var out bytes.Buffer
		std := &console.Streams{Out: &out, Err: io.Discard}
		if options&1 != 0 {
			err = c.show(std, b, root, schema.Types)
		} else {
			err = c.show(std, b, nil, nil)
		}
		if out.Len() > 5000+1000*len(b) {
			t.Fatalf("%d bytes of output for %d", out.Len(), len(b))
		}
		if c.Format != "json" {
			return
		}
		for lines := json.NewDecoder(&out); ; {
			var line any
			if err := lines.Decode(&line); err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Without a schema the walker refuses the bytes that package wire refuses, and no others.
func FuzzDamageIsWhatReadersRefuse(f *testing.F) {
	f.Add([]byte("\x08\x96\x01\x12\x03ann"))
	f.Add([]byte("\x0a\x05ab"))
	f.Add([]byte("\x0b\x13\x14"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var out bytes.Buffer
		c := &Command{Depth: 100, At: -1, File: "f", Format: "text"}
		failed := c.show(&console.Streams{Out: &out, Err: io.Discard}, b, nil, nil)
		if want := check(b); (want == nil) != (failed == nil) {
			t.Errorf("%v, and readers: %v\n%s", failed, want, &out)
		}
	})
}

// check reads records with the hand-written decoder.
func check(b []byte) error {
	for d := wire.NewDecoder(b); d.More(); {
		if _, _, err := d.DecodeTag(); err != nil {
			return err
		}
		if _, err := d.Skip(); err != nil {
			return err
		}
	}
	return nil
}
