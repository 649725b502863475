// Package inspect shows the wire form of messages: each record with its offset and bytes, its meaning by the schema, and what
// is unusual about it. It reads any bytes: damage ends the message that it is in, and the messages around that go on.
package inspect

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/wire"
)

// Record is one field on the wire. A sink may use it until its method returns.
type Record struct {
	Offset  int // of the tag
	Payload int // where the payload begins: after the tag and, of a length-delimited record, the length
	TagEnd  int
	End     int
	Number  uint32
	Wire    wire.Type
	Name    string // by the schema, or ""
	Index   int    // of a repeated field's record at its level, else -1
	Type    string // by the schema, or a guess from the bytes
	Value   string // for people; "" when records follow inside
	Notes   []Note
	Inside  bool // records of this one follow
	Depth   int
	EndTag  int // the offset of a group's end tag when the record is closed, or 0

	bad, badAt int // the failure and place of a packed element, if bad is negative
}

// Note is something unusual about a record.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func (r *Record) note(code, format string, arguments ...any) {
	r.Notes = append(r.Notes, Note{code, fmt.Sprintf(format, arguments...)})
}

// sink receives the records that the walker finds, in the order of the bytes.
type sink interface {
	begin(start, end int, kind string) // a message of the file
	open(r *Record)                    // the records inside follow, then close
	leaf(r *Record)
	close(r *Record)
	damage(d *Damage)
	end()
	finish() error
}

// Damage is where a message could not be read on.
type Damage struct {
	Offset  int
	Record  int // where the record begins that could not be read
	Code    wire.Code
	Path    string
	Skipped []byte // from the record on, in the same message; at most 16 bytes
	Depth   int
}

// walker reads the records of one input.
type walker struct {
	b        []byte
	sink     sink
	types    *dynamicpb.Types // may be nil
	maxDepth int
	at       int // only records that contain this offset; -1 for all
	path     []step
	kept     int     // levels that are kept for parts to come
	worst    *Damage // the first one
	damaged  int
	progress func(int)
}

type step struct {
	name  string
	index int
}

// level has the fields of one message that have been seen.
type level struct {
	message protoreflect.MessageDescriptor // nil without a schema
	seen    map[uint32]*seen
	oneofs  map[protoreflect.Name]*Record
	last    uint32
	url     string // of an Any
	// parts are the messages inside that are merged when more of them come: those of fields that do not repeat.
	parts map[uint32]*level
	// part says that the message around has this level among its parts.
	part bool
}

// mostKept bounds the memory of parts. Above it, nothing is checked for absent required fields.
const mostKept = 1 << 16

// part is the level of a message in l, again when it is another part of the same message.
func (w *walker) part(l *level, f protoreflect.FieldDescriptor, m protoreflect.MessageDescriptor) *level {
	inner := &level{message: m, seen: map[uint32]*seen{}}
	if f == nil || m == nil || f.IsList() || f.IsMap() {
		return inner
	}
	number := uint32(f.Number())
	if known := l.parts[number]; known != nil && known.message == m {
		return known
	}
	inner.part = true
	if w.kept++; w.kept > mostKept {
		return inner
	}
	if l.parts == nil {
		l.parts = map[uint32]*level{}
	}
	l.parts[number] = inner
	return inner
}

type seen struct {
	count       int
	first, last int // offsets
	packed      bool
}

// message walks a message of the file, of the given type or of an unknown one.
func (w *walker) message(start, end int, m protoreflect.MessageDescriptor) {
	kind := ""
	if m != nil {
		kind = string(m.FullName())
	}
	w.sink.begin(start, end, kind)
	w.kept = 0
	w.records(start, end, &level{message: m, seen: map[uint32]*seen{}}, 0, 0)
	w.sink.end()
}

// records walks from i to end, or to the end tag of the group. It returns the position after the records, and where the end tag begins.
func (w *walker) records(i, end int, l *level, group uint32, depth int) (next, endTag int) {
	for i < end {
		if depth <= 2 && w.progress != nil {
			w.progress(i)
		}
		tag, after := wire.ReadTag(w.b[:end], i)
		if after < 0 {
			w.damage(i, i, end, wire.Failed(after), depth)
			return end, 0
		}
		if tag.Type() == wire.EndGroup {
			if group == 0 || tag.Number() != group {
				w.damage(i, i, end, wire.GroupMismatch, depth)
				return end, 0
			}
			w.required(l, i, depth)
			return after, i
		}
		r := &Record{Offset: i, TagEnd: after, Payload: after, Number: tag.Number(), Wire: tag.Type(), Index: -1, Depth: depth}
		if n := wire.SizeTag(tag.Number()); after-i > n {
			r.note("long-tag", "over-long tag: %d bytes, %d is enough", after-i, n)
		}
		var ok bool
		if i, ok = w.record(r, l, end); !ok {
			return end, 0
		}
	}
	if group != 0 {
		w.damage(end, end, end, wire.Truncated, depth)
		return end, 0
	}
	w.required(l, end, depth)
	return end, 0
}

