//go:build linux

package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// ClickHouse is one that runs embedded in Python (tools/setup venv, tools/setup chdb), in a folder of its own.
type ClickHouse struct {
	Repository string // its root
	Folder     string
}

// Execute executes statements one after the other. The answers are JSON, a row a line. It stops at no error, and reports the first.
func (c ClickHouse) Execute(statements []string) (answers []string, err error) {
	input, err := json.Marshal(statements)
	if err != nil {
		return nil, err
	}
	var paths [3]string
	for i, path := range []string{"build/tools/venv/bin/python", "tools/clickhouse.py", "build/tools/chdb"} {
		if paths[i], err = filepath.Abs(filepath.Join(c.Repository, path)); err != nil {
			return nil, err
		}
	}
	command := exec.Command(paths[0], paths[1], c.Folder)
	command.Env = append(os.Environ(), "PYTHONPATH="+paths[2], "TMPDIR="+c.Folder)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", paths[1], err)
	}
	var results [][2]string
	if err := json.Unmarshal(output, &results); err != nil {
		return nil, fmt.Errorf("%s: %w", paths[1], err)
	}
	for i, r := range results {
		if r[1] != "" && err == nil {
			err = fmt.Errorf("%s\n%s", statements[i], r[1])
		}
		answers = append(answers, r[0])
	}
	return answers, err
}

var (
	comments = regexp.MustCompile(`(?m)^--.*\n`)
	protoOf  = regexp.MustCompile(`(?m)^--\| ?(.*)$`)
	// queueOf finds the table that reads from Kafka: its name, its columns, its schema.
	queueOf = regexp.MustCompile(`(?s)^CREATE TABLE IF NOT EXISTS (\S+) \(\n(.*)\n\)\nENGINE = Kafka\n` +
		`SETTINGS\n.*kafka_format = 'Protobuf',.*kafka_schema = '(([^']+):[^']+)',`)
)

// Export is what `flows schema --clickhouse` says is to be applied, for an embedded ClickHouse.
type Export struct {
	Create  []string // statements
	Queue   string   // the table that stands for the one that reads from Kafka
	Columns string   // of the queue, as ClickHouse defines columns
	Format  string   // FORMAT_SCHEMA of the messages
}

// NewExport reads the script that `flows schema --clickhouse` wrote, and puts the schema's .proto file into the folder.
//
// An embedded ClickHouse has no threads for a queue that reads from Kafka. A table that keeps nothing takes its place: it gets the
// messages by the same format with the same columns, and the views on it do their work.
func (c ClickHouse) NewExport(script []byte) (*Export, error) {
	var proto strings.Builder
	for _, line := range protoOf.FindAllSubmatch(script, -1) {
		fmt.Fprintf(&proto, "%s\n", line[1])
	}
	x := &Export{}
	rest := strings.TrimSpace(comments.ReplaceAllString(string(script), ""))
	for _, s := range strings.Split(strings.TrimSuffix(rest, ";"), ";\n\n") {
		if q := queueOf.FindStringSubmatch(s); q != nil {
			x.Queue, x.Columns, x.Format = q[1], q[2], q[3]
			if err := os.WriteFile(filepath.Join(c.Folder, q[4]), []byte(proto.String()), 0o644); err != nil {
				return nil, err
			}
			s = fmt.Sprintf("CREATE TABLE %s (%s, _topic String, _partition UInt64, _offset UInt64, "+
				"_raw_message String, _error String) ENGINE = Null", x.Queue, x.Columns)
		}
		x.Create = append(x.Create, s)
	}
	if x.Queue == "" {
		return nil, fmt.Errorf("no table that reads from Kafka in\n%s", script)
	}
	return x, nil
}

// Insert returns the statement that passes length-prefixed messages through the queue, from a file in the folder.
func (x *Export) Insert(file string) string {
	return "INSERT INTO " + x.Queue + " " + x.Select(file, "Protobuf") + x.Settings()
}

// Select returns the query for the queue's columns, from a file in one of ClickHouse's formats.
func (x *Export) Select(file, format string) string {
	return fmt.Sprintf("SELECT *, 'flows' AS _topic, 0 AS _partition, 0 AS _offset, '' AS _raw_message, '' AS _error FROM file('%s', '%s', '%s')",
		file, format, strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(x.Columns))
}

// Settings has the clause that Protobuf needs at the end of a statement.
func (x *Export) Settings() string { return " SETTINGS format_schema = '" + x.Format + "'" }
