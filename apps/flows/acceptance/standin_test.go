//go:build acceptance && linux

package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/migrate"
)

// standIn is ClickHouse's HTTP interface in front of the embedded ClickHouse: no registry has a server of this decade.
// ClickHouse's own Kafka engine reads the topics, but the embedded one reads in the background for a moment only, after
// a queue was created or attached. Then pump has it read.
type standIn struct {
	migrate.Server
	folder string // format_schema_path
}

func startClickHouse(t *testing.T) *standIn {
	t.Helper()
	var paths [3]string
	for i, path := range []string{"build/tools/venv/bin/python", "apps/flows/acceptance/clickhouse-server.py", "build/tools/chdb"} {
		var err error
		paths[i], err = filepath.Abs("../../../" + path)
		must(t, err)
	}
	s := &standIn{folder: t.TempDir()}
	command := exec.Command(paths[0], paths[1], s.folder)
	command.Env = append(os.Environ(), "PYTHONPATH="+paths[2], "TMPDIR="+s.folder)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	s.URL = strings.TrimSpace(line)
	return s
}

func (s *standIn) exec(t *testing.T, statement string) {
	t.Helper()
	must(t, s.Exec(context.Background(), statement))
}

func rowsOf[Row any](t *testing.T, s *standIn, statement string) []Row {
	t.Helper()
	rows, err := migrate.Query[Row](context.Background(), &s.Server, statement)
	must(t, err)
	return rows
}

// text is an answer of one column and one row.
func (s *standIn) text(t *testing.T, statement string) string {
	t.Helper()
	rows := rowsOf[struct{ X any }](t, s, "SELECT toString(("+statement+")) AS X")
	if len(rows) != 1 {
		t.Fatalf("%d rows: %s", len(rows), statement)
	}
	return fmt.Sprint(rows[0].X)
}

// putSchema writes the .proto file of a schema file where the server looks for it.
func (s *standIn) putSchema(t *testing.T, file string) {
	t.Helper()
	l := repositoryLayout(t, file)
	text, err := l.Plan.Proto()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(s.folder, l.Topic("flows")+".proto"), []byte(text), 0o644))
}

// migrate runs `flows clickhouse migrate`.
func (s *standIn) migrate(url, database string, arguments ...string) (string, error) {
	command := exec.Command(program, append([]string{"clickhouse", "migrate"}, arguments...)...)
	command.Env = append(os.Environ(), "FLOWS_CLICKHOUSE_URL="+url, "FLOWS_CLICKHOUSE_DATABASE="+database)
	out, err := command.CombinedOutput()
	return string(out), err
}

func (s *standIn) mustMigrate(t *testing.T, database string, arguments ...string) string {
	t.Helper()
	out, err := s.migrate(s.URL, database, arguments...)
	if err != nil {
		t.Fatalf("%v: %v\n%s", arguments, err, out)
	}
	return out
}

// pump does what the background thread of a queue would do: it has the engine read the topic, and passes the rows through
// the view's expressions to the target, until the target has so many. A queue with views accepts no SELECT, so a second
// table with the queue's statement, and in its consumer group, reads for it. It stays until unpump.
func (s *standIn) pump(t *testing.T, database, hash string, want uint64) {
	t.Helper()
	queue, view := "flows_"+hash+"_queue", "flows_"+hash+"_view"
	definition := func(column, table string) string {
		return "SELECT " + column + " AS Q FROM system.tables WHERE database = '" + database + "' AND name = '" + table + "'"
	}
	create := rowsOf[struct{ Q string }](t, s, definition("create_table_query", queue))
	selects := rowsOf[struct{ Q string }](t, s, definition("as_select", view))
	if len(create) != 1 || len(selects) != 1 || !strings.Contains(create[0].Q, "ENGINE = Kafka") {
		t.Fatalf("nothing reads the topic of %s: queue %v, view %v", hash, create, selects)
	}
	columns := rowsOf[struct{ Q string }](t, s, "SELECT name AS Q FROM system.columns WHERE database = '"+database+"' AND table = '"+view+"' ORDER BY position")
	var names []string
	for _, c := range columns {
		names = append(names, "`"+c.Q+"`")
	}
	s.exec(t, "CREATE DATABASE IF NOT EXISTS pump")
	s.exec(t, strings.Replace(create[0].Q, "CREATE TABLE "+database+"."+queue, "CREATE TABLE IF NOT EXISTS pump."+queue, 1))
	fill := "INSERT INTO " + database + ".flows (" + strings.Join(names, ", ") + ") " +
		strings.Replace(selects[0].Q, "FROM "+database+"."+queue, "FROM pump."+queue, 1) +
		" SETTINGS stream_like_engine_allow_direct_select = 1"
	count := "SELECT count() FROM " + database + ".flows"
	for end := time.Now().Add(time.Minute); s.text(t, count) != fmt.Sprint(want); s.exec(t, fill) {
		if time.Now().After(end) {
			t.Fatalf("the target has %s rows, not %d", s.text(t, count), want)
		}
	}
}

// unpump ends the consumer of a queue, as detaching and dropping the queue do. The next one has the place in the topic
// from the group only.
func (s *standIn) unpump(t *testing.T, hash string) {
	t.Helper()
	s.exec(t, "DROP TABLE pump.flows_"+hash+"_queue SYNC")
}

// trouble is a proxy before the server that loses one request that changes something, or its answer.
type trouble struct {
	*httptest.Server
	mu     sync.Mutex
	count  int  // of requests that change something
	fail   int  // the number of the request that fails; 0 for none
	answer bool // the server executes it, and only the answer is lost
}

func (s *standIn) trouble(t *testing.T) *trouble {
	p := &trouble{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		statement, _ := io.ReadAll(r.Body)
		changes := !bytes.HasPrefix(statement, []byte("SELECT")) && !bytes.HasPrefix(statement, []byte("DESCRIBE"))
		if changes {
			p.count++
		}
		failing := changes && p.count == p.fail
		if failing && !p.answer {
			http.Error(w, "the request is lost", http.StatusBadGateway)
			return
		}
		answer, err := http.Post(s.URL+"/?"+r.URL.RawQuery, "", bytes.NewReader(statement))
		if err != nil || failing {
			http.Error(w, "the answer is lost", http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	}))
	t.Cleanup(p.Close)
	return p
}

// begin counts from here.
func (p *trouble) begin(fail int, answer bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count, p.fail, p.answer = 0, fail, answer
}

func (p *trouble) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}
