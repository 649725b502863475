package main

import (
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionNamesCommitAndSchema(t *testing.T) {
	code, out, problems := flows(t, "version")
	if want := regexp.MustCompile(`^flows \S.*\n(commit .*\n)?go\S+ \w+/\w+\nschema flows.FlowMessage, wire hash [0-9a-f]{16}\n$`); code != fine || !want.MatchString(out) {
		t.Errorf("%d %q %s", code, out, problems)
	}
	released := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}
	built := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.modified", Value: "true"}}}
	for _, c := range []struct {
		info            *debug.BuildInfo
		linked          string
		version, commit string
	}{
		{nil, "", "development version", ""},
		{released, "", "v1.2.3", ""},
		{released, "fedcba", "v1.2.3", "commit fedcba\n"},
		{built, "", "development version", "commit abc123, with changes\n"},
	} {
		commit = c.linked
		if v, line := versionOf(c.info), commitLine(c.info); v != c.version || line != c.commit {
			t.Errorf("%+v: %q, %q", c, v, line)
		}
	}
	commit = ""
}

// Rivals, simulated brokers and test helpers are for tests; the program has none of them.
func TestTheProgramLinksWhatItNeeds(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	packages := strings.Fields(string(list))
	if len(packages) < 200 {
		t.Fatalf("only %d packages", len(packages))
	}
	for _, p := range packages {
		for _, module := range []string{"github.com/netsampler/", "github.com/twmb/franz-go/pkg/kfake", "testing", "github.com/hotpb/hotpb/apps/flows/internal/truth", "github.com/hotpb/hotpb/apps/flows/internal/load"} {
			if p == strings.TrimSuffix(module, "/") || strings.HasPrefix(p, strings.TrimSuffix(module, "/")+"/") {
				t.Errorf("the program links %s", p)
			}
		}
	}
}
