package schema_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
)

// SCH-104.
// A schema that is refused for its names is refused by protoc, too, and no other is: the text of a schema that is
// refused is had by giving its names, one to one, to those of one that is not.
func TestNamesAreRefusedAsProtocRefusesThem(t *testing.T) {
	compiler, err := filepath.Abs("../../build/tools/protoc/bin/protoc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); err != nil {
		t.Skip("protoc is not there; tools/setup protoc brings it")
	}
	r := rand.New(rand.NewPCG(7, 4))
	pick := func(names ...string) string { return names[r.IntN(len(names))] }
	folder := t.TempDir()
	accepted, refused := 0, 0
	for i := range 150 {
		closed := r.IntN(3) == 0
		build := func(name func(string) string) *schema.Schema {
			s := schema.New("M", schema.Package("p"))
			enum := schema.Enum{Name: "p." + name("enum"), Closed: closed, Values: []schema.EnumValue{{Name: name("value0")}, {Name: name("value1"), Number: 1}}}
			message := s.NewMessage(name("message"))
			message.Bool(name("other field"), 1)
			s.Bool(name("field1"), 1)
			s.Bool(name("field2"), 2, schema.Optional)
			s.Nested(name("field3"), 3, message)
			s.Enum(name("field4"), 4, s.AddEnum(enum), schema.Optional)
			s.Uint32(name("field5"), 5, schema.InOneof(name("oneof")))
			return s
		}
		names := map[string]string{
			"enum":        pick("Kind", "KindOf", "kind", "MyKind", "E_1"),
			"value0":      pick("KIND_NONE", "NONE", "Kind_None", "KINDNONE", "none", "KIND_", "option", "message", "max"),
			"value1":      pick("KIND_ONE", "NONE", "KIND_NONE_", "KIND__NONE", "kind_none", "reserved", "string", "Label", "_"),
			"message":     pick("Label", "label", "string", "message", "M_", "map", "oneof", "p"),
			"other field": pick("x", "message", "option"), "oneof": pick("choice", "field", "_f2", "x"),
			"field1": pick("a_b", "aB", "f", "message", "_f2"), "field2": pick("f2", "a_B", "Label", "group", "a__b"),
			"field3": pick("label", "f3", "string", "reserved", "AB"), "field4": pick("kind", "f4", "repeated", "p"), "field5": pick("f5", "a_b_", "optional"),
		}
		plain := map[string]string{
			"enum": "Q1", "value0": "QQ2", "value1": "QQ3", "message": "Q4", "other field": "q5", "oneof": "q6",
			"field1": "q7", "field2": "q8", "field3": "q9", "field4": "qa", "field5": "qb",
		}
		plan, err := build(func(place string) string { return names[place] }).Compile()
		if err != nil {
			continue // two of one name
		}
		_, err = plan.Proto()
		text, plainErr := compile(t, build(func(place string) string { return plain[place] })).Proto()
		if plainErr != nil {
			t.Fatal(plainErr)
		}
		var pairs []string
		for place, name := range plain {
			pairs = append(pairs, name, names[place])
		}
		text = strings.NewReplacer(pairs...).Replace(text)
		if err == nil {
			if text, err = plan.Proto(); err != nil {
				t.Fatal(err)
			}
		} else { // types are found whatever else has their names
			text = strings.ReplaceAll(text, "  "+names["message"]+" "+names["field3"], "  .p."+names["message"]+" "+names["field3"])
			text = strings.ReplaceAll(text, "  "+names["enum"]+" "+names["field4"], "  .p."+names["enum"]+" "+names["field4"])
			text = strings.ReplaceAll(text, "optional "+names["enum"]+" ", "optional .p."+names["enum"]+" ")
		}
		file := fmt.Sprintf("x%d.proto", i)
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(compiler, "--descriptor_set_out="+os.DevNull, file)
		command.Dir = folder
		output, protocErr := command.CombinedOutput()
		if (err == nil) != (protocErr == nil) {
			t.Errorf("ours: %v\nprotoc: %s\n%s", err, output, text)
		}
		if err == nil {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 10 || refused < 10 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}
