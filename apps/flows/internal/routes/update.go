package routes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// Family is an address family of unicast routes.
type Family uint8

// The families.
const (
	IPv4 Family = iota
	IPv6
	families
)

// Encoding is how a peer's messages are encoded.
type Encoding struct {
	ShortAS bool           // AS numbers of paths have 2 bytes
	AddPath [families]bool // prefixes have a path's number (RFC 7911)
}

// Destination is a prefix, and which of a peer's paths to it is meant: 0 without RFC 7911.
type Destination struct {
	Prefix netip.Prefix
	Path   uint32
}

// Update is what a BGP message of the type UPDATE (RFC 4271) changes. It is valid until the next Read.
type Update struct {
	Withdrawn []Destination
	Announced [2]Announcement
	End       [families]bool // the peer has sent all routes of the family (RFC 4724)
	Foreign   int            // parts of other families, which are not read
	Pathless  int            // announced prefixes without an AS path, which are withdrawn instead (RFC 7606)

	list   []uint32 // AS numbers of all segments
	pieces []segment
	older  []segment // of AS4_PATH
}

// Announcement is destinations with the same attributes.
type Announcement struct {
	To []Destination
	attributes
}

// segment is a part of a path. Its numbers are in the update's list.
type segment struct {
	kind     uint8
	from, to int
}

// The types of path attributes, and of segments.
const (
	typePath        = 2
	typeNextHop     = 3
	typeCommunities = 8
	typeReach       = 14
	typeUnreach     = 15
	typePath4       = 17
	typeLarge       = 32

	segmentSet, segmentSequence, segmentConfedSequence, segmentConfedSet = 1, 2, 3, 4
)

// Read reads the body of a message, which follows its header of 19 bytes. Errors are faults of the encoding.
func (u *Update) Read(b []byte, peer uint32, e Encoding, want Fields) error {
	*u = Update{
		Withdrawn: u.Withdrawn[:0], list: u.list[:0], pieces: u.pieces[:0], older: u.older[:0],
		Announced: [2]Announcement{{To: u.Announced[0].To[:0]}, {To: u.Announced[1].To[:0]}},
	}
	withdrawn, b, err := part(b, "the withdrawn routes")
	if err != nil {
		return err
	}
	attributes, b, err := part(b, "the path attributes")
	if err != nil {
		return err
	}
	if len(withdrawn)+len(b) == 0 {
		if f, ok := end(attributes); ok {
			u.End[f] = true
			return nil
		}
	}
	if u.Withdrawn, err = destinations(u.Withdrawn, withdrawn, IPv4, e); err != nil {
		return fmt.Errorf("withdrawn routes: %w", err)
	}
	plain, multi := &u.Announced[0], &u.Announced[1]
	if plain.To, err = destinations(plain.To, b, IPv4, e); err != nil {
		return fmt.Errorf("routes: %w", err)
	}
	paths, err := u.attributes(attributes, e, want)
	if err != nil {
		return err
	}
	if !paths {
		for i := range u.Announced {
			u.Pathless += len(u.Announced[i].To)
			u.Withdrawn = append(u.Withdrawn, u.Announced[i].To...)
			u.Announced[i].To = u.Announced[i].To[:0]
		}
		return nil
	}
	if want.has(PeerAS) {
		plain.peer = peer
	}
	u.path(&plain.attributes, want)
	hop := multi.nextHop
	multi.attributes = plain.attributes
	multi.nextHop = hop
	return nil
}

// end reports whether a message that has only these attributes ends the routes of a family (RFC 4724).
func end(attributes []byte) (f Family, ok bool) {
	switch n := len(attributes); {
	case n == 0:
		return IPv4, true
	case n == 6 && attributes[0]&0x10 == 0 || n == 7 && attributes[0]&0x10 != 0:
		f, ok = family(attributes[n-3:])
		return f, ok && attributes[1] == typeUnreach && attributes[n-4] == 3
	}
	return 0, false
}

