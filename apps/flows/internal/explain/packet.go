package explain

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
)

// packet names the parts of the first bytes of a packet, as far as they reach. It finds names only: which column a part
// fills is asked of the decoder.
type packet struct {
	bytes  []byte // of the record
	end    int    // of the packet's bytes
	depth  int
	pieces []piece
}

// mostParts is how many parts of a packet have names.
const mostParts = 96

func (p *packet) room(at, n int) bool { return p.end-at >= n && len(p.pieces) < mostParts }

func (p *packet) number(at, length int) (v uint64) {
	for _, b := range p.bytes[at : at+length] {
		v = v<<8 | uint64(b)
	}
	return v
}

// part adds a part, if it is there. Numbers of up to 8 bytes have a text.
func (p *packet) part(at, length int, name, text string) {
	if !p.room(at, length) {
		return
	}
	if text == "" && length <= 8 {
		text = fmt.Sprint(p.number(at, length))
	}
	p.pieces = append(p.pieces, piece{name: name, depth: p.depth, at: at, length: length, text: text})
}

func (p *packet) address(at, length int, name string) {
	if p.room(at, length) {
		a, _ := netip.AddrFromSlice(p.bytes[at : at+length])
		p.part(at, length, name, a.String())
	}
}

func (p *packet) mac(at int, name string) {
	if p.room(at, 6) {
		p.part(at, 6, name, net.HardwareAddr(p.bytes[at:at+6]).String())
	}
}

func (p *packet) kind(at int, name string) (kind int) {
	if p.room(at, 2) {
		kind = int(p.number(at, 2))
		p.part(at, 2, name, fmt.Sprintf("0x%04x", kind))
	}
	return kind
}

// header names the parts of a header of sFlow's protocols.
func (p *packet) header(protocol uint32, at int) {
	switch protocol {
	case 1:
		p.ethernet(at)
	case 11:
		p.network(0x0800, at)
	case 12:
		p.network(0x86dd, at)
	case 13:
		p.network(0x8847, at)
	default:
		p.rest(at)
	}
}

func (p *packet) rest(at int) {
	if p.room(at, 1) {
		p.pieces = append(p.pieces, piece{name: "more", depth: p.depth, at: at, length: p.end - at, list: true})
	}
}

func (p *packet) ethernet(at int) {
	p.mac(at, "ethernet target")
	p.mac(at+6, "ethernet source")
	if p.room(at, 14) {
		p.network(p.kind(at+12, "ethernet type"), at+14)
	}
}

// network names the parts of what an EtherType announces.
func (p *packet) network(kind, at int) {
	for kind == 0x8100 || kind == 0x88a8 || kind == 0x9100 {
		if !p.room(at, 4) {
			return
		}
		p.part(at, 2, "tag", fmt.Sprintf("VLAN %d, priority %d", p.number(at, 2)&0xfff, p.number(at, 2)>>13))
		kind = p.kind(at+2, "type after the tag")
		at += 4
	}
	switch kind {
	case 0x8847, 0x8848:
		bottom := false
		for ; !bottom && p.room(at, 4); at += 4 {
			entry := p.number(at, 4)
			bottom = entry>>8&1 == 1
			p.part(at, 4, "MPLS label", fmt.Sprint(entry>>12))
		}
		if !p.room(at, 1) {
			return
		}
		switch p.bytes[at] >> 4 {
		case 4:
			p.ipv4(at)
		case 6:
			p.ipv6(at)
		default:
			p.wire(at)
		}
	case 0x8864:
		p.part(at, 6, "PPPoE", fmt.Sprintf("session %d", binary.BigEndian.Uint16(append(p.bytes[min(at+2, p.end):p.end:p.end], 0, 0))))
		switch p.kind(at+6, "PPP protocol") {
		case 0x0021:
			p.ipv4(at + 8)
		case 0x0057:
			p.ipv6(at + 8)
		default:
			p.rest(at + 8)
		}
	case 0x0800:
		p.ipv4(at)
	case 0x86dd:
		p.ipv6(at)
	default:
		p.rest(at)
	}
}

// wire is Ethernet in MPLS, after a control word or without one.
func (p *packet) wire(at int) {
	const ethernet, least = 14, 0x0600 // smaller numbers are no types
	switch {
	case p.room(at, 4+ethernet) && p.bytes[at]>>4 == 0 && p.number(at+16, 2) >= least:
		p.part(at, 4, "control word", "")
		p.ethernet(at + 4)
	case p.room(at, ethernet) && p.number(at+12, 2) >= least:
		p.ethernet(at)
	default:
		p.rest(at)
	}
}

