package sflow

import (
	"encoding/binary"
	"slices"

	"github.com/hotpb/hotpb/examples/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/template"
)

// record is a sample as a data record of IPFIX. Its fields are at fixed places, big endian, and fields that the
// sample does not have are zero. Where a zero would be a value, as for addresses, there is a template without the
// field.
type record struct {
	bytes   [recordSize]byte
	variant variant

	// VLANs are added at the end, because one replaces another.
	switched   bool   // there was an extended switch record
	source     uint32 // VLAN reported by the switch
	tag        uint32 // VLAN of the header
	seenHeader bool
}

// version is of an IP address.
type version uint8

const (
	none version = iota
	four
	six
	versions
)

// variant says which addresses a record has.
type variant struct {
	ip     version // source and target
	hop    version
	bgpHop version
}

const variants = int(versions * versions * versions)

func (v variant) index() int { return int(v.ip*versions*versions + v.hop*versions + v.bgpHop) }

// Where the fields are.
const (
	atBytes        = 0
	atPackets      = atBytes + 4
	atRate         = atPackets + 1
	atInput        = atRate + 4
	atOutput       = atInput + 4
	atTargetMAC    = atOutput + 4
	atSourceMAC    = atTargetMAC + 6
	atVLAN         = atSourceMAC + 6
	atPostVLAN     = atVLAN + 4
	atTag          = atPostVLAN + 4
	atPostTag      = atTag + 4
	atInnerTag     = atPostTag + 4
	atEtherType    = atInnerTag + 2
	atSource       = atEtherType + 4
	atTarget       = atSource + 16
	atProtocol     = atTarget + 16
	atTOS          = atProtocol + 4
	atSourcePort   = atTOS + 4
	atTargetPort   = atSourcePort + 4
	atTCPFlags     = atTargetPort + 4
	atTTL          = atTCPFlags + 4
	atICMPType     = atTTL + 1
	atICMPCode     = atICMPType + 1
	atFlowLabel    = atICMPCode + 1
	atFragmentID   = atFlowLabel + 4
	atFragment     = atFragmentID + 4
	atFragmentFlag = atFragment + 2
	atHop          = atFragmentFlag + 1
	atSourceMask   = atHop + 16
	atTargetMask   = atSourceMask + 4
	atBGPHop       = atTargetMask + 4
	atSourceAS     = atBGPHop + 16
	atTargetAS     = atSourceAS + 4
	atNextAS       = atTargetAS + 4
	atPreviousAS   = atNextAS + 4
	atReceived     = atPreviousAS + 4
	recordSize     = atReceived + receivedSize
	receivedSize   = 2 * 8
)

// place is a field of the record.
type place struct {
	at      int
	length  uint16
	element uint16
}

// places are the fields that records of a variant have, in order. Times are in the record if messages do not begin
// with them.
func places(v variant, times bool) []place {
	all := []place{
		{atBytes, 4, 1}, {atPackets, 1, 2}, {atRate, 4, layout.SamplingInterval}, {atInput, 4, 10}, {atOutput, 4, 14},
		{atTargetMAC, 6, 80}, {atSourceMAC, 6, 56}, {atEtherType, 4, 256},
		{atVLAN, 4, 58}, {atPostVLAN, 4, 59}, {atTag, 4, 243}, {atPostTag, 4, 254}, {atInnerTag, 2, 245},
		{atProtocol, 4, 4}, {atTOS, 4, 5}, {atSourcePort, 4, 7}, {atTargetPort, 4, 11},
		{atTCPFlags, 4, 6}, {atTTL, 1, 192}, {atFlowLabel, 4, 31}, {atFragmentID, 4, 54}, {atFragment, 2, 88},
		{atFragmentFlag, 1, 197}, {atSourceAS, 4, 16}, {atTargetAS, 4, 17}, {atNextAS, 4, 128}, {atPreviousAS, 4, 129},
	}
	switch v.ip {
	case four:
		all = append(all, place{atSource, 4, 8}, place{atTarget, 4, 12}, place{atSourceMask, 4, 9})
		all = append(all, place{atTargetMask, 4, 13}, place{atICMPType, 1, 176}, place{atICMPCode, 1, 177})
	case six:
		all = append(all, place{atSource, 16, 27}, place{atTarget, 16, 28}, place{atSourceMask, 4, 29})
		all = append(all, place{atTargetMask, 4, 30}, place{atICMPType, 1, 178}, place{atICMPCode, 1, 179})
	default: // there was no IP packet, but a router has reported masks
		all = append(all, place{atSourceMask, 4, 9}, place{atTargetMask, 4, 13})
	}
	switch v.hop {
	case four:
		all = append(all, place{atHop, 4, 15})
	case six:
		all = append(all, place{atHop, 16, 62})
	}
	switch v.bgpHop {
	case four:
		all = append(all, place{atBGPHop, 4, 18})
	case six:
		all = append(all, place{atBGPHop, 16, 63})
	}
	if times {
		all = append(all, place{atReceived, 8, 152}, place{atReceived + 8, 8, 153})
	}
	slices.SortFunc(all, func(a, b place) int { return a.at - b.at })
	return all
}

// fields is the template of a variant. The bytes between its fields belong to an element that nobody else uses.
func fields(v variant, times bool) (all []template.Field) {
	end := 0
	gap := func(to int) {
		if to > end {
			all = append(all, template.Field{Enterprise: layout.Reserved, Length: uint16(to - end)})
		}
	}
	for _, p := range places(v, times) {
		gap(p.at)
		all = append(all, template.Field{Element: p.element, Length: p.length})
		end = p.at + int(p.length)
	}
	gap(recordSize)
	return all
}

// reset sets the record to a packet of which nothing is known.
func (r *record) reset() {
	*r = record{}
	r.bytes[atPackets] = 1
}

func (r *record) put(at int, v uint32) { binary.BigEndian.PutUint32(r.bytes[at:], v) }

// take copies a value that is big endian already.
func (r *record) take(at int, from []byte) { copy(r.bytes[at:], from) }

// addresses sets source and target.
func (r *record) addresses(v version, source, target []byte) {
	r.variant.ip = v
	r.take(atSource, source)
	r.take(atTarget, target)
}

// finish adds the values that depend on several records of the sample.
func (r *record) finish() {
	vlan, tag := r.source, r.tag
	if !r.switched {
		vlan = tag
	}
	if tag == 0 {
		tag = vlan
	}
	r.put(atVLAN, vlan)
	r.put(atTag, tag)
}
