package convert

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/wire"
)

// writer writes messages in one form.
type writer struct {
	form   string
	out    io.Writer
	name   string
	count  int
	pretty bool
	binary proto.MarshalOptions
	json   protojson.MarshalOptions
	text   prototext.MarshalOptions
}

func (c *Command) writer(form string, out *target, types *dynamicpb.Types) *writer {
	name := c.Out
	if name == "-" {
		name = "standard output"
	}
	return &writer{
		form: form, out: out, name: name, pretty: c.Pretty,
		binary: proto.MarshalOptions{AllowPartial: true, Deterministic: c.Deterministic},
		json:   protojson.MarshalOptions{AllowPartial: true, UseProtoNames: c.Names, Resolver: types},
		text:   prototext.MarshalOptions{AllowPartial: true, Multiline: true, Resolver: types},
	}
}

func (w *writer) write(m *dynamicpb.Message) error {
	w.count++
	if w.count > 1 && (w.form == "binary" || w.form == "text") {
		return fault.Usage("the input has several messages, and "+w.form+" holds one", "choose another form with --to: delimited, json, hex or base64")
	}
	out, err := w.encode(m)
	if err != nil {
		return fault.In(w.name, fmt.Sprintf("message %d cannot be written as %s: %s", w.count-1, w.form, clean(err)), "")
	}
	if _, err := w.out.Write(out); err != nil {
		return fault.IO(w.name, err)
	}
	return nil
}

func (w *writer) encode(m *dynamicpb.Message) ([]byte, error) {
	switch w.form {
	case "json":
		return w.encodeJSON(m)
	case "text":
		return w.encodeText(m)
	}
	b, err := w.binary.Marshal(m)
	if err != nil {
		return nil, err
	}
	switch w.form {
	case "delimited":
		return wire.AppendDelimited(nil, b), nil
	case "hex":
		return append(hex.AppendEncode(nil, b), '\n'), nil
	case "base64":
		return append(base64.StdEncoding.AppendEncode(nil, b), '\n'), nil
	}
	return b, nil
}

// encodeJSON writes without the spaces that protojson varies on purpose.
func (w *writer) encodeJSON(m *dynamicpb.Message) ([]byte, error) {
	b, err := w.json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if w.pretty {
		err = json.Indent(&out, b, "", "  ")
	} else {
		err = json.Compact(&out, b)
	}
	out.WriteByte('\n')
	return out.Bytes(), err
}

// encodeText writes without the second space that prototext varies on purpose.
func (w *writer) encodeText(m *dynamicpb.Message) ([]byte, error) {
	b, err := w.text.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for line := range bytes.Lines(b) {
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		name, value, found := bytes.Cut(line[indent:], []byte(": "))
		out.Write(line[:indent])
		out.Write(name)
		if found {
			out.WriteString(": ")
			out.Write(bytes.TrimLeft(value, " "))
		}
	}
	return out.Bytes(), nil
}
