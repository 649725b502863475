// Package apitest tests package hotpb with the messages of one runtime. All
// runtimes have to pass the same tests: those that are always linked from package hotpb, the others from their modules.
package apitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	hotpb "github.com/hotpb/hotpb/go"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	"github.com/hotpb/hotpb/go/wire"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
)

// Runtime describes a runtime to the tests.
type Runtime struct {
	ImportPath string
	Marshal    func(msg any) ([]byte, error) // the runtime itself
	Batch      any                           // of codec_proto3.proto, empty, as all here
	Base       any                           // BaseEvent of codec_proto2.proto
	Package    string                        // of the extensions' names
	Process    Extension                     // ProcessEvent's extension, with the value of SetProcess
	Note       Extension                     // a string
	Scores     Extension                     // repeated int32
	Cause      any                           // the extension that has a default
	Foreign    any                           // an extension of a runtime that is not this one
}

// Extension is one with a value for it.
type Extension struct{ Type, Value any }

// Message is a Batch in the text format.
const Message = `
source_id: "source"
events { name: "a" command: "sh -c 'true'" elevated: true labels: "x" labels: "\u00e9\u4e16"
	actor { id: -7 user: "root" groups: 0 groups: 4 groups: 1000000 tokens: "\x00\xff" tokens: "" }
	parent: "init" result { details: "ok" exit_code: -1 } kind: EVENT_KIND_PROCESS timestamp_ns: 18446744073709551615 score: -0.5 }
events { by { id: 1 } kind: EVENT_KIND_NETWORK }
events { service: false }
attributes { key: "k" value: "v" }
counts { key: true value: -9 }
actors { key: 5 value { user: "u" } }
kinds { key: "net" value: EVENT_KIND_NETWORK }
`

func fresh(msg any) any { return reflect.New(reflect.TypeOf(msg).Elem()).Interface() }

func nilOf(msg any) any { return reflect.Zero(reflect.TypeOf(msg)).Interface() }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Run runs all tests.
func Run(t *testing.T, r Runtime) {
	t.Run("encoding", r.encoding)
	t.Run("whole messages", r.messages)
	t.Run("JSON", r.json)
	t.Run("text", r.text)
	t.Run("extensions", r.extensions)
	t.Run("extensions that are not set", r.missing)
	t.Run("what is no extension", r.misuse)
	t.Run("nil", r.nothing)
}

// filled is a Batch with every field set, and its encoding by the runtime itself.
func (r Runtime) filled(t *testing.T) (any, []byte) {
	t.Helper()
	var oracle codec_proto3.Batch
	must(t, prototext.Unmarshal([]byte(Message), &oracle))
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(&oracle)
	must(t, err)
	msg := fresh(r.Batch)
	must(t, hotpb.Unmarshal(encoded, msg))
	own, err := r.Marshal(msg)
	must(t, err)
	// The fields may come in another order: gogofast's oneofs come last.
	if decoded := new(codec_proto3.Batch); proto.Unmarshal(own, decoded) != nil || !proto.Equal(decoded, &oracle) {
		t.Fatalf("the runtime itself encodes what was decoded from %x as %x", encoded, own)
	}
	return msg, own
}