// record reads the value after a tag. It returns the position after it, and whether the message can be read on.
func (w *walker) record(r *Record, l *level, end int) (int, bool) {
	f := w.field(r, l)
	var code wire.Code
	var varint uint64
	switch at := r.TagEnd; r.Wire {
	case wire.VarintType:
		varint, r.End = wire.ReadVarint(w.b[:end], at)
		if r.End >= 0 {
			if n := wire.SizeVarint(varint); r.End-at > n {
				r.note("long-varint", "over-long varint: %d bytes, %d %s enough", r.End-at, n, isOrAre(n))
			}
		}
	case wire.Fixed32Type:
		_, r.End = wire.ReadFixed32(w.b[:end], at)
	case wire.Fixed64Type:
		_, r.End = wire.ReadFixed64(w.b[:end], at)
	case wire.BytesType:
		var length uint64
		if length, r.Payload = wire.ReadVarint(w.b[:end], at); r.Payload < 0 {
			r.End = r.Payload
			break
		}
		if n := wire.SizeVarint(length); r.Payload-at > n {
			r.note("padded-length", "padded length: %d bytes, %d %s enough", r.Payload-at, n, isOrAre(n))
		}
		if length > uint64(end-r.Payload) {
			code = wire.Truncated
			break
		}
		r.End = r.Payload + int(length)
	case wire.StartGroup:
		if r.Depth >= w.maxDepth {
			code = wire.DepthExceeded
			break
		}
		if _, r.End = wire.SkipGroup(w.b[:end], at, r.Number, w.maxDepth-r.Depth); r.End < 0 {
			r.End = end // the damage shows inside
		}
	default:
		code = wire.InvalidWireType
	}
	if r.End < 0 {
		code = wire.Failed(r.End)
	}
	w.path = append(w.path, step{r.label(), r.Index})
	defer func() { w.path = w.path[:len(w.path)-1] }()
	if code != 0 {
		at := r.TagEnd
		switch { // spec/errors.md, OFF-1, OFF-3 and OFF-7
		case code == wire.InvalidWireType || code == wire.DepthExceeded:
			at = r.Offset
		case r.Wire == wire.BytesType && r.Payload > 0:
			at = r.Payload
		}
		w.damage(at, r.Offset, end, code, r.Depth)
		return end, false
	}
	if w.at >= 0 && (w.at < r.Offset || w.at >= r.End) {
		return r.End, true
	}
	w.value(r, l, f, varint)
	if !r.Inside {
		w.sink.leaf(r)
		if r.bad < 0 {
			w.damage(r.badAt, r.badAt, r.End, wire.Failed(r.bad), r.Depth)
		}
		return r.End, true
	}
	w.sink.open(r)
	if r.Wire == wire.StartGroup {
		r.End, r.EndTag = w.records(r.TagEnd, r.End, w.part(l, f, messageOf(f)), r.Number, r.Depth+1)
		w.sink.close(r)
		return r.End, r.EndTag > 0
	}
	w.records(r.Payload, r.End, w.part(l, f, w.inner(l, f)), 0, r.Depth+1)
	w.sink.close(r)
	return r.End, true
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (r *Record) label() string {
	if r.Name != "" {
		return r.Name
	}
	return fmt.Sprint(r.Number)
}

// damage reports where the bytes cannot be read on.
func (w *walker) damage(at, record, end int, code wire.Code, depth int) {
	const shown = 16
	d := &Damage{Offset: at, Record: record, Code: code, Path: w.where(), Depth: depth, Skipped: w.b[record:min(end, record+shown)]}
	w.remember(d)
	w.sink.damage(d)
}

func (w *walker) remember(d *Damage) {
	w.damaged++
	if w.worst == nil {
		w.worst = d
	}
}

// where is the path of the open records, like timeseries[3].labels[1].name.
func (w *walker) where() string {
	s := ""
	for i, step := range w.path {
		if i > 0 {
			s += "."
		}
		s += step.name
		if step.index >= 0 {
			s += fmt.Sprintf("[%d]", step.index)
		}
	}
	return s
}

// required reports the required fields that a message lacks. It checks parts with the message that they are in, because more of
// them may come until its end.
func (w *walker) required(l *level, end, depth int) {
	if l.message == nil || l.part || w.at >= 0 {
		return
	}
	w.absent(l, end, depth)
}

func (w *walker) absent(l *level, end, depth int) {
	fields, numbers := l.message.Fields(), l.message.RequiredNumbers()
	for i := range numbers.Len() {
		if l.seen[uint32(numbers.Get(i))] == nil {
			w.path = append(w.path, step{string(fields.ByNumber(numbers.Get(i)).Name()), -1})
			w.damage(end, end, end, wire.MissingRequired, depth)
			w.path = w.path[:len(w.path)-1]
		}
	}
	for _, number := range slices.Sorted(maps.Keys(l.parts)) {
		inner := l.parts[number]
		w.path = append(w.path, step{w.nameOf(l.message, number), -1})
		w.absent(inner, end, depth)
		w.path = w.path[:len(w.path)-1]
	}
}

// errors are the damages as faults of the file.
func (w *walker) errors(file string) error {
	if w.damaged == 0 {
		return nil
	}
	d := w.worst
	cause, mend := fault.Causes(d.Code)
	if d.Path != "" {
		cause += " (" + d.Path + ")"
	}
	if w.damaged > 1 {
		cause += fmt.Sprintf(", and %d more", w.damaged-1)
	}
	return fault.At(file, int64(d.Offset), cause, mend)
}
