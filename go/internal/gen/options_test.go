package gen

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// withFaces replaces the registered faces for one test.
func withFaces(t testing.TB, faces ...emit.Face) {
	saved := emit.Registry
	emit.Registry = map[string]*emit.Face{}
	t.Cleanup(func() { emit.Registry = saved })
	emit.Register(faces...)
}

func nothing(*emit.File) error { return nil }

var (
	full  = emit.Face{Name: "full", Strict: true, Selects: true, Emit: nothing}
	plain = emit.Face{Name: "plain", Emit: nothing}
	extra = emit.Face{Name: "extra", Of: []string{"full"}, Suffix: ".extra.hot.go", Strict: true, Selects: true, Encodes: true, Emit: nothing}
)

// FCE-7, FCE-16
func TestOptionThatCannotBeFollowedIsRefusedWithItsValueAndWhatIsAllowed(t *testing.T) {
	withFaces(t, full, plain, extra)
	for parameter, want := range map[string]string{
		"faces=writer":                      `option faces=writer: the face "writer" is not in this version of the Go generator; it has full, full+extra, plain`,
		"faces=full+codec":                  `option faces=full+codec: the face "codec" is not in this version`,
		"faces=":                            "option faces=: a value is missing",
		"faces":                             "option faces=: a value is missing",
		"faces=full+":                       `option faces=full+: the face ""`,
		"faces=full+full":                   "option faces=full+full: full is named twice",
		"faces=extra":                       "option faces=extra: extra goes with full: faces=full+extra is allowed",
		"faces=full,faces=plain":            "option faces=plain: given twice",
		"faces=plain,only=pkg.A.f":          "option only=pkg.A.f: the face plain has no selection in this version",
		"faces=plain,skip=pkg.A.f":          "option skip=pkg.A.f: the face plain has no selection in this version",
		"faces=full,only=":                  "option only=: a value is missing",
		"faces=full,keep_skipped":           "option keep_skipped=: it goes with only= or skip=",
		"skip=pkg.A.f,keep_skipped=":        "option keep_skipped=: it takes no value",
		"skip=pkg.A.f,keep_skipped=yes":     "option keep_skipped=yes: it takes no value",
		"faces=full+extra,skip=pkg.A.f":     "option skip=pkg.A.f: extra would write messages without what is left out; keep_skipped, or faces= without it, is allowed",
		"emit_plan=p.json,skip=pkg.A.f":     "option emit_plan=p.json: the plan alone does not depend on messages=, only=, skip=, hot=, cold=, utf8= or maps=",
		"messages=a.B++c.D":                 "option messages=a.B++c.D: full message names joined by + are allowed",
		"faces=plain,messages=a.B":          "option messages=a.B: the face plain has no selection in this version",
		"utf8=none":                         "option utf8=none: schema and strict are allowed",
		"maps=list":                         "option maps=list: go and sorted are allowed",
		"faces=plain,maps=sorted":           "option maps=sorted: it works only with the face pool",
		"emit_plan=p.json,maps=sorted":      "option emit_plan=p.json: the plan alone does not depend on",
		"faces=plain,hot=*":                 "option hot=*: it works only with the faces pool, view and codec; the others have straight code only",
		"faces=plain,cold=pkg.A":            "option cold=pkg.A: it works only with the faces pool, view and codec; the others have straight code only",
		"emit_plan=p.json,cold=*":           "option emit_plan=p.json: the plan alone does not depend on",
		"faces=plain,utf8=strict":           "option utf8=strict: the face plain has only schema in this version",
		"paths=relative":                    "option paths=relative: import and source_relative are allowed",
		"paths=source_relative,module=a.b":  "option module=a.b: it works only with paths=import",
		"M=example.com/a":                   "option M=example.com/a: there is no such option",
		"bogus":                             "option bogus=: there is no such option",
		"ma.proto=a.b/c":                    "option ma.proto=a.b/c: there is no such option",
		"quiet=true":                        "option quiet=true: it takes no value",
		"quiet,quiet":                       "option quiet=: given twice",
		"faces=full,plain":                  "option plain=: a face is no option: join the names of faces with +",
		"plugins=grpc":                      "option plugins=grpc: an option of older generators; leave it out: protoc-gen-go-grpc",
		"strange=grpc":                      "option strange=grpc: there is no such option; allowed are faces=",
		"apiversion=v2":                     "option apiversion=v2: an option of csproto's generator; in place of v1 write runtime=v1",
		"enableunsafedecode=true":           "option enableunsafedecode=true: an option of csproto's generator; leave it out, and pass codec.UnmarshalOptions",
		"wrap=true":                         "option wrap=true: an option of vtprotobuf's generator; leave it out",
		"allow-empty=true":                  "option allow-empty=true: an option of vtprotobuf's generator; leave it out",
		"emit_plan=p.json,messages=pkg.A":   "option emit_plan=p.json: the plan alone does not depend on messages=",
		"emit_plan=p.json,utf8=strict":      "option emit_plan=p.json: the plan alone does not depend on",
		"Ma.proto=a.b/c,Ma.proto=a.b/other": "option Ma.proto=a.b/other: given twice",
	} {
		_, err := emit.ParseOptions(parameter)
		var option *emit.OptionError
		if !errors.As(err, &option) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", parameter, err, want)
		}
	}
}

