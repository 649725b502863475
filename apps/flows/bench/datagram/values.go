package datagram

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"slices"

	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
	"github.com/hotpb/hotpb/go/schema"
)

// rows are the values of a datagram's flows, column by column: numbers (also times in milliseconds), addresses, texts.
// They are for contenders that write no messages.
type rows struct {
	names, addressNames []string // of a flow's columns, in the order of the values
	numbers             []uint64
	addresses           []netip.Addr
	texts               []string
	flows               int
}

func (r *rows) reset() {
	r.numbers, r.addresses, r.texts, r.flows = r.numbers[:0], r.addresses[:0], r.texts[:0], 0
}

// messages returns the flows in the columns that goflow2 also has.
func (r *rows) messages() (all []message) {
	shared := map[string]bool{"frame_bytes": true}
	for _, name := range sharedNumbers {
		shared[name] = true
	}
	for i := range r.flows {
		m := message{}
		for j, name := range r.names {
			if shared[name] {
				m.uint(name, r.numbers[i*len(r.names)+j])
			}
		}
		for j, name := range r.addressNames {
			m.address(name, r.addresses[i*len(r.addressNames)+j])
		}
		all = append(all, m)
	}
	return all
}

// reader is a stage that reads every column of a flow, and then empties the record: nothing is left to be encoded.
type reader struct {
	rows
	uints []schema.UintColumn
	enums []schema.EnumColumn
	bools []schema.BoolColumn
	macs  []schema.MACColumn
	times []schema.TimeColumn
	ips   []schema.IPColumn
	names []schema.StringColumn
}

func newReader(l *layout.Layout) (*reader, error) {
	r, s := &reader{}, l.File.Schema
	columns := l.Plan.Columns(l.Plan.Root())
	for _, kind := range []func(schema.Column) bool{
		func(c schema.Column) bool { return add(&r.uints, s.Message, c.Name) },
		func(c schema.Column) bool { return add(&r.enums, s.Message, c.Name) },
		func(c schema.Column) bool { return add(&r.bools, s.Message, c.Name) },
		func(c schema.Column) bool { return add(&r.macs, s.Message, c.Name) },
		func(c schema.Column) bool { return add(&r.times, s.Message, c.Name) },
	} {
		for _, c := range columns {
			if kind(c) {
				r.rows.names = append(r.rows.names, c.Name)
			}
		}
	}
	for _, c := range columns {
		if add(&r.ips, s.Message, c.Name) {
			r.addressNames = append(r.addressNames, c.Name)
		}
		add(&r.names, s.Message, c.Name)
	}
	if n := len(r.rows.names) + len(r.ips) + len(r.names); n != len(columns) {
		return nil, fmt.Errorf("%d of %d columns are read", n, len(columns))
	}
	return r, nil
}

// add adds a column's handle if it has the type.
func add[C ~struct{ schema.Handle }](to *[]C, m *schema.Message, name string) bool {
	c, err := schema.Lookup[C](m, name)
	if err == nil {
		*to = append(*to, c)
	}
	return err == nil
}

func (r *reader) Enrich(record *schema.Record, _ netip.Addr) {
	numbers := r.numbers
	for _, c := range r.uints {
		v, _ := record.GetUint(c)
		numbers = append(numbers, v)
	}
	for _, c := range r.enums {
		v, _ := record.GetEnum(c)
		numbers = append(numbers, uint64(v))
	}
	for _, c := range r.bools {
		n := uint64(0)
		if v, _ := record.GetBool(c); v {
			n = 1
		}
		numbers = append(numbers, n)
	}
	for _, c := range r.macs {
		v, _ := record.GetMAC(c)
		numbers = append(numbers, v)
	}
	for _, c := range r.times {
		n := uint64(0)
		if v, ok := record.GetTime(c); ok {
			n = uint64(v.UnixMilli())
		}
		numbers = append(numbers, n)
	}
	r.numbers = numbers
	for _, c := range r.ips {
		v, _ := record.GetIP(c)
		r.addresses = append(r.addresses, v)
	}
	for _, c := range r.names {
		v, _ := record.GetString(c)
		r.texts = append(r.texts, v)
	}
	r.flows++
	record.Reset()
}

var columnLine = regexp.MustCompile(`(?m)^  - \{name: [^}]*\}`)

// newValues is the collector's decoder for a program that wants values and no messages: every column of flows.yaml stays
// in the record, and a stage reads all of them.
func newValues(in *input) (c converter, err error) {
	base, err := loadLayout()
	if err != nil {
		return c, err
	}
	text, err := os.ReadFile(base.Path)
	if err != nil {
		return c, err
	}
	l, err := layout.Parse(base.Path, columnLine.ReplaceAllFunc(text, func(line []byte) []byte {
		if bytes.Contains(line, []byte("deferred:")) || bytes.Contains(line, []byte("repeated")) { // lists are off
			return line
		}
		return append(line[:len(line)-1:len(line)-1], ", deferred: true}"...)
	}))
	if err != nil {
		return c, err
	}
	r, err := newReader(l)
	if err != nil {
		return c, err
	}
	c, err = newOurs(in, l, r, "the collector's decoder, values of all columns read, nothing encoded")
	decode := c.convert
	c.convert = func() ([]byte, error) {
		r.reset()
		out, err := decode()
		if err == nil && len(out) != r.flows { // one byte for each: the length of an empty message
			err = fmt.Errorf("%d bytes are encoded for %d flows", len(out), r.flows)
		}
		return nil, err
	}
	c.messages = func([]byte) ([]message, error) { return r.messages(), nil }
	return c, err
}

// newGoflow2Values is goflow2's decoder and producer, whose messages are read and not encoded.
func newGoflow2Values(in *input) (converter, error) {
	e, err := truth.NewExporter()
	if err != nil {
		return converter{}, err
	}
	r := &rows{names: append(slices.Clone(sharedNumbers[:]), "frame_bytes"), addressNames: sharedAddresses[:]}
	read := func(m *protoproducer.ProtoProducerMessage) error {
		values := numbersOf(&m.FlowMessage)
		r.numbers = append(append(r.numbers, values[:]...), m.Bytes)
		for _, b := range addressesOf(&m.FlowMessage) {
			a, _ := netip.AddrFromSlice(b)
			r.addresses = append(r.addresses, a)
		}
		r.flows++
		return nil
	}
	convert := func(dg *flow.Datagram) ([]byte, error) {
		r.reset()
		return nil, e.Produce(dg, read)
	}
	for i := range in.templates {
		if _, err := convert(&in.templates[i]); err != nil {
			return converter{}, err
		}
	}
	return converter{
		convert:  func() ([]byte, error) { return convert(&in.data) },
		messages: func([]byte) ([]message, error) { return r.messages(), nil },
		note:     "its decoder and producer, values of its message read, nothing encoded",
	}, nil
}
