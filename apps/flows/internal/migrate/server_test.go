package migrate

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestTheServerGetsWhoAsksAndWhat(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		statement, _ := io.ReadAll(r.Body)
		q := r.URL.Query()
		if string(statement) != "SELECT 1" || q.Get("database") != "d" || q.Get("default_format") != "JSONEachRow" || q.Get("wait_end_of_query") != "1" ||
			r.Header.Get("X-ClickHouse-User") != "u" || r.Header.Get("X-ClickHouse-Key") != "p" {
			t.Errorf("%s %s %v", statement, r.URL, r.Header)
		}
		_, _ = io.WriteString(w, "{\"A\":1}\n{\"A\":2}\n")
	}))
	defer server.Close()
	rows, err := Query[struct{ A int }](context.Background(), &Server{URL: server.URL, User: "u", Password: "p", Database: "d"}, "SELECT 1")
	if err != nil || len(rows) != 2 || rows[1].A != 2 {
		t.Error(rows, err)
	}
}

func TestAServerThatIsNotAsItShouldBe(t *testing.T) {
	for want, answer := range map[string]http.HandlerFunc{
		"Code: 60. DB::Exception\nThe statement was: SELECT 1": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Code: 60. DB::Exception", http.StatusNotFound)
		},
		"ClickHouse: late": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-ClickHouse-Exception-Code", "1")
			_, _ = io.WriteString(w, "late")
		},
		"401 Unauthorized": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"not ClickHouse's": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
	} {
		server := httptest.NewServer(answer)
		_, err := Query[struct{ A int }](context.Background(), &Server{URL: server.URL}, "SELECT 1")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, without %q", err, want)
		}
		server.Close()
	}
	for url, want := range map[string]string{"localhost:8123": "no URL", "http://127.0.0.1:1": "does not answer", "": "no URL"} {
		if err := (&Server{URL: url}).Exec(context.Background(), "SELECT 1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, without %q", url, err, want)
		}
	}
}

func TestPartitionsThatDifferAreCopied(t *testing.T) {
	from, to := map[string]uint64{"a": 1, "b": 2, "d": 4}, map[string]uint64{"a": 1, "b": 3, "c": 1}
	if got := difference(from, to); !slices.Equal(got, []string{"b", "c", "d"}) {
		t.Error(got)
	}
}

func TestNamesAndTextsAreQuoted(t *testing.T) {
	if got := (Ref{"a`b", `c\d`}).String(); got != "`a\\`b`.`c\\\\d`" {
		t.Error(got)
	}
	if got := (Ref{"it's", "t"}).in("name"); got != `database = 'it\'s' AND name = 't'` {
		t.Error(got)
	}
}
