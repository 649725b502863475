// First light, Go's half: finds one series of a remote-write request with hotpb's view, without decoding the rest,
// checks the whole against protobuf-go, and times both. demo.sh beside it runs this and Rust's half.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

//go:generate ./generate.sh

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
	// len is the number of series.
	len() int
	// at reads one series.
	at(index int) (*series, error)
	// find opens series until one has the label, and reads that one; nil when none has it.
	find(want label) (*series, error)
	// each reads all series.
	each(yield func(*series) error) error
	// validate opens the request and checks all of it.
	validate() error
	// stock reads all series with protobuf-go.
	stock() ([]*series, error)
	// metadata compares the records beside the series, which only 1.0 has, with protobuf-go's; it returns their number.
	metadata() (int, error)
}

func show(path, wanted string) error {
	b, err := readBody(path)
	if err != nil {
		return err
	}
	r, err := open(b.bytes)
	if err != nil {
		return fmt.Errorf("%s: %s%s", path, b.doubt(), describe(err))
	}
	if err := report(r, wanted); err != nil {
		// What is damaged inside was met with an offset inside; the check of the whole says where that is.
		if whole := r.validate(); whole != nil {
			err = whole
		}
		return fmt.Errorf("%s: %s%s", path, b.doubt(), describe(err))
	}
	return nil
}

// describe words an error of hotpb's as Rust's half does: code, offset, path.
func describe(err error) string {
	var e *wire.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	words := fmt.Sprintf("%s at offset %d", e.Code.String(), e.Offset)
	if e.Path != "" {
		words += " in " + e.Path
	}
	return words
}

// open tries the protocol's versions in turn, the likelier first. Each leaves the other's fields unknown, so only one
// finds series; the second must be sound throughout, or it was only damage that looked like it.
func open(bytes []byte) (request, error) {
	first, second := openV1, openV2
	if startsAsV2(bytes) {
		first, second = openV2, openV1
	}
	likely, err := first(bytes)
	if err == nil && likely.len() > 0 {
		return likely, nil
	}
	message, otherErr := second(bytes)
	if otherErr == nil && message.len() > 0 && message.validate() == nil {
		return message, nil
	}
	if err == nil {
		err = cmp.Or(otherErr, errors.New("readable, but without a series of remote write 1.0 or 2.0"))
	}
	return nil, err
}

// startsAsV2 reports whether the first tag is one that only 2.0 knows.
func startsAsV2(bytes []byte) bool {
	return len(bytes) > 0 && (bytes[0] == 4<<3|2 || bytes[0] == 5<<3|2)
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
	counts, err := compare(r, want, found)
	if err != nil {
		return err
	}
	if found == nil {
		fmt.Printf("  Go view    no series has %s=%q; protobuf-go finds none either\n", want.name, want.value)
		fmt.Printf("             ✓ read whole: %s; protobuf-go reads the same\n", counts)
		return nil
	}
	fmt.Printf("  Go view    %s\n", clip(fmt.Sprintf("looks for %s=%q", want.name, want.value), 96))
	fmt.Printf("             found in series %s of %s; the %s behind it were never opened\n",
		thousands(found.index+1), thousands(r.len()), thousands(r.len()-found.index-1))
	fmt.Printf("             %s\n", clip(found.String(), 96))
	fmt.Printf("             %s\n", found.last())
	fmt.Printf("             ✓ protobuf-go finds the same\n")
	fmt.Printf("             ✓ read whole: %s; protobuf-go reads the same\n", counts)
	return nil
}

// compare checks what was found, and then all the rest, against protobuf-go. It returns what there is, in words.
func compare(r request, want label, found *series) (string, error) {
	if err := r.validate(); err != nil {
		return "", err
	}
	theirs, err := r.stock()
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(theirs, func(s *series) bool { return s.has(want) })
	switch {
	case at < 0 && found != nil:
		return "", fmt.Errorf("hotpb finds %v, protobuf-go nothing", found)
	case at >= 0 && (found == nil || !found.equal(theirs[at])):
		return "", fmt.Errorf("hotpb finds %v, protobuf-go %v", found, theirs[at])
	}
	count, labels, samples := 0, 0, 0
	err = r.each(func(decoded *series) error {
		if count >= len(theirs) || !decoded.equal(theirs[count]) {
			return fmt.Errorf("series %d differs from protobuf-go's", count)
		}
		count++
		labels += len(decoded.labels)
		samples += len(decoded.samples)
		return nil
	})
	if err == nil && count != len(theirs) {
		err = fmt.Errorf("hotpb reads %d series, protobuf-go %d", count, len(theirs))
	}
	if err != nil {
		return "", err
	}
	counts := fmt.Sprintf("%s series, %s labels, %s samples", thousands(count), thousands(labels), thousands(samples))
	metadata, err := r.metadata()
	if metadata > 0 {
		counts += fmt.Sprintf(", %s metadata", thousands(metadata))
	}
	return counts, err
}

// parseWanted reads name=value, and without it takes the metric of the middle series.
func parseWanted(r request, wanted string) (label, error) {
	if name, value, ok := strings.Cut(wanted, "="); ok {
		return label{name, value}, nil
	}
	if wanted != "" {
		return label{}, fmt.Errorf("-find %q: not of the form name=value", wanted)
	}
	middle, err := r.at(r.len() / 2)
	if err != nil {
		return label{}, err
	}
	at := slices.IndexFunc(middle.labels, func(l label) bool { return l.name == "__name__" })
	if at < 0 {
		return label{}, errors.New("the middle series has no metric; name a label with -find name=value")
	}
	return middle.labels[at], nil
}

// clip keeps a line inside the screen.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// thousands returns 1234567 as 1,234,567.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
