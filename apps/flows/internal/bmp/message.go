package bmp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/hotpb/hotpb/apps/flows/internal/routes"
)

// kind is the type of a message (RFC 7854, 4.1).
type kind uint8

const (
	routeMonitoring kind = iota
	statistics
	peerDown
	peerUp
	initiation
	termination
	mirroring
	kinds
)

var kindNames = [kinds]string{"route_monitoring", "statistics", "peer_down", "peer_up", "initiation", "termination", "mirroring"}

func (k kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("type %d", uint8(k))
}

// skipped reports whether messages of the type are not read.
func (k kind) skipped() bool { return k == statistics || k == mirroring || k >= kinds }

// The sizes, in bytes.
const (
	headSize    = 6
	peerSize    = 42
	bgpHead     = 19
	maxBGP      = 65535                        // RFC 8654; 4096 without it
	maxMessage  = headSize + peerSize + maxBGP // of those that are read
	maxSkipped  = 1 << 20
	bgpOpen     = 1
	bgpUpdate   = 2
	openSize    = 29 // of an OPEN without parameters
	addressSize = 20 // of the addresses and ports of a session
)

// head reads the header that all messages have.
func head(b [headSize]byte) (k kind, body int, err error) {
	k = kind(b[5])
	n := binary.BigEndian.Uint32(b[1:])
	most := uint32(maxMessage)
	if k.skipped() {
		most = maxSkipped
	}
	switch {
	case b[0] != 3:
		return k, 0, fmt.Errorf("its version is %d, not 3", b[0])
	case n < headSize || n > most:
		return k, 0, fmt.Errorf("its length is %d bytes; %d are allowed", n, most)
	}
	return k, int(n) - headSize, nil
}

// peerKey identifies a peer of a router.
type peerKey struct {
	kind          uint8
	distinguisher uint64
	address       [16]byte
}

// The types of peers.
const (
	globalPeer = 0
	locRIB     = 3 // RFC 9069
)

// peerHead is what a message says of its peer (RFC 7854, 4.2).
type peerHead struct {
	peerKey
	flags uint8
	as    uint32
}

func readPeer(b []byte) (p peerHead, rest []byte, err error) {
	if len(b) < peerSize {
		return p, nil, errors.New("the peer is cut off")
	}
	p.kind, p.flags = b[0], b[1]
	p.distinguisher = binary.BigEndian.Uint64(b[2:])
	p.address = [16]byte(b[10:26])
	p.as = binary.BigEndian.Uint32(b[26:])
	return p, b[peerSize:], nil
}

// Flags of peers. Those of Loc-RIB have others.
const (
	isIPv6     = 0x80
	postPolicy = 0x40
	shortAS    = 0x20
	adjRIBOut  = 0x10 // RFC 8671
)

func (p *peerHead) String() string {
	switch {
	case p.kind == locRIB:
		return "the Loc-RIB"
	case p.flags&isIPv6 != 0:
		return "peer " + netip.AddrFrom16(p.address).String()
	}
	return "peer " + netip.AddrFrom4([4]byte(p.address[12:])).String()
}

// view is the table that the routes are of. For routes that are not used, reason is why.
func (p *peerHead) view() (v routes.View, reason skip, ok bool) {
	switch {
	case p.distinguisher != 0 || p.kind != globalPeer && p.kind != locRIB:
		return 0, skipVRF, false
	case p.kind == locRIB:
		return routes.LocRIB, 0, true
	case p.flags&adjRIBOut != 0:
		return 0, skipOut, false
	case p.flags&postPolicy != 0:
		return routes.PostPolicy, 0, true
	}
	return routes.PrePolicy, 0, true
}

// message cuts a BGP message off, and returns its body.
func message(b []byte, want uint8) (body, rest []byte, err error) {
	if len(b) < bgpHead {
		return nil, nil, errors.New("the BGP message is cut off")
	}
	n := int(binary.BigEndian.Uint16(b[16:]))
	switch {
	case n < bgpHead || n > len(b):
		return nil, nil, fmt.Errorf("the BGP message has %d bytes, and %d are there", n, len(b))
	case b[18] != want:
		return nil, nil, fmt.Errorf("the BGP message has the type %d, not %d", b[18], want)
	}
	return b[bgpHead:n], b[n:], nil
}