// part cuts off a part, which its length of 2 bytes precedes.
func part(b []byte, name string) (cut, rest []byte, err error) {
	if len(b) < 2 {
		return nil, nil, fmt.Errorf("it ends before the length of %s", name)
	}
	n := int(binary.BigEndian.Uint16(b))
	if b = b[2:]; n > len(b) {
		return nil, nil, fmt.Errorf("%s have %d bytes, of which %d are there", name, n, len(b))
	}
	return b[:n], b[n:], nil
}

// destinations reads prefixes.
func destinations(list []Destination, b []byte, f Family, e Encoding) ([]Destination, error) {
	for len(b) > 0 {
		var d Destination
		if e.AddPath[f] {
			if len(b) < 5 {
				return nil, errors.New("a prefix is cut off")
			}
			d.Path = binary.BigEndian.Uint32(b)
			b = b[4:]
		}
		bits, most := int(b[0]), 32
		if f == IPv6 {
			most = 128
		}
		n := (bits + 7) / 8
		if bits > most {
			return nil, fmt.Errorf("a prefix has %d bits", bits)
		}
		if b = b[1:]; n > len(b) {
			return nil, errors.New("a prefix is cut off")
		}
		var address [16]byte
		copy(address[:], b[:n])
		a := netip.AddrFrom16(address)
		if f == IPv4 {
			a = netip.AddrFrom4([4]byte(address[:4]))
		}
		d.Prefix = unmapped(netip.PrefixFrom(a, bits).Masked())
		list, b = append(list, d), b[n:]
	}
	return list, nil
}

// attributes reads the path attributes. It reports whether there is a path.
func (u *Update) attributes(b []byte, e Encoding, want Fields) (paths bool, err error) {
	var seen [256]bool
	for len(b) > 0 {
		if len(b) < 3 {
			return false, errors.New("a path attribute is cut off")
		}
		flags, kind, n := b[0], b[1], int(b[2])
		b = b[3:]
		if flags&0x10 != 0 {
			if len(b) == 0 {
				return false, errors.New("a path attribute is cut off")
			}
			n, b = n<<8|int(b[0]), b[1:]
		}
		if n > len(b) {
			return false, fmt.Errorf("the path attribute %d has %d bytes, of which %d are there", kind, n, len(b))
		}
		value := b[:n]
		b = b[n:]
		if seen[kind] {
			if kind == typeReach || kind == typeUnreach {
				return false, fmt.Errorf("the path attribute %d is there twice", kind)
			}
			continue // the first counts (RFC 7606)
		}
		seen[kind] = true
		if err := u.attribute(kind, value, e, want); err != nil {
			return false, fmt.Errorf("the path attribute %d: %w", kind, err)
		}
	}
	return seen[typePath], nil
}

func (u *Update) attribute(kind uint8, b []byte, e Encoding, want Fields) (err error) {
	a := &u.Announced[0].attributes
	switch kind {
	case typePath:
		u.pieces, err = u.segments(u.pieces, b, e.ShortAS)
	case typePath4:
		if e.ShortAS { // otherwise the path has them, and this is not to be used
			u.older, err = u.segments(u.older, b, false)
		}
	case typeNextHop:
		if len(b) != 4 {
			return fmt.Errorf("a next hop has %d bytes", len(b))
		}
		if want.has(NextHop) {
			a.nextHop = netip.AddrFrom4([4]byte(b))
		}
	case typeCommunities:
		if want.has(Communities, CommunityNumbers) {
			a.communities, err = numbers(b, 1)
		}
	case typeLarge:
		if want.has(LargeCommunities) {
			a.large, err = numbers(b, 3)
		}
	case typeReach:
		return u.reach(b, e, want)
	case typeUnreach:
		f, ok := family(b)
		switch {
		case len(b) < 3:
			return errors.New("it is cut off")
		case !ok:
			u.Foreign++
		default:
			u.Withdrawn, err = destinations(u.Withdrawn, b[3:], f, e)
		}
	}
	return err
}

