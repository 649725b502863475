package templates

import (
	"math"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// An exporter of IPFIX may report times since its start (21, 22) without its start (160). The best that is known of
// them is that a flow was exported when it had ended, or soon after. So the flow ends at the export, and its length is
// right; of a flow with one of the two times, that one is the export.

// relative reports whether records have times since the exporter's start.
func (def *Definition) relative() bool { return def.uptimes != [2]place{} }

// reference returns the time of a record that stands for that of the export: its end, if it has one.
func (def *Definition) reference(b []byte) uint64 {
	for _, p := range def.uptimes {
		if p.field > 0 {
			if v, ok := ipfix.Number(def.field(b, p)); ok && v <= math.MaxUint32 {
				return v
			}
		}
	}
	return 0
}

// UsesUptimes reports whether a column of the layout is filled by a time since the exporter's start: it is the first
// of the column's elements that the template has.
func (def *Definition) UsesUptimes(l *layout.Layout) bool {
	if !def.relative() {
		return false
	}
	for _, c := range l.Plan.Columns(l.Plan.Root()) {
		i := slices.IndexFunc(c.Sources, func(s schema.Source) bool {
			return slices.ContainsFunc(def.Fields, func(f template.Field) bool { return s == schema.Source{Enterprise: f.Enterprise, Element: f.Element} })
		})
		if i >= 0 && c.Sources[i].Enterprise == 0 && (c.Sources[i].Element == ipfix.EndUptime || c.Sources[i].Element == ipfix.StartUptime) {
			return true
		}
	}
	return false
}
