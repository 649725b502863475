package gen

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/codec"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// FCE-10
func TestTiersThatCannotBeFollowedAreRefused(t *testing.T) {
	p := choicePlan(t)
	for parameter, want := range map[string]string{
		"hot=p.X":          "option hot=p.X: not a message of the files to generate; full names and * are allowed",
		"cold=p.M.MEntry":  "option cold=p.M.MEntry: not a message of the files to generate; full names and * are allowed",
		"cold=p.M+":        "option cold=: not a message of the files to generate; full names and * are allowed",
		"cold=p.M+p.M":     "option cold=p.M: it is named twice",
		"hot=p.M,cold=p.M": "option cold=p.M: it is named twice",
		"hot=*,cold=*":     "option cold=*: hot=* and cold=* exclude each other",
	} {
		_, err := generateOne(t, p, parameter)
		var option *emit.OptionError
		if !errors.As(err, &option) || err.Error() != want {
			t.Errorf("%s: error %v, want %s", parameter, err, want)
		}
	}
}

// FCE-10. A name weighs more than *.
func TestMessagesAreByTableAsTheOptionsSay(t *testing.T) {
	p := choicePlan(t)
	for parameter, want := range map[string]string{
		"faces=pool":                  "",
		"faces=pool,cold=*":           "M N O None",
		"faces=pool,cold=*,hot=p.M":   "N O None",
		"faces=pool,hot=*,cold=p.N":   "N",
		"faces=pool,cold=p.M+p.None":  "M None",
		"faces=pool,hot=p.M,cold=p.N": "N",
	} {
		result, err := generateOne(t, p, parameter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"M", "N", "O", "None"} {
			code := string(result.Outputs[0].Content)
			_, layout, _ := strings.Cut(code, "Code: (*"+name+")(nil)")
			layout, _, _ = strings.Cut(layout, "Fields:")
			straight := strings.Contains(layout, "pool.Straight")
			_, decoder, _ := strings.Cut(code, "func (m *"+name+") DecodeHot(")
			decoder, _, _ = strings.Cut(decoder, "\n}\n")
			if decoder == "" || straight == strings.Contains(decoder, "hotLayout") {
				t.Errorf("%s: %s has code of one tier, and the layout of the other", parameter, name)
			}
			if !straight {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v are by table, want %s", parameter, got, want)
		}
	}
}

// FCE-10. Of a message by table the codec has entries for the plain fields, and no code; of a straight one it has code alone.
func TestMessagesOfTheCodecAreByTableAsTheOptionsSay(t *testing.T) {
	fields := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("field { name: \"f%d\" number: %d label: LABEL_OPTIONAL type: TYPE_INT32 }\n", i, i+1)
		}
		return text
	}
	p := planText(t, `name: "a.proto" package: "p" syntax: "proto3" options { go_package: "example.com/p" }
		message_type { name: "Wide" `+fields(17)+` }
		message_type { name: "Small" `+fields(16)+` }
		message_type { name: "Few" `+fields(codec.FewestPlain-1)+` }`)
	for parameter, want := range map[string]string{
		"faces=codec":                    "Wide",
		"faces=codec,cold=*":             "Wide Small", // a table for less than four fields would be no smaller
		"faces=codec,hot=*":              "",
		"faces=codec,hot=*,cold=p.Small": "Small",
		"faces=codec,hot=p.Wide":         "",
	} {
		result, err := generateOne(t, p, parameter)
		if err != nil {
			t.Fatal(err)
		}
		code := string(result.Outputs[0].Content)
		var got []string
		for _, name := range []string{"Wide", "Small", "Few"} {
			_, own, _ := strings.Cut(code, "func (m *"+name+") decodeHot(")
			own, _, _ = strings.Cut(own, "\n}\n")
			table := strings.Contains(code, "var tableHot"+name+" = codec.Table{")
			if table == strings.Contains(own, "\nf1:") {
				t.Errorf("%s: %s has both a table and code for its fields, or neither", parameter, name)
			}
			if table {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v are by table, want %s", parameter, got, want)
		}
	}
}

// FCE-10. A message that is only wide is read by table, and written and sized straight, up to 64 fields.
func TestWideMessagesOfTheCodecAreWrittenStraight(t *testing.T) {
	fields := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("field { name: \"f%d\" number: %d label: LABEL_OPTIONAL type: TYPE_INT32 }\n", i, i+1)
		}
		return text
	}
	p := planText(t, `name: "a.proto" package: "p" syntax: "proto3" options { go_package: "example.com/p" }
		message_type { name: "Wide" `+fields(64)+` }
		message_type { name: "Wider" `+fields(65)+` }`)
	for parameter, want := range map[string]string{
		"faces=codec":                    "Wider",
		"faces=codec,cold=*":             "Wide Wider",
		"faces=codec,cold=p.Wide":        "Wide Wider",
		"faces=codec,hot=*,cold=p.Wide":  "Wide",
		"faces=codec,hot=p.Wide+p.Wider": "",
	} {
		result, err := generateOne(t, p, parameter)
		if err != nil {
			t.Fatal(err)
		}
		code := string(result.Outputs[0].Content)
		var got []string
		for _, name := range []string{"Wide", "Wider"} {
			written, sized := strings.Contains(code, "tableHot"+name+".Encode("), strings.Contains(code, "tableHot"+name+".Size(")
			if written != sized {
				t.Errorf("%s: %s is written in one way and sized in the other", parameter, name)
			}
			if written {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v are written by table, want %s", parameter, got, want)
		}
	}
}

