// Command demo shows the collector at work. Captures of real exporters, and flows generated from a seed, go
// through its decoder, its stages and its output to Kafka into a Kafka in this process. From there they go by the
// exported schema into ClickHouse, which answers questions about them. demo.sh runs it.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
	"github.com/hotpb/hotpb/apps/flows/internal/truth"
)

type commandLine struct {
	Root   string `help:"Folder of the example." default:"." type:"existingdir"`
	Schema string `help:"Schema file." default:"flows.yaml"`
	Folder string `help:"Folder for intermediate files; it is emptied first." required:""`
	Flows  int    `help:"Number of flows to generate." default:"200000"`
	Seed   uint64 `help:"Seed of the generated flows." default:"1"`

	ClickHouse []string `help:"Command that executes statements in ClickHouse, and its arguments." required:""`
}

func main() {
	var line commandLine
	context := kong.Parse(&line, kong.Description("Shows the collector at work."))
	context.FatalIfErrorf(line.Run())
}

// Run runs the demo.
func (c *commandLine) Run() error {
	if err := errors.Join(os.RemoveAll(c.Folder), os.MkdirAll(c.Folder, 0o755)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	p, err := newPipeline(filepath.Join(c.Root, c.Schema),
		stage.Files{Prefixes: filepath.Join(c.Root, "prefixes.csv"), Interfaces: filepath.Join(c.Root, "interfaces.csv")})
	if err != nil {
		return err
	}
	defer p.cluster.Close()

	began := time.Now()
	in, err := captured(filepath.Join(c.Root, "testdata"), p.feed)
	if err != nil {
		return err
	}
	made, err := generated(c.Seed, c.Flows, p.feed)
	if err != nil {
		return err
	}
	for exporter, sum := range made {
		in.add(exporter, sum)
	}
	if err := p.drain(ctx); err != nil {
		return err
	}
	fmt.Printf("%s flows in topic %s, %s bytes, in %v\n",
		thousands(p.counts.Delivered.Load()), p.layout.Topic(topicPrefix), thousands(p.counts.Written.Load()), since(began))

	began = time.Now()
	records, err := c.fetch(ctx, p)
	if err != nil {
		return err
	}
	fmt.Printf("%d records read back, in %v\n", records, since(began))

	began = time.Now()
	results, err := c.ask(p)
	if err != nil {
		return err
	}
	fmt.Printf("loaded into ClickHouse and asked, in %v\n", since(began))
	out, err := outOf(results[0])
	if err != nil {
		return err
	}
	printAccounts(os.Stdout, in, out, results[0])
	for i, q := range questions[1:] {
		q.print(os.Stdout, results[i+1])
	}
	if wrong := differences(in, out); wrong != nil {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

// fetch reads the topic into the file from which ClickHouse reads.
func (c *commandLine) fetch(ctx context.Context, p *pipeline) (records int, err error) {
	f, err := os.Create(filepath.Join(c.Folder, messagesFile))
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	records, err = p.read(ctx, func(value []byte) error { _, err := w.Write(value); return err })
	return records, errors.Join(err, w.Flush(), f.Close())
}

// ask fills ClickHouse's tables and asks the questions.
func (c *commandLine) ask(p *pipeline) ([][]map[string]any, error) {
	x, err := clickhouse.New(p.layout, clickhouse.Options{
		Table: "flows", Brokers: p.cluster.ListenAddrs(), Topic: topicPrefix, Group: "clickhouse",
		Days: 0, // captures are old
	})
	if err != nil {
		return nil, err
	}
	statements, err := load(x)
	if err != nil {
		return nil, err
	}
	first := len(statements)
	for _, q := range questions {
		statements = append(statements, q.sql)
	}
	d := database{c.ClickHouse, c.Folder}
	if err := d.put(x); err != nil {
		return nil, err
	}
	results, err := d.ask(statements)
	if err != nil {
		return nil, err
	}
	return results[first:], nil
}

// outOf is ClickHouse's account.
func outOf(rows []map[string]any) (account, error) {
	out := account{}
	for _, row := range rows {
		exporter, err := parseAddr(fmt.Sprint(row["exporter"]))
		if err != nil {
			return nil, err
		}
		var sum truth.Sum
		for name, to := range map[string]*uint64{"flows": &sum.Flows, "bytes": &sum.Bytes, "packets": &sum.Packets} {
			if *to, err = strconv.ParseUint(fmt.Sprint(row[name]), 10, 64); err != nil {
				return nil, err
			}
		}
		out.add(exporter, sum)
	}
	return out, nil
}

func since(t time.Time) time.Duration { return time.Since(t).Round(10 * time.Millisecond) }
