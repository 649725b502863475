// Package routes reads routing tables from MRT dumps (RFC 6396, TABLE_DUMP_V2), such as those of BIRD, FRR,
// RIPE RIS and RouteViews, and finds the route of an address: its AS path and its communities.
package routes

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"github.com/gaissmai/bart"
	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
	"github.com/osrg/gobgp/v4/pkg/packet/mrt"
)

// The bounds.
const (
	maxRoutes     = 8 << 20
	maxRecord     = 4 << 20 // bytes
	maxBytes      = 16 << 30
	maxAttributes = 1 << 30 // estimated bytes of all attributes
	maxPath       = 2048    // AS numbers of a path, communities of a route
)

// Options say what is read.
type Options struct {
	Fields Fields     // those that Text is asked for
	Peer   netip.Addr // only routes of this peer; if it is not valid, the one with the shortest path of each prefix
}

// Table is a routing table. It is immutable, and safe for any number of goroutines.
type Table struct {
	Made    time.Time // of the first record
	Skipped int       // routes that could not be read
	Cause   error     // why, for the first of them

	routes     bart.Table[uint32] // index in attributes
	attributes []attributes
}

// Size is the number of routes.
func (t *Table) Size() int { return t.routes.Size() }

// Find finds the route of an address, as a number for Text. It reports whether all addresses of a block have it.
func (t *Table) Find(a netip.Addr, block netip.Prefix) (route uint32, found, same bool) {
	route, found = t.routes.Lookup(a)
	for inside := range t.routes.Subnets(block) {
		if inside.Bits() > block.Bits() {
			return route, found, false
		}
	}
	return route, found, true
}

// Text is a field of a route, as text; "" if the route does not have it.
func (t *Table) Text(route uint32, f Field) string { return t.attributes[route].text(f) }

// Open reads a file, which may be compressed by gzip or bzip2.
func Open(file string, o Options) (*Table, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := read(f, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

func read(r io.Reader, o Options) (*Table, error) {
	in, err := uncompressed(bufio.NewReaderSize(r, 1<<18))
	if err != nil {
		return nil, err
	}
	b := &builder{Options: o, table: &Table{}, known: map[string]uint32{}}
	if err := b.read(io.LimitReader(in, maxBytes)); err != nil {
		return nil, err
	}
	t := b.table
	switch {
	case t.Size() == 0 && t.Cause != nil:
		return nil, fmt.Errorf("no route can be read; the first: %w", t.Cause)
	case t.Size() == 0 && o.Peer.IsValid():
		return nil, fmt.Errorf("has no routes of the peer %v; its peers are %s", o.Peer, b.peerNames())
	case t.Size() == 0:
		return nil, errors.New("has no routes; it must be an MRT dump of a table (RFC 6396, TABLE_DUMP_V2), and not of updates")
	}
	return t, nil
}

func uncompressed(r *bufio.Reader) (io.Reader, error) {
	magic, _ := r.Peek(3)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(r)
	case bytes.Equal(magic, []byte("BZh")):
		return bzip2.NewReader(r), nil
	}
	return r, nil
}

// builder reads records into a table.
type builder struct {
	Options
	table *Table
	peers []*mrt.Peer
	known map[string]uint32 // attributes, by their encoding
	size  int               // of all attributes
	key   []byte
}

// read reads all records.
func (b *builder) read(r io.Reader) error {
	header, body := make([]byte, mrt.MRT_COMMON_HEADER_LEN), []byte(nil)
	for n, offset := 1, int64(0); ; n++ {
		if _, err := io.ReadFull(r, header); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("record %d, at byte %d: %w", n, offset, err)
		}
		h, err := mrt.ParseHeader(header)
		if err == nil && h.Len > maxRecord {
			err = fmt.Errorf("has %d bytes; it is no MRT dump, or damaged", h.Len)
		}
		if err == nil {
			if uint32(cap(body)) < h.Len {
				body = make([]byte, h.Len)
			}
			body = body[:h.Len]
			_, err = io.ReadFull(r, body)
		}
		if err == nil {
			err = b.record(h, body)
		}
		if err != nil {
			return fmt.Errorf("record %d, at byte %d: %w", n, offset, err)
		}
		offset += int64(len(header)) + int64(h.Len)
	}
}

// record reads one record. Those of other types are skipped.
func (b *builder) record(h *mrt.MRTHeader, body []byte) error {
	if h.Type != mrt.TABLE_DUMPv2 {
		return nil
	}
	if b.table.Made.IsZero() {
		b.table.Made = h.GetTime()
	}
	switch mrt.MRTSubTypeTableDumpv2(h.SubType) {
	case mrt.PEER_INDEX_TABLE, mrt.RIB_IPV4_UNICAST, mrt.RIB_IPV6_UNICAST, mrt.RIB_IPV4_UNICAST_ADDPATH, mrt.RIB_IPV6_UNICAST_ADDPATH:
	default:
		return nil
	}
	message, err := parse(h, body)
	if err != nil {
		b.skip(err)
		return nil
	}
	switch v := message.Body.(type) {
	case *mrt.PeerIndexTable:
		b.peers = v.Peers
	case *mrt.Rib:
		return b.rib(v)
	}
	return nil
}

// parse is the library's, as a function that cannot panic: the bytes may be anybody's.
func parse(h *mrt.MRTHeader, body []byte) (m *mrt.MRTMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, fmt.Errorf("cannot be read: %v", r)
		}
	}()
	return mrt.ParseBody(body, h)
}

func (b *builder) skip(err error) {
	b.table.Skipped++
	if b.table.Cause == nil {
		b.table.Cause = err
	}
}

// rib adds the route of a prefix.
func (b *builder) rib(v *mrt.Rib) error {
	nlri, ok := v.Prefix.(*bgp.IPAddrPrefix)
	if !ok || !nlri.Prefix.IsValid() {
		b.skip(fmt.Errorf("%v is not a prefix", v.Prefix))
		return nil
	}
	prefix := nlri.Prefix.Masked()
	var best attributes
	found := false
	for _, e := range v.Entries {
		if int(e.PeerIndex) >= len(b.peers) {
			b.skip(fmt.Errorf("%v has a route of peer %d, of %d peers", prefix, e.PeerIndex, len(b.peers)))
			continue
		}
		peer := b.peers[e.PeerIndex]
		if b.Peer.IsValid() && peer.IpAddress.Unmap() != b.Peer.Unmap() {
			continue
		}
		a := attributesOf(peer, e, b.Fields)
		if !found || a.length < best.length {
			best, found = a, true
		}
	}
	if !found {
		return nil
	}
	if b.table.Size() >= maxRoutes {
		return fmt.Errorf("there are more than %d routes", maxRoutes)
	}
	if !b.Fields.has(PathLength) {
		best.length = 0
	}
	b.key = best.appendKey(b.key[:0])
	n, known := b.known[string(b.key)]
	if !known {
		if b.size += 2*len(b.key) + attributesSize; b.size > maxAttributes {
			return fmt.Errorf("the attributes need more than %d bytes; use fewer columns", maxAttributes)
		}
		n = uint32(len(b.table.attributes))
		b.known[string(b.key)] = n
		b.table.attributes = append(b.table.attributes, best.clone())
	}
	b.table.routes.Insert(unmapped(prefix), n)
	return nil
}

// unmapped is a prefix as addresses are searched: IPv4 in IPv6 as IPv4.
func unmapped(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p
}

func (b *builder) peerNames() string {
	var text bytes.Buffer
	for i, p := range b.peers {
		if i == 20 {
			text.WriteString(", …")
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%v (AS %d)", p.IpAddress, p.AS)
	}
	return text.String()
}
