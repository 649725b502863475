package routes

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strconv"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
	"github.com/osrg/gobgp/v4/pkg/packet/mrt"
)

// Field is a value of a route.
type Field uint8

// Fields are several.
type Fields uint16

// The fields.
const (
	OriginAS         Field = iota // the last of the path; none if that is a set
	FirstAS                       // the first of the path: the neighbour's, for routes of EBGP
	PeerAS                        // of the peer from which the dump's collector has the route
	ASPath                        // from the first to the last, with spaces
	PathLength                    // as BGP compares it: a set counts as one
	Communities                   // as 65000:100, with spaces
	CommunityNumbers              // the same as numbers of 32 bits
	LargeCommunities              // as 65000:1:2, with spaces
	NextHop
	fields
)

var fieldNames = [fields]string{
	"origin_as", "first_as", "peer_as", "as_path", "path_length", "communities", "community_numbers", "large_communities", "next_hop",
}

// ParseField reads the name of a field.
func ParseField(name string) (Field, error) {
	for f, known := range fieldNames {
		if name == known {
			return Field(f), nil
		}
	}
	return 0, fmt.Errorf("%q is not a value of routes; these are: %v", name, fieldNames)
}

// With adds a field.
func (all Fields) With(f Field) Fields { return all | 1<<f }

func (all Fields) has(list ...Field) bool {
	for _, f := range list {
		if all&(1<<f) != 0 {
			return true
		}
	}
	return false
}

// attributes are those of a route. Routes with the same attributes share them.
type attributes struct {
	origin, peer uint32
	length       int
	path         []uint32
	communities  []uint32
	large        []uint32 // three for each
	nextHop      netip.Addr
}

// attributesSize is the size of the attributes without the lists, in bytes, with their part of the tables.
const attributesSize = 160

// attributesOf reads those attributes that fields need.
func attributesOf(peer *mrt.Peer, e *mrt.RibEntry, want Fields) (a attributes) {
	if want.has(PeerAS) {
		a.peer = peer.AS
	}
	for _, attribute := range e.PathAttributes {
		switch v := attribute.(type) {
		case *bgp.PathAttributeAsPath:
			a.setPath(v, want)
		case *bgp.PathAttributeCommunities:
			if want.has(Communities, CommunityNumbers) {
				a.communities = v.Value[:min(len(v.Value), maxPath)]
			}
		case *bgp.PathAttributeLargeCommunities:
			if want.has(LargeCommunities) {
				for _, c := range v.Values[:min(len(v.Values), maxPath)] {
					a.large = append(a.large, c.ASN, c.LocalData1, c.LocalData2)
				}
			}
		case *bgp.PathAttributeNextHop:
			if want.has(NextHop) {
				a.nextHop = v.Value
			}
		case *bgp.PathAttributeMpReachNLRI:
			if want.has(NextHop) {
				a.nextHop = v.Nexthop
			}
		}
	}
	return a
}

func (a *attributes) setPath(v *bgp.PathAttributeAsPath, want Fields) {
	a.clearPath()
	for _, segment := range v.Value {
		a.addSegment(segment.GetType() == bgp.BGP_ASPATH_ATTR_TYPE_SEQ, segment.ASLen(), segment.GetAS(), want)
	}
	a.endPath(want)
}

func (a *attributes) clearPath() { a.length, a.origin, a.path = 0, 0, nil }

// addSegment adds AS numbers to the path. length is how many of them BGP counts.
func (a *attributes) addSegment(sequence bool, length int, list []uint32, want Fields) {
	a.length += length
	if len(list) == 0 {
		return
	}
	a.origin = 0
	if sequence {
		a.origin = list[len(list)-1]
	}
	switch {
	case want.has(ASPath):
		a.path = append(a.path, list[:min(len(list), maxPath-len(a.path))]...)
	case want.has(FirstAS) && a.path == nil:
		a.path = list[:1:1]
	}
}

// endPath drops what only the path's last segment could tell.
func (a *attributes) endPath(want Fields) {
	if !want.has(OriginAS) {
		a.origin = 0
	}
}

// clone returns a copy that keeps nothing else alive.
func (a attributes) clone() attributes {
	a.path, a.communities, a.large = exact(a.path), exact(a.communities), exact(a.large)
	return a
}

func exact(list []uint32) []uint32 { return append(make([]uint32, 0, len(list)), list...) }

// appendKey encodes the attributes.
func (a *attributes) appendKey(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(a.origin))
	b = binary.AppendUvarint(b, uint64(a.peer))
	b = binary.AppendUvarint(b, uint64(a.length))
	for _, list := range [][]uint32{a.path, a.communities, a.large} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, v := range list {
			b = binary.AppendUvarint(b, uint64(v))
		}
	}
	return append(b, a.nextHop.AsSlice()...)
}

func (a *attributes) text(f Field) string {
	switch f {
	case OriginAS:
		return number(a.origin)
	case FirstAS:
		if len(a.path) > 0 {
			return number(a.path[0])
		}
	case PeerAS:
		return number(a.peer)
	case PathLength:
		return number(uint32(a.length))
	case ASPath:
		return join(a.path, 1)
	case CommunityNumbers:
		return join(a.communities, 1)
	case Communities:
		parts := make([]uint32, 0, 2*len(a.communities))
		for _, c := range a.communities {
			parts = append(parts, c>>16, c&0xffff)
		}
		return join(parts, 2)
	case LargeCommunities:
		return join(a.large, 3)
	case NextHop:
		if a.nextHop.IsValid() && !a.nextHop.IsUnspecified() {
			return a.nextHop.String()
		}
	}
	return ""
}

func number(v uint32) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(v), 10)
}

// join has colons between the numbers of each group, and spaces between groups.
func join(list []uint32, group int) string {
	var b []byte
	for i, v := range list {
		if i > 0 && i%group == 0 {
			b = append(b, ' ')
		} else if i > 0 {
			b = append(b, ':')
		}
		b = strconv.AppendUint(b, uint64(v), 10)
	}
	return string(b)
}
