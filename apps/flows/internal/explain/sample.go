package explain

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/decode"
)

// The names of sFlow's structures, by number, and their fields: NAME:BYTES, address for an address after its kind, and
// NAME:* for all that follows. XDR fills up to four bytes.
var sampleFormats = map[uint32]struct{ name, fields string }{
	1: {"flow sample", "number:4 source:4 rate:4 pool:4 drops:4 input:4 output:4"},
	2: {"counters sample", ""},
	3: {"expanded flow sample", "number:4 source kind:4 source:4 rate:4 pool:4 drops:4 input kind:4 input:4 output kind:4 output:4"},
	4: {"expanded counters sample", ""},
	5: {"discarded packet", "number:4 source kind:4 source:4 drops:4 input:4 output:4 reason:4"},
}

var recordFormats = map[uint32]struct{ name, fields string }{
	1:    {"sampled header", ""}, // see header
	2:    {"sampled ethernet", "length:4 source:6 filler:2 target:6 filler:2 type:4"},
	3:    {"sampled IPv4", "length:4 protocol:4 source:4. target:4. source port:4 target port:4 TCP flags:4 type of service:4"},
	4:    {"sampled IPv6", "length:4 protocol:4 source:16. target:16. source port:4 target port:4 TCP flags:4 priority:4"},
	1001: {"extended switch", "source VLAN:4 source priority:4 target VLAN:4 target priority:4"},
	1002: {"extended router", "next hop:address source mask:4 target mask:4"},
	1003: {"extended gateway", "next hop:address AS:4 source AS:4 source peer AS:4 path, communities, preference:*"},
	1004: {"extended user", "source, target:*"},
	1005: {"extended URL", "direction, URL, host:*"},
	1006: {"extended MPLS", "next hop:address labels in, labels out:*"},
	1007: {"extended NAT", "source:address target:address"},
	1008: {"extended MPLS tunnel", "name, id, class:*"},
	1009: {"extended MPLS VC", "name, id, class:*"},
	1010: {"extended MPLS FTN", "description, mask:*"},
	1011: {"extended MPLS LDP FEC", "prefix length:4"},
	1012: {"extended VLAN tunnel", "tags:*"},
}

// wordAt returns the word at a place; 0 if the bytes end before it.
func wordAt(b []byte, at int) uint32 {
	if len(b)-at < 4 {
		return 0
	}
	return binary.BigEndian.Uint32(b[at:])
}

// opening returns the size of what a datagram has before its samples, the number of these included; 0 if it has none.
func opening(b []byte) int {
	size := map[uint32]int{1: 4, 2: 16}[wordAt(b, 4)]
	if size == 0 || len(b) < 8+size+16 {
		return 0
	}
	return 8 + size + 16
}

// samples shows the samples of a datagram. Each is decoded alone, in a datagram that has no other.
func (x *Explainer) samples(s *decode.Set) {
	b, at := s.Bytes, opening(s.Bytes)
	if at == 0 {
		return
	}
	flows := split(s.Flows)
	claimed := wordAt(b, at-4)
	for nth := uint32(1); nth <= claimed; nth++ {
		if len(b)-at < 8 {
			x.line(1, "the datagram ends before sample %d of %d", nth, claimed)
			break
		}
		kind, size := wordAt(b, at), int64(wordAt(b, at+4))
		if size > int64(len(b)-at-8) {
			x.line(1, "the datagram ends within sample %d of %d", nth, claimed)
			break
		}
		end := at + 8 + int(size)
		alone := slices.Concat(b[:opening(b)-4], []byte{0, 0, 0, 1}, b[at:end])
		at = end
		x.line(1, "sample %d: %s, %s", nth, formatName(sampleFormats[kind].name, kind), plural(int(size), "byte"))
		stream, dropped := s.Try(alone)
		made := split(stream)
		x.dropped(2, dropped)
		if len(made) == 0 {
			if len(dropped) == 0 {
				x.line(2, "no flow: the collector does not read this kind of sample")
			}
			continue
		}
		x.sample(s, alone, kind)
		message := []byte(nil)
		if len(flows) > 0 {
			message, flows = flows[0], flows[1:]
		}
		x.flow(2, "flow", s, &decode.Record{Bytes: alone}, message, made[0])
	}
	for _, message := range flows {
		x.flow(1, "flow", s, nil, message, nil)
	}
	if len(b) > at && claimed > 0 {
		x.line(1, "%s after the last sample", plural(len(b)-at, "byte"))
	}
}

