package templates

import (
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// NetFlow5 is NetFlow v5's record as a template, so that all protocols are read in one way.
var NetFlow5 = func() Definition {
	def := New(flow.NetFlow5, 0, false, 0, fields5)
	def.Settle()
	return def
}()

// fields5 are the fields of NetFlow v5's records.
var fields5 = []template.Field{
	{Element: 8, Length: 4}, {Element: 12, Length: 4}, {Element: 15, Length: 4}, {Element: 10, Length: 2},
	{Element: 14, Length: 2}, {Element: 2, Length: 4}, {Element: 1, Length: 4}, {Element: 22, Length: 4},
	{Element: 21, Length: 4}, {Element: 7, Length: 2}, {Element: 11, Length: 2}, {Element: ipfix.PaddingOctets, Length: 1},
	{Element: 6, Length: 1}, {Element: 4, Length: 1}, {Element: 5, Length: 1}, {Element: 16, Length: 2},
	{Element: 17, Length: 2}, {Element: 9, Length: 1}, {Element: 13, Length: 1}, {Element: ipfix.PaddingOctets, Length: 2},
}
