package inspect

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/wire"
)

// jsonSink writes a line for each message: an object whose records hold their records.
type jsonSink struct {
	w     *bufio.Writer
	file  string
	first bool // no comma before the next value
}

var wireNames = map[wire.Type]string{
	wire.VarintType: "varint", wire.Fixed64Type: "fixed64", wire.BytesType: "len", wire.StartGroup: "group", wire.Fixed32Type: "fixed32",
}

func (s *jsonSink) put(key string, value any) {
	text, err := json.Marshal(value)
	if err != nil { // texts and numbers always are JSON
		panic(err)
	}
	fmt.Fprintf(s.w, "%q:%s", key, text)
}

func (s *jsonSink) begin(start, end int, kind string) {
	s.w.WriteByte('{')
	s.put("file", s.file)
	fmt.Fprintf(s.w, `,"offset":%d,"end":%d,`, start, end)
	if kind != "" {
		s.put("type", kind)
		s.w.WriteByte(',')
	}
	s.w.WriteString(`"records":[`)
	s.first = true
}

func (s *jsonSink) next() {
	if !s.first {
		s.w.WriteByte(',')
	}
	s.first = false
}

func (s *jsonSink) record(r *Record) {
	s.next()
	fmt.Fprintf(s.w, `{"offset":%d,"payload":%d,"number":%d,"wire":%q`, r.Offset, r.Payload, r.Number, wireNames[r.Wire])
	if r.Name != "" {
		s.w.WriteByte(',')
		s.put("name", r.Name)
	}
	if r.Index >= 0 {
		fmt.Fprintf(s.w, `,"index":%d`, r.Index)
	}
	s.w.WriteByte(',')
	s.put("type", r.Type)
	if len(r.Notes) > 0 {
		s.w.WriteByte(',')
		s.put("notes", r.Notes)
	}
}

func (s *jsonSink) open(r *Record) {
	s.record(r)
	s.w.WriteString(`,"records":[`)
	s.first = true
}

func (s *jsonSink) leaf(r *Record) {
	s.record(r)
	s.w.WriteByte(',')
	s.put("value", r.Value)
	fmt.Fprintf(s.w, `,"end":%d}`, r.End)
}

func (s *jsonSink) close(r *Record) {
	fmt.Fprintf(s.w, `],"end":%d}`, r.End)
	s.first = false
}

func (s *jsonSink) damage(d *Damage) {
	cause, mend := fault.Causes(d.Code)
	s.next()
	s.w.WriteByte('{')
	fmt.Fprintf(s.w, `"offset":%d,"record":%d,`, d.Offset, d.Record)
	s.put("error", d.Code.String())
	s.w.WriteByte(',')
	s.put("path", d.Path)
	s.w.WriteByte(',')
	s.put("cause", cause)
	s.w.WriteByte(',')
	s.put("mend", mend)
	s.w.WriteByte('}')
}

func (s *jsonSink) end() { s.w.WriteString("]}\n") }

func (s *jsonSink) finish() error { return s.w.Flush() }