// Encoders of a pool are straight up to 64 fields, whatever tier the decoder has, unless the options name a tier.
func TestEncodersOfThePoolHaveATierOfTheirOwn(t *testing.T) {
	fields := func(n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("field { name: \"f%d\" number: %d label: LABEL_OPTIONAL type: TYPE_INT32 }\n", i, i+1)
		}
		return text
	}
	p := planText(t, `name: "a.proto" package: "p" syntax: "proto3" options { go_package: "example.com/p" }
		message_type { name: "Widest" `+fields(65)+` }
		message_type { name: "Wide" `+fields(64)+` }
		message_type { name: "Small" `+fields(16)+` }`)
	for parameter, want := range map[string]string{
		"faces=pool":                          "Wide:Encodes Small:Straight+Encodes",
		"faces=pool,hot=*":                    "Widest:Straight+Encodes Wide:Straight+Encodes Small:Straight+Encodes",
		"faces=pool,cold=*":                   "",
		"faces=pool,cold=p.Wide,hot=p.Widest": "Widest:Straight+Encodes Small:Straight+Encodes",
	} {
		result, err := generateOne(t, p, parameter)
		if err != nil {
			t.Fatal(err)
		}
		code := string(result.Outputs[0].Content)
		var got []string
		for _, name := range []string{"Widest", "Wide", "Small"} {
			_, layout, _ := strings.Cut(code, "Code: (*"+name+")(nil)")
			layout, _, _ = strings.Cut(layout, "Fields:")
			var tiers []string
			for _, trait := range []string{"Straight", "Encodes"} {
				if strings.Contains(layout, "pool."+trait) {
					tiers = append(tiers, trait)
				}
			}
			if len(tiers) > 0 {
				got = append(got, name+":"+strings.Join(tiers, "+"))
			}
			_, own, _ := strings.Cut(code, "func (m *"+name+") EncodeHot(")
			own, _, _ = strings.Cut(own, "\nfunc ")
			if straight := strings.Contains(own, "pool.PutVarint("); straight != strings.Contains(layout, "pool.Encodes") {
				t.Errorf("%s: the encoder of %s has one tier, and the layout the other", parameter, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", parameter, got, want)
		}
	}
}

// In a run of more than 200 messages a message is by table if it is read at most once with the one that holds it, unless hot=
// names it. Messages of lists and maps, and what these hold, are straight, and so is a message that none holds.
func TestSingleMessagesOfManyAreByTable(t *testing.T) {
	held := func(name, kind, label string, number int) string {
		return fmt.Sprintf("field { name: %q number: %d label: LABEL_%s type: TYPE_MESSAGE type_name: \".p.%s\" }\n", name, number, label, kind)
	}
	text := `name: "a.proto" package: "p" syntax: "proto3" options { go_package: "example.com/p" }
		message_type { name: "Root" ` + held("one", "Single", "OPTIONAL", 1) + held("many", "Element", "REPEATED", 2) + held("map", "Root.MapEntry", "REPEATED", 3) + `
			nested_type { name: "MapEntry" options { map_entry: true }
				field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 } ` + held("value", "Value", "OPTIONAL", 2) + ` } }
		message_type { name: "Single" ` + held("inner", "Inner", "OPTIONAL", 1) + ` }
		message_type { name: "Inner" field { name: "text" number: 1 label: LABEL_OPTIONAL type: TYPE_STRING } }
		message_type { name: "Element" ` + held("part", "Part", "OPTIONAL", 1) + ` }
		message_type { name: "Part" }
		message_type { name: "Value" }
		message_type { name: "Own" ` + held("own", "Own", "OPTIONAL", 1) + ` }`
	for n := range 193 {
		text += fmt.Sprintf("\nmessage_type { name: \"More%d\" }", n)
	}
	few, many := planText(t, text), planText(t, text+` message_type { name: "Last" }`)
	for _, c := range []struct {
		options string
		plan    *plan.Plan
		want    string
	}{
		{"", few, ""},
		{"", many, "Single Inner"},
		{",hot=p.Inner", many, "Single"},
		{",hot=*", many, ""},
		{",hot=*,cold=p.Part", many, "Part"},
		{",messages=p.Root", many, ""},
	} {
		result, err := generateOne(t, c.plan, "faces=pool,quiet"+c.options)
		if err != nil {
			t.Fatal(err)
		}
		code := string(result.Outputs[0].Content)
		var got []string
		for _, name := range []string{"Root", "Single", "Inner", "Element", "Part", "Value", "Own"} {
			_, layout, there := strings.Cut(code, "Code: (*"+name+")(nil)")
			layout, _, _ = strings.Cut(layout, "Code: ")
			decodes, encodes := strings.Contains(layout, "pool.Straight"), strings.Contains(layout, "pool.Encodes")
			if decodes != encodes {
				t.Errorf("%s: %s has two tiers", c.options, name)
			}
			if there && !decodes {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d messages%s: %v are by table, want %s", len(c.plan.Messages), c.options, got, c.want)
		}
	}
}
