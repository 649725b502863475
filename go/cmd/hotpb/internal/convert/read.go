package convert

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/input"
	"github.com/hotpb/hotpb/go/wire"
)

// reader reads messages of one input. next returns the offset that it has come to, and io.EOF after the last message.
type reader interface {
	next(m *dynamicpb.Message) (int64, error)
}

// Each reads the messages of an input and hands on the bytes of each: those that the input has, or those that protobuf-go
// writes for JSON and text. Each message has been decoded by its schema.
func Each(form, name string, r io.Reader, root protoreflect.MessageDescriptor, types *dynamicpb.Types, each func(b []byte) error) error {
	if form == "auto" {
		form = byName(name, "binary")
	}
	reader := newReader(form, input.Name(name), r, types, false)
	for {
		m := dynamicpb.NewMessage(root)
		if _, err := reader.next(m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var b []byte
		if as, ok := reader.(interface{ bytes() []byte }); ok {
			b = bytes.Clone(as.bytes())
		} else {
			var err error
			if b, err = (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil {
				return err
			}
		}
		if err := each(b); err != nil {
			return err
		}
	}
}

func newReader(form, name string, r io.Reader, types *dynamicpb.Types, partial bool) reader {
	binary := binary{name: name, options: proto.UnmarshalOptions{AllowPartial: partial, Resolver: types}}
	switch form {
	case "delimited":
		return &delimitedReader{binary, wire.NewDelimitedReader(bufio.NewReaderSize(r, 64<<10), wire.Options{})}
	case "json":
		return newJSONReader(name, r, protojson.UnmarshalOptions{AllowPartial: partial, Resolver: types})
	case "text":
		return &textReader{name: name, r: r, options: prototext.UnmarshalOptions{AllowPartial: partial, Resolver: types}}
	case "hex", "base64":
		return &lineReader{binary: binary, form: form, r: bufio.NewReaderSize(r, 64<<10)}
	}
	return &binaryReader{binary: binary, r: r}
}

// binary decodes messages, and finds the place of an error in one.
type binary struct {
	name    string
	options proto.UnmarshalOptions
	last    []byte // of the last message
}

func (d *binary) bytes() []byte { return d.last }

// decode decodes b, which begins at the offset base of the input; a negative base says that the input is text.
func (d *binary) decode(b []byte, base int64, line int, m *dynamicpb.Message) error {
	d.last = b
	err := d.options.Unmarshal(b, m)
	if err == nil {
		return nil
	}
	wrong := &fault.Error{File: d.name, Line: line, Offset: fault.NoOffset, Cause: clean(err), Mend: "inspect shows the place"}
	if base >= 0 {
		wrong.Offset = base
	}
	var place *wire.Error
	if errors.As(records(b), &place) {
		wrong.Cause, wrong.Mend = fault.Causes(place.Code)
		wrong.Offset = max(base, 0) + place.Offset
		return wrong
	}
	if strings.Contains(wrong.Cause, "required field") {
		wrong.Mend = "the writer has to set it; --partial lets it be absent"
	}
	return wrong
}

// records finds the first record that cannot be read.
func records(b []byte) error {
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

// clean is protobuf-go's error without its prefix, whose space varies on purpose.
func clean(err error) string {
	s := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return strings.TrimPrefix(s, "proto: ")
}

type binaryReader struct {
	binary
	r    io.Reader
	done bool
}

func (r *binaryReader) next(m *dynamicpb.Message) (int64, error) {
	if r.done {
		return 0, io.EOF
	}
	r.done = true
	b, err := io.ReadAll(r.r)
	if err != nil {
		return 0, err
	}
	return int64(len(b)), r.decode(b, 0, 0, m)
}

type delimitedReader struct {
	binary
	stream *wire.DelimitedReader
}

func (r *delimitedReader) next(m *dynamicpb.Message) (int64, error) {
	b, err := r.stream.Next()
	var place *wire.Error
	if errors.As(err, &place) {
		return 0, fault.Wire(r.name, 0, err)
	}
	if err != nil {
		return 0, err
	}
	return r.stream.Offset(), r.decode(b, r.stream.Offset(), 0, m)
}

// lineReader reads hexadecimal or base64 text, a message on each line that is not empty.
type lineReader struct {
	binary
	form string
	r    *bufio.Reader
	line int
	at   int64
}

func (r *lineReader) next(m *dynamicpb.Message) (int64, error) {
	for {
		text, err := r.r.ReadBytes('\n')
		if err != nil && (err != io.EOF || len(text) == 0) {
			return 0, err
		}
		r.line++
		start := r.at
		r.at += int64(len(text))
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		read := input.Hex
		if r.form == "base64" {
			read = input.Base64
		}
		b, err := read(r.name, text)
		var wrong *fault.Error
		if errors.As(err, &wrong) {
			wrong.Line, wrong.Column, wrong.Offset = r.line, int(wrong.Offset)+1, start+wrong.Offset
			return 0, err
		}
		if err != nil {
			return 0, err
		}
		return r.at, r.decode(b, -1, r.line, m)
	}
}

// textReader reads one message in the text format.
type textReader struct {
	name    string
	r       io.Reader
	options prototext.UnmarshalOptions
	done    bool
}

func (r *textReader) next(m *dynamicpb.Message) (int64, error) {
	if r.done {
		return 0, io.EOF
	}
	r.done = true
	b, err := io.ReadAll(r.r)
	if err != nil {
		return 0, err
	}
	if err := r.options.Unmarshal(b, m); err != nil {
		return 0, located(r.name, 0, err)
	}
	return int64(len(b)), nil
}

// jsonReader reads JSON values, one after the other or as the elements of one array.
type jsonReader struct {
	name    string
	decoder *json.Decoder
	lines   *lines
	options protojson.UnmarshalOptions
	begun   bool
	array   bool // the input is one array
}

func newJSONReader(name string, r io.Reader, options protojson.UnmarshalOptions) *jsonReader {
	counted := &lines{r: bufio.NewReaderSize(r, 64<<10)}
	return &jsonReader{name: name, decoder: json.NewDecoder(counted), lines: counted, options: options}
}

func (r *jsonReader) next(m *dynamicpb.Message) (int64, error) {
	if err := r.begin(); err != nil {
		return 0, err
	}
	if r.array && !r.decoder.More() {
		if _, err := r.decoder.Token(); err != nil {
			return 0, r.wrong(err)
		}
		r.array = false // values may follow the array
	}
	var value json.RawMessage
	err := r.decoder.Decode(&value)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, r.wrong(err)
	}
	if err != nil {
		return 0, io.EOF
	}
	end := r.decoder.InputOffset()
	before := r.lines.before(end - int64(len(value)))
	if err := r.options.Unmarshal(value, m); err != nil {
		return 0, located(r.name, before, err)
	}
	return end, nil
}

// begin looks for the bracket of an array.
func (r *jsonReader) begin() error {
	if r.begun {
		return nil
	}
	r.begun = true
	head, err := r.lines.peek()
	if err != nil || head != '[' {
		return err
	}
	r.array = true
	_, err = r.decoder.Token()
	return err
}

func (r *jsonReader) wrong(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return &fault.Error{File: r.name, Line: 1 + r.lines.before(syntax.Offset-1), Offset: fault.NoOffset, Cause: "no JSON: " + syntax.Error(), Mend: "a message is an object in braces"}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &fault.Error{File: r.name, Line: 1 + r.lines.before(r.decoder.InputOffset()), Offset: fault.NoOffset, Cause: "the JSON ends inside the message that begins after this line", Mend: "the file is cut"}
	}
	return err
}

var position = regexp.MustCompile(`^(?:syntax error )?\(line (\d+):(\d+)\): `)

// located turns protobuf-go's "(line 2:3): …" into file, line and column; before is how many lines are before the message.
func located(name string, before int, err error) error {
	wrong := &fault.Error{File: name, Offset: fault.NoOffset, Cause: clean(err)}
	if m := position.FindStringSubmatch(wrong.Cause); m != nil {
		line, _ := strconv.Atoi(m[1])
		wrong.Line, wrong.Cause = before+line, wrong.Cause[len(m[0]):]
		wrong.Column, _ = strconv.Atoi(m[2])
	} else if before > 0 {
		wrong.Line = before + 1
	}
	switch {
	case strings.Contains(wrong.Cause, "unknown field"):
		wrong.Mend = "the schema has no such field; look at its spelling, and at --message"
	case strings.Contains(wrong.Cause, "required field"):
		wrong.Mend = "--partial lets it be absent"
	}
	return wrong
}

// lines counts the ends of lines that have been read; it forgets those before the last question.
type lines struct {
	r      *bufio.Reader
	offset int64
	ends   []int64
	passed int
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.offset+int64(i))
		}
	}
	l.offset += int64(n)
	return n, err
}

// peek is the first byte that is not space, or 0 at the end.
func (l *lines) peek() (byte, error) {
	for n := 1; ; n++ {
		head, err := l.r.Peek(n)
		if len(head) < n {
			if err == io.EOF || errors.Is(err, bufio.ErrBufferFull) {
				return 0, nil
			}
			return 0, err
		}
		if c := head[n-1]; strings.IndexByte(" \t\r\n", c) < 0 {
			return c, nil
		}
	}
}

// before is how many lines end before an offset. Offsets must not go back.
func (l *lines) before(offset int64) int {
	n := 0
	for n < len(l.ends) && l.ends[n] < offset {
		n++
	}
	l.passed += n
	l.ends = append(l.ends[:0], l.ends[n:]...)
	return l.passed
}