func (r Runtime) encoding(t *testing.T) {
	found, err := hotpb.RuntimeOf(r.Batch)
	must(t, err)
	if found.ImportPath() != r.ImportPath {
		t.Errorf("it is a message of %s, want %s", found.ImportPath(), r.ImportPath)
	}
	msg, want := r.filled(t)
	if size := hotpb.Size(msg); size != len(want) {
		t.Errorf("Size: %d, want %d", size, len(want))
	}
	b, err := hotpb.Marshal(msg)
	must(t, err)
	if !bytes.Equal(b, want) {
		t.Errorf("Marshal: %x, want %x", b, want)
	}
	const canary = 0x5a
	room := append(bytes.Repeat([]byte{canary}, 3+2*len(want)+40)[:0], 1, 2, 3)
	for _, before := range [][]byte{nil, {1, 2, 3}, room} {
		b, err = hotpb.MarshalAppend(before, msg)
		must(t, err)
		if !bytes.Equal(b[:len(before)], before) || !bytes.Equal(b[len(before):], want) {
			t.Errorf("MarshalAppend to %x: %x", before, b)
		}
	}
	for _, c := range room[len(b):cap(room)] {
		if c != canary {
			t.Fatalf("MarshalAppend has touched what stands after its result: %x", room[len(b):cap(room)])
		}
	}
	if scratch, err := hotpb.MarshalScratch(bytes.Clone(room), msg); err != nil || !bytes.Equal(scratch, b) {
		t.Errorf("MarshalScratch: %x, %v", scratch, err)
	}
	if sized, err := hotpb.MarshalAppendSized(make([]byte, 0, hotpb.Size(msg)), msg); err != nil || !bytes.Equal(sized, want) {
		t.Errorf("MarshalAppendSized: %x, %v", sized, err)
	}
	if &b[0] != &room[0] {
		t.Error("MarshalAppend took other memory than the spare capacity that suffices")
	}
	for _, more := range []int{0, 5} {
		to := make([]byte, len(want)+more)
		n, err := hotpb.MarshalTo(to, msg)
		must(t, err)
		if !bytes.Equal(to[:n], want) || !bytes.Equal(to[n:], make([]byte, more)) {
			t.Errorf("MarshalTo: %x", to[:n])
		}
	}
	if n, err := hotpb.MarshalTo(make([]byte, len(want)-1), msg); n != 0 || !errors.Is(err, wire.BufferExhausted) {
		t.Errorf("MarshalTo with too little room: %d, %v", n, err)
	}
	if err := hotpb.Unmarshal(want[:len(want)-1], fresh(msg)); err == nil {
		t.Error("Unmarshal of a message that is cut off: no error")
	}
	if n, err := hotpb.MarshalTo(nil, fresh(msg)); n != 0 || err != nil {
		t.Errorf("MarshalTo of an empty message to nowhere: %d, %v", n, err)
	}
	// It resets what was there.
	must(t, hotpb.Unmarshal(nil, msg))
	if size := hotpb.Size(msg); size != 0 {
		t.Errorf("after Unmarshal of nothing its size is %d", size)
	}
	if _, err := hotpb.Marshal(r.Base); err == nil {
		t.Error("Marshal of a message without its required fields: no error")
	}
}

func (r Runtime) messages(t *testing.T) {
	msg, want := r.filled(t)
	clone := hotpb.Clone(msg)
	if reflect.TypeOf(clone) != reflect.TypeOf(msg) || clone == msg {
		t.Fatalf("Clone gives a %T", clone)
	}
	if !hotpb.Equal(msg, clone) || hotpb.Equal(msg, fresh(msg)) || hotpb.Equal(msg, r.Base) {
		t.Error("Equal")
	}
	must(t, hotpb.Reset(msg))
	if !hotpb.Equal(msg, fresh(msg)) || hotpb.Equal(msg, clone) {
		t.Error("after Reset the message is not the empty one")
	}
	b, err := hotpb.Marshal(clone)
	must(t, err)
	if !bytes.Equal(b, want) {
		t.Error("the clone changed with its original")
	}
}

