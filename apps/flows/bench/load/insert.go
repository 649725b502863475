//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/load"
)

// insert has ClickHouse take flows as it takes them from Kafka: it parses the messages by the exported schema, the view converts them,
// the table keeps them. It does so in one thread, as one consumer does. The same rows as JSON are the rival.
type insert struct {
	Flows  int `default:"1000000" help:"Rows to insert."`
	Rounds int `default:"3" help:"Rounds; the fastest counts."`
}

// Run fails if rows are missing.
func (i *insert) Run(ctx context.Context, b *bench) error {
	server := load.ClickHouse{Repository: "../../..", Folder: filepath.Join(b.folder, "clickhouse")}
	if err := os.Mkdir(server.Folder, 0o755); err != nil {
		return err
	}
	if err := i.messages(ctx, b, filepath.Join(server.Folder, "rows.pb")); err != nil {
		return err
	}
	script, err := exec.CommandContext(ctx, b.flows, "schema", "--clickhouse").Output()
	if err != nil {
		return err
	}
	export, err := server.NewExport(script)
	if err != nil {
		return err
	}
	const now, count = "SELECT toFloat64(now64(6)) AS v", "SELECT toFloat64(count()) AS v, toString(sum(cityHash64(*))) AS hash FROM flows"
	statements := append([]string{"CREATE DATABASE d", "USE d", "SET max_threads = 1", "SET max_insert_threads = 1",
		"SET input_format_parallel_parsing = 0", "SET max_insert_block_size = 1048576"}, export.Create...)
	// The rows as JSON, in the queue's columns.
	statements = append(statements, fmt.Sprintf("INSERT INTO FUNCTION file('rows.json', 'JSONEachRow') "+
		"SELECT * EXCEPT (_topic, _partition, _offset, _raw_message, _error) FROM (%s)", export.Select("rows.pb", "Protobuf"))+export.Settings())
	formats := []struct{ name, file string }{{"Protobuf", "rows.pb"}, {"JSONEachRow", "rows.json"}}
	var at []int // of the questions: begin, end, count
	for range i.Rounds {
		for _, format := range formats {
			at = append(at, len(statements)+1)
			statements = append(statements, "TRUNCATE TABLE flows", now, "INSERT INTO "+export.Queue+" "+export.Select(format.file, format.name)+export.Settings(), now, count)
		}
	}
	answers, err := server.Execute(statements)
	if err != nil {
		return err
	}
	best, hash := make([]float64, len(formats)), ""
	for n, first := range at {
		var v [3]struct {
			V    float64
			Hash string // of all rows, in any order
		}
		for k, answer := range []string{answers[first], answers[first+2], answers[first+3]} {
			if err := json.Unmarshal([]byte(answer), &v[k]); err != nil {
				return err
			}
		}
		rows, took := v[2].V, v[1].V-v[0].V
		if int(rows) < i.Flows {
			return fmt.Errorf("%s: %.0f of %d rows are in the table", formats[n%len(formats)].name, rows, i.Flows)
		}
		if hash == "" {
			hash = v[2].Hash
		}
		if v[2].Hash != hash {
			return errors.New("the rows from JSON are not those from Protobuf")
		}
		fmt.Printf("%-12s %9.0f rows in %.2f s: %9.0f rows/s\n", formats[n%len(formats)].name, rows, took, rows/took)
		best[n%len(formats)] = max(best[n%len(formats)], rows/took)
	}
	fmt.Printf("\n%-12s %12s %14s\n", "one thread", "rows/s", "bytes per row")
	for n, format := range formats {
		info, err := os.Stat(filepath.Join(server.Folder, format.file))
		if err != nil {
			return err
		}
		fmt.Printf("%-12s %12.0f %14.0f\n", format.name, best[n], float64(info.Size())/float64(i.Flows))
	}
	fmt.Printf("Protobuf / JSON: %.1f times the rows per second\n", best[0]/best[1])
	return nil
}

// messages has our collector write flows of all protocols into a file.
func (i *insert) messages(ctx context.Context, b *bench, path string) error {
	datagrams, folder := filepath.Join(b.folder, "rows.dgrams"), filepath.Join(b.folder, "rows")
	for _, arguments := range [][]string{
		{"generate", "--write=" + datagrams, fmt.Sprintf("--count=%d", i.Flows), "--for=0", "--rate=10000"},
		{"replay", datagrams, "--output=file", "--file-folder=" + folder, "--no-progress"},
	} {
		command := exec.CommandContext(ctx, b.flows, arguments...)
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("flows %s: %w\n%s", arguments[0], err, output)
		}
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.pb"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	all, err := os.Create(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		part, err := os.Open(name)
		if err == nil {
			_, err = io.Copy(all, part)
			err = errors.Join(err, part.Close())
		}
		if err != nil {
			return errors.Join(err, all.Close())
		}
	}
	return all.Close()
}
