package sflow

import (
	"encoding/binary"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/template"
)

// record is a sample as a data record of IPFIX. Its fields are at fixed places, big endian, and fields that the
// sample does not have are zero. Where a zero would be a value, as for addresses, there is a template without the
// field.
type record struct {
	bytes [recordSize]byte
	state
	rare   [extraSize]byte // fields that few samples have; they follow the others
	lists  *lists          // nil if no column is filled from them
	extras bool            // a column is filled from rare
	joined []byte          // the record with rare and lists
	counts *count.Counters // of what is skipped
}

// state is what is known of a sample beside its fields.
type state struct {
	variant variant

	// VLANs are added at the end, because one replaces another.
	switched bool   // there was an extended switch record
	source   uint32 // VLAN reported by the switch
	tag      uint32 // VLAN of the header
	stripped []byte // the first two tags that were removed before the packet was sampled, with their types
	vni      uint32 // as the switch reports it

	seenHeader  bool
	seenIP      bool   // there was a sampled IP packet
	packet      bool   // a record describes a packet
	transaction bool   // a record describes a transaction of an application
	whole       bool   // the sample stands for one packet, not for as many as the rate says
	sized       bool   // beyond is known
	beyond      int    // bytes of the frame that follow the sampled header
	octets      uint32 // of the packet in a sampled header; 0 if its own header does not say so
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
	inner  version // the packet in a tunnel
	listed bool    // there are lists

	extra                          bool // there are fields that few samples have
	natSource, natTarget, labelHop version
}

const variants = 2 * int(versions*versions*versions*versions) // without those of extra

func (v *variant) index() int {
	i := int(((v.inner*versions+v.ip)*versions+v.hop)*versions + v.bgpHop)
	if v.listed {
		i += variants / 2
	}
	return i
}

// Where the fields are.
const (
	atBytes         = 0
	atPackets       = atBytes + 4
	atRate          = atPackets + 1
	atScaledBytes   = atRate + 4
	atScaledPackets = atScaledBytes + 8
	atInput         = atScaledPackets + 8
	atOutput        = atInput + 4
	atTargetMAC     = atOutput + 4
	atSourceMAC     = atTargetMAC + 6
	atVLAN          = atSourceMAC + 6
	atPostVLAN      = atVLAN + 4
	atTag           = atPostVLAN + 4
	atPostTag       = atTag + 4
	atInnerTag      = atPostTag + 4
	atEtherType     = atInnerTag + 2
	atSource        = atEtherType + 4
	atTarget        = atSource + 16
	atProtocol      = atTarget + 16
	atTOS           = atProtocol + 4
	atSourcePort    = atTOS + 4
	atTargetPort    = atSourcePort + 4
	atTCPFlags      = atTargetPort + 4
	atTTL           = atTCPFlags + 4
	atICMPType      = atTTL + 1
	atICMPCode      = atICMPType + 1
	atFlowLabel     = atICMPCode + 1
	atFragmentID    = atFlowLabel + 4
	atFragment      = atFragmentID + 4
	atFragmentFlag  = atFragment + 2
	atHop           = atFragmentFlag + 1
	atSourceMask    = atHop + 16
	atTargetMask    = atSourceMask + 4
	atBGPHop        = atTargetMask + 4
	atSourceAS      = atBGPHop + 16
	atTargetAS      = atSourceAS + 4
	atNextAS        = atTargetAS + 4
	atPreviousAS    = atNextAS + 4
	atFrame         = atPreviousAS + 4
	atForwarding    = atFrame + 4
	atInputKind     = atForwarding + 1
	atOutputKind    = atInputKind + 1
	atLabels        = atOutputKind + 1 // three bytes each, without the TTL
	atInner         = atLabels + 3*labels
	atReceived      = atInner + innerSize
	recordSize      = atReceived + receivedSize
	receivedSize    = 2 * 8
	labels          = 10 // of MPLS, from the top
)

// place is a field of the record.
type place struct {
	at         int
	length     uint16
	element    uint16
	enterprise uint32
}