func TestOptionsAreRead(t *testing.T) {
	withFaces(t, full, plain, extra)
	o, err := emit.ParseOptions("faces=extra+full,messages=pkg.A+pkg.B,utf8=strict,module=example.com/m/,Ma/b.proto=example.com/m/b;c")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Faces) != 2 || o.Faces[0].Name != "full" || !o.Has("extra") || o.Has("plain") {
		t.Errorf("faces %v", o.Faces)
	}
	if len(o.Messages) != 2 || o.Messages[1] != "pkg.B" || !o.Strict || o.Module != "example.com/m" ||
		o.Packages["a/b.proto"] != "example.com/m/b;c" || o.SourceRelative {
		t.Errorf("options %+v", o)
	}
}

func TestDefaultIsEveryFaceThatStandsAlone(t *testing.T) {
	withFaces(t, full, plain, extra)
	o, err := emit.ParseOptions("")
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Faces) != 2 || o.Has("extra") {
		t.Errorf("faces %v", o.Faces)
	}
}

func TestPlanAloneAsksForNoFace(t *testing.T) {
	withFaces(t, full)
	o, err := emit.ParseOptions("emit_plan=plan.json,paths=source_relative")
	if err != nil || len(o.Faces) != 0 {
		t.Errorf("faces %v, error %v", o.Faces, err)
	}
}

