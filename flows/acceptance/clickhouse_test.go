//go:build acceptance && linux

package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/flows/internal/truth"
)

// readBy is a topic, and the schema file that ClickHouse reads it by.
type readBy struct {
	schema string
	topic  *held
}

var (
	comments = regexp.MustCompile(`(?m)^--.*\n`)
	protoOf  = regexp.MustCompile(`(?m)^--\| ?(.*)$`)
	// queue finds the table that reads from Kafka: its name, its columns, its schema. Embedded, ClickHouse has no
	// threads for it, so a table that keeps nothing takes its place, and gets the messages by the same format with the
	// same columns.
	queue = regexp.MustCompile(`(?s)^CREATE TABLE IF NOT EXISTS (\S+) \(\n(.*)\n\)\nENGINE = Kafka\n` +
		`SETTINGS\n.*kafka_format = 'Protobuf',.*kafka_schema = '(([^']+):[^']+)',`)
)

// statements are what `flows schema --clickhouse` says is to be applied, and those that have the topic read.
func (r readBy) statements(t *testing.T, folder string) (all []string) {
	t.Helper()
	text, err := exec.Command(program, "schema", "--schema="+r.schema, "--clickhouse").Output()
	must(t, err)
	var proto strings.Builder
	for _, line := range protoOf.FindAllStringSubmatch(string(text), -1) {
		fmt.Fprintln(&proto, line[1])
	}
	fill := ""
	script := strings.TrimSpace(comments.ReplaceAllString(string(text), ""))
	for _, s := range strings.Split(strings.TrimSuffix(script, ";"), ";\n\n") {
		if q := queue.FindStringSubmatch(s); q != nil {
			name, columns, message, file := q[1], q[2], q[3], q[4]
			must(t, os.WriteFile(filepath.Join(folder, file), []byte(proto.String()), 0o644))
			must(t, os.WriteFile(filepath.Join(folder, file+".messages"), r.topic.bytes, 0o644))
			s = fmt.Sprintf("CREATE TABLE %s (%s, _topic String, _partition UInt64, _offset UInt64, "+
				"_raw_message String, _error String) ENGINE = Null",
				name, columns)
			fill = fmt.Sprintf("INSERT INTO %s SELECT *, 'flows', 0, 0, '', '' FROM file('%s.messages', 'Protobuf', '%s') "+
				"SETTINGS format_schema = '%s'",
				name, file, strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(columns), message)
		}
		all = append(all, s)
	}
	if fill == "" {
		t.Fatalf("no table that reads from Kafka in\n%s", text)
	}
	return append(all, fill)
}

// query has ClickHouse read topics into the table of the export, and asks; the answers are JSON, a row a line.
func query(t *testing.T, topics []readBy, questions ...string) (answers []string) {
	t.Helper()
	folder := t.TempDir()
	statements := []string{"CREATE DATABASE d", "USE d"}
	for _, r := range topics {
		statements = append(statements, r.statements(t, folder)...)
	}
	statements = append(statements, questions...)
	input, err := json.Marshal(statements)
	must(t, err)
	var paths [3]string
	for i, path := range []string{"build/tools/venv/bin/python", "tools/clickhouse.py", "build/tools/chdb"} {
		paths[i], err = filepath.Abs("../../" + path)
		must(t, err)
	}
	command := exec.Command(paths[0], paths[1], folder)
	command.Env = append(os.Environ(), "PYTHONPATH="+paths[2], "TMPDIR="+folder)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	must(t, err)
	var results [][2]string
	must(t, json.Unmarshal(output, &results))
	for i, r := range results {
		if r[1] != "" {
			t.Fatalf("%s\n%s", statements[i], r[1])
		}
		answers = append(answers, r[0])
	}
	return answers[len(answers)-len(questions):]
}

const (
	asNumbers = " SETTINGS output_format_json_quote_64bit_integers = 0"
	sumOfAll  = "SELECT count() AS Flows, sum(if(frame_bytes > 0, frame_bytes, bytes)) AS Bytes, sum(packets) AS Packets FROM flows"
	sumsOf    = "SELECT exporter_address AS Exporter, count() AS Flows, sum(if(frame_bytes > 0, frame_bytes, bytes)) AS Bytes, sum(packets) AS Packets " +
		"FROM flows GROUP BY Exporter" + asNumbers
)

// oneSum reads an answer of one row with a sum.
func oneSum(t *testing.T, answer string) (sum truth.Sum) {
	t.Helper()
	must(t, json.Unmarshal([]byte(answer), &sum))
	return sum
}

// sums reads an answer of one row for each exporter.
func sums(t *testing.T, answer string) map[netip.Addr]truth.Sum {
	t.Helper()
	all := map[netip.Addr]truth.Sum{}
	for rows := json.NewDecoder(strings.NewReader(answer)); rows.More(); {
		var row struct {
			Exporter netip.Addr
			truth.Sum
		}
		must(t, rows.Decode(&row))
		all[row.Exporter.Unmap()] = row.Sum
	}
	return all
}
