package sflow

import (
	"encoding/binary"
	"net/netip"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// The contents of a datagram: the types of enterprise 0. Types of others have their enterprise in the upper 20
// bits.
const (
	flowSample         = 1
	expandedFlowSample = 3
	discardedPacket    = 5

	sampledHeader   = 1
	sampledEthernet = 2
	sampledIPv4     = 3
	sampledIPv6     = 4
	extendedSwitch  = 1001
	extendedRouter  = 1002
	extendedGateway = 1003
	extendedMPLS    = 1006
	extendedNAT     = 1007
	vlanTunnel      = 1012
	natPort         = 1020
	vniEgress       = 1029
	vniIngress      = 1030
)

// Opening is the beginning of a datagram.
type Opening struct {
	Agent    netip.Addr
	SubAgent uint32
	Sequence uint32 // number among the sub-agent's datagrams
	Uptime   uint32 // of the agent, in milliseconds

	samples uint32 // the claimed number
	rest    []byte
}

func word(b []byte, i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }

// open reads the opening. It counts a datagram that has none.
func (d *Decoder) open(b []byte) (o Opening, ok bool) {
	if len(b) < 8 {
		d.counts.Drop(count.Truncated, 1)
		return o, false
	}
	n := addressSize(word(b, 1))
	if n == 0 || word(b, 0) != 5 {
		d.counts.Drop(count.Malformed, 1)
		return o, false
	}
	b = b[8:]
	if len(b) < n+16 {
		d.counts.Drop(count.Truncated, 1)
		return o, false
	}
	agent, _ := netip.AddrFromSlice(b[:n])
	o.Agent = agent.Unmap() // in the form that tables of exporters use
	b = b[n:]
	o.SubAgent, o.Sequence, o.Uptime, o.samples = word(b, 0), word(b, 1), word(b, 2), word(b, 3)
	o.rest = b[16:]
	return o, true
}

// addressSize returns the length of an address of a type; 0 if the type has none.
func addressSize(kind uint32) int {
	switch kind {
	case 1:
		return 4
	case 2:
		return 16
	}
	return 0
}

// walk encodes the samples of a datagram.
func (d *Decoder) walk(dst []byte, o *Opening) (out []byte, flows int) {
	b := o.rest
	for range o.samples {
		if len(b) < 8 || uint64(word(b, 1)) > uint64(len(b)-8) {
			d.counts.Drop(count.Truncated, 1)
			return dst, flows
		}
		kind, sample := word(b, 0), b[8:8+word(b, 1)]
		b = b[8+len(sample):]
		records, n, ok := d.sample(kind, sample)
		if !ok {
			continue
		}
		d.records(records, n)
		if d.record.transaction && !d.record.packet {
			d.counts.Passed.Add(kind)
			continue
		}
		dst = d.emit(dst)
		flows++
	}
	if len(b) > 0 {
		d.counts.Drop(count.Malformed, 1)
	}
	return dst, flows
}

// sample reads the part of a sample before its records, of which it claims to have n; false if it is not a flow.
func (d *Decoder) sample(kind uint32, b []byte) (records []byte, n uint32, ok bool) {
	r := &d.record
	switch kind {
	case flowSample: // number, source, rate, pool, drops, input, output, records
		if len(b) < 4*8 {
			d.counts.Drop(count.Malformed, 1)
			return nil, 0, false
		}
		r.reset()
		r.take(atRate, b[8:12])
		d.drops = append(d.drops, Drops{uint64(word(b, 1)>>24)<<32 | uint64(word(b, 1)&0xffffff), word(b, 4)})
		in, out := word(b, 5), word(b, 6)
		r.input(in>>compactBits, in&compactMask)
		r.output(out>>compactBits, out&compactMask)
		return b[32:], word(b, 7), true
	case expandedFlowSample: // the same, but source, input and output in two words each
		if len(b) < 4*11 {
			d.counts.Drop(count.Malformed, 1)
			return nil, 0, false
		}
		r.reset()
		r.take(atRate, b[12:16])
		d.drops = append(d.drops, Drops{uint64(word(b, 1))<<32 | uint64(word(b, 2)), word(b, 5)})
		r.input(word(b, 6), word(b, 7))
		r.output(word(b, 8), word(b, 9))
		return b[44:], word(b, 10), true
	case discardedPacket: // number, source in two words, drops, input, output, reason, records
		if len(b) < 4*8 {
			d.counts.Drop(count.Malformed, 1)
			return nil, 0, false
		}
		r.reset()
		d.drops = append(d.drops, Drops{discardSource | uint64(word(b, 1))<<32 | uint64(word(b, 2)), word(b, 3)})
		r.input(0, word(b, 4))
		r.output(0, word(b, 5))
		r.bytes[atOutputKind] = byte(noPort)
		r.discard(word(b, 6))
		r.whole = true
		return b[32:], word(b, 7), true
	}
	d.counts.Passed.Add(kind)
	return nil, 0, false
}

// records reads the records of a sample.
func (d *Decoder) records(b []byte, n uint32) {
	for ; n > 0; n-- {
		if len(b) < 8 || uint64(word(b, 1)) > uint64(len(b)-8) {
			d.counts.Drop(count.Malformed, 1)
			return
		}
		kind, data := word(b, 0), b[8:8+word(b, 1)]
		b = b[8+len(data):]
		if !d.record.add(kind, data) {
			d.counts.Drop(count.Malformed, 1)
		}
	}
}

// add processes one record of a sample; false if it is too short. It skips other records, and counts them.
func (r *record) add(kind uint32, b []byte) bool {
	switch kind {
	case sampledHeader: // protocol, length of the frame, how much of it was stripped, length of the header, header
		if len(b) < 16 {
			return false
		}
		r.sampledHeader(word(b, 0), word(b, 1), word(b, 2), b[16:min(uint64(len(b)), 16+uint64(word(b, 3)))])
		return uint64(word(b, 3)) <= uint64(len(b)-16)
	case sampledEthernet: // length, source and target of six bytes and two of padding each, type
		if len(b) < 24 {
			return false
		}
		r.sampledEthernet(word(b, 0), b[4:10], b[12:18], word(b, 5))
	case sampledIPv4: // length, protocol, source, target, ports, flags, type of service
		if len(b) < 32 {
			return false
		}
		if r.sampledIP(four, word(b, 0), word(b, 1), b[8:12], b[12:16]) {
			r.sampledPorts(word(b, 1), word(b, 4), word(b, 5), word(b, 6), word(b, 7))
		}
	case sampledIPv6:
		if len(b) < 56 {
			return false
		}
		if r.sampledIP(six, word(b, 0), word(b, 1), b[8:24], b[24:40]) {
			r.sampledPorts(word(b, 1), word(b, 10), word(b, 11), word(b, 12), word(b, 13))
		}
	case extendedSwitch: // VLAN and priority of the source, of the target
		if len(b) < 16 {
			return false
		}
		r.extendedSwitch(word(b, 0), word(b, 2))
	case extendedRouter: // next hop, masks
		hop, rest, ok := address(b)
		if !ok || len(rest) < 8 {
			return false
		}
		r.extendedRouter(hop, word(rest, 0), word(rest, 1))
	case extendedGateway:
		return r.gateway(b)
	case extendedMPLS:
		return r.extendedMPLS(b)
	case extendedNAT:
		return r.extendedNAT(b)
	case natPort: // source, target
		if len(b) < 8 {
			return false
		}
		r.natPort(b)
	case vlanTunnel: // words of a type and a tag, the outermost first
		tags, _, ok := stack(b)
		if ok {
			r.stripped = tags
		}
		return ok
	case vniIngress, vniEgress:
		if len(b) < 4 {
			return false
		}
		if v := word(b, 0); v != 0 && (r.vni == 0 || kind == vniIngress) {
			r.vni = v
		}
	default:
		r.skip(count.StructureOf(kind))
		r.transaction = r.transaction || isTransaction(kind)
	}
	return true
}

// isTransaction reports whether a record describes a transaction of an application, which is no packet.
func isTransaction(kind uint32) bool {
	return kind >= 2000 && kind <= 2003 || kind >= 2200 && kind <= 2208
}

// address reads an address after its type. An address of unknown type has no bytes.
func address(b []byte) (a, rest []byte, ok bool) {
	if len(b) < 4 || word(b, 0) > 2 {
		return nil, nil, false
	}
	n := 4 + addressSize(word(b, 0))
	if len(b) < n {
		return nil, nil, false
	}
	return b[4:n], b[n:], true
}

// gateway reads BGP's data: next hop, AS of the router, of the source, of its neighbour; segments of the path to
// the target, each with a type, the number of its AS numbers, and these; communities. The local preference follows.
func (r *record) gateway(b []byte) bool {
	hop, b, ok := address(b)
	if !ok || len(b) < 16 {
		return false
	}
	own, source, previous, segments := word(b, 0), word(b, 1), word(b, 2), word(b, 3)
	b = b[16:]
	if r.lists != nil { // those of an earlier record
		r.lists.noPath()
		r.lists.communities = r.lists.communities[:0]
	}
	var first, last uint32
	for found := false; segments > 0; segments-- {
		if len(b) < 8 || uint64(word(b, 1)) > uint64(len(b)-8)/4 {
			if r.lists != nil {
				r.lists.noPath()
			}
			return false
		}
		if r.lists != nil {
			r.lists.segment(word(b, 0), b[8:8+4*word(b, 1)])
		}
		path := b[8 : 8+4*word(b, 1)]
		b = b[8+len(path):]
		if n := len(path) / 4; n > 0 {
			if !found {
				first, found = word(path, 0), true
			}
			last = word(path, n-1)
		}
	}
	r.extendedGateway(hop, own, source, previous, first, last)
	if len(b) == 0 { // some agents end here
		return true
	}
	if len(b) < 4 || uint64(word(b, 0)) > uint64(len(b)-4)/4 {
		return false
	}
	if r.lists != nil {
		r.lists.communities = r.lists.add(r.lists.communities, b[4:4+4*word(b, 0)])
	}
	return true
}
