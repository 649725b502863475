package templates

import (
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/go/schema/template"
)

func TestReverseFieldsAreOnlyThoseOfBiflows(t *testing.T) {
	for _, fields := range [][]template.Field{
		{{Element: 1, Length: 4}}, {{Enterprise: ipfix.ReversePEN, Element: 6, Length: 1}}, {{Element: 231, Length: 4}}, {{Enterprise: 9, Element: 232, Length: 4}},
	} {
		if _, biflow := reverseFields(fields); biflow {
			t.Error(fields)
		}
	}
}
