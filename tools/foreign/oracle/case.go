package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Case is an input for a reader of one message type.
type Case struct {
	Message protoreflect.MessageDescriptor
	Input   []byte
	Damaged bool

	schema  *Schema
	verdict [2]*verdict // by Extensions
}

// verdict is what the stock runtime says.
type verdict struct {
	refused error  // nil when readers must accept the input
	content []byte // deterministic, without undefined values of closed enums
	open    bool   // there were such values
	broken  bool   // the stock runtime has no answer
}

// Cases are inputs for a message: good ones and as many damaged ones, the same for the same seed.
func (s *Schema) Cases(desc protoreflect.MessageDescriptor, count int, seed uint64) []*Case {
	r := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), schema: s}
	var cases []*Case
	var before []byte
	for i := range count {
		m := r.message(desc, i%4)
		b := r.encode(m)
		if i%4 == 3 { // two messages, one after the other, merge
			b = append(b, r.encode(r.message(desc, 1))...)
		}
		if i%5 == 4 { // as an ordinary encoder has it
			b, _ = proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m)
		}
		cases = append(cases, &Case{Message: desc, Input: b, schema: s})
		cases = append(cases, &Case{Message: desc, Input: r.damage(b, before), Damaged: true, schema: s})
		before = b
	}
	return cases
}

// damage changes a few bytes, cuts the message short, or puts a piece of another one into it.
func (r *maker) damage(b, donor []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return []byte{byte(r.Uint32())}
		}
		at := r.IntN(len(b))
		switch r.IntN(7) {
		case 0:
			b[at] = byte(r.Uint32())
		case 1:
			b[at] ^= 1 << r.IntN(8)
		case 2:
			b = b[:at]
		case 3:
			b = slices.Insert(b, at, byte(r.Uint32()))
		case 4:
			b = slices.Delete(b, at, min(len(b), at+1+r.IntN(4)))
		case 5:
			if len(donor) > 0 {
				from := r.IntN(len(donor))
				b = slices.Insert(b, at, donor[from:from+r.IntN(len(donor)-from+1)]...)
			}
		case 6:
			b = slices.Insert(b, at, bytes.Repeat([]byte{0xff}, 1+r.IntN(9))...)
		}
	}
	return b
}

func (c *Case) judge(x Extensions) *verdict {
	if c.verdict[x] != nil {
		return c.verdict[x]
	}
	resolver := c.schema.resolvers[x]
	v := &verdict{}
	c.verdict[x] = v
	input, refused := c.schema.translate(c.Message, c.Input, resolver)
	m := dynamicpb.NewMessage(c.Message)
	if err := unmarshal(input, m, resolver); errors.Is(err, errPanic) {
		v.broken = true
		return v
	} else if err != nil {
		v.refused = err
	} else if refused {
		v.refused = fmt.Errorf("a tag of more than five bytes, or of 2^32 and above (TAG-1)")
	}
	v.content, v.open = content(m)
	return v
}

var errPanic = errors.New("the stock runtime panics")

// unmarshal is the stock runtime's, which panics at some damaged maps.
func unmarshal(b []byte, m proto.Message, resolver *protoregistry.Types) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	return proto.UnmarshalOptions{Resolver: resolver}.Unmarshal(b, m)
}

// content is what is in a message, for comparison: bit patterns of floats and the order of unknown fields count.
func content(m protoreflect.Message) (_ []byte, open bool) {
	open = strip(m)
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(m.Interface())
	if err != nil {
		panic(err)
	}
	return b, open
}

// Answer is what a face made of an input: the message encoded again, or an error.
type Answer struct {
	Output []byte
	Error  string // with the name of its code; empty when the input was taken
}

// Outcome of a comparison.
type Outcome int

const (
	Agreed    Outcome = iota
	Known             // one of the differences above
	Differs           // other content
	Disagreed         // taken by one, refused by the other
)

// Compare holds an answer against the stock runtime. The text says what is wrong.
func (c *Case) Compare(answer Answer, x Extensions) (Outcome, string) {
	v := c.judge(x)
	if v.broken {
		return Known, ""
	}
	if accepted := answer.Error == ""; accepted != (v.refused == nil) {
		switch {
		case v.refused == nil && v.open && strings.Contains(answer.Error, "MissingRequired"):
			return Known, "" // ENM-2: the undefined value is no value of the required field
		case v.refused == nil && c.Damaged && c.schema.uncheckedTexts && strings.Contains(answer.Error, "InvalidUtf8"):
			return Known, "" // UTF-1
		case c.Damaged && c.schema.reachesSet(c.Message):
			return Known, "" // SET-3, SET-4, SET-6
		case accepted:
			return Disagreed, fmt.Sprintf("taken, and refused by the stock runtime: %v", v.refused)
		}
		return Disagreed, fmt.Sprintf("refused (%s), and taken by the stock runtime", answer.Error)
	}
	if v.refused != nil {
		return Agreed, ""
	}
	m := dynamicpb.NewMessage(c.Message)
	output, _ := c.schema.translate(c.Message, answer.Output, c.schema.resolvers[x]) // unknown fields come as they were
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: c.schema.resolvers[x]}).Unmarshal(output, m); err != nil {
		return Differs, fmt.Sprintf("the stock runtime cannot read what was written, %x: %v", answer.Output, err)
	}
	got, open := content(m)
	switch {
	case bytes.Equal(got, v.content):
		return Agreed, ""
	case open, c.Damaged && c.schema.reachesSet(c.Message):
		return Known, "" // ENM-2: of what was replaced there is a trace; SET-3, SET-4, SET-6
	}
	return Differs, fmt.Sprintf("other content:\n    got  %s\n    want %s", clip(got), clip(v.content))
}

func clip(b []byte) string {
	if len(b) > 400 {
		return fmt.Sprintf("%x… (%d bytes)", b[:400], len(b))
	}
	return fmt.Sprintf("%x", b)
}

// Self checks the maker itself: what it takes for good, the stock runtime takes (if required fields are all there).
func (c *Case) Self() error {
	if c.Damaged {
		return nil
	}
	m := dynamicpb.NewMessage(c.Message)
	return proto.UnmarshalOptions{AllowPartial: true, Resolver: c.schema.resolvers[Own]}.Unmarshal(c.Input, m)
}

// CompareAnswers holds an answer against that of a stock runtime, byte for byte.
func CompareAnswers(answer, stock Answer) (Outcome, string) {
	switch {
	case (answer.Error == "") != (stock.Error == ""):
		return Disagreed, fmt.Sprintf("error %q, of the stock runtime %q", answer.Error, stock.Error)
	case !bytes.Equal(answer.Output, stock.Output):
		return Differs, fmt.Sprintf("other content:\n    got  %s\n    want %s", clip(answer.Output), clip(stock.Output))
	}
	return Agreed, ""
}
