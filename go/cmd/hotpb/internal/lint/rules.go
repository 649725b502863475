package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/kind"
	"github.com/hotpb/hotpb/go/wire"
)

// finding is a piece of advice.
type finding struct {
	File    string  `json:"file"`
	Line    int     `json:"line,omitempty"`
	Element string  `json:"element"`
	Rule    string  `json:"rule"`
	Cause   string  `json:"cause"`
	Mend    string  `json:"mend"`
	Saves   int64   `json:"saves,omitempty"`   // bytes of the sample
	Percent float64 `json:"percent,omitempty"` // of the sample
}

// linter applies the rules to messages.
type linter struct {
	sample *sample // nil without data
	least  float64 // percent of the sample that a finding has to save
	found  []finding
}

// The bounds of the rules.
const (
	cheapNumber  = 15 // the largest number with a tag of one byte
	wideOneof    = 8  // the runtimes treat oneofs with more members in another way (DESIGN.md)
	rare         = 1  // percent of a oneof's records
	fewStrings   = 20 // less are no sample of strings
	repeatsTimes = 4  // how often a string comes on average, to be worth a table
)

func (l *linter) add(d protoreflect.Descriptor, rule string, saves int64, cause, mend string) {
	f := finding{File: d.ParentFile().Path(), Element: string(d.FullName()), Rule: rule, Cause: cause, Mend: mend, Saves: saves}
	if at := d.ParentFile().SourceLocations().ByDescriptor(d); at.Path != nil {
		f.Line = at.StartLine + 1
	}
	if l.sample != nil && l.sample.bytes > 0 {
		f.Percent = float64(int(1000*float64(saves)/float64(l.sample.bytes)+0.5)) / 10
		if saves > 0 && 100*float64(saves)/float64(l.sample.bytes) < l.least {
			return
		}
	}
	l.found = append(l.found, f)
}

// message applies all rules to a message.
func (l *linter) message(m protoreflect.MessageDescriptor) {
	if l.sample != nil && l.sample.types[m.FullName()] == nil {
		return // the sample does not have it
	}
	l.numbers(m)
	fields := m.Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		var c *fieldCount
		if l.sample != nil {
			if c = l.sample.fields[f.FullName()]; c == nil {
				continue
			}
		}
		l.unpacked(f, c)
		l.maps(f, c)
		if c != nil {
			l.integers(f, c)
			l.strings(f, c)
		}
	}
	for i := range m.Oneofs().Len() {
		if o := m.Oneofs().Get(i); !o.IsSynthetic() {
			l.oneof(o)
		}
	}
}

