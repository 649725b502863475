package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/generate"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/output"
	"github.com/hotpb/hotpb/go/schema/lock"
)

var columnsOfDocs = regexp.MustCompile("(?s)<!-- flows test columns -->\n```yaml\n(.*?)```")

// What docs/guide.md says of columns that are added: the lines that it shows, and nothing else, are added to the file.
func TestAColumnIsOneEdit(t *testing.T) {
	docs, err := os.ReadFile("docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	before, err := layout.Load("flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, block := range columnsOfDocs.FindAllSubmatch(docs, -1) {
		lines.Write(block[1])
	}
	after, err := layout.Parse("my.yaml", bytes.Replace(text, []byte("columns:\n"), []byte("columns:\n"+lines.String()), 1))
	if err != nil {
		t.Fatal(err)
	}
	if before.Topic("flows") == after.Topic("flows") {
		t.Error("the topic is the same")
	}
	if v := lock.Compare(before.Plan, after.Plan); v.Level() > lock.Compatible {
		t.Errorf("readers of old topics are broken: %v", v)
	}

	x, err := clickhouse.New(after, clickhouse.Options{Table: "flows", Topic: "flows"})
	if err != nil {
		t.Fatal(err)
	}
	statements := strings.Join(x.Statements(), "\n")
	for _, want := range []string{"uint32 tenant = 50;", "string application = 51;", "uint32 collector = 52;", "repeated uint32 out_labels = 56;", "reserved 4, 35 to 36, 38 to 39, 53, 60 to 67, 70 to 75;"} {
		if !strings.Contains(x.Proto, want) {
			t.Errorf("no %q in the .proto file", want)
		}
	}
	for _, want := range []string{"ADD COLUMN IF NOT EXISTS `tenant` UInt32", "`application` LowCardinality(String)", "`collector` UInt32"} {
		if !strings.Contains(statements, want) {
			t.Errorf("no %q in the statements", want)
		}
	}

	var counts count.Counters
	limits := session.DefaultLimits()
	limits.ClockSkew = 0 // the generator has a time of its own
	d, err := decode.New(session.NewStore(limits, &counts), after, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := generate.New(generate.Options{Seed: 1, Exporters: 1, Protocols: []flow.Protocol{flow.IPFIX}})
	var encoded []byte
	flows := 0
	for range 20 {
		datagram := g.Next()
		var n int
		encoded, n = d.Append(encoded, &datagram)
		flows += n
	}
	var shown bytes.Buffer
	if _, err := output.Cat(after, bytes.NewReader(encoded), &shown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tenant":`, `"application":"`, `"collector":7`} {
		if n := strings.Count(shown.String(), want); n == 0 || want == `"collector":7` && n != flows {
			t.Errorf("%d of %d flows have %s", n, flows, want)
		}
	}
}

// The functions and packages that README.md names on a datagram's way are those of this app and of the schema face.
func TestTheWayOfADatagram(t *testing.T) {
	readme, _ := os.ReadFile("README.md")
	_, section, _ := strings.Cut(string(readme), "\n## A datagram's way\n")
	var sources []byte
	for _, folder := range []string{"internal/*/", "internal/*/*/", "../../go/schema/", "../../go/schema/*/"} {
		paths, _ := filepath.Glob(folder + "*.go")
		for _, path := range paths {
			text, _ := os.ReadFile(path)
			sources = append(append(sources, '\n'), text...)
		}
	}
	names := regexp.MustCompile("`([a-z]\\w+|[A-Z]\\w+[a-z])`").FindAllStringSubmatch(section, -1)
	for _, name := range append(names, names[39]) { // there are 40 at least
		if !regexp.MustCompile(`(?m)^(package |func (\([^)]*\) )?)`+name[1]+`\b`).Match(sources) && name[1] != t.Name() {
			t.Errorf("%s is not declared", name[1])
		}
	}
}