// up reads a Peer Up: how the peer's messages are encoded.
func up(b []byte) (e routes.Encoding, err error) {
	if len(b) < addressSize {
		return e, errors.New("the addresses are cut off")
	}
	sent, b, err := message(b[addressSize:], bgpOpen)
	if err != nil {
		return e, fmt.Errorf("the OPEN that was sent: %w", err)
	}
	received, _, err := message(b, bgpOpen)
	if err != nil {
		return e, fmt.Errorf("the OPEN that was received: %w", err)
	}
	advertised, err := open(sent)
	if err != nil {
		return e, fmt.Errorf("the OPEN that was sent: %w", err)
	}
	theirs, err := open(received)
	if err != nil {
		return e, fmt.Errorf("the OPEN that was received: %w", err)
	}
	for f := range e.AddPath { // the router has accepted to receive what the peer has offered to send
		e.AddPath[f] = advertised[f]&1 != 0 && theirs[f]&2 != 0
	}
	return e, nil
}

// The capabilities' part of an OPEN.
const (
	parameterCapability = 2
	capabilityAddPath   = 69
)

// open reads which families may have paths with numbers: 1 to receive, 2 to send (RFC 7911).
func open(b []byte) (paths [2]uint8, err error) {
	if len(b) < openSize-bgpHead {
		return paths, errors.New("it is cut off")
	}
	n, b, size := int(b[9]), b[10:], 1
	if n == 255 && len(b) >= 3 && b[0] == 255 { // RFC 9072
		n, b, size = int(binary.BigEndian.Uint16(b[1:])), b[3:], 2
	}
	if n != len(b) {
		return paths, fmt.Errorf("its parameters have %d bytes, and %d are there", n, len(b))
	}
	for len(b) > 0 {
		kind, value, rest, err := field(b, size)
		if err != nil {
			return paths, fmt.Errorf("a parameter: %w", err)
		}
		b = rest
		for kind == parameterCapability && len(value) > 0 {
			code, content, rest, err := field(value, 1)
			if err != nil {
				return paths, fmt.Errorf("a capability: %w", err)
			}
			value = rest
			for ; code == capabilityAddPath && len(content) >= 4; content = content[4:] {
				if content[0] == 0 && (content[1] == 1 || content[1] == 2) && content[2] == 1 {
					paths[content[1]-1] = content[3]
				}
			}
		}
	}
	return paths, nil
}

// field cuts off a type of one byte, a length of some, and a value.
func field(b []byte, size int) (kind uint8, value, rest []byte, err error) {
	if len(b) < 1+size {
		return 0, nil, nil, errors.New("it is cut off")
	}
	n := int(b[1])
	if size == 2 {
		n = n<<8 | int(b[2])
	}
	kind, b = b[0], b[1+size:]
	if n > len(b) {
		return 0, nil, nil, fmt.Errorf("it has %d bytes, and %d are there", n, len(b))
	}
	return kind, b[:n], b[n:], nil
}

// texts reads the TLVs of an initiation, or of a termination, and returns the one of a type as text.
func texts(b []byte, wanted uint16) (text string, err error) {
	for len(b) > 0 {
		if len(b) < 4 {
			return "", errors.New("a field is cut off")
		}
		kind, n := binary.BigEndian.Uint16(b), int(binary.BigEndian.Uint16(b[2:]))
		if b = b[4:]; n > len(b) {
			return "", fmt.Errorf("the field %d has %d bytes, and %d are there", kind, n, len(b))
		}
		if kind == wanted && text == "" {
			text = printable(b[:min(n, maxText)])
		}
		b = b[n:]
	}
	return text, nil
}

// maxText is the length of a text for the log.
const maxText = 64

// printable is a text without what a terminal would obey.
func printable(b []byte) string {
	text := make([]byte, 0, len(b))
	for _, c := range b {
		if c < ' ' || c > '~' {
			c = '.'
		}
		text = append(text, c)
	}
	return string(text)
}

const (
	fieldReason = 1 // of a termination
	fieldName   = 2 // of an initiation
)
