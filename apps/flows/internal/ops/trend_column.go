package ops

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/gopacket/gopacket/layers"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// value is the value of a column in one flow: a number, an address, or text.
type value struct {
	number  uint64
	address netip.Addr
	text    string // in the memory of the row
}

// mostLabel is how many bytes of a value the page shows.
const mostLabel = 64

// trendColumn reads one column. All columns have one that are on and have one number, address or text in each flow, except
// what is different in each of them: times and sums.
type trendColumn struct {
	name  string
	read  func(*schema.Row) value
	label func(value) string
}

// sums are elements of values that are added up, or differ in each flow.
var summed = slices.Concat(bytesElements, packetElements, []uint16{258})

func trendColumns(l *layout.Layout) (all []trendColumn) {
	for _, c := range l.Plan.Columns(l.Plan.Root()) {
		if c.Repeated || slices.ContainsFunc(c.Sources, differs) {
			continue
		}
		if t := trendColumnOf(l.File.Schema, &c); t.read != nil {
			t.name = c.Name
			all = append(all, t)
		}
	}
	return all
}

func differs(s schema.Source) bool {
	if s.Enterprise == layout.Reserved {
		return s.Element == layout.Sequence || s.Element == layout.ScaledOctets || s.Element == layout.ScaledPackets
	}
	return s.Enterprise == 0 && slices.Contains(summed, s.Element)
}

// trendColumnOf finds out of which type a column is: that of the handle which fits.
func trendColumnOf(s *schema.Schema, c *schema.Column) (t trendColumn) {
	number := func(v value) string { return strconv.FormatUint(v.number, 10) }
	if h, err := schema.Lookup[schema.UintColumn](s.Message, c.Name); err == nil {
		t.read, t.label = func(r *schema.Row) value { return value{number: r.Uint(h)} }, number
		for _, from := range c.Sources {
			if name := names[from]; name != nil {
				t.label = func(v value) string {
					known := name(v.number)
					if v.number == 0 || known == "" || strings.HasPrefix(known, "Unknown") { // 0: the flow has none
						return number(v)
					}
					return fmt.Sprintf("%s (%d)", known, v.number)
				}
			}
		}
	} else if h, err := schema.Lookup[schema.IntColumn](s.Message, c.Name); err == nil {
		t.read = func(r *schema.Row) value { return value{number: uint64(r.Int(h))} }
		t.label = func(v value) string { return strconv.FormatInt(int64(v.number), 10) }
	} else if h, err := schema.Lookup[schema.EnumColumn](s.Message, c.Name); err == nil {
		t.read = func(r *schema.Row) value { return value{number: uint64(r.Enum(h))} }
		t.label = func(v value) string {
			for _, known := range c.Enum.Values {
				if known.Number == int32(v.number) {
					return known.Name
				}
			}
			return strconv.Itoa(int(int32(v.number)))
		}
	} else if h, err := schema.Lookup[schema.BoolColumn](s.Message, c.Name); err == nil {
		t.read = func(r *schema.Row) value {
			if r.Bool(h) {
				return value{number: 1}
			}
			return value{}
		}
		t.label = func(v value) string { return strconv.FormatBool(v.number == 1) }
	} else if h, err := schema.Lookup[schema.IPColumn](s.Message, c.Name); err == nil {
		t.read = func(r *schema.Row) value { return value{address: r.IP(h)} }
		t.label = func(v value) string {
			if !v.address.IsValid() {
				return "none"
			}
			return v.address.String()
		}
	} else if h, err := schema.Lookup[schema.MACColumn](s.Message, c.Name); err == nil {
		t.read = func(r *schema.Row) value { return value{number: r.MAC(h)} }
		t.label = func(v value) string {
			mac := make(net.HardwareAddr, 0, 6)
			for shift := 40; shift >= 0; shift -= 8 {
				mac = append(mac, byte(v.number>>shift))
			}
			return mac.String()
		}
	} else if h, err := schema.Lookup[schema.StringColumn](s.Message, c.Name); err == nil {
		t.read = func(r *schema.Row) value { text := r.String(h); return value{text: text[:min(len(text), mostLabel)]} }
		t.label = func(v value) string {
			if v.text == "" {
				return "none"
			}
			return strings.ToValidUTF8(v.text, "\ufffd")
		}
	} else if h, err := schema.Lookup[schema.BytesColumn](s.Message, c.Name); err == nil {
		t.read = func(r *schema.Row) value { b := r.Bytes(h); return value{text: string(b[:min(len(b), mostLabel/2)])} }
		t.label = func(v value) string { return hex.EncodeToString([]byte(v.text)) }
	}
	return t
}

// names are names for the numbers of columns with these elements.
var names = map[schema.Source]func(uint64) string{
	{Element: 4}:                func(n uint64) string { return layers.IPProtocol(min(n, 255)).String() },
	{Element: layout.EtherType}: func(n uint64) string { return layers.EthernetType(min(n, 0xffff)).String() },
}