func raftPlan(t testing.TB) *plan.Plan {
	t.Helper()
	set, err := os.ReadFile("../../../vectors/plans/raft.fds")
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.FromDescriptorSet(set, []string{"hotpb/raft.proto"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// FCE-8
func TestSelectionHoldsWhatItsMessagesReach(t *testing.T) {
	p := raftPlan(t)
	var all, selected []string
	withFaces(t, emit.Face{Name: "full", Selects: true, Emit: func(f *emit.File) error {
		for _, message := range f.Messages() {
			selected = append(selected, message.Name)
		}
		for _, enum := range f.Enums() {
			selected = append(selected, enum.Name)
		}
		return nil
	}})
	for _, message := range p.Messages {
		all = append(all, message.Name)
	}
	o, err := emit.ParseOptions("messages=hotpb.raft.Snapshot")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := emit.Generate(p, o); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(selected, " ")
	if got != "hotpb.raft.ConfState hotpb.raft.SnapshotMetadata hotpb.raft.Snapshot" {
		t.Errorf("selected %s of %s", got, strings.Join(all, " "))
	}
	o.Messages = []string{"hotpb.nasty.kinds.Maps.ByInt32Entry"}
	if _, err := emit.Generate(planOf(t, "nasty"), o); err == nil || !strings.Contains(err.Error(), "is not a message of the files to generate") {
		t.Errorf("a map entry is selected: error %v", err)
	}
	o.Messages = []string{"raft.Snapshot"}
	if _, err := emit.Generate(p, o); err == nil || !strings.Contains(err.Error(), `"raft.Snapshot" is not a message of the files to generate; full names such as `) {
		t.Errorf("error %v", err)
	}
}

// As with protoc-gen-go: build tools pass one list of M options to all runs.
func TestPackagesOfFilesThatAreNotImportedAreSilent(t *testing.T) {
	p := planText(t, `name: "a.proto" package: "p" options { go_package: "example.com/p" } message_type { name: "M" }`)
	for _, faces := range []string{"codec", "codec,runtime=gogo", "codec,structs=value", "view+edit", "pool", "writer", "codec+pool+view+writer"} {
		result, err := generateOne(t, p, "faces="+faces+",Mgone.proto=example.com/gone,Mgoogle/protobuf/any.proto=github.com/gogo/protobuf/types,Mold.protodevel=example.com/old")
		if err != nil || len(result.Warnings) > 0 {
			t.Errorf("%s: %v, %q", faces, err, result.Warnings)
		}
	}
	for parameter, want := range map[string]string{
		"Messages=p.M":  `option Messages=p.M: there is no file "essages"`,
		"Module=a.b":    `option Module=a.b: there is no file "odule"`,
		"MMaps=sorted":  `option MMaps=sorted: there is no file "Maps"`,
		"Mgone=a.b/c":   `option Mgone=a.b/c: there is no file "gone"`,
		"Mdir/gone=a.b": `option Mdir/gone=a.b: there is no file "dir/gone"`,
	} {
		if _, err := generateOne(t, p, "faces=pool,"+parameter); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", parameter, err, want)
		}
	}
	bare := planText(t, `name: "bare" package: "p" message_type { name: "M" }`)
	if _, err := generateOne(t, bare, "faces=pool,Mbare=example.com/bare"); err != nil {
		t.Error(err)
	}
}

func TestAFileOfManyMessagesIsReportedOnce(t *testing.T) {
	file := func(name string, plain, nested, maps int) string {
		var text strings.Builder
		fmt.Fprintf(&text, `name: %q package: "p%s" options { go_package: "example.com/%[2]s" } message_type { name: "Outer"`, name, strings.TrimSuffix(name, ".proto"))
		for i := range nested {
			fmt.Fprintf(&text, ` nested_type { name: "N%d" }`, i)
		}
		for i := range maps {
			fmt.Fprintf(&text, ` field { name: "m%d" number: %d type: TYPE_MESSAGE label: LABEL_REPEATED type_name: ".p%s.Outer.M%[1]dEntry" }
				nested_type { name: "M%[1]dEntry" options { map_entry: true } field { name: "key" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
				field { name: "value" number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL } }`, i, i+1, strings.TrimSuffix(name, ".proto"))
		}
		text.WriteString(" }")
		for i := 1; i < plain; i++ {
			fmt.Fprintf(&text, ` message_type { name: "M%d" }`, i)
		}
		return text.String()
	}
	p := planText(t, file("large.proto", 150, 51, 3), file("most.proto", 150, 50, 60), file("larger.proto", 1, 300, 0))
	line := func(name string, messages int) string {
		return fmt.Sprintf("%s: %d messages, code for all of them; messages=pkg.A+pkg.B writes only those and the messages that they need (quiet leaves this line out)", name, messages)
	}
	lines := []string{line("large.proto", 201), line("larger.proto", 301)}
	for options, want := range map[string][]string{
		"faces=codec":                       lines,
		"faces=codec+pool":                  lines,
		"faces=codec,filepermessage=true":   lines,
		"faces=codec,structs=value":         lines,
		"faces=codec,quiet":                 nil,
		"quiet,faces=writer":                nil,
		"faces=codec,messages=plarge.Outer": nil,
		"emit_plan=p.json":                  nil,
	} {
		result, err := generateOne(t, p, options)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(result.Warnings, want) {
			t.Errorf("%s: %q, not %q", options, result.Warnings, want)
		}
	}
	for _, file := range p.Files[1:] { // these are imported only
		file.Requested = false
	}
	p.Files = p.Files[:1]
	if result, err := generateOne(t, p, "faces=writer"); err != nil || !slices.Equal(result.Warnings, lines[:1]) {
		t.Errorf("%v, %q", err, result.Warnings)
	}
	// It silences nothing else.
	clash := planText(t, namesOfMethods)
	if result, err := generateOne(t, clash, "faces=codec,compat=csproto,quiet"); err != nil || len(result.Warnings) == 0 {
		t.Errorf("%v, %q", err, result.Warnings)
	}
}
