package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/lock"
)

// retyped is the built-in schema with a column of another type: readers of the old flows would take it for something
// else.
func retyped() string {
	return strings.Replace(string(builtIn), "name: proto, number: 17, type: uint32, from: 4",
		"name: proto, number: 17, type: string, constant: tcp", 1)
}

func added() string {
	return strings.Replace(string(builtIn), "columns:\n", "columns:\n  - {name: more, number: 99, type: uint32}\n", 1)
}

func TestABreakingReloadNeedsConsent(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.yaml"), string(builtIn))
	c := start(t, "--schema="+path)
	before := c.layout()
	write(t, path, retyped())
	c.reload(&c.command.setupOptions)
	if c.layout() != before || c.counters.Reloads.Load() != 0 || c.counters.ReloadFailures.Load() != 0 {
		t.Errorf("the schema is in use: %s", c.log.String())
	}
	for _, want := range []string{"breaks readers of the schema in use", "FlowMessage.proto: retyped: was uint32, is string", "--allow-breaking"} {
		if !strings.Contains(c.log.String(), want) {
			t.Errorf("no %q in the log: %s", want, c.log.String())
		}
	}
	if metrics := get(t, c.page+"/metrics"); !strings.Contains(metrics, "\nflows_reload_refusals_total 1\n") {
		t.Error(metrics)
	}
	c.command.AllowBreaking = true
	c.reload(&c.command.setupOptions)
	if c.layout() == before || c.counters.Reloads.Load() != 1 {
		t.Errorf("the schema is not in use: %s", c.log.String())
	}
}

// Seconds in place of milliseconds are the same bytes in the same topic: its readers would not notice.
func TestAReloadThatChangesTheUnitOfTimesNeedsConsent(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.yaml"), string(builtIn))
	c := start(t, "--schema="+path)
	before := c.layout()
	write(t, path, strings.Replace(string(builtIn), "name: flow_end, number: 7, type: timestamp(millis)", "name: flow_end, number: 7, type: timestamp(seconds)", 1))
	c.reload(&c.command.setupOptions)
	if c.layout() != before || c.counters.Reloads.Load() != 0 || c.counters.ReloadRefusals.Load() != 1 {
		t.Errorf("the schema is in use: %s", c.log.String())
	}
	for _, want := range []string{"breaks readers of the schema in use", "FlowMessage.flow_end: logical type: was timestamp millis, is timestamp seconds", "--allow-breaking"} {
		if !strings.Contains(c.log.String(), want) {
			t.Errorf("no %q in the log: %s", want, c.log.String())
		}
	}
	c.command.AllowBreaking = true
	c.reload(&c.command.setupOptions)
	if c.layout().Hash != before.Hash || c.counters.Reloads.Load() != 1 {
		t.Errorf("the schema is not in use, or has another topic: %s", c.log.String())
	}
}

// With a lock, a breaking change is allowed once: by recording it there.
func TestTheLockDecidesAboutReloads(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.yaml"), string(builtIn))
	if code, _, problems := flows(t, "schema", "--schema="+path, "--write-lock"); code != fine {
		t.Fatal(problems)
	}
	c := start(t, "--schema="+path)
	before := c.layout()
	write(t, path, retyped())
	c.reload(&c.command.setupOptions)
	if c.layout() != before || !strings.Contains(c.log.String(), "breaks readers of "+strings.TrimSuffix(path, "yaml")+"lock") {
		t.Fatalf("the schema is in use: %s", c.log.String())
	}
	if code, out, problems := flows(t, "schema", "--schema="+path, "--write-lock"); code != wrong ||
		!strings.Contains(problems, "breaks readers") || !strings.Contains(out, "was uint32, is string") {
		t.Fatalf("recorded without consent: %d %s %s", code, out, problems)
	}
	if code, _, problems := flows(t, "schema", "--schema="+path, "--write-lock", "--allow-breaking"); code != fine {
		t.Fatal(problems)
	}
	c.reload(&c.command.setupOptions)
	if c.layout() == before || c.counters.Reloads.Load() != 1 || c.counters.ReloadRefusals.Load() != 1 {
		t.Errorf("the schema is not in use: %s", c.log.String())
	}
}

