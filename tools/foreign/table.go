package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const row = "%-15s %-13s %9s %6s %7s %7s %9s %6s %5s %6s  %s\n"

// all runs every cell, as many at a time as compilers are allowed, prints a row for each as it is done, and then what failed. It
// returns the exit status.
func (t *tool) all(paths []string, faces []*face, everything bool) int {
	fmt.Printf(row, "schema", "face", "KB", "gen s", "comp s", "MB", "messages", "known", "diff", "accept", "")
	r := &results{log: filepath.Join(t.work, "report.txt")}
	if err := write(nil, t.work, "report.txt"); err != nil {
		fmt.Println(err)
		return 1
	}
	waiting := 0
	var cells []*cell
	for _, path := range paths {
		s, err := readSet(path)
		if err != nil {
			fmt.Printf("%s: %v\n", path, err)
			r.failed++
			continue
		}
		for file, reason := range s.oracle.Refused {
			fmt.Fprintf(&r.report, "%s: the stock runtime refuses %s, whose messages are compiled only: %s\n", s.name, file, reason)
		}
		for _, f := range faces {
			c := &cell{schema: s, face: f}
			if reason := leftOut[c.String()]; reason != "" && !everything {
				fmt.Printf(row, s.name, f, "", "", "", "", "", "", "", "", "left out: "+reason)
				waiting++
				continue
			}
			s.cells++
			cells = append(cells, c)
		}
	}
	next := make(chan *cell)
	var running sync.WaitGroup
	for range t.jobs {
		running.Add(1)
		go func() {
			defer running.Done()
			for c := range next {
				start := time.Now()
				t.run(c)
				r.add(c, time.Since(start))
			}
		}()
	}
	for _, c := range cells {
		next <- c
	}
	close(next)
	running.Wait()
	if r.report.Len() > 0 {
		fmt.Printf("\n%s", r.report.String())
	}
	if waiting > 0 {
		fmt.Printf("%d left out\n", waiting)
	}
	fmt.Printf("%d passed, %d failed\n", r.passed, r.failed)
	if r.failed > 0 || r.passed == 0 {
		return 1
	}
	return 0
}

// results are what the cells have come to. What failed stands after the table, and at once in a file, for long runs.
type results struct {
	sync.Mutex
	log            string
	report         strings.Builder
	passed, failed int
}

func (r *results) add(c *cell, took time.Duration) {
	r.Lock()
	defer r.Unlock()
	c.print(&r.report, took)
	if err := os.WriteFile(r.log, []byte(r.report.String()), 0o644); err != nil {
		fmt.Println(err)
	}
	if len(c.failures) == 0 {
		r.passed++
	} else {
		r.failed++
	}
	if c.schema.cells--; c.schema.cells == 0 {
		c.schema.cases = nil // some are hundreds of megabytes
	}
}

func (c *cell) print(report *strings.Builder, took time.Duration) {
	result := "ok"
	if len(c.failures) > 0 {
		result = "FAILED"
	}
	if len(c.refused) > 0 {
		result += fmt.Sprintf(", %d files refused", len(c.refused))
	}
	if c.face.variants == nil {
		result += ", compiled only"
	}
	number := func(x float64) string { return fmt.Sprintf("%.1f", x) }
	fmt.Printf(row, c.schema.name, c.face, fmt.Sprintf("%.0f", c.kilobytes), number(c.make.seconds), number(c.build.seconds),
		fmt.Sprintf("%.0f", c.build.peak), fmt.Sprint(c.tried), fmt.Sprint(c.known), fmt.Sprint(c.differences), fmt.Sprint(c.disagreements),
		fmt.Sprintf("%s (%.0f s)", result, took.Seconds()))
	for _, text := range c.refused {
		fmt.Fprintf(report, "%s: refused: %s\n", c, firstLines(text, 2))
	}
	for i, text := range c.failures {
		if i == maxFailures {
			fmt.Fprintf(report, "%s: … and %d more\n", c, len(c.failures)-i)
			break
		}
		fmt.Fprintf(report, "%s: %s\n", c, text)
	}
}
