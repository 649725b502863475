package gen

import (
	"fmt"
	"strings"
	"testing"
)

// schemaShapes are schemas that grow with n in one place each.
var schemaShapes = map[string]func(n int) string{
	"messages in a oneof": func(n int) string {
		return oneofOf(n, `type: TYPE_MESSAGE type_name: ".p.M%d"`) + messagesOf(n, "")
	},
	"recursive messages in a oneof": func(n int) string {
		return oneofOf(n, `type: TYPE_MESSAGE type_name: ".p.M%d"`) + messagesOf(n, `
			field { name: "all" number: 4 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.All" }`)
	},
	"texts in a oneof":   func(n int) string { return oneofOf(n, "type: TYPE_STRING") },
	"numbers in a oneof": func(n int) string { return oneofOf(n, "type: TYPE_INT32") },
	"fields that are required": func(n int) string {
		return strings.NewReplacer(" oneof_index: 0", "", `oneof_decl { name: "one" }`, "", "OPTIONAL", "REQUIRED").Replace(oneofOf(n, "type: TYPE_INT32"))
	},
	"lists of messages": func(n int) string {
		return strings.NewReplacer(" oneof_index: 0", "", `oneof_decl { name: "one" }`, "", "OPTIONAL", "REPEATED").Replace(
			oneofOf(n, `type: TYPE_MESSAGE type_name: ".p.M%d"`)) + messagesOf(n, "")
	},
	"extensions of one message": func(n int) string {
		var s strings.Builder
		s.WriteString(`message_type { name: "All" extension_range { start: 1 end: 5000 } }`)
		for i := range n {
			fmt.Fprintf(&s, `extension { name: "member%d" number: %d label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.M%d" extendee: ".p.All" }`, i+1000, i+1000, i+1000)
		}
		return s.String() + messagesOf(n, "")
	},
}

// oneofOf is a message with n members of one kind in a oneof; all numbers have four digits, so that they count alike.
func oneofOf(n int, kind string) string {
	var s strings.Builder
	s.WriteString(`message_type { name: "All" oneof_decl { name: "one" }`)
	for i := range n {
		fieldType := kind
		if strings.Contains(kind, "%d") {
			fieldType = fmt.Sprintf(kind, i+1000)
		}
		fmt.Fprintf(&s, `field { name: "member%d" number: %d label: LABEL_OPTIONAL %s oneof_index: 0 }`, i+1000, i+1000, fieldType)
	}
	return s.String() + "}\n"
}

func messagesOf(n int, more string) string {
	var s strings.Builder
	for i := range n {
		fmt.Fprintf(&s, `message_type { name: "M%d"
			field { name: "number" number: 1 label: LABEL_OPTIONAL type: TYPE_UINT64 }
			field { name: "text" number: 2 label: LABEL_OPTIONAL type: TYPE_STRING }
			%s }`, i+1000, more)
	}
	return s.String()
}

// Four times as much of anything in a schema makes four times as much code, of every face.
func TestCodeGrowsAsTheSchemaDoes(t *testing.T) {
	for shape, schema := range schemaShapes {
		faces := []string{"pool"} // the one with the most code
		if shape == "messages in a oneof" {
			faces = []string{"pool", "view+edit+writer+reflect", "codec", "codec,structs=value"}
		}
		for _, faces := range faces {
			sizes := map[int]int{}
			for _, n := range []int{25, 50, 100} {
				text := `name: "a.proto" package: "p" options { go_package: "example.com/p" }` + schema(n)
				result, err := generateOne(t, planText(t, text), "module=example.com,faces="+faces)
				if err != nil {
					t.Fatal(err)
				}
				for _, output := range result.Outputs {
					sizes[n] += len(output.Content)
				}
			}
			if sizes[50]*10 > sizes[25]*21 || sizes[100]*10 > sizes[25]*42 {
				t.Errorf("%s, faces=%s: 25, 50 and 100 are %d, %d and %d bytes", shape, faces, sizes[25], sizes[50], sizes[100])
			}
		}
	}
}
