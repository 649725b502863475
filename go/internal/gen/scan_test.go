package gen

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var (
	scanCode = regexp.MustCompile(`(?m)^func (scan\w+)\(_ \*view\.Layout, r \*view\.Raw\) bool \{\n\tv := \(\*(\w+)\)`)
	scanUsed = regexp.MustCompile(`(?m)^var layout(\w+) = view\.Layout\{.*Scan: +(scan\w+),`)
)

// messageText is a message in the text of a descriptor. Each field has a name, a type, and more.
func messageText(name, more string, fields ...string) string {
	text := fmt.Sprintf(`message_type { name: %q %s`, name, more)
	for i, field := range fields {
		words := strings.SplitN(field+" ", " ", 3)
		label, kind := "OPTIONAL", "type: TYPE_"+words[1]
		if words[1] == "REPEATED" {
			label, kind = "REPEATED", `type: TYPE_MESSAGE type_name: ".p.A"`
		}
		text += fmt.Sprintf(` field { name: %q number: %d label: LABEL_%s %s %s }`, words[0], i+1, label, kind, words[2])
	}
	return text + " }"
}

// A scan reads any view as the one that it was written for, so the slots of both must be alike.
func TestMessagesOfEqualSlotsShareAScan(t *testing.T) {
	const oneofs = `oneof_decl { name: "a" } oneof_decl { name: "b" }`
	p := planText(t, `package: "p" syntax: "proto3" options { go_package: "example.com/p" }`+
		messageText("A", "", "id INT64", "text STRING", "list REPEATED")+
		messageText("B", "", "other UINT32", "name STRING", "of REPEATED")+ // as A
		messageText("C", "", "id INT64", "text BYTES", "list REPEATED")+ // not checked
		messageText("D", "", "id INT64", "text STRING", "text2 STRING")+
		messageText("E", "", "id INT64", "text STRING", "left INT64", "list REPEATED")+ // another number
		messageText("One", oneofs, "x INT32 oneof_index: 0", "y STRING oneof_index: 0", "z INT32 oneof_index: 1")+
		messageText("Two", oneofs, "x INT64 oneof_index: 0", "y STRING oneof_index: 0", "z BOOL oneof_index: 1")+ // as One
		messageText("Other", oneofs, "x INT32 oneof_index: 1", "y STRING oneof_index: 1", "z INT32 oneof_index: 0")+ // the same, but for the slots
		messageText("Alone", oneofs, "x INT32 oneof_index: 0", "y STRING", "z INT32 oneof_index: 1"))
	result, err := generateOne(t, p, "faces=view")
	if err != nil {
		t.Fatal(err)
	}
	code := string(result.Outputs[0].Content)
	slots := func(view string) string {
		_, after, _ := strings.Cut(code, "\ntype "+view+" struct {\n")
		body, _, found := strings.Cut(after, "\n}")
		if !found {
			t.Fatalf("there is no type %s", view)
		}
		return body
	}
	views := map[string]string{}
	for _, match := range scanCode.FindAllStringSubmatch(code, -1) {
		views[match[1]] = match[2]
	}
	scans := map[string]string{}
	for _, match := range scanUsed.FindAllStringSubmatch(code, -1) {
		scans[match[1]] = match[2]
		if got, want := slots(views[match[2]]), slots(match[1]); got != want {
			t.Errorf("%s is scanned as %s, whose slots are\n%s\ninstead of\n%s", match[1], views[match[2]], got, want)
		}
	}
	if len(scans) != 9 {
		t.Fatalf("%d messages are scanned by straight code, want 9", len(scans))
	}
	for first, second := range map[string]string{"AView": "BView", "OneView": "TwoView"} {
		if scans[first] != scans[second] {
			t.Errorf("%s and %s do not share a scan", first, second)
		}
	}
	if len(views) != 7 {
		t.Errorf("%d scans for 9 messages of 7 kinds", len(views))
	}
}
