package main

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// appendRequest writes one WriteRequest, byte for byte as Prometheus does: fields by ascending number, minimal
// lengths, zero values left out; samplesFirst puts field 2 of a series before field 1, which is as legal.
func appendRequest(out []byte, all []series, samplesFirst bool) []byte {
	var record, inner []byte
	for _, s := range all {
		record = record[:0]
		if samplesFirst {
			record = appendSamples(record, &inner, s.samples)
		}
		for _, l := range s.labels {
			inner = protowire.AppendTag(inner[:0], 1, protowire.BytesType)
			inner = protowire.AppendString(inner, l.name)
			inner = protowire.AppendTag(inner, 2, protowire.BytesType)
			inner = protowire.AppendString(inner, l.value)
			record = protowire.AppendTag(record, 1, protowire.BytesType)
			record = protowire.AppendBytes(record, inner)
		}
		if !samplesFirst {
			record = appendSamples(record, &inner, s.samples)
		}
		out = protowire.AppendTag(out, 1, protowire.BytesType)
		out = protowire.AppendBytes(out, record)
	}
	return out
}

func appendSamples(record []byte, scratch *[]byte, samples []sample) []byte {
	for _, p := range samples {
		inner := (*scratch)[:0]
		if p.value != 0 {
			inner = protowire.AppendTag(inner, 1, protowire.Fixed64Type)
			inner = protowire.AppendFixed64(inner, math.Float64bits(p.value))
		}
		if p.timestamp != 0 {
			inner = protowire.AppendTag(inner, 2, protowire.VarintType)
			inner = protowire.AppendVarint(inner, uint64(p.timestamp))
		}
		record = protowire.AppendTag(record, 2, protowire.BytesType)
		record = protowire.AppendBytes(record, inner)
		*scratch = inner
	}
	return record
}
