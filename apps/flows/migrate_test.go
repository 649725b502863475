package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

func TestMigrateSaysWhatIsMissing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if statement, _ := io.ReadAll(r.Body); strings.Contains(string(statement), "currentDatabase") {
			_, _ = io.WriteString(w, `{"Name":"net"}`)
		}
	}))
	defer server.Close()
	folder := t.TempDir()
	path := write(t, filepath.Join(folder, "s.yaml"), string(builtIn))
	if code, _, problems := flows(t, "schema", "--schema="+path, "--write-lock"); code != fine {
		t.Fatal(problems)
	}
	write(t, path, retyped())
	url := "--clickhouse-url=" + server.URL
	for _, c := range []struct {
		want      string
		arguments []string
	}{
		{"ClickHouse does not answer", []string{"plan", "--clickhouse-url=http://127.0.0.1:1"}},
		{"is no URL", []string{"apply", "--yes", "--clickhouse-url=localhost"}},
		{"s.lock", []string{"apply", "--yes", url, "--schema=" + path}},
		{"there is no migration of `net`.`flows`", []string{"rollback", url}},
		{"has no certificates", []string{"rollback", url, "--clickhouse-ca=" + path}},
		{"ClickHouse reads 0 columns", []string{"plan", url}},
	} {
		code, _, problems := flows(t, append([]string{"clickhouse", "migrate"}, c.arguments...)...)
		if code != wrong || !strings.Contains(problems, c.want) {
			t.Errorf("%v: %d %s", c.arguments, code, problems)
		}
	}
}
