package main

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
)

// The bounds of what exporters, and whoever sends in their names, can make the program keep.
const (
	maxTemplates = 10_000
	maxFields    = 256
)

var (
	errMalformed = errors.New("the datagram contradicts its own header")
	errFull      = errors.New("a template was not kept: there are too many, or it has too many fields")
)

// fields5 is the record of NetFlow v5 as a template. Element 210 is padding.
var fields5 = []template.Field{
	{Element: 8, Length: 4}, {Element: 12, Length: 4}, {Element: 15, Length: 4}, {Element: 10, Length: 2},
	{Element: 14, Length: 2}, {Element: 2, Length: 4}, {Element: 1, Length: 4}, {Element: 22, Length: 4},
	{Element: 21, Length: 4}, {Element: 7, Length: 2}, {Element: 11, Length: 2}, {Element: 210, Length: 1},
	{Element: 6, Length: 1}, {Element: 4, Length: 1}, {Element: 5, Length: 1}, {Element: 16, Length: 2},
	{Element: 17, Length: 2}, {Element: 9, Length: 1}, {Element: 13, Length: 1}, {Element: 210, Length: 2},
}

// A key identifies a template of NetFlow v9.
type key struct {
	exporter netip.AddrPort
	source   uint32
	id       uint16
}

type decoder struct {
	plan               *schema.Plan
	common             *schema.Record // the columns that all flows of a datagram share
	received           schema.TimeColumn
	exporter           schema.IPColumn
	five               *template.Template
	nine               map[key]*template.Template
	withoutTemplate    int // sets of data, also those of options
	datagrams, records int
}

func newDecoder(text []byte) (*decoder, error) {
	file, err := schemayaml.Parse(text)
	if err != nil {
		return nil, err
	}
	d := &decoder{nine: map[key]*template.Template{}}
	var noTime, noIP, noFive error
	d.received, noTime = schema.Lookup[schema.TimeColumn](file.Schema.Message, "received")
	d.exporter, noIP = schema.Lookup[schema.IPColumn](file.Schema.Message, "exporter")
	if d.plan, err = file.Compile(); err != nil {
		return nil, err
	}
	d.common = d.plan.NewRecord()
	d.five, noFive = template.Bind(d.plan, fields5)
	return d, errors.Join(noTime, noIP, noFive)
}

// append appends the flows of a datagram, each length-prefixed. After an error, the rest of the datagram is left out.
func (d *decoder) append(out, datagram []byte, from netip.AddrPort, now time.Time) ([]byte, error) {
	d.datagrams++
	d.common.Reset()
	d.common.Time(d.received, now)
	d.common.IP(d.exporter, from.Addr().Unmap())
	if len(datagram) < 20 {
		return out, errMalformed
	}
	n := int(binary.BigEndian.Uint16(datagram[2:]))
	uptime, seconds := binary.BigEndian.Uint32(datagram[4:]), binary.BigEndian.Uint32(datagram[8:])
	clock := template.NetFlowClock(seconds, uptime)
	switch binary.BigEndian.Uint16(datagram) {
	case 5:
		if n > 30 || len(datagram) != 24+48*n {
			return out, errMalformed
		}
		return d.data(out, d.five, datagram[24:], clock)
	case 9:
		return d.sets(out, datagram[20:], key{exporter: from, source: binary.BigEndian.Uint32(datagram[16:])}, clock)
	}
	return out, errors.New("the datagram is neither NetFlow v5 nor v9")
}

// sets reads the sets of NetFlow v9.
func (d *decoder) sets(out, sets []byte, k key, clock template.Clock) (_ []byte, err error) {
	for len(sets) >= 4 && err == nil {
		id, size := binary.BigEndian.Uint16(sets), int(binary.BigEndian.Uint16(sets[2:]))
		if size < 4 || size > len(sets) {
			return out, errMalformed
		}
		body := sets[4:size]
		sets = sets[size:]
		if id == 0 {
			err = d.learn(body, k)
		} else if id >= 256 { // a set of data; 1 has templates of options
			k.id = id
			if t := d.nine[k]; t != nil {
				out, err = d.data(out, t, body, clock)
			} else {
				d.withoutTemplate++
			}
		}
	}
	return out, err
}

// data appends the flows of a set. The template encodes them from the datagram's bytes.
func (d *decoder) data(out []byte, t *template.Template, set []byte, clock template.Clock) ([]byte, error) {
	out, n, err := t.AppendSetAfter(out, d.common.Encoded(), set, clock)
	d.records += n
	return out, err
}

// learn binds the templates of a set to the plan.
func (d *decoder) learn(set []byte, k key) error {
	for len(set) >= 4 {
		n := int(binary.BigEndian.Uint16(set[2:]))
		if len(set) < 4+4*n {
			return errMalformed
		}
		k.id = binary.BigEndian.Uint16(set)
		fields := make([]template.Field, n)
		for i := range fields {
			fields[i] = template.Field{Element: binary.BigEndian.Uint16(set[4+4*i:]), Length: binary.BigEndian.Uint16(set[6+4*i:])}
		}
		set = set[4+4*n:]
		if n == 0 {
			continue // padding
		}
		if _, have := d.nine[k]; n > maxFields || !have && len(d.nine) == maxTemplates {
			return errFull
		}
		t, _, err := template.BindFitting(d.plan, fields)
		if err != nil {
			return err
		}
		d.nine[k] = t
	}
	return nil
}
