package gen

import (
	"errors"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func choicePlan(t *testing.T) *plan.Plan {
	t.Helper()
	return planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/choice/p" }
		message_type { name: "M"
			field { name: "a" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
			field { name: "x" number: 2 label: LABEL_OPTIONAL type: TYPE_INT32 oneof_index: 0 }
			field { name: "y" number: 3 label: LABEL_OPTIONAL type: TYPE_STRING oneof_index: 0 }
			field { name: "m" number: 4 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.M.MEntry" }
			field { name: "n" number: 5 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.N" }
			nested_type { name: "MEntry" options { map_entry: true }
				field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
				field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M" } }
			oneof_decl { name: "choice" } }
		message_type { name: "N"
			field { name: "m" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M" }
			field { name: "e" number: 2 label: LABEL_REPEATED type: TYPE_ENUM type_name: ".p.E" }
			field { name: "o" number: 3 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.O" } }
		message_type { name: "O" field { name: "id" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 } }
		message_type { name: "None" }
		enum_type { name: "E" value { name: "E1" number: 1 } }`)
}

// FCE-23, FCE-24, FCE-25
func TestFieldsThatCannotBeLeftOutAreRefusedWithWhatExists(t *testing.T) {
	p := choicePlan(t)
	for parameter, want := range map[string]string{
		"skip=p.X.a":                  `option skip=p.X.a: "p.X" is not a message of the files to generate; full names of fields such as p.M.a are allowed`,
		"skip=a":                      `option skip=a: "" is not a message of the files to generate`,
		"only=p.M.a+":                 `option only=p.M.a+: "" is not a message of the files to generate`,
		"skip=p.M.b":                  `option skip=p.M.b: the message p.M has no field "b"; it has a, x, y, m, n`,
		"only=p.M.choice":             `option only=p.M.choice: the message p.M has no field "choice"; it has a, x, y, m, n`,
		"skip=p.None.a":               `option skip=p.None.a: the message p.None has no field "a"; it has none`,
		"skip=p.M.MEntry.value":       "option skip=p.M.MEntry.value: p.M.MEntry is an entry of a map; the map field as a whole may be named",
		"skip=p.M.a+p.M.a":            "option skip=p.M.a+p.M.a: p.M.a is named twice",
		"only=p.M.a,skip=p.M.n":       "option skip=p.M.n: only= names fields of p.M too; one of the two is allowed for a message",
		"skip=p.M.x":                  "option skip=p.M.x: of the oneof p.M.choice it leaves out x but not y, and which member is set would be lost; all or none of them are allowed",
		"only=p.M.a+p.M.y,skip=p.N.m": "option only=p.M.a+p.M.y: of the oneof p.M.choice it leaves out x but not y",
	} {
		_, err := generateOne(t, p, parameter)
		var option *emit.OptionError
		if !errors.As(err, &option) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", parameter, err, want)
		}
	}
}

// FCE-9
func TestWhatIsLeftOutIsNotReached(t *testing.T) {
	p := choicePlan(t)
	var selected []string
	withFaces(t, emit.Face{Name: "full", Selects: true, Emit: func(f *emit.File) error {
		for _, message := range f.Messages() {
			selected = append(selected, message.Name)
		}
		for _, enum := range f.Enums() {
			selected = append(selected, enum.Name)
		}
		return nil
	}})
	for parameter, want := range map[string]string{
		"messages=p.M":                         "p.M p.N p.O p.E",
		"messages=p.M,skip=p.N.o+p.N.e":        "p.M p.N",
		"messages=p.M,only=p.M.a+p.M.x+p.M.y":  "p.M",
		"messages=p.M,skip=p.M.n":              "p.M",
		"messages=p.N,skip=p.N.m,keep_skipped": "p.N p.O p.E",
		"skip=p.N.o+p.N.e+p.N.m+p.M.n+p.M.m":   "p.M p.N p.O p.None p.E", // without messages= all are wanted
	} {
		selected = nil
		if _, err := generateOne(t, p, parameter); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(selected, " "); got != want {
			t.Errorf("%s: selected %s, want %s", parameter, got, want)
		}
	}
}

// FCE-9, FCE-22
func TestCodeWithoutFieldsCompilesAndSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds packages")
	}
	p := choicePlan(t)
	before := string(p.JSON())
	for parameter, comments := range map[string]string{
		"only=p.M.a":                         "",
		"skip=p.M.x+p.M.y":                   "",
		"skip=p.M.m,messages=p.M":            "",
		"skip=p.N.m,messages=p.N":            "", // M stands first in the group of both and is not generated
		"skip=p.M.n+p.O.id,messages=p.M+p.O": "// Left out by only= or skip=:\n//\n//\trequired int32 id = 1\n//\n// Their records are checked as those of unknown fields are, and dropped. Required ones among them are not checked.\n",
		"only=p.N.o+p.O.id":                  "",
		"skip=p.M.m+p.N.e,keep_skipped":      "and kept among the unknown fields.\n",
		"skip=p.M.m+p.M.n+p.N.e,keep_skipped,faces=view+reencode": "",
		"skip=p.M.a+p.M.x+p.M.y+p.M.m+p.M.n":                      "",
	} {
		result, err := generateOne(t, p, parameter+",module=example.com/choice")
		if err != nil {
			t.Fatalf("%s: %v", parameter, err)
		}
		if code := string(result.Outputs[0].Content); !strings.Contains(code, comments) {
			t.Errorf("%s: the code does not say %q:\n%s", parameter, comments, code)
		}
		vet(t, "example.com/choice", result.Outputs)
	}
	if string(p.JSON()) != before {
		t.Error("the plan changed")
	}
}
