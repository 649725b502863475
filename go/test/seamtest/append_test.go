// Package seamtest has tests of promises that all faces share.
package seamtest

import (
	"bytes"
	"fmt"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
	"github.com/hotpb/hotpb/go/writer"

	"github.com/hotpb/hotpb/go/codec"
)

type flow struct {
	Src  string `hotpb:"src"`
	Size uint64 `hotpb:"size"`
}

// Each appends something to a slice, or fails.
func appends(t *testing.T) map[string]func(dst []byte) ([]byte, error) {
	t.Helper()
	label := hot.Label{Name: "job", Value: "api"}
	bad := hot.Label{Name: "job", Value: "\xff"}
	stockLabel := &stock.Label{Name: "job", Value: "api"}
	stockBad := &stock.Label{Name: "job", Value: "\xff"}
	unknown := []byte("\xf8\x07\x05")
	encoded, err := label.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	var m hot.Label
	if err := m.Unmarshal(append(encoded[:len(encoded):len(encoded)], unknown...)); err != nil {
		t.Fatal(err)
	}
	var v hot.LabelView
	if err := v.Decode(append(encoded[:len(encoded):len(encoded)], unknown...)); err != nil {
		t.Fatal(err)
	}
	var heap writer.HeapBuffer
	w := hot.NewLabelWriter(&heap)
	w.SetName("job")
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	s := schema.New("Flow")
	s.Bytes("src", 1)
	s.Uint64("size", 2)
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	binding, err := schema.Bind[flow](plan)
	if err != nil {
		t.Fatal(err)
	}
	value := &flow{"source", 1 << 40}
	record := plan.NewRecord()
	row := plan.NewRow()
	bound, _ := binding.Append(nil, value)
	if err := row.Unmarshal(bound); err != nil {
		t.Fatal(err)
	}

	templates, data, clock := inputTemplate(t)
	return map[string]func([]byte) ([]byte, error){
		"template Template.Append":      func(b []byte) ([]byte, error) { out, _, err := templates.Append(b, data, clock); return out, err },
		"template Template.Append, cut": func(b []byte) ([]byte, error) { out, _, err := templates.Append(b, data[:5], clock); return out, err },
		"template Template.AppendDelimited": func(b []byte) ([]byte, error) {
			out, _, err := templates.AppendDelimited(b, data, clock)
			return out, err
		},
		"template Template.AppendSet": func(b []byte) ([]byte, error) { out, _, err := templates.AppendSet(b, data, clock); return out, err },
		"template Template.AppendSetAfter": func(b []byte) ([]byte, error) {
			out, _, err := templates.AppendSetAfter(b, []byte("\x08\x05"), data, clock)
			return out, err
		},
		"hotpb.MarshalAppend, codec":  func(b []byte) ([]byte, error) { return hotpb.MarshalAppend(b, stockLabel) },
		"hotpb.MarshalAppend, bad":    func(b []byte) ([]byte, error) { return hotpb.MarshalAppend(b, stockBad) },
		"hotpb.MarshalAppend, pool":   func(b []byte) ([]byte, error) { return hotpb.MarshalAppend(b, &label) },
		"hotpb.MarshalAppendSized":    func(b []byte) ([]byte, error) { return hotpb.MarshalAppendSized(b, stockLabel) },
		"codec MarshalAppendHot":      stockLabel.MarshalAppendHot,
		"codec MarshalAppendHot, bad": stockBad.MarshalAppendHot,
		"codec MarshalHotOptions":     func(b []byte) ([]byte, error) { return stockLabel.MarshalHotOptions(b, codec.MarshalOptions{}) },
		"pool MarshalAppend":          label.MarshalAppend,
		"pool MarshalAppend, bad":     bad.MarshalAppend,
		"pool MarshalWith":            func(b []byte) ([]byte, error) { return m.MarshalWith(b, pool.MarshalOptions{Strict: true}) },
		"pool unknown field": func(b []byte) ([]byte, error) {
			unknowns := m.UnknownFields()
			unknowns.Next()
			return unknowns.Field().Append(b), nil
		},
		"pool AppendUnknown": func(b []byte) ([]byte, error) { return m.RefHot().Hidden().AppendUnknown(b), nil },
		"view unknown field": func(b []byte) ([]byte, error) {
			unknowns := v.UnknownFields()
			unknowns.Next()
			return unknowns.Field().Append(b), nil
		},
		"writer HeapBuffer":              func(b []byte) ([]byte, error) { return heap.AppendTo(b), nil },
		"schema Binding.Append":          func(b []byte) ([]byte, error) { return binding.Append(b, value) },
		"schema Binding.AppendDelimited": func(b []byte) ([]byte, error) { return binding.AppendDelimited(b, value) },
		"schema Record.Append":           record.Append,
		"schema Record.AppendDelimited":  record.AppendDelimited,
		"schema Row.Append":              func(b []byte) ([]byte, error) { return row.Append(b), nil },
		"wire.AppendVarint":              func(b []byte) ([]byte, error) { return wire.AppendVarint(b, 1<<40), nil },
		"wire.AppendTag":                 func(b []byte) ([]byte, error) { return wire.AppendTag(b, 1<<20, wire.BytesType), nil },
		"wire.AppendInt32":               func(b []byte) ([]byte, error) { return wire.AppendInt32(b, -1), nil },
		"wire.AppendSint32":              func(b []byte) ([]byte, error) { return wire.AppendSint32(b, -1), nil },
		"wire.AppendSint64":              func(b []byte) ([]byte, error) { return wire.AppendSint64(b, -1), nil },
		"wire.AppendBool":                func(b []byte) ([]byte, error) { return wire.AppendBool(b, true), nil },
		"wire.AppendFixed32":             func(b []byte) ([]byte, error) { return wire.AppendFixed32(b, 1), nil },
		"wire.AppendFixed64":             func(b []byte) ([]byte, error) { return wire.AppendFixed64(b, 1), nil },
		"wire.AppendFloat":               func(b []byte) ([]byte, error) { return wire.AppendFloat(b, 1), nil },
		"wire.AppendDouble":              func(b []byte) ([]byte, error) { return wire.AppendDouble(b, 1), nil },
		"wire.AppendString":              func(b []byte) ([]byte, error) { return wire.AppendString(b, "text"), nil },
		"wire.AppendBytes":               func(b []byte) ([]byte, error) { return wire.AppendBytes(b, unknown), nil },
		"wire.AppendDelimited":           func(b []byte) ([]byte, error) { return wire.AppendDelimited(b, encoded), nil },
	}
}