// sample shows the only sample of a datagram.
func (x *Explainer) sample(s *decode.Set, b []byte, kind uint32) {
	at := opening(b) + 8
	w := structure{bytes: b, at: at, end: len(b)}
	w.fixed(sampleFormats[kind].fields)
	pieces := w.pieces
	type heading struct {
		line  string
		first int // piece
	}
	var headings []heading
	left := uint32(0)
	if sampleFormats[kind].fields != "" {
		left = wordAt(b, w.at)
		w.at += 4
	}
	for ; left > 0 && w.end-w.at >= 8; left-- {
		format, size := wordAt(b, w.at), int64(wordAt(b, w.at+4))
		if size > int64(w.end-w.at-8) {
			break
		}
		headings = append(headings, heading{
			fmt.Sprintf("record: %s, %s", formatName(recordFormats[format].name, format), plural(int(size), "byte")), len(pieces),
		})
		r := structure{bytes: b, at: w.at + 8, end: w.at + 8 + int(size)}
		r.record(format)
		pieces = append(pieces, r.pieces...)
		w.at = r.end
	}
	headings = append(headings, heading{"", len(pieces)})
	effects := x.study(b, pieces, s.Try)
	x.pieces(2, b, pieces[:headings[0].first], effects[:headings[0].first])
	for i, h := range headings[:len(headings)-1] {
		x.line(2, "%s", h.line)
		next := headings[i+1].first
		x.pieces(3, b, pieces[h.first:next], effects[h.first:next])
	}
}

func formatName(name string, number uint32) string {
	if enterprise := number >> 12; enterprise != 0 {
		return fmt.Sprintf("format %d of enterprise %d", number&0xfff, enterprise)
	}
	if name == "" {
		return fmt.Sprintf("format %d", number)
	}
	return name
}

// structure names the fields of a structure of XDR.
type structure struct {
	bytes   []byte
	at, end int
	pieces  []piece
}

func (w *structure) take(name string, length int, text string) bool {
	if w.end-w.at < length {
		w.left()
		return false
	}
	if text == "" && length <= 8 {
		p := packet{bytes: w.bytes, end: w.end}
		text = fmt.Sprint(p.number(w.at, length))
	}
	w.pieces = append(w.pieces, piece{name: name, at: w.at, length: length, text: text})
	w.at += length
	return true
}

// left takes what is left.
func (w *structure) left() { w.remainder("more") }

func (w *structure) remainder(name string) {
	if w.end > w.at {
		w.pieces = append(w.pieces, piece{name: name, at: w.at, length: w.end - w.at, list: true})
		w.at = w.end
	}
}

// fields takes fields by their description, and what is left.
func (w *structure) fields(description string) {
	w.fixed(description)
	w.left()
}

// fixed takes fields by their description.
func (w *structure) fixed(description string) {
	for description != "" {
		name, rest, _ := strings.Cut(description, ":")
		var size string
		size, description, _ = strings.Cut(rest, " ")
		switch {
		case size == "*":
			w.remainder(name)
			return
		case size == "address":
			n := 4 + map[uint32]int{1: 4, 2: 16}[wordAt(w.bytes[:w.end], w.at)]
			if w.end-w.at < n {
				w.left()
				return
			}
			a, _ := netip.AddrFromSlice(w.bytes[w.at+4 : w.at+n])
			w.at += 4
			if n > 4 {
				w.take(name, n-4, a.String())
			}
		default:
			n, _ := strconv.Atoi(strings.TrimSuffix(size, "."))
			text := ""
			if strings.HasSuffix(size, ".") && w.end-w.at >= n {
				a, _ := netip.AddrFromSlice(w.bytes[w.at : w.at+n])
				text = a.String()
			}
			if n == 6 && w.end-w.at >= 6 {
				text = net.HardwareAddr(w.bytes[w.at : w.at+6]).String()
			}
			if name == "filler" {
				w.at = min(w.end, w.at+n)
			} else if !w.take(name, n, text) {
				return
			}
		}
	}
}

// record takes a record of a flow sample.
func (w *structure) record(format uint32) {
	if format != 1 || w.end-w.at < 16 {
		w.fields(recordFormats[format].fields)
		return
	}
	protocol, size := wordAt(w.bytes, w.at), wordAt(w.bytes, w.at+12)
	w.take("protocol", 4, "")
	w.take("frame length", 4, "")
	w.take("stripped", 4, "")
	w.at += 4
	p := packet{bytes: w.bytes, end: w.at + int(min(uint64(size), uint64(w.end-w.at)))}
	p.header(protocol, w.at)
	w.pieces = append(w.pieces, p.pieces...)
}