// numbers reads groups of numbers.
func numbers(b []byte, group int) ([]uint32, error) {
	if len(b)%(4*group) != 0 {
		return nil, fmt.Errorf("%d bytes are no list of communities", len(b))
	}
	list := make([]uint32, 0, len(b)/4)
	for ; len(b) > 0 && len(list) < group*maxPath; b = b[4:] {
		list = append(list, binary.BigEndian.Uint32(b))
	}
	return list, nil
}

// family reads an address family with its subsequent identifier.
func family(b []byte) (f Family, ok bool) {
	if len(b) < 3 || b[2] != 1 {
		return 0, false
	}
	switch binary.BigEndian.Uint16(b) {
	case 1:
		return IPv4, true
	case 2:
		return IPv6, true
	}
	return 0, false
}

// reach reads MP_REACH_NLRI (RFC 4760).
func (u *Update) reach(b []byte, e Encoding, want Fields) (err error) {
	if len(b) < 5 || len(b) < 5+int(b[3]) {
		return errors.New("it is cut off")
	}
	f, ok := family(b)
	if !ok {
		u.Foreign++
		return nil
	}
	hop, rest := b[4:4+int(b[3])], b[5+int(b[3]):]
	multi := &u.Announced[1]
	switch {
	case !want.has(NextHop):
	case len(hop) == 4:
		multi.nextHop = netip.AddrFrom4([4]byte(hop))
	case len(hop) == 16 || len(hop) == 32: // with the address of the link
		multi.nextHop = netip.AddrFrom16([16]byte(hop[:16]))
	}
	multi.To, err = destinations(multi.To, rest, f, e)
	return err
}

// segments reads the segments of a path.
func (u *Update) segments(list []segment, b []byte, short bool) ([]segment, error) {
	size := 4
	if short {
		size = 2
	}
	for len(b) > 0 {
		if len(b) < 2 || len(b) < 2+size*int(b[1]) {
			return nil, errors.New("a segment of the path is cut off")
		}
		kind, count := b[0], int(b[1])
		if kind < segmentSet || kind > segmentConfedSet {
			return nil, fmt.Errorf("a segment of the path has the type %d", kind)
		}
		b = b[2:]
		from := len(u.list)
		for range count {
			if short {
				u.list = append(u.list, uint32(binary.BigEndian.Uint16(b)))
			} else {
				u.list = append(u.list, binary.BigEndian.Uint32(b))
			}
			b = b[size:]
		}
		list = append(list, segment{kind, from, len(u.list)})
	}
	return list, nil
}

// length is how many AS numbers BGP counts.
func (s segment) length() int {
	switch s.kind {
	case segmentSequence:
		return s.to - s.from
	case segmentSet:
		return min(1, s.to-s.from)
	}
	return 0
}

// path sets the path. Where AS numbers have 2 bytes, the last of them are those of AS4_PATH (RFC 6793, 4.2.3).
func (u *Update) path(a *attributes, want Fields) {
	a.clearPath()
	add := func(s segment) {
		a.addSegment(s.kind == segmentSequence, s.length(), u.list[s.from:s.to], want)
	}
	count, long := 0, 0
	for _, s := range u.pieces {
		count += s.length()
	}
	for _, s := range u.older {
		if s.kind == segmentConfedSequence || s.kind == segmentConfedSet {
			continue // RFC 6793: they are left out
		}
		long += s.length()
	}
	if len(u.older) == 0 || count < long {
		for _, s := range u.pieces {
			add(s)
		}
		a.endPath(want)
		return
	}
	ahead := count - long
	for _, s := range u.pieces {
		if ahead == 0 && s.length() > 0 {
			break
		}
		if s.kind == segmentSequence {
			s.to = min(s.to, s.from+ahead)
		}
		ahead -= s.length()
		add(s)
	}
	for _, s := range u.older {
		if s.kind == segmentSequence || s.kind == segmentSet {
			add(s)
		}
	}
	a.endPath(want)
}
