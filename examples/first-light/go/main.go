// First light, Go's half: finds one series of a remote-write request with hotpb's view, without decoding the rest,
// checks the whole against protobuf-go, and times both. demo.sh beside it runs this and Rust's half.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	find := flag.String("find", "", "the label to look for, as name=value (by default the metric of the middle series)")
	timed := flag.Bool("time", false, "print a table of times on an uncompressed 1.0 request")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: first-light [-find name=value] FILE | -time FILE")
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	var err error
	if *timed {
		err = runTiming(flag.Arg(0))
	} else {
		err = show(flag.Arg(0), *find)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "first-light:", err)
		os.Exit(1)
	}
}

// A request is one version of the protocol, opened with hotpb's view.
type request interface {
	version() string
	// len is the number of series.
	len() int
	// metric reads one series' metric.
	metric(i int) (string, error)
	// find opens series until one has the label, and reads that one.
	find(want label) (*series, error)
	// checkAll reads everything and compares it with protobuf-go's.
	checkAll() error
	// stock finds the same series with protobuf-go.
	stock(want label) (*series, error)
}

func show(path, wanted string) error {
	b, err := readBody(path)
	if err != nil {
		return err
	}
	r, err := open(b.bytes)
	if err != nil {
		return fmt.Errorf("%s: %s%w", path, b.doubt(), err)
	}
	if err := report(r, wanted); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// open tries the protocol's versions in turn.
func open(bytes []byte) (request, error) {
	v1, err1 := openV1(bytes)
	if err1 == nil && v1.len() > 0 {
		return v1, nil
	}
	v2, err2 := openV2(bytes)
	if err2 == nil && v2.len() > 0 {
		return v2, nil
	}
	if err1 == nil && err2 == nil {
		return nil, fmt.Errorf("readable, but without a series of remote write 1.0 or 2.0")
	}
	if err1 == nil {
		return nil, err2
	}
	return nil, err1
}

func report(r request, wanted string) error {
	want, err := parseWanted(r, wanted)
	if err != nil {
		return err
	}
	found, err := r.find(want)
	if err != nil {
		return err
	}
	if err := r.checkAll(); err != nil {
		return err
	}
	theirs, err := r.stock(want)
	if err != nil {
		return err
	}
	if found == nil || theirs == nil {
		if found != theirs {
			return fmt.Errorf("hotpb and protobuf-go disagree about whether a series has %s=%q", want.name, want.value)
		}
		fmt.Printf("  Go view    none of %d series has %s=%q; protobuf-go finds none either\n", r.len(), want.name, want.value)
		return nil
	}
	if found.String() != theirs.String() || found.index != theirs.index || found.last() != theirs.last() {
		return fmt.Errorf("hotpb found series %d %v, protobuf-go %d %v", found.index, found, theirs.index, theirs)
	}
	fmt.Printf("  Go view    %s=%q is series %d of %d; the %d after it were never opened\n",
		want.name, want.value, found.index+1, r.len(), r.len()-found.index-1)
	fmt.Printf("             %s\n", clip(found.String(), 100))
	fmt.Printf("             %s\n", found.last())
	fmt.Printf("             protobuf-go finds the same; read whole, all labels and samples equal its own\n")
	return nil
}

func parseWanted(r request, wanted string) (label, error) {
	if wanted == "" {
		metric, err := r.metric(r.len() / 2)
		return label{"__name__", metric}, err
	}
	name, value, ok := strings.Cut(wanted, "=")
	if !ok {
		return label{}, fmt.Errorf("-find %q: not of the form name=value", wanted)
	}
	return label{name, value}, nil
}

// clip keeps a line inside the screen.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