// places are the fields that records of a variant have, in order. Times are in the record if messages do not begin
// with them.
func places(v variant, times bool) []place {
	all := []place{
		{atBytes, 4, 1, 0}, {atPackets, 1, 2, 0}, {atRate, 4, layout.SamplingInterval, 0}, {atScaledBytes, 8, layout.ScaledOctets, layout.Reserved}, {atScaledPackets, 8, layout.ScaledPackets, layout.Reserved},
		{atInput, 4, 10, 0}, {atOutput, 4, 14, 0},
		{atTargetMAC, 6, 80, 0}, {atSourceMAC, 6, 56, 0}, {atEtherType, 4, 256, 0},
		{atVLAN, 4, 58, 0}, {atPostVLAN, 4, 59, 0}, {atTag, 4, 243, 0}, {atPostTag, 4, 254, 0}, {atInnerTag, 2, 245, 0},
		{atProtocol, 4, 4, 0}, {atTOS, 4, 5, 0}, {atSourcePort, 4, 7, 0}, {atTargetPort, 4, 11, 0},
		{atTCPFlags, 4, 6, 0}, {atTTL, 1, 192, 0}, {atFlowLabel, 4, 31, 0}, {atFragmentID, 4, 54, 0}, {atFragment, 2, 88, 0},
		{atFragmentFlag, 1, 197, 0}, {atSourceAS, 4, 16, 0}, {atTargetAS, 4, 17, 0}, {atNextAS, 4, 128, 0}, {atPreviousAS, 4, 129, 0},
		{atFrame, 4, 352, 0}, {atForwarding, 1, 89, 0},
		{atInputKind, 1, layout.InputKind, layout.Reserved}, {atOutputKind, 1, layout.OutputKind, layout.Reserved},
	}
	for i := range labels {
		all = append(all, place{atLabels + 3*i, 3, uint16(70 + i), 0})
	}
	all = append(all, innerPlaces(v.inner)...)
	switch v.ip {
	case four:
		all = append(all, place{atSource, 4, 8, 0}, place{atTarget, 4, 12, 0}, place{atSourceMask, 4, 9, 0})
		all = append(all, place{atTargetMask, 4, 13, 0}, place{atICMPType, 1, 176, 0}, place{atICMPCode, 1, 177, 0})
	case six:
		all = append(all, place{atSource, 16, 27, 0}, place{atTarget, 16, 28, 0}, place{atSourceMask, 4, 29, 0})
		all = append(all, place{atTargetMask, 4, 30, 0}, place{atICMPType, 1, 178, 0}, place{atICMPCode, 1, 179, 0})
	default: // there was no IP packet, but a router has reported masks
		all = append(all, place{atSourceMask, 4, 9, 0}, place{atTargetMask, 4, 13, 0})
	}
	switch v.hop {
	case four:
		all = append(all, place{atHop, 4, 15, 0})
	case six:
		all = append(all, place{atHop, 16, 62, 0})
	}
	switch v.bgpHop {
	case four:
		all = append(all, place{atBGPHop, 4, 18, 0})
	case six:
		all = append(all, place{atBGPHop, 16, 63, 0})
	}
	if v.extra {
		all = append(all, extraPlaces(v)...)
	}
	if times {
		all = append(all, place{atReceived, 8, 152, 0}, place{atReceived + 8, 8, 153, 0})
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
		all = append(all, template.Field{Enterprise: p.enterprise, Element: p.element, Length: p.length})
		end = p.at + int(p.length)
	}
	gap(recordSize)
	if v.extra {
		gap(recordSize + extraSize)
	}
	if v.listed {
		all = append(all, listFields...)
	}
	return all
}

// names are the changes to the names of the fields: an inner packet replaces the outer one in columns that prefer it.
func (v variant) names() (n template.Names) {
	if v.inner != none {
		n.Skip = layout.Replaced
	}
	return n
}

// reset sets the record to a packet of which nothing is known.
func (r *record) reset() {
	r.bytes = [recordSize]byte{}
	r.bytes[atPackets] = 1
	r.state = state{}
	if r.lists != nil {
		r.lists.reset()
	}
}

// joint returns the record with everything that follows it.
func (r *record) joint() []byte {
	all := append(r.joined[:0], r.bytes[:]...)
	if r.variant.extra {
		all = append(all, r.rare[:]...)
	}
	if r.variant.listed {
		all = r.lists.after(all)
	}
	r.joined = all
	return all
}

// skip counts what is not read.
func (r *record) skip(s count.Structure) {
	if r.counts != nil {
		r.counts.Skipped[s].Add(1)
	}
}

func (r *record) put(at int, v uint32) { binary.BigEndian.PutUint32(r.bytes[at:], v) }

func (r *record) word(at int) uint32 { return binary.BigEndian.Uint32(r.bytes[at:]) }

// take copies a value that is big endian already.
func (r *record) take(at int, from []byte) { copy(r.bytes[at:], from) }

// addresses sets source and target.
func (r *record) addresses(v version, source, target []byte) {
	r.variant.ip = v
	r.take(atSource, source)
	r.take(atTarget, target)
}

// outerTags puts the tags that were removed before those of the header, and returns the VLAN of the first.
func (r *record) outerTags() uint32 {
	const vlan = 0xfff
	second := r.tag
	if len(r.stripped) >= 8 {
		second = word(r.stripped, 1) & vlan
	}
	binary.BigEndian.PutUint16(r.bytes[atInnerTag:], uint16(second)) // zero, too: it is the tag of a priority only
	return word(r.stripped, 0) & vlan
}

// finish adds the values that depend on several records of the sample.
func (r *record) finish() {
	vlan, tag := r.source, r.tag
	if len(r.stripped) > 0 {
		tag = r.outerTags()
	}
	if !r.switched {
		vlan = tag
	}
	if tag == 0 {
		tag = vlan
	}
	if r.vni != 0 {
		r.segment(r.vni)
	}
	r.variant.listed = r.lists != nil && r.lists.any()
	r.put(atVLAN, vlan)
	r.put(atTag, tag)
	if p := r.word(atProtocol); p == ipICMP || p == ipICMPv6 { // which have no ports, even if a record says so
		r.put(atSourcePort, 0)
		r.put(atTargetPort, 0)
	}
}