func (r Runtime) json(t *testing.T) {
	msg, want := r.filled(t)
	for _, options := range [][]hotpb.JSONOption{
		nil, {hotpb.JSONIndent("  ")}, {hotpb.JSONUseProtoNames(true)}, {hotpb.JSONUseEnumNumbers(true), hotpb.JSONIncludeZeroValues(true)},
	} {
		text, err := json.Marshal(hotpb.JSONMarshaler(msg, options...))
		must(t, err)
		decoded := fresh(msg)
		must(t, json.Unmarshal(text, hotpb.JSONUnmarshaler(decoded)))
		if b, err := hotpb.Marshal(decoded); err != nil || !bytes.Equal(b, want) {
			t.Errorf("%s comes back as %x, %v", text, b, err)
		}
	}
	has := func(part string, want bool, options ...hotpb.JSONOption) {
		t.Helper()
		text, err := hotpb.MarshalJSON(msg, options...)
		must(t, err)
		if got := bytes.Contains(bytes.ReplaceAll(text, []byte(" "), nil), []byte(part)); got != want {
			t.Errorf("that the JSON has %s is %t: %s", part, got, text)
		}
	}
	has(`"sourceId":`, true)
	has(`"source_id":`, true, hotpb.JSONUseProtoNames(true))
	has(`"EVENT_KIND_NETWORK"`, true)
	has(`"EVENT_KIND_NETWORK"`, false, hotpb.JSONUseEnumNumbers(true))
	has("\n\t\"", true, hotpb.JSONIndent("\t"))
	must(t, hotpb.Reset(msg))
	has(`"sourceId":""`, true, hotpb.JSONIncludeZeroValues(true))
	has(`"sourceId":""`, false)

	unknown := []byte(`{"sourceId": "s", "nobody": 1}`)
	if hotpb.UnmarshalJSON(unknown, msg) == nil {
		t.Error("an unknown field: no error")
	}
	must(t, hotpb.UnmarshalJSON(unknown, msg, hotpb.JSONAllowUnknownFields(true)))
	must(t, hotpb.UnmarshalJSON([]byte(`{}`), msg))
	if size := hotpb.Size(msg); size != 0 {
		t.Errorf("UnmarshalJSON of nothing leaves %d bytes", size)
	}
	if hotpb.UnmarshalJSON([]byte(`{} {}`), msg) == nil {
		t.Error("something behind the message: no error")
	}
}

func (r Runtime) text(t *testing.T) {
	msg, want := r.filled(t)
	text, err := hotpb.MarshalText(msg)
	must(t, err)
	if !bytes.Contains(text, []byte("\n")) {
		t.Errorf("one line: %s", text)
	}
	for _, text := range []string{string(text), Message} {
		decoded := fresh(msg)
		must(t, hotpb.UnmarshalText([]byte(text), decoded))
		if b, err := hotpb.Marshal(decoded); err != nil || !bytes.Equal(b, want) {
			t.Errorf("%s comes back as %x, %v", text, b, err)
		}
	}
	must(t, hotpb.UnmarshalText(nil, msg))
	if size := hotpb.Size(msg); size != 0 {
		t.Errorf("UnmarshalText of nothing leaves %d bytes", size)
	}
	if hotpb.UnmarshalText([]byte("nobody: 1"), msg) == nil {
		t.Error("an unknown field: no error")
	}
}

// envelope is the bytes of a BaseEvent with two extensions, one that nobody knows, and required fields.
func envelope(t *testing.T) []byte {
	t.Helper()
	m := &codec_proto2.BaseEvent{
		EventId: proto.String("id"), SourceId: proto.String("source"), TimestampNs: proto.Uint64(1), Kind: codec_proto2.EventKind_EVENT_KIND_PROCESS.Enum(),
	}
	proto.SetExtension(m, codec_proto2.E_Note, "from the wire")
	b, err := proto.Marshal(m)
	must(t, err)
	return append(b, 0xc2, 0xbb, 0x01, 0x01, 'x') // field 3000
}

