// Corpus writes the seeded inputs of the benchmarks and of the demo: remote-write requests, uncompressed, made from a
// body that a real Prometheus POSTed. The same bytes come out wherever it runs; SHA256SUMS holds their sums.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	body := flag.String("body", "vectors/corpora/prometheus_0.315_v1.snappy", "captured remote-write 1.0 body, snappy block format")
	out := flag.String("out", "build/bench", "folder to write rw1_<shape>.bin and rw2_<shape>.bin to")
	only := flag.String("shape", "", "write this shape only")
	flag.Parse()
	if err := run(*body, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(body, out, only string) error {
	compressed, err := os.ReadFile(body)
	if err != nil {
		return err
	}
	captured, err := readBody(compressed)
	if err != nil {
		return fmt.Errorf("%s: %w", body, err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	known := false
	for _, sh := range shapes {
		if only != "" && only != sh.name {
			continue
		}
		known = true
		all, err := blowUp(captured, sh)
		if err != nil {
			return err
		}
		for _, format := range sh.formats() {
			request := format.encode(all, sh.layout)
			path := filepath.Join(out, format.name+"_"+sh.name+".bin")
			// A reader never sees half a corpus: it is moved into place when it is whole.
			if err := os.WriteFile(path+".part", request, 0o644); err != nil {
				return err
			}
			if err := os.Rename(path+".part", path); err != nil {
				return err
			}
			fmt.Printf("%s  %d bytes, %s\n", path, len(request), sh.about)
		}
	}
	if !known {
		return fmt.Errorf("no shape %q", only)
	}
	return nil
}
