//go:build unix

package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/maxmind/mmdbwriter/mmdbtype"
)

func country(code string) mmdbtype.Map {
	return mmdbtype.Map{"country": mmdbtype.Map{"iso_code": mmdbtype.String(code)}}
}

// A database that changes is read again: with --watch by itself. A damaged one is reported, and the old one is used.
func TestADatabaseIsReadAgainWhenItChanges(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	database := filepath.Join(folder, "c.mmdb")
	databaseOf(t, database, country("CH"))
	enrichment := write(t, filepath.Join(folder, "e.yaml"), "mmdb:\n  - file: c.mmdb\n    columns: {country: country.iso_code}\n")
	p := startProcess(t, "--output=file", "--file-folder="+out, "--enrichment="+enrichment, "--watch=50ms", "--http=127.0.0.1:0")
	page := regexp.MustCompile(`page=(\S+)/`).FindStringSubmatch(p.log.String())
	if page == nil {
		t.Fatal(p.log.String())
	}
	decoded, sent := regexp.MustCompile(`\nflows_decoded_total{protocol="netflow5"} (\d+)`), 0
	send := func() {
		t.Helper()
		p.send(t)
		sent += 200
		until(t, "the flows are decoded", func() bool {
			m := decoded.FindStringSubmatch(get(t, page[1]+"/metrics"))
			n, _ := strconv.Atoi(m[1])
			return n >= sent
		})
	}
	send()
	databaseOf(t, database, country("SE"))
	until(t, "the database is read again", func() bool { return strings.Contains(p.log.String(), "msg=reloaded") })
	send()
	write(t, database, "no database")
	until(t, "the fault is reported", func() bool {
		return strings.Contains(p.log.String(), "e.yaml:2: "+database+": is not a MaxMind database")
	})
	send()
	metrics := get(t, page[1]+"/metrics")
	for _, want := range []string{
		`flows_enrichment_errors_total{source="` + database + `"} 0`, `flows_enrichment_data_age_seconds{source="` + database + `"} `,
		`flows_enrichment_misses_total{cache="addresses"} `, "flows_reload_failures_total 1",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
	p.signal(t, syscall.SIGTERM)
	p.exitCode(t, fine)
	files, _ := filepath.Glob(filepath.Join(out, "*.pb"))
	_, shown, problems := flows(t, append([]string{"cat"}, files...)...)
	old, new := strings.Count(shown, `"src_country":"CH"`), strings.Count(shown, `"src_country":"SE"`)
	if old == 0 || new < old+old/2 || problems != "" {
		t.Errorf("%d flows of the old database, %d of the new one; %s", old, new, problems)
	}
}