// extensions: COD-4.
func (r Runtime) extensions(t *testing.T) {
	msg := fresh(r.Base)
	must(t, hotpb.Unmarshal(envelope(t), msg))
	if !hotpb.HasExtension(msg, r.Note.Type) || hotpb.HasExtension(msg, r.Process.Type) {
		t.Error("HasExtension after Unmarshal")
	}
	value, err := hotpb.GetExtension(msg, r.Note.Type)
	must(t, err)
	if v := reflect.ValueOf(value); v.Type() != reflect.TypeOf(r.Note.Value) || reflect.Indirect(v).String() != "from the wire" {
		t.Errorf("GetExtension gives %v", value)
	}
	must(t, hotpb.SetExtension(msg, r.Note.Type, r.Note.Value))
	must(t, hotpb.SetExtension(msg, r.Scores.Type, r.Scores.Value))
	must(t, hotpb.SetExtension(msg, r.Process.Type, r.Process.Value))
	names := ""
	must(t, hotpb.RangeExtensions(msg, func(value any, name string, number int32) error {
		names += name + " "
		for _, x := range []Extension{r.Note, r.Scores, r.Process} {
			if n, err := hotpb.ExtensionFieldNumber(x.Type); err == nil && n == int(number) && !reflect.DeepEqual(value, x.Value) {
				t.Errorf("RangeExtensions gives %v for %s, want %v", value, name, x.Value)
			}
		}
		return nil
	}))
	if want := strings.ReplaceAll("P.ProcessEvent.process P.note P.scores ", "P.", r.Package+"."); names != want {
		t.Errorf("RangeExtensions: %s, want %s", names, want)
	}
	stop := errors.New("stop")
	if err := hotpb.RangeExtensions(msg, func(any, string, int32) error { return stop }); err != stop {
		t.Errorf("RangeExtensions does not end at an error: %v", err)
	}
	b, err := hotpb.Marshal(msg)
	must(t, err)
	decoded := fresh(msg)
	must(t, hotpb.Unmarshal(b, decoded))
	value, err = hotpb.GetExtension(decoded, r.Process.Type)
	must(t, err)
	if !hotpb.Equal(value, r.Process.Value) {
		t.Errorf("GetExtension gives %v, want %v", value, r.Process.Value)
	}
	value, err = hotpb.GetExtension(decoded, r.Scores.Type)
	must(t, err)
	if !reflect.DeepEqual(value, r.Scores.Value) {
		t.Errorf("GetExtension gives %v, want %v", value, r.Scores.Value)
	}
	must(t, hotpb.ClearExtension(decoded, r.Note.Type))
	if hotpb.HasExtension(decoded, r.Note.Type) || !hotpb.HasExtension(decoded, r.Scores.Type) {
		t.Error("HasExtension after ClearExtension")
	}
	must(t, hotpb.ClearAllExtensions(decoded))
	must(t, hotpb.RangeExtensions(decoded, func(_ any, name string, _ int32) error { return errors.New(name + " is left") }))
	must(t, hotpb.SetExtension(decoded, r.Note.Type, r.Note.Value))
	if value, err := hotpb.GetExtension(decoded, r.Note.Type); err != nil || !reflect.DeepEqual(value, r.Note.Value) {
		t.Errorf("GetExtension gives %v, %v, want %v", value, err, r.Note.Value)
	}
	if n, err := hotpb.ExtensionFieldNumber(r.Note.Type); n != 101 || err != nil {
		t.Errorf("ExtensionFieldNumber: %d, %v", n, err)
	}
	// A message that cannot have any.
	must(t, hotpb.ClearAllExtensions(fresh(r.Batch)))
	must(t, hotpb.RangeExtensions(fresh(r.Batch), func(any, string, int32) error { return errors.New("called") }))
}

func (r Runtime) missing(t *testing.T) {
	msg := fresh(r.Base)
	for _, x := range []Extension{r.Note, r.Scores, r.Process} {
		if value, err := hotpb.GetExtension(msg, x.Type); value != nil || !errors.Is(err, hotpb.ErrMissingExtension) {
			t.Errorf("GetExtension: %v, %v", value, err)
		}
	}
	value, err := hotpb.GetExtension(msg, r.Cause)
	must(t, err)
	if v := reflect.Indirect(reflect.ValueOf(value)); v.Int() != 1 {
		t.Errorf("the default is %v", value)
	}
	if hotpb.HasExtension(msg, r.Cause) {
		t.Error("asking for the default set it")
	}
}

