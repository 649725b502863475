package main

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A layout says how the fields of a message are ordered and what stands between them; all are legal encodings.
type layout int

const (
	plainLayout      layout = iota // as Prometheus writes: ascending numbers, nothing else
	samplesFirst                   // field 2 of a series before field 1
	shuffled                       // each message's fields in any order; repeated ones keep their order
	unknownSprinkled               // a field that the schema does not know in one message of eight
)

// A writer appends messages in one layout.
type writer struct {
	layout layout
	random random
}

// fields joins the encoded fields of one message, each of them whole: those of one number, and those of the next.
func (w *writer) fields(out []byte, first, last [][]byte) []byte {
	for len(first)+len(last) > 0 {
		from := &first
		if len(first) == 0 || w.layout == shuffled && w.random.below(len(first)+len(last)) >= len(first) {
			from = &last
		}
		out = append(out, (*from)[0]...)
		*from = (*from)[1:]
	}
	if w.layout == unknownSprinkled && w.random.below(8) == 0 {
		out = w.unknown(out)
	}
	return out
}

// unknown appends one field that no message of the schema has, of any wire type but groups, which some libraries refuse.
func (w *writer) unknown(out []byte) []byte {
	num := protowire.Number(1000 + w.random.below(100))
	switch w.random.below(4) {
	case 0:
		return protowire.AppendVarint(protowire.AppendTag(out, num, protowire.VarintType), w.random.next())
	case 1:
		return protowire.AppendFixed32(protowire.AppendTag(out, num, protowire.Fixed32Type), uint32(w.random.next()))
	case 2:
		return protowire.AppendFixed64(protowire.AppendTag(out, num, protowire.Fixed64Type), w.random.next())
	}
	return protowire.AppendString(protowire.AppendTag(out, num, protowire.BytesType), "not in the schema")
}

// appendRequest encodes one WriteRequest of remote write 1.0, byte for byte as Prometheus does but for the layout:
// minimal lengths, zero values left out.
func appendRequest(all []series, l layout) []byte {
	w := writer{layout: l, random: random{state: seed}}
	var records [][]byte
	for _, s := range all {
		var labels, samples [][]byte
		for _, l := range s.labels {
			name, value := appendText(nil, 1, l.name), appendText(nil, 2, l.value)
			labels = append(labels, appendRecord(nil, 1, w.fields(nil, [][]byte{name}, [][]byte{value})))
		}
		for _, p := range s.samples {
			value, timestamp := sampleFields(p)
			samples = append(samples, appendRecord(nil, 2, w.fields(nil, value, timestamp)))
		}
		if l == samplesFirst {
			labels, samples = samples, labels
		}
		records = append(records, appendRecord(nil, 1, w.fields(nil, labels, samples)))
	}
	return w.fields(nil, records, nil)
}

func appendText(out []byte, num protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(out, num, protowire.BytesType), text)
}

func appendRecord(out []byte, num protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, num, protowire.BytesType), message)
}

// sampleFields returns value and timestamp, where they are not zero.
func sampleFields(p sample) (value, timestamp [][]byte) {
	if p.value != 0 {
		value = append(value, protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(p.value)))
	}
	if p.timestamp != 0 {
		timestamp = append(timestamp, protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), uint64(p.timestamp)))
	}
	return value, timestamp
}
