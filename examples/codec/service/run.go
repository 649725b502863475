package service

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"

	hotpb "github.com/hotpb/hotpb/go"
)

// Run is the program, for messages of any runtime: it adds the samples to the
// journal when it is asked to, prints what is in there, and listens when a flag says where.
func Run(journal, listen string, kinds map[string]Kind, samples map[string]any, out io.Writer) error {
	s := &Service{Journal: journal, Kinds: kinds}
	for _, name := range names(kinds) {
		if sample := samples[name]; sample != nil {
			if err := s.Append(kinds[name], sample); err != nil {
				return err
			}
		}
	}
	for _, name := range names(kinds) {
		runtime, err := hotpb.RuntimeOf(kinds[name].New())
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "# %s, by %s\n", name, runtime.ImportPath())
		err = s.Each(kinds[name], func(msg any) error {
			line, err := hotpb.MarshalJSON(msg)
			fmt.Fprintf(out, "%s\n", line)
			return err
		})
		if err != nil {
			return err
		}
		coupons, err := s.Coupons(kinds[name])
		if err != nil {
			return err
		}
		for _, coupon := range coupons {
			fmt.Fprintf(out, "%s\n", coupon)
		}
	}
	if listen == "" {
		return nil
	}
	return http.ListenAndServe(listen, s)
}

// Main reads the flags of the program and runs it.
func Main(kinds map[string]Kind, samples func(by string) (map[string]any, error)) {
	journal := flag.String("journal", "journal", "the file that holds the messages")
	listen := flag.String("listen", "", "where to listen for HTTP, like :8080")
	by := flag.String("add", "", "add a sample of each message in this name")
	flag.Parse()
	var added map[string]any
	var err error
	if *by != "" {
		added, err = samples(*by)
	}
	if err == nil {
		err = Run(*journal, *listen, kinds, added, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func names(kinds map[string]Kind) (names []string) {
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