func (r Runtime) misuse(t *testing.T) {
	msg := fresh(r.Base)
	for _, x := range []any{nil, 3, "note", r.Foreign, nilOf(r.Note.Type)} {
		_, err := hotpb.GetExtension(msg, x)
		for _, err := range []error{err, hotpb.SetExtension(msg, x, r.Note.Value), hotpb.ClearExtension(msg, x)} {
			if !errors.Is(err, hotpb.ErrExtension) {
				t.Errorf("%T as extension: %v", x, err)
			}
		}
		if hotpb.HasExtension(msg, x) {
			t.Errorf("HasExtension with a %T", x)
		}
		if x != r.Foreign {
			if _, err := hotpb.ExtensionFieldNumber(x); !errors.Is(err, hotpb.ErrExtension) {
				t.Errorf("ExtensionFieldNumber(%T): %v", x, err)
			}
		}
	}
	stranger := fresh(r.Batch) // the extension is not one of this message
	if _, err := hotpb.GetExtension(stranger, r.Note.Type); !errors.Is(err, hotpb.ErrExtension) {
		t.Errorf("GetExtension of another message: %v", err)
	}
	if err := hotpb.SetExtension(stranger, r.Note.Type, r.Note.Value); !errors.Is(err, hotpb.ErrExtension) {
		t.Errorf("SetExtension of another message: %v", err)
	}
	for _, value := range []any{nil, 3.5, r.Scores.Value} {
		if err := hotpb.SetExtension(msg, r.Note.Type, value); !errors.Is(err, hotpb.ErrExtension) {
			t.Errorf("SetExtension to a %T: %v", value, err)
		}
	}
}

// nothing: COD-3. Nil is an error everywhere, and never a panic; to encode it is up to Google's runtime, which
// here lacks required fields.
func (r Runtime) nothing(t *testing.T) {
	msg := nilOf(r.Base)
	_, marshal := hotpb.Marshal(msg)
	_, appended := hotpb.MarshalAppend(nil, msg)
	_, to := hotpb.MarshalTo(make([]byte, 9), msg)
	_, get := hotpb.GetExtension(msg, r.Note.Type)
	_, toJSON := hotpb.MarshalJSON(msg)
	_, toText := hotpb.MarshalText(msg)
	for i, err := range []error{
		marshal, appended, to, get, toJSON, toText, hotpb.Unmarshal(nil, msg), hotpb.Reset(msg),
		hotpb.SetExtension(msg, r.Note.Type, r.Note.Value), hotpb.ClearExtension(msg, r.Note.Type), hotpb.ClearAllExtensions(msg),
		hotpb.RangeExtensions(msg, nil), hotpb.UnmarshalJSON([]byte("{}"), msg), hotpb.UnmarshalText(nil, msg),
	} {
		if _, google := msg.(proto.Message); google && i < 3 {
			if err == nil || errors.Is(err, hotpb.ErrNil) {
				t.Errorf("function %d, given a nil %T: %v", i, msg, err)
			}
			continue
		}
		var e *hotpb.Error
		if !errors.Is(err, hotpb.ErrNil) || !errors.As(err, &e) || e.Type != reflect.TypeOf(msg) {
			t.Errorf("function %d, given a nil %T: %v", i, msg, err)
		}
	}
	if hotpb.Size(msg) != 0 || hotpb.HasExtension(msg, r.Note.Type) || hotpb.Clone(msg) != msg {
		t.Error("Size, HasExtension or Clone of a nil message")
	}
	if !hotpb.Equal(msg, msg) || hotpb.Equal(msg, fresh(msg)) || hotpb.Equal(fresh(msg), msg) || hotpb.Equal(msg, nilOf(r.Batch)) {
		t.Error("Equal with nil messages")
	}
}
