package main

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// A format is a version of remote write.
type format struct {
	name   string
	encode func(all []series, l layout) []byte
}

// formats returns the formats of a shape.
func (sh shape) formats() []format {
	all := []format{{"rw1", appendRequest}}
	if sh.name == "10k" || sh.name == "2k" {
		all = append(all, format{"rw2", func(all []series, _ layout) []byte { return appendRequest2(all) }})
	}
	return all
}

// symbols numbers strings in the order they come; the first one is empty.
type symbols struct {
	refs map[string]uint64
	all  []string
}

func (s *symbols) ref(text string) uint64 {
	ref, known := s.refs[text]
	if !known {
		ref = uint64(len(s.all))
		s.refs[text], s.all = ref, append(s.all, text)
	}
	return ref
}

// appendRequest2 encodes one Request of remote write 2.0: strings once, in front, and named by number; each series with
// the metadata of its metric.
func appendRequest2(all []series) []byte {
	table := symbols{refs: map[string]uint64{"": 0}, all: []string{""}}
	var records []byte
	for _, s := range all {
		var refs, record []byte
		for _, l := range s.labels {
			refs = protowire.AppendVarint(refs, table.ref(l.name))
			refs = protowire.AppendVarint(refs, table.ref(l.value))
		}
		record = appendRecord(record, 1, refs)
		for _, p := range s.samples {
			var inner []byte
			value, timestamp := sampleFields(p)
			for _, field := range append(value, timestamp...) {
				inner = append(inner, field...)
			}
			record = appendRecord(record, 2, inner)
		}
		const counter, gauge = 1, 2
		kind := uint64(gauge)
		if strings.HasSuffix(s.metric(), "_total") {
			kind = counter
		}
		metadata := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), kind)
		metadata = protowire.AppendTag(metadata, 3, protowire.VarintType)
		metadata = protowire.AppendVarint(metadata, table.ref("What "+s.metric()+" says."))
		records = appendRecord(records, 5, appendRecord(record, 5, metadata))
	}
	var out []byte
	for _, text := range table.all {
		out = appendText(out, 4, text)
	}
	return append(out, records...)
}
