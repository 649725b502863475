//go:build acceptance && linux

package acceptance

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/load"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

// readBy is a topic, and the schema file that ClickHouse reads it by.
type readBy struct {
	schema string
	topic  *held
}

// query has ClickHouse read topics into the table of the export, and asks; the answers are JSON, a row a line.
func query(t *testing.T, topics []readBy, questions ...string) (answers []string) {
	t.Helper()
	server := load.ClickHouse{Repository: "../../..", Folder: t.TempDir()}
	statements := []string{"CREATE DATABASE d", "USE d"}
	for i, r := range topics {
		script, err := exec.Command(program, "schema", "--schema="+r.schema, "--clickhouse").Output()
		must(t, err)
		export, err := server.NewExport(script)
		must(t, err)
		messages := fmt.Sprintf("%d.messages", i)
		must(t, os.WriteFile(filepath.Join(server.Folder, messages), r.topic.bytes, 0o644))
		statements = append(append(statements, export.Create...), export.Insert(messages))
	}
	answers, err := server.Execute(append(statements, questions...))
	must(t, err)
	return answers[len(statements):]
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