// inputTemplate is an input template with two records of its data.
func inputTemplate(t *testing.T) (*template.Template, []byte, template.Clock) {
	t.Helper()
	s := schema.New("Templated")
	s.Uint64("size", 1, schema.From(schema.Source{Element: 1}))
	s.String("name", 2, schema.From(schema.Source{Element: 82}))
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	bound, err := template.Bind(plan, []template.Field{{Element: 1, Length: 8}, {Element: 82, Length: template.VariableLength}})
	if err != nil {
		t.Fatal(err)
	}
	return bound, []byte("\x00\x00\x00\x01\x00\x00\x00\x02\x03abc\x00\x00\x00\x00\x00\x00\x00\x09\x05hello"), template.NetFlowClock(1700000000, 5)
}

// Whatever room there is: what was in the slice stays, and of what stands after the result nothing is touched; on an error
// nothing at all.
func TestAppendsTouchNothingAfterTheirResult(t *testing.T) {
	const head, room, canary = 3, 100, 0x5a
	for name, call := range appends(t) {
		t.Run(name, func(t *testing.T) {
			want, wantErr := call(nil)
			for spare := range room - head {
				all := bytes.Repeat([]byte{canary}, room)
				out, err := call(all[: head : head+spare])
				if (err != nil) != (wantErr != nil) {
					t.Fatalf("%d bytes of room: %v instead of %v", spare, err, wantErr)
				}
				if err == nil && !bytes.Equal(out, append(bytes.Repeat([]byte{canary}, head), want...)) || err != nil && len(out) != head {
					t.Fatalf("%d bytes of room: %x, want %x behind three", spare, out, want)
				}
				untouched := all[head:]
				if err == nil { // what is too long for the room may have begun there
					untouched = all[head+min(spare, len(want)):]
				}
				if rest := bytes.TrimLeft(untouched, string(rune(canary))); len(rest) > 0 {
					t.Fatalf("%d bytes of room: touched: %x", spare, untouched)
				}
			}
		})
	}
}

// Scratch, reserves and buffers that are used again: in builds with the tag hotpbdebug all of them are filled with another
// pattern each time, so that encodings with bytes of them differ.
func TestNoOutputHoldsStaleMemory(t *testing.T) {
	for name, call := range appends(t) {
		want, wantErr := call(nil)
		for i := range 20 {
			if _, err := (&stock.Label{Name: fmt.Sprint("SECRET", i), Value: string(bytes.Repeat([]byte{byte('a' + i)}, 2000))}).MarshalHot(); err != nil {
				t.Fatal(err)
			}
			if _, err := (&hot.Label{Value: string(bytes.Repeat([]byte{byte('a' + i)}, 2000))}).Marshal(); err != nil {
				t.Fatal(err)
			}
			if out, err := call(nil); !bytes.Equal(out, want) || (err != nil) != (wantErr != nil) {
				t.Fatalf("%s: %x, %v; before %x, %v", name, out, err, want, wantErr)
			}
		}
	}
	var buffer writer.Buffer
	var first []byte
	for i := range 20 {
		buffer.Reset()
		w := hot.NewWriteRequestWriter(&buffer)
		for range 40 {
			l := w.AddTimeseries().AddLabels()
			l.SetName("name")
			l.SetValue("value")
		}
		if err := w.End(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = bytes.Clone(buffer.Bytes())
		}
		if !bytes.Equal(first, buffer.Bytes()) {
			t.Fatal("output differs")
		}
	}
}
