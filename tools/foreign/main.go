// Command foreign is tools/foreign-schemas, which says what it does.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tool is one run.
type tool struct {
	root, work string // of the repository; for what is generated
	messages   int
	seed       uint64
	limit      time.Duration
	keep       bool
	upTo       string
	jobs       int
	fault      fault

	languages map[string]language
}

func main() {
	os.Exit(run())
}

func run() int {
	t := &tool{root: os.Getenv("HOTPB_ROOT"), languages: map[string]language{"go": &golang{}, "rust": &rust{}, "cpp": &cpp{}}}
	var only, languages, wanted string
	flag.StringVar(&only, "schema", "", "only these sets, by the names of their files: raft,mvt")
	flag.StringVar(&languages, "language", "", "only these: go,rust,cpp")
	flag.StringVar(&wanted, "face", "", "only these: go-view,pool (a face without a language stands for all languages)")
	flag.IntVar(&t.messages, "messages", 30, "number of well-formed messages of each type, and of damaged ones")
	flag.Uint64Var(&t.seed, "seed", 1, "seed of the random messages")
	flag.DurationVar(&t.limit, "limit", 20*time.Minute, "time limit for one run of a generator or a compiler")
	flag.BoolVar(&t.keep, "keep", false, "keep the folders build/foreign/SCHEMA/FACE")
	flag.StringVar(&t.upTo, "up-to", "", "stop after: generate, check (go vet, cargo check, g++ -fsyntax-only), compile")
	flag.IntVar(&t.jobs, "jobs", 2, "number of cells at a time, and of compilers for each")
	flag.Var(&t.fault, "fault", "inject a mistake, for the tests of this tool: "+string(dropUnknown)+", "+string(skipMerge)+", "+string(acceptCut))
	everything := flag.Bool("everything", false, "also run the cells that faces.go lists as left out")
	list := flag.Bool("list", false, "list schemas and faces")
	flag.Parse()
	folder := flag.Arg(0)
	if data := os.Getenv("HOTPB_DATA"); folder == "" && data != "" {
		folder = filepath.Join(data, "schemas")
	}
	if t.root == "" || folder == "" || flag.NArg() > 1 || t.jobs < 1 {
		fmt.Fprintln(os.Stderr, "usage: tools/foreign-schemas [OPTION…] DIR; -h lists the options")
		return 2
	}
	t.work = filepath.Join(t.root, "build/foreign")
	paths, err := findSets(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign-schemas:", err)
		return 2
	}
	var chosen []*face
	for _, f := range faces {
		if in(languages, f.language) && (in(wanted, f.name) || in(wanted, f.String())) {
			chosen = append(chosen, f)
		}
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return !in(only, schemaName(path)) })
	if *list {
		for _, path := range paths {
			fmt.Println(path)
		}
		for _, f := range chosen {
			fmt.Println(f, f.options)
		}
		return 0
	}
	if len(chosen) == 0 || len(paths) == 0 {
		fmt.Fprintln(os.Stderr, "foreign-schemas: nothing is chosen; --list shows what there is")
		return 2
	}
	for name, l := range t.languages {
		if slices.ContainsFunc(chosen, func(f *face) bool { return f.language == name }) {
			if err := l.prepare(t); err != nil {
				fmt.Fprintf(os.Stderr, "foreign-schemas: the generator of %s: %v\n", name, err)
				return 1
			}
		}
	}
	return t.all(paths, chosen, *everything)
}

// in reports whether a list names something; an empty list names all.
func in(list, name string) bool {
	return list == "" || slices.Contains(strings.Split(list, ","), name)
}
