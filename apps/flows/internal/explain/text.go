package explain

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
)

// table has aligned columns.
type table struct{ rows [][]string }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// widest is the width up to which columns are aligned.
const widest = 40

func (x *Explainer) table(depth int, t *table) {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(widest, utf8.RuneCountInString(cell)))
		}
	}
	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))+2))
		}
		x.line(depth, "%s", strings.TrimRight(b.String(), " "))
	}
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000") }

// mostHex is how many bytes are shown.
const mostHex = 16

func hexOf(b []byte) string {
	switch {
	case len(b) == 0:
		return "-"
	case len(b) > mostHex:
		return fmt.Sprintf("%s… (%d bytes)", hex.EncodeToString(b[:mostHex]), len(b))
	}
	return hex.EncodeToString(b)
}

// escape escapes what a terminal would not show as a character.
func escape(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

func sourceOf(f template.Field) schema.Source {
	return schema.Source{Enterprise: f.Enterprise, Element: f.Element}
}

// reversed is the enterprise of RFC 5103.
const reversed = 29305

var scopes9 = [...]string{1: "System", 2: "Interface", 3: "Line Card", 4: "Cache", 5: "Template"}

// nameOf is the name of a field's element. The scopes of NetFlow v9 have types of their own.
func nameOf(f template.Field, p flow.Protocol, scope bool) string {
	if p == flow.NetFlow9 && scope && f.Element > 0 && int(f.Element) < len(scopes9) {
		return scopes9[f.Element]
	}
	name := schemayaml.ElementName(f.Element)
	switch {
	case f.Enterprise == 0 && name != "":
		return name
	case f.Enterprise == reversed && name != "":
		return "reverse " + name
	}
	return "element " + numberOf(f)
}

func numberOf(f template.Field) string {
	if f.Enterprise != 0 {
		return fmt.Sprintf("%d/%d", f.Enterprise, f.Element)
	}
	return strconv.Itoa(int(f.Element))
}

// valueOf is a value for people, by its element's name and its length.
func valueOf(f template.Field, b []byte) string {
	name := ""
	if f.Enterprise == 0 || f.Enterprise == reversed {
		name = schemayaml.ElementName(f.Element)
	}
	number := uint64(0)
	if len(b) <= 8 {
		for _, c := range b {
			number = number<<8 | uint64(c)
		}
	}
	switch {
	case len(b) == 0:
		return ""
	case (len(b) == 4 || len(b) == 16) && (strings.Contains(name, "IPv4") || strings.Contains(name, "IPv6")) && (strings.HasSuffix(name, "Address") || strings.HasSuffix(name, "Prefix")):
		a, _ := netip.AddrFromSlice(b)
		return a.String()
	case len(b) == 6 && strings.HasSuffix(name, "MacAddress"):
		return net.HardwareAddr(b).String()
	case strings.HasSuffix(name, "Probability") && len(b) == 4:
		return fmt.Sprint(math.Float32frombits(binary.BigEndian.Uint32(b)))
	case strings.HasSuffix(name, "Probability") && len(b) == 8:
		return fmt.Sprint(math.Float64frombits(number))
	case isText(name) || len(b) > 8:
		return textOf(b)
	case isTime(name, "Milliseconds") && number < 1<<43:
		return stamp(time.UnixMilli(int64(number)))
	case isTime(name, "Seconds"):
		return stamp(time.Unix(int64(min(number, 1<<40)), 0))
	}
	return strconv.FormatUint(number, 10)
}

func isTime(name, unit string) bool {
	switch name {
	case "flowStart" + unit, "flowEnd" + unit, "systemInitTime" + unit, "observationTime" + unit, "collectionTime" + unit:
		return true
	}
	return false
}

func isText(name string) bool {
	for _, end := range [...]string{"Name", "Description", "String", "URI", "SSID", "UserAgent"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// textOf is a value as text in quotes, if it is text.
func textOf(b []byte) string {
	text := strings.TrimRight(string(b), "\x00")
	if !utf8.ValidString(text) || text == "" || strings.IndexFunc(text, unicode.IsPrint) < 0 {
		return ""
	}
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return escape(strconv.Quote(text))
}

// faultsOf returns the reasons why fields are refused, by field.
func faultsOf(list []error) map[int]string {
	all := map[int]string{}
	for _, err := range list {
		field := 0
		text := err.Error()
		if at := strings.Index(text, "field "); at >= 0 {
			if _, scanned := fmt.Sscanf(text[at:], "field %d,", &field); scanned == nil && all[field] == "" {
				if e, ok := err.(*schema.Error); ok {
					text = e.Reason
				}
				all[field] = text
			}
		}
	}
	return all
}