// numbers looks for fields whose tags take more bytes than those of fields that are rarer.
func (l *linter) numbers(m protoreflect.MessageDescriptor) {
	var high []protoreflect.FieldDescriptor
	type place struct {
		number protoreflect.FieldNumber
		field  protoreflect.FieldDescriptor // nil when the number is free
		count  int
	}
	var low []place
	for n := protoreflect.FieldNumber(1); n <= cheapNumber; n++ {
		f := m.Fields().ByNumber(n)
		switch {
		case f != nil:
			low = append(low, place{n, f, l.records(f)})
		case !m.ReservedRanges().Has(n) && !m.ExtensionRanges().Has(n):
			low = append(low, place{n, nil, 0})
		}
	}
	for i := range m.Fields().Len() {
		if f := m.Fields().Get(i); f.Number() > cheapNumber {
			high = append(high, f)
		}
	}
	if l.sample == nil {
		low = slices.DeleteFunc(low, func(p place) bool { return p.field != nil })
		if len(high) > 0 && len(low) > 0 {
			l.add(m, "numbers", 0, fmt.Sprintf("%s above 15, whose tags take 2 bytes or more, and %s free",
				plural(len(high), "field has a number", "fields have numbers"), plural(len(low), "number below is", "numbers below are")),
				"give the free numbers to fields that come often; sample data says which")
		}
		return
	}
	slices.SortStableFunc(high, func(a, b protoreflect.FieldDescriptor) int { return cmp.Compare(l.records(b), l.records(a)) })
	slices.SortStableFunc(low, func(a, b place) int { return cmp.Compare(a.count, b.count) })
	for i, f := range high[:min(len(high), len(low))] {
		more := l.records(f) - low[i].count
		if more <= 0 {
			break
		}
		saves := int64(more) * int64(wire.SizeTag(uint32(f.Number()))-1)
		instead := fmt.Sprintf("the number %d is free", low[i].number)
		if low[i].field != nil {
			instead = fmt.Sprintf("%s, number %d, comes %s", low[i].field.Name(), low[i].number, times(low[i].count))
		}
		l.add(f, "number", saves, fmt.Sprintf("it comes %s, with a tag of %d bytes for the number %d, and %s", times(l.records(f)), wire.SizeTag(uint32(f.Number())), f.Number(), instead),
			"numbers up to 15 belong to the fields that come most often")
	}
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (l *linter) records(f protoreflect.FieldDescriptor) int {
	if l.sample == nil || l.sample.fields[f.FullName()] == nil {
		return 0
	}
	return l.sample.fields[f.FullName()].records
}

func (l *linter) unpacked(f protoreflect.FieldDescriptor, c *fieldCount) {
	if f.IsPacked() || !kind.Packable(f) {
		return
	}
	cause, saves := "each element has a tag of its own", int64(0)
	if c != nil {
		tag := int64(wire.SizeTag(uint32(f.Number())))
		saves = int64(c.records)*tag - int64(c.holders)*(tag+int64(wire.SizeVarint(uint64(c.bytes)/uint64(max(1, c.holders)))))
		if saves <= 0 {
			return
		}
		cause = fmt.Sprintf("each of %d elements has a tag of its own", c.elements)
	}
	mend := "declare it [packed = true]"
	if f.ParentFile().Syntax() == protoreflect.Editions {
		mend = "set features.repeated_field_encoding = PACKED"
	}
	l.add(f, "unpacked", saves, cause, mend+"; readers take both forms")
}

func (l *linter) maps(f protoreflect.FieldDescriptor, c *fieldCount) {
	if !f.IsMap() {
		return
	}
	cause := "each entry is a message with a length, and goes into a hash table"
	if c != nil {
		cause = fmt.Sprintf("each of %d entries is a message with a length, and goes into a hash table", c.elements)
	}
	l.add(f, "map", 0, cause, "a repeated message has the same bytes without the hash table; Go's pool has maps=sorted")
}

// integers compares the bytes that the values need in each form of the field's type.
func (l *linter) integers(f protoreflect.FieldDescriptor, c *fieldCount) {
	type form struct {
		name string
		size int64
	}
	n := int64(c.elements)
	var forms []form
	switch f.Kind() {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		forms = []form{{"int32", c.varint}, {"sint32", c.zigzag}, {"sfixed32", 4 * n}}
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		forms = []form{{"int64", c.varint}, {"sint64", c.zigzag}, {"sfixed64", 8 * n}}
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		forms = []form{{"uint32", c.varint}, {"fixed32", 4 * n}}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		forms = []form{{"uint64", c.varint}, {"fixed64", 8 * n}}
	default:
		return
	}
	is := f.Kind().String()
	best := slices.MinFunc(forms, func(a, b form) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(isNot(a.name, is), isNot(b.name, is)))
	})
	saves := c.bytes - best.size
	if best.name == is || saves <= 0 {
		return
	}
	rule, cause := "varint", fmt.Sprintf("its %d values take %.1f bytes each as %s, and %.1f as %s", n, float64(c.bytes)/float64(n), is, float64(best.size)/float64(n), best.name)
	switch {
	case strings.Contains(best.name, "fixed"):
		rule = "fixed"
	case c.negative > 0 && (is == "int32" || is == "int64"):
		rule, cause = "negative", fmt.Sprintf("%d of %d values are negative, and take 10 bytes as %s", c.negative, n, is)
	}
	l.add(f, rule, saves, cause, "declare it "+best.name)
}

func isNot(a, b string) int {
	if a == b {
		return 0
	}
	return 1
}

// strings looks for strings that come again and again.
func (l *linter) strings(f protoreflect.FieldDescriptor, c *fieldCount) {
	n := int64(len(c.values))
	if c.values == nil || c.many || c.elements < fewStrings || int64(c.elements) < repeatsTimes*n {
		return
	}
	index := int64(c.elements) * int64(wire.SizeVarint(uint64(n)))
	saves := c.bytes - c.distinct - index
	if saves <= 0 {
		return
	}
	l.add(f, "repeats", saves, fmt.Sprintf("%d values are %d different ones", c.elements, n),
		"put the different ones into a table of the batch, and their places in it into this field")
}

func (l *linter) oneof(o protoreflect.OneofDescriptor) {
	members := o.Fields().Len()
	if members <= wideOneof {
		return
	}
	cause, mend := fmt.Sprintf("%d members make each message as large as the largest, or cost a pointer for each value", members), "put members that come rarely into a message of their own, which is one member"
	if l.sample != nil {
		total := 0
		var rarely []string
		for i := range members {
			total += l.records(o.Fields().Get(i))
		}
		for i := range members {
			if f := o.Fields().Get(i); 100*l.records(f) < rare*total {
				rarely = append(rarely, string(f.Name()))
			}
		}
		if total == 0 || len(rarely) < 2 {
			return
		}
		const shown = 6
		more := ""
		if len(rarely) > shown {
			more = fmt.Sprintf(" and %d more", len(rarely)-shown)
		}
		cause = fmt.Sprintf("of %d members, %d are in less than %d %% of %d messages: %s%s", members, len(rarely), rare, total, strings.Join(rarely[:min(shown, len(rarely))], ", "), more)
		mend = "put these into a message of their own, which is one member"
	}
	l.add(o, "oneof", 0, cause, mend)
}

// plural is the number with its noun.
func plural(n int, singular, many string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprint(n, " ", many)
}
