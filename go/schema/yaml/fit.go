package yaml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// The enterprises whose elements are IANA's, of another packet or direction: those of inner packets, and of RFC 5103.
const (
	innerPacket      = 4294967294
	reverseDirection = 29305
)

// Types of columns, as messages name them.
const (
	unsignedTypes = "uint32, uint64, fixed32, fixed64, an enum or bytes"
	widerTypes    = "uint64, fixed64 or bytes"
)

// fitting are the types of columns that hold values of an abstract data type (RFC 7011, section 3.1). Lists are not
// judged.
var fitting = map[string]string{
	"unsigned8": "bool, " + unsignedTypes, "unsigned16": unsignedTypes, "unsigned32": unsignedTypes, "unsigned64": unsignedTypes,
	"signed8": signedTypes, "signed16": signedTypes, "signed32": signedTypes, "signed64": signedTypes,
	"float32": "float, double or bytes", "float64": "float, double or bytes",
	"boolean": "bool, " + unsignedTypes, "macAddress": "mac, " + widerTypes, "octetArray": "bytes, string, or up to eight bytes " + unsignedTypes, "string": "string or bytes",
	"ipv4Address": "ip, uint32, uint64, fixed32, fixed64 or bytes", "ipv6Address": "ip or bytes",
	"dateTimeSeconds": "timestamp, " + unsignedTypes, "dateTimeMilliseconds": "timestamp, " + widerTypes,
	"dateTimeMicroseconds": "timestamp, " + widerTypes, "dateTimeNanoseconds": "timestamp, " + widerTypes,
}

const signedTypes = "int32, int64, sint32, sint64, sfixed32, sfixed64, an enum or bytes"

// fit refuses a column whose type cannot hold the values of its elements. kind is where the type is.
func (r *reader) fit(c *schema.Column, kind ast.Node) {
	for _, s := range c.Sources {
		if s.Enterprise != 0 && s.Enterprise != innerPacket && s.Enterprise != reverseDirection {
			continue
		}
		typ, ok := registry().types[s.Element]
		if !ok || strings.HasSuffix(typ, "List") || holds(c, s.Element, typ) {
			continue
		}
		types := fitting[typ]
		if extra := units(s.Element, typ); extra != "" {
			types += "; or " + extra
		}
		element := fmt.Sprint(s.Element)
		if s.Enterprise != 0 {
			element = fmt.Sprintf("%d/%d", s.Enterprise, s.Element)
		}
		r.fail(kind, "%s cannot hold element %s (%s), which is %s: write %s", r.text(kind, "a type"), element, nameOf(s.Element), typ, types)
		return
	}
}

func nameOf(element uint16) string {
	for name, n := range registry().numbers {
		if n == element {
			return name
		}
	}
	return ""
}

// units are the types for numbers that are times or spans.
func units(element uint16, typ string) string {
	switch {
	case slices.Contains(relative, element):
		return "timestamp"
	case strings.HasPrefix(typ, "unsigned"):
		return "duration"
	}
	return ""
}

// relative are the elements that are numbers for IANA, but times since the exporter's start, or before the export.
var relative = []uint16{21, 22, 158, 159}

// holds reports whether a column holds the values of an element.
func holds(c *schema.Column, element uint16, typ string) bool {
	unsigned := strings.HasPrefix(typ, "unsigned")
	switch {
	case c.Logical == schema.IP:
		return typ == "ipv4Address" || typ == "ipv6Address"
	case c.Logical == schema.MAC:
		return typ == "macAddress"
	case c.Logical == schema.Timestamp:
		return strings.HasPrefix(typ, "dateTime") || slices.Contains(relative, element)
	case c.Logical == schema.Duration:
		return unsigned && !slices.Contains(relative, element)
	case c.Kind == wire.Bytes:
		return true
	case c.Message != nil:
		return false
	}
	switch c.Kind {
	case wire.String:
		return typ == "string" || typ == "octetArray"
	case wire.Bool:
		return typ == "boolean" || typ == "unsigned8"
	case wire.Float, wire.Double:
		return strings.HasPrefix(typ, "float")
	case wire.Enum:
		return unsigned || strings.HasPrefix(typ, "signed") || typ == "boolean" || typ == "dateTimeSeconds"
	case wire.Uint32, wire.Fixed32:
		return unsigned || slices.Contains([]string{"boolean", "ipv4Address", "dateTimeSeconds", "octetArray"}, typ)
	case wire.Uint64, wire.Fixed64:
		return unsigned || strings.HasPrefix(typ, "dateTime") ||
			slices.Contains([]string{"boolean", "ipv4Address", "macAddress", "octetArray"}, typ)
	}
	return strings.HasPrefix(typ, "signed") // the other kinds are signed
}