func (p *packet) ipv4(at int) {
	if !p.room(at, 20) {
		p.rest(at)
		return
	}
	p.part(at, 1, "IPv4 version, header", fmt.Sprintf("%d, %d bytes", p.bytes[at]>>4, 4*int(p.bytes[at]&15)))
	p.part(at+1, 1, "IPv4 type of service", "")
	p.part(at+2, 2, "IPv4 length", "")
	p.part(at+4, 2, "IPv4 identification", "")
	p.part(at+6, 2, "IPv4 fragment", fmt.Sprintf("flags %d, offset %d", p.bytes[at+6]>>5, p.number(at+6, 2)&0x1fff))
	p.part(at+8, 1, "IPv4 TTL", "")
	p.part(at+9, 1, "IPv4 protocol", "")
	p.part(at+10, 2, "IPv4 checksum", "")
	p.address(at+12, 4, "IPv4 source")
	p.address(at+16, 4, "IPv4 target")
	protocol, whole := p.bytes[at+9], p.number(at+6, 2)&0x1fff == 0
	if n := 4 * int(p.bytes[at]&15); n > 20 {
		p.part(at+20, n-20, "IPv4 options", " ")
		at += n
	} else {
		at += 20
	}
	if !whole {
		p.rest(at)
		return
	}
	p.transport(protocol, at)
}

func (p *packet) ipv6(at int) {
	if !p.room(at, 40) {
		p.rest(at)
		return
	}
	first := p.number(at, 4)
	p.part(at, 4, "IPv6 class, flow label", fmt.Sprintf("class %d, label %d", first>>20&0xff, first&0xfffff))
	p.part(at+4, 2, "IPv6 length", "")
	p.part(at+6, 1, "IPv6 next header", "")
	p.part(at+7, 1, "IPv6 hop limit", "")
	p.address(at+8, 16, "IPv6 source")
	p.address(at+24, 16, "IPv6 target")
	next := p.bytes[at+6]
	at += 40
	for p.room(at, 8) {
		size := 0
		switch next {
		case 0, 43, 60:
			size = 8 * (int(p.bytes[at+1]) + 1)
		case 44:
			size = 8
		case 51:
			size = 4 * (int(p.bytes[at+1]) + 2)
		}
		if size == 0 || !p.room(at, size) {
			break
		}
		p.pieces = append(p.pieces, piece{name: fmt.Sprintf("IPv6 extension %d", next), depth: p.depth, at: at, length: size, list: true})
		if next == 44 && p.number(at+2, 2)>>3 != 0 {
			p.rest(at + size)
			return
		}
		next = p.bytes[at]
		at += size
	}
	p.transport(next, at)
}

func (p *packet) transport(protocol byte, at int) {
	switch protocol {
	case 6:
		p.part(at, 2, "TCP source port", "")
		p.part(at+2, 2, "TCP target port", "")
		p.part(at+4, 8, "TCP numbers", " ")
		p.part(at+12, 1, "TCP header", "")
		p.part(at+13, 1, "TCP flags", "")
		p.rest(at + 14)
	case 17, 33, 132, 136:
		p.part(at, 2, "source port", "")
		p.part(at+2, 2, "target port", "")
		p.part(at+4, 4, "length, checksum", " ")
		if protocol == 17 && p.room(at, 16) && p.number(at+2, 2) == 4789 {
			p.part(at+8, 4, "VXLAN flags", " ")
			p.part(at+12, 4, "VXLAN network", fmt.Sprint(p.number(at+12, 4)>>8))
			p.ethernet(at + 16)
			return
		}
		p.rest(at + 8)
	case 1, 58:
		p.part(at, 1, "ICMP type", "")
		p.part(at+1, 1, "ICMP code", "")
		p.rest(at + 2)
	case 4:
		p.ipv4(at)
	case 41:
		p.ipv6(at)
	case 47:
		p.gre(at)
	default:
		p.rest(at)
	}
}

func (p *packet) gre(at int) {
	if !p.room(at, 4) {
		p.rest(at)
		return
	}
	flags := p.bytes[at]
	p.part(at, 2, "GRE flags", fmt.Sprintf("0x%04x", p.number(at, 2)))
	kind := p.kind(at+2, "GRE type")
	at += 4
	if flags&0x80 != 0 {
		p.part(at, 4, "GRE checksum", " ")
		at += 4
	}
	if flags&0x20 != 0 {
		p.part(at, 4, "GRE key", "")
		at += 4
	}
	if flags&0x10 != 0 {
		p.part(at, 4, "GRE number", "")
		at += 4
	}
	if kind == 0x6558 {
		p.ethernet(at)
		return
	}
	p.network(kind, at)
}
