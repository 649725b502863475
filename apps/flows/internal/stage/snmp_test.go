package stage

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/snmp"
	"github.com/hotpb/hotpb/apps/flows/internal/snmp/agent"
	"github.com/hotpb/hotpb/go/schema"
)

// What SNMP finds out fills columns and is seen by rules, and a change of it is followed; tables take precedence.
func TestNamesFromSNMP(t *testing.T) {
	a, err := agent.New(agent.Router())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	l := schemaOf(t, "{name: way_in, number: 1, type: uint32, from: 10, deferred: true}", "{name: way_out, number: 2, type: uint32, from: 14, deferred: true}",
		"{name: exporter_name, number: 3, type: string}", "{name: exporter_location, number: 4, type: string, utf8: true}", "{name: in_if_name, number: 5, type: string}",
		"{name: in_if_description, number: 6, type: string}", "{name: out_if_speed, number: 7, type: uint64}", "{name: in_if_provider, number: 8, type: string}",
		"{name: exporter_role, number: 9, type: string}", "{name: out_if_name, number: 10, type: string}")
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "community"), agent.Community+"\n")
	config := fmt.Sprintf("snmp:\n  every: 1s\n  timeout: 300ms\n  access:\n    - exporters: [127.0.0.0/8]\n      port: %d\n      community-file: community\n", a.Port()) +
		"exporters:\n  - compute: {role: 'capture(name, \"[a-z]+\")'}\ninterfaces:\n  - compute: {provider: 'capture(description, \"^Transit: (.*)\")'}\n"
	stats := &Stats{}
	tables := must(Load(Files{
		Interfaces: file(t, "exporter,ifindex,name\n127.0.0.1,1,from the table\n"), Enrichment: writeFile(t, filepath.Join(folder, "e.yaml"), config),
	}, stats))
	p := snmp.New(slog.New(slog.DiscardHandler))
	tables.Poll(p)
	tables.Configure(p)
	e := must(tables.Bind(l))
	s := l.File.Schema
	seen := func() string {
		r := l.Plan.NewRecord()
		r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "way_in")), 1)
		r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "way_out")), 70000)
		e.Enrich(r, theLoopback)
		row := l.Plan.NewRow()
		if err := row.Unmarshal(r.Encoded()); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, c := range []string{"exporter_name", "exporter_role", "exporter_location", "in_if_name", "in_if_description", "in_if_provider", "out_if_name"} {
			all = append(all, row.String(must(schema.Lookup[schema.StringColumn](s.Message, c))))
		}
		return strings.Join(all, ", ") + fmt.Sprint(", ", row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "out_if_speed"))))
	}
	wait := func(want string) {
		t.Helper()
		got := ""
		for end := time.Now().Add(20 * time.Second); got != want; time.Sleep(5 * time.Millisecond) {
			if got = seen(); time.Now().After(end) {
				t.Fatalf("%q, want %q", got, want)
			}
		}
	}
	if got := seen(); got != ", , , from the table, , , , 0" {
		t.Errorf("before an answer: %q", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	wait("edge1.example.com, edge, Z\uFFFDrich, from the table, Transit: Example, Example, Ethernet2, 10000000")
	changed := agent.Router()
	changed[agent.IfAlias+".1"], changed[agent.SysName] = "Transit: Other", "core1"
	a.Set(changed)
	wait("core1, core, Z\uFFFDrich, from the table, Transit: Other, Other, Ethernet2, 10000000")
	before := stats.exporterMisses.Load()
	for range 100 {
		seen()
	}
	if n := stats.exporterMisses.Load(); n != before {
		t.Errorf("%d flows looked up the exporter again", n-before)
	}
}

func TestWhatIsWrongWithSNMPIsReportedWithItsLine(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "good"), "secretsecret\n")
	writeFile(t, filepath.Join(folder, "short"), "abc\n")
	writeFile(t, filepath.Join(folder, "empty"), "\n")
	for _, c := range []struct{ access, want string }{
		{"{exporters: [192.0.2.0/24]}", "e.yaml:3: the access has no community-file: name a file that has the secret"},
		{"{exporters: [192.0.2.0/24], community-file: none}", "e.yaml:3: open "},
		{"{exporters: [192.0.2.0/24], community-file: empty}", "empty must have one line of 1 to 255 bytes"},
		{"{community-file: good}", "e.yaml: snmp: an access has no exporters"},
		{"{exporters: [192.0.2.1/24], community-file: good}", "e.yaml:3: 192.0.2.1/24 has bits set after its length; use 192.0.2.0/24"},
		{"{exporters: [192.0.2.0/24, 192.0.2.0/24], community-file: good}", "e.yaml:3: 192.0.2.0/24 has another access already"},
		{"{exporters: [192.0.2.0/24], user: x, community-file: good}", "e.yaml:3: an access has either a community"},
		{"{exporters: [192.0.2.0/24], user: x, auth: sha1, auth-file: good}", `e.yaml:3: auth: "sha1" is not one of md5, sha,`},
		{"{exporters: [192.0.2.0/24], user: x, auth: sha}", "e.yaml:3: the access has no auth-file"},
		{"{exporters: [192.0.2.0/24], user: x, auth: sha, auth-file: short}", "short must have 8 characters or more (RFC 3414)"},
		{"{exporters: [192.0.2.0/24], user: x, privacy: aes, privacy-file: good}", "e.yaml:3: privacy needs auth"},
		{"{exporters: [192.0.2.0/24], auth: sha, auth-file: good}", "e.yaml:3: the access has no user"},
		{"{exporters: [192.0.2.0/24], community: good}", `e.yaml:3: there is no key "community" here`},
	} {
		path := writeFile(t, filepath.Join(folder, "e.yaml"), "snmp:\n  access:\n    - "+c.access+"\n")
		if _, err := Load(Files{Enrichment: path}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.access, err, c.want)
		}
	}
	for options, want := range map[string]string{
		"every: 1ms": "every is 1ms; it must be 1s or more", "retries: 11": "retries must be from 0 to 10", "parallel: -1": "parallel from 1 to 1000", "timeout: soon": "e.yaml:1: ",
	} {
		path := writeFile(t, filepath.Join(folder, "e.yaml"), "snmp: {"+options+"}\n")
		if _, err := Load(Files{Enrichment: path}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", options, err, want)
		}
	}
	path := writeFile(t, filepath.Join(folder, "e.yaml"), "snmp:\n  retries: 0\n  access:\n    - {exporters: [192.0.2.0/24, '2001:db8::1'], user: x, auth: sha256, auth-file: good, privacy: aes, privacy-file: good}\n")
	tables, err := Load(Files{Enrichment: path}, nil)
	if err != nil || tables.asking.Retries != 0 || tables.asking.Access.Size() != 2 || len(tables.Files()) != 2 {
		t.Errorf("%v, %+v", err, tables)
	}
}
