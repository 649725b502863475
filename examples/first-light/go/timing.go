package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	stock "github.com/hotpb/hotpb/examples/first-light/go/gen/prometheus"
	hot "github.com/hotpb/hotpb/examples/first-light/go/gen/prometheus/prometheushot"
)

const (
	rounds    = 11
	roundTime = 30 * time.Millisecond
)

// A contender is timed in turns with the others.
type contender struct {
	operation string
	op        func() error
	rounds    []float64
}

// runTiming prints tab-separated rows for demo.sh: language, what, nanoseconds, MB/s, allocations.
func runTiming(path string) error {
	runtime.GOMAXPROCS(1) // the collector works on the contender's time
	bytes, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	request, err := openV1(bytes)
	if err != nil {
		return err
	}
	middle := request.len() / 2
	contenders := []*contender{
		{operation: "protobuf-go, decode", op: func() error { return proto.Unmarshal(bytes, new(stock.WriteRequest)) }},
		{operation: "hotpb view, check the whole tree", op: func() error { return request.validate() }},
		{operation: "hotpb view, open and read one series", op: func() error { return readOne(bytes, middle) }},
	}
	for _, c := range contenders {
		if err := c.op(); err != nil {
			return err
		}
	}
	for range rounds {
		for _, c := range contenders {
			runtime.GC()
			turns, start := 0, time.Now()
			for time.Since(start) < roundTime {
				if err := c.op(); err != nil {
					return err
				}
				turns++
			}
			c.rounds = append(c.rounds, float64(time.Since(start))/float64(turns))
		}
	}
	for _, c := range contenders {
		slices.Sort(c.rounds)
		ns := c.rounds[rounds/2]
		fmt.Printf("Go\t%s\t%.0f\t%.0f\t%d\n", c.operation, ns, float64(len(bytes))/ns*1e3, allocations(c.op))
	}
	return nil
}

// readOne opens the request as it came in, and sums the labels of one series up, so that they are read.
func readOne(bytes []byte, index int) error {
	var request hot.WriteRequestView
	if err := request.Decode(bytes); err != nil {
		return err
	}
	ts, err := request.TimeseriesNth(index)
	if err != nil {
		return err
	}
	var l hot.LabelView
	for labels := ts.LabelsIter(); labels.Next(); {
		if err := l.OpenMessage(labels.Message()); err != nil {
			return err
		}
		readBytes += len(l.Name()) + len(l.Value())
	}
	return nil
}

// readBytes keeps the compiler from dropping what readOne reads.
var readBytes int

// allocations counts those of one warm operation, cut off to whole ones as go test -bench does.
func allocations(op func() error) uint64 {
	const runs = 5
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		_ = op()
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / runs
}
