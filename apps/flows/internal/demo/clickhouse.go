package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
)

// database is ClickHouse, embedded in a Python module.
type database struct {
	command []string // runs statements: a JSON list on standard input, a list of [result, error] on standard output
	folder  string   // has the file of messages and the .proto file
}

// queueColumns are the columns of the table that reads from Kafka.
var queueColumns = regexp.MustCompile(`(?s)^CREATE TABLE IF NOT EXISTS (\S+) \(\n(.*)\n\)\nENGINE = Kafka\n`)

// virtualColumns are the columns that ClickHouse adds.
const virtualColumns = "_topic String, _partition UInt64, _offset UInt64, _raw_message String, _error String"

// messagesFile is where the length-prefixed messages of the topic are.
const messagesFile = "messages"

// load returns the statements that fill the tables of the export. The embedded server does not read from Kafka. A
// table that stores nothing stands in for the one that would, and receives the records of the topic. The other
// statements are those of the export.
func load(x *clickhouse.Export) ([]string, error) {
	queue := queueColumns.FindStringSubmatch(x.Tables.Queue)
	if queue == nil {
		return nil, errors.New("the export has no table that reads from Kafka")
	}
	name, columns := queue[1], queue[2]
	structure := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(columns)
	statements := []string{"CREATE DATABASE demo", "USE demo"}
	for _, s := range x.Statements() {
		if s == x.Tables.Queue {
			s = fmt.Sprintf("CREATE TABLE %s (%s, %s) ENGINE = Null", name, columns, virtualColumns)
		}
		statements = append(statements, s)
	}
	from := fmt.Sprintf("file('%s', 'Protobuf', '%s')", messagesFile, structure)
	return append(statements, fmt.Sprintf("INSERT INTO %s SELECT *, '%s', 0, 0, '', '' FROM %s SETTINGS format_schema = '%s:FlowMessage'",
		name, x.Topic, from, x.File)), nil
}

// ask executes statements, and returns the rows of each.
func (d *database) ask(statements []string) ([][]map[string]any, error) {
	input, err := json.Marshal(statements)
	if err != nil {
		return nil, err
	}
	command := exec.Command(d.command[0], append(d.command[1:], d.folder)...)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	command.Env = append(os.Environ(), "TMPDIR="+d.folder)
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.command[0], err)
	}
	var answers [][2]string
	if err := json.Unmarshal(text, &answers); err != nil || len(answers) != len(statements) {
		return nil, fmt.Errorf("ClickHouse's output cannot be read: %.200s", text)
	}
	results := make([][]map[string]any, len(answers))
	for i, a := range answers {
		if a[1] != "" {
			return nil, fmt.Errorf("%s\n%s", statements[i], a[1])
		}
		for line := range strings.Lines(a[0]) {
			var row map[string]any
			decoder := json.NewDecoder(strings.NewReader(line))
			decoder.UseNumber()
			if err := decoder.Decode(&row); err != nil {
				return nil, err
			}
			results[i] = append(results[i], row)
		}
	}
	return results, nil
}

// put writes the .proto file to the folder in which ClickHouse looks for it.
func (d *database) put(x *clickhouse.Export) error {
	return os.WriteFile(filepath.Join(d.folder, x.File), []byte(x.Proto), 0o644)
}
