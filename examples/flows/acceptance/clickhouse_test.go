//go:build acceptance

package acceptance

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/examples/flows/internal/truth"
)

const tools = "../../../build/tools/"

// clickhouse is an embedded server's input: what `flows schema` prints for a schema file, and messages.
type clickhouse struct {
	schema string
	held   *held
}

// queueColumns finds the columns of the table that reads from Kafka: embedded, there are no background threads for it, so a
// table in memory takes its place, filled by the same format with the same columns.
var queueColumns = regexp.MustCompile(`(?s)^CREATE TABLE IF NOT EXISTS \S+ \(\n(.*)\n\)\nENGINE = Kafka\nSETTINGS\n.*kafka_format = 'Protobuf',.*kafka_schema = '([^']+)',`)

// query executes the statements of the schema with the messages, then asks; the answers are JSON, a row a line.
func (c clickhouse) query(t *testing.T, questions ...string) (answers []string) {
	t.Helper()
	folder := t.TempDir()
	text, err := exec.Command(program, "schema", "--schema="+c.schema, "--clickhouse", "--proto-file=flows.proto").Output()
	must(t, err)
	proto, err := exec.Command(program, "schema", "--schema="+c.schema, "--proto").Output()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "flows.proto"), proto, 0o644))
	must(t, os.WriteFile(filepath.Join(folder, "messages"), c.held.bytes, 0o644))
	var statements []string
	fill := ""
	for _, s := range strings.Split(strings.TrimSuffix(strings.TrimSpace(uncommented(string(text))), ";"), ";\n\n") {
		if queue := queueColumns.FindStringSubmatch(s); queue != nil {
			s = "CREATE TABLE flows_queue (" + queue[1] +
				", _topic String, _partition UInt64, _offset UInt64, _raw_message String, _error String) ENGINE = Memory"
			structure := strings.ReplaceAll(strings.ReplaceAll(queue[1], `\`, `\\`), `'`, `\'`)
			fill = "INSERT INTO flows_queue SELECT *, 'flows', 0, 0, '', '' FROM file('messages', 'Protobuf', '" + structure +
				"') SETTINGS format_schema = '" + queue[2] + "'"
		}
		statements = append(statements, s)
	}
	if fill == "" {
		t.Fatalf("no table that reads from Kafka in\n%s", text)
	}
	statements = append([]string{"CREATE DATABASE d", "USE d"}, append(statements, fill)...)
	results := execute(t, folder, append(statements, questions...))
	return results[len(statements):]
}

func uncommented(text string) string {
	return regexp.MustCompile(`(?m)^--.*\n`).ReplaceAllString(text, "")
}

// execute executes statements one after the other.
func execute(t *testing.T, folder string, statements []string) (results []string) {
	t.Helper()
	script, err := filepath.Abs("../../../tools/clickhouse.py")
	must(t, err)
	input, err := json.Marshal(statements)
	must(t, err)
	module, err := filepath.Abs(tools + "chdb")
	must(t, err)
	command := exec.Command(tools+"venv/bin/python", script, folder)
	command.Env = append(os.Environ(), "PYTHONPATH="+module)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	must(t, err)
	var answers [][2]string
	must(t, json.Unmarshal(output, &answers))
	for i, a := range answers {
		if a[1] != "" {
			t.Fatalf("%s\n%s", statements[i], a[1])
		}
		results = append(results, a[0])
	}
	return results
}

// sums asks for the sums of each exporter.
func (c clickhouse) sums(t *testing.T) map[netip.Addr]truth.Sum {
	t.Helper()
	answer := c.query(t, "SELECT exporter_address AS exporter, count() AS flows, sum(bytes) AS bytes, sum(packets) AS packets "+
		"FROM flows GROUP BY exporter SETTINGS output_format_json_quote_64bit_integers = 0")[0]
	sums := map[netip.Addr]truth.Sum{}
	for rows := json.NewDecoder(strings.NewReader(answer)); rows.More(); {
		var row struct {
			Exporter netip.Addr
			truth.Sum
		}
		must(t, rows.Decode(&row))
		sums[row.Exporter.Unmap()] = row.Sum
	}
	return sums
}

// oneSum reads an answer of one row with a sum.
func oneSum(t *testing.T, answer string) (sum truth.Sum) {
	t.Helper()
	must(t, json.Unmarshal([]byte(answer), &sum))
	return sum
}