// A lock that appears later cannot allow what the flows so far contradict: nobody has compared it with them.
func TestAFirstLockAllowsNothing(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.yaml"), string(builtIn))
	c := start(t, "--schema="+path)
	before := c.layout()
	write(t, path, retyped())
	if code, _, problems := flows(t, "schema", "--schema="+path, "--write-lock"); code != fine {
		t.Fatal(problems)
	}
	c.reload(&c.command.setupOptions)
	if c.layout() != before || c.counters.ReloadRefusals.Load() != 1 {
		t.Errorf("the schema is in use: %s", c.log.String())
	}
}

func TestASchemaThatBreaksItsLockDoesNotStart(t *testing.T) {
	folder := t.TempDir()
	path := write(t, filepath.Join(folder, "s.yaml"), string(builtIn))
	replay := func(more ...string) (code int, problems string) {
		arguments := append([]string{"replay", "testdata/softflowd_netflow5.dgrams", "--output=file", "--file-folder=" + t.TempDir(),
			"--schema=" + path, "--no-progress", "--log-level=error"}, more...)
		code, _, problems = flows(t, arguments...)
		return code, problems
	}
	if code, problems := replay("--schema-lock=" + filepath.Join(folder, "none.lock")); code != wrong || !strings.Contains(problems, "none.lock") {
		t.Errorf("a lock that is named must exist: %d %s", code, problems)
	}
	if code, _, problems := flows(t, "schema", "--schema="+path, "--write-lock"); code != fine {
		t.Fatal(problems)
	}
	write(t, path, added())
	if code, problems := replay(); code != fine {
		t.Errorf("one more column: %d %s", code, problems)
	}
	if code, out, _ := flows(t, "schema", "--schema="+path, "--check"); code != fine || out != "compatible: flows.FlowMessage.more: added: 99 uint32\n" {
		t.Errorf("%d %s", code, out)
	}
	write(t, path, retyped())
	if code, problems := replay(); code != wrong || !strings.Contains(problems, "FlowMessage.proto: retyped") {
		t.Errorf("%d %s", code, problems)
	}
	if code, _, problems := flows(t, "schema", "--schema="+path, "--check"); code != wrong || !strings.Contains(problems, "s.lock") {
		t.Errorf("%d %s", code, problems)
	}
	if code, problems := replay("--allow-breaking"); code != fine {
		t.Errorf("with consent: %d %s", code, problems)
	}
	write(t, filepath.Join(folder, "s.lock"), "hotpb lock 1\nroot x y\n")
	if code, problems := replay(); code != wrong || !strings.Contains(problems, "s.lock: hotpb: InvalidSchema: line 2") {
		t.Errorf("a lock with a fault: %d %s", code, problems)
	}
}

func TestTheBuiltInSchemaHasNoLock(t *testing.T) {
	if code, _, problems := flows(t, "schema", "--write-lock"); code != wrong || !strings.Contains(problems, "--schema-lock") {
		t.Errorf("%d %s", code, problems)
	}
	if code, _, problems := flows(t, "schema", "--check"); code != wrong || !strings.Contains(problems, "--write-lock") {
		t.Errorf("%d %s", code, problems)
	}
	path := filepath.Join(t.TempDir(), "mine.lock")
	for range 2 {
		if code, out, problems := flows(t, "schema", "--write-lock", "--schema-lock="+path); code != fine || out != "" {
			t.Errorf("%d %s %s", code, out, problems)
		}
	}
	if code, out, problems := flows(t, "schema", "--check", "--schema-lock="+path); code != fine || out != "" {
		t.Errorf("%d %s %s", code, out, problems)
	}
}

// The schema of the repository does not break readers of what is deployed.
func TestTheSchemaKeepsItsLock(t *testing.T) {
	promised, err := lock.Read("flows.lock")
	if err != nil {
		t.Fatal(err)
	}
	l, err := layout.Parse("flows.yaml", builtIn)
	if err != nil {
		t.Fatal(err)
	}
	if v := promised.Check(l.Plan); v.Level() > lock.Compatible {
		t.Errorf("%v\nif readers are to bear that, record it: flows schema --schema=flows.yaml --write-lock --allow-breaking", v)
	}
}
