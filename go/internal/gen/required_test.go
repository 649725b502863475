package gen

import (
	"strings"
	"testing"
)

// A message of another Go package has no method here that says whether it is complete: its layout does.
func TestRequiredFieldsInMessagesOfOtherPackages(t *testing.T) {
	p := planText(t,
		`name: "q.proto" package: "q" options { go_package: "example.com/q" }
			message_type { name: "Far" field { name: "id" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 } }`,
		`name: "p.proto" package: "p" dependency: "q.proto" options { go_package: "example.com/p" }
			message_type { name: "Near" field { name: "id" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 } }
			message_type { name: "M"
				field { name: "near" number: 1 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.Near" }
				field { name: "far" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".q.Far" }
				field { name: "many" number: 3 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".q.Far" } }`)
	result, err := generateOne(t, p, "faces=pool")
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range result.Outputs {
		code := string(output.Content)
		if !strings.Contains(output.Name, "p.hot.go") {
			continue
		}
		for part, wanted := range map[string]bool{
			"!m.fieldNear.completeHot()": true, "!m.fieldFar.completeHot()": false, "!m.Many[n].completeHot()": false,
			`m.fieldFar.RefHot().Missing(true) != ""`: true,
			`m.Many[n].RefHot().Missing(true) != ""`:  true,
		} {
			if strings.Contains(code, part) != wanted {
				t.Errorf("%s: %q is in it: %v", output.Name, part, !wanted)
			}
		}
		return
	}
	t.Error("there is no p.hot.go")
}
