package sflow

import (
	"encoding/binary"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// Where the fields are that few samples have, in record.rare.
const (
	atNATSource = 0
	atNATTarget = atNATSource + 16
	atNATPorts  = atNATTarget + 16 // source and target
	atLabelHop  = atNATPorts + 8
	atReason    = atLabelHop + 16
	atVNI       = atReason + 4
	extraSize   = atVNI + 4
)

// extraPlaces are these fields, after those that all records have.
func extraPlaces(v variant) []place {
	const from = recordSize
	all := []place{
		{from + atNATPorts, 4, 227, 0}, {from + atNATPorts + 4, 4, 228, 0},
		{from + atReason, 4, layout.DropReason, layout.Reserved},
	}
	if v.inner == none {
		all = append(all, place{from + atVNI, 4, 351, 0})
	}
	address := func(v version, at int, element, element6 uint16) {
		switch v {
		case four:
			all = append(all, place{from + at, 4, element, 0})
		case six:
			all = append(all, place{from + at, 16, element6, 0})
		}
	}
	address(v.natSource, atNATSource, 225, 281)
	address(v.natTarget, atNATTarget, 226, 282)
	address(v.labelHop, atLabelHop, 47, 140)
	return all
}

// extra returns the fields that few samples have; nil if no column is filled from them.
func (r *record) extra() []byte {
	if !r.extras {
		return nil
	}
	if !r.variant.extra {
		r.variant.extra = true
		r.rare = [extraSize]byte{}
	}
	return r.rare[:]
}

// segment takes the VNI that a switch reports, unless a header has one.
func (r *record) segment(vni uint32) {
	if r.variant.inner != none {
		if r.word(atSegment) == 0 {
			r.put(atSegment, vni)
		}
	} else if x := r.extra(); x != nil {
		binary.BigEndian.PutUint32(x[atVNI:], vni)
	}
}

// fillsExtra reports whether a column is filled from these fields.
func fillsExtra(columns []schema.Column) bool {
	var all []place
	for _, v := range []version{four, six} {
		all = append(all, extraPlaces(variant{natSource: v, natTarget: v, labelHop: v})...)
	}
	return slices.ContainsFunc(columns, func(c schema.Column) bool {
		return slices.ContainsFunc(all, func(p place) bool {
			return slices.Contains(c.Sources, schema.Source{Enterprise: p.enterprise, Element: p.element})
		})
	})
}
