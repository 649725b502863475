// Package bench compares hotpb with the stock runtimes on the user's own schema and data.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/convert"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/input"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/profile"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/schemas"
)

// Command is `hotpb bench`.
type Command struct {
	schemas.Flags `embed:""`
	Input         input.Flags   `embed:""`
	From          string        `aliases:"input-format" help:"The form of the data: ${enum}. auto goes by the file's name (.json, .txtpb, .textproto, .hex), else binary." enum:"auto,binary,delimited,json,text,hex,base64" default:"auto"`
	Lang          []string      `help:"The languages: ${enum}; without it, each whose toolchain is found." enum:"go,rust,cpp"`
	Rounds        int           `help:"The most rounds; a row has fewer when the interval of its ratio is narrow." default:"41"`
	Time          time.Duration `help:"How long each row is measured in a round." default:"20ms"`
	Sample        input.Size    `help:"Time the first messages, up to this size in all." default:"16MiB" placeholder:"SIZE"`
	Hotpb         string        `env:"HOTPB_ROOT" help:"A clone of hotpb's repository; inside one it is found." placeholder:"FOLDER"`
	Work          string        `help:"Keep generated sources and programs here." placeholder:"FOLDER"`
	HTML          string        `name:"html" help:"Write the result as a page, too." placeholder:"FILE"`
	Files         []string      `arg:"" name:"data" help:"Files of messages, or a folder with manifest.json; - is standard input."`
}

// Help is the text of --help after the flags.
func (*Command) Help() string {
	return "Generates code for the faces and the stock runtimes, builds it, checks each row's result against the stock runtime's, " +
		"and measures all rows in turns. Times are per message; a ratio is the median of those within the rounds, with its 95 % interval. " +
		"All rows need python3, Go's the go command, Rust's cargo, " +
		"C++'s a compiler, CMake, pkg-config and libprotobuf. Packages come from the module proxy and the registry of crates. " +
		"A folder of schemas and data, as bench/peers of the repository reads it, is measured against more libraries; of the flags, --lang and --hotpb apply to it."
}

// sample is the data.
type sample struct {
	messages [][]byte
	bytes    int
	left     int // messages that were read and are not timed
}

// job is the input of a language's part.
type job struct {
	*Command
	std    *console.Streams
	schema *schemas.Schema
	root   protoreflect.MessageDescriptor
	data   *sample
	hot    string // the generators' options hot= and cold=
	hotpb  string // the checkout
	work   string
}

// Row is a measurement.
type Row struct {
	Language     string  `json:"language"`
	Op           string  `json:"op"` // decode, read, encode or relay
	Name         string  `json:"name"`
	Ns           float64 `json:"ns_per_message"`
	Rounds       int     `json:"rounds"`
	MBs          float64 `json:"mb_per_s,omitempty"`
	Allocs       float64 `json:"allocs_per_message"`
	Bytes        float64 `json:"bytes_per_message"`
	TimesAsFast  float64 `json:"times_as_fast"`    // as the first row of the stock runtime
	Ratios       Ratios  `json:"ratios,omitempty"` // to all of its rows
	Verified     bool    `json:"verified"`
	Stock        bool    `json:"stock"`
	Verification string  `json:"note,omitempty"` // why it is not verified
}

// Ratios say how many times as long the rows of the stock runtime take, by their names.
type Ratios map[string]Ratio

// Ratio is the median of the ratios within the rounds, and the ends of its 95 % interval.
type Ratio [3]float64

// language is a toolchain.
type language struct {
	name, title string
	commands    func() []string // that have to be on the PATH
	install     string
	run         func(context.Context, *job) (rows []Row, versions string, err error)
}

var languages = []language{
	{"go", "Go", func() []string { return []string{"go"} }, "install Go 1.24 or newer (https://go.dev/dl)", runGo},
	{"rust", "Rust", func() []string { return []string{"cargo"} }, "install Rust 1.85 or newer (https://rustup.rs)", runRust},
	{"cpp", "C++", func() []string { return []string{cppCompiler(), "cmake", "pkg-config"} }, cppInstall, runCpp},
}

// Run compares.
func (c *Command) Run(std *console.Streams) error {
	if len(c.Files) == 1 {
		if _, err := os.Stat(filepath.Join(c.Files[0], "manifest.json")); err == nil {
			return c.peers(std)
		}
	}
	switch {
	case len(c.Schema) == 0:
		return fault.Usage("bench needs a schema", "name one with --schema")
	case c.Rounds < 1 || c.Rounds > 1000:
		return fault.Usage("--rounds is between 1 and 1000", "41 is usual")
	case c.Time < time.Millisecond || c.Time > time.Minute:
		return fault.Usage("--time is between 1ms and 1m", "20ms is usual")
	}
	j := &job{Command: c, std: std, data: new(sample)}
	var err error
	if j.schema, err = c.Load(); err != nil {
		return err
	}
	if j.root, err = c.Root(j.schema); err != nil {
		return err
	}
	counts, err := profile.New(j.schema, string(j.root.FullName()))
	if err != nil {
		return fault.In(strings.Join(c.Schema, ", "), err.Error(), "")
	}
	if err := j.read(counts); err != nil {
		return err
	}
	j.hot = counts.Report(10).Options
	if j.hotpb, err = checkout(c.Hotpb); err != nil {
		return err
	}
	if j.work = c.Work; j.work == "" {
		if j.work, err = os.MkdirTemp("", "hotpb-bench"); err != nil {
			return fault.IO(os.TempDir(), err)
		}
		defer os.RemoveAll(j.work)
	}
	if j.work, err = filepath.Abs(j.work); err != nil {
		return fault.IO(c.Work, err)
	}
	// An output that cannot be written is reported now, not after minutes.
	if err := os.MkdirAll(j.work, 0o777); err != nil {
		return fault.IO(c.Work, err)
	}
	if c.HTML != "" {
		if _, err := os.Stat(filepath.Dir(c.HTML)); err != nil {
			return fault.IO(c.HTML, err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := &result{Type: string(j.root.FullName()), Messages: len(j.data.messages), Bytes: j.data.bytes, Left: j.data.left, Rounds: c.Rounds,
		Options: j.hot, Machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())}
	if err := j.languages(ctx, r); err != nil {
		return err
	}
	r.advise()
	if c.HTML != "" {
		if err := os.WriteFile(c.HTML, r.html(), 0o666); err != nil {
			return fault.IO(c.HTML, err)
		}
	}
	if err := r.write(std); err != nil {
		return fault.IO("standard output", err)
	}
	for _, row := range r.Rows {
		if !row.Verified {
			return fault.In(strings.Join(c.Files, ", "), fmt.Sprintf("%s's row %s differs from the stock runtime's result: %s", row.Language, row.Name, row.Verification),
				"please report it with the schema and the message")
		}
	}
	return nil
}

// languages runs the languages whose tools are there, and notes the others.
func (j *job) languages(ctx context.Context, r *result) error {
	var failed []error
	for _, l := range languages {
		if len(j.Lang) > 0 && !slices.Contains(j.Lang, l.name) {
			continue
		}
		needs := append(l.commands(), "python3")
		if i := slices.IndexFunc(needs, func(name string) bool { return !found(name) }); i >= 0 {
			install := l.install
			if needs[i] == "python3" {
				install = "install Python 3.9 or newer"
			}
			r.Missing = append(r.Missing, fmt.Sprintf("%s: there is no %s on the PATH; %s", l.title, needs[i], install))
			continue
		}
		rows, versions, err := l.run(ctx, j)
		if ctx.Err() != nil {
			return fault.In("hotpb bench", "it was interrupted", "")
		}
		if err != nil {
			failed = append(failed, err)
			r.Missing = append(r.Missing, l.title+": "+err.Error())
			continue
		}
		r.add(l.title, versions, rows)
	}
	if len(r.Rows) == 0 {
		if len(failed) > 0 {
			return errors.Join(failed...)
		}
		return fault.In("hotpb bench", strings.Join(r.Missing, "; "), "")
	}
	return nil
}

// read reads the data; every message has been decoded by protobuf-go after that.
func (j *job) read(counts *profile.Profile) error {
	bar := progress.Start(j.std.Err, "bench")
	defer bar.Stop()
	seen := int64(0)
	for _, file := range j.Files {
		r, err := j.Input.Open(file, j.std.In)
		if err != nil {
			return err
		}
		err = convert.Each(j.From, file, r, j.root, j.schema.Types, func(b []byte) error {
			if err := counts.Add(b); err != nil {
				return fault.Wire(input.Name(file), 0, err)
			}
			seen += int64(len(b))
			bar.At(seen)
			if n := len(j.data.messages); n > 0 && j.data.bytes+len(b) > int(j.Sample) {
				j.data.left++
				return nil
			}
			j.data.messages = append(j.data.messages, b)
			j.data.bytes += len(b)
			return nil
		})
		r.Close()
		if err != nil {
			return err
		}
	}
	if len(j.data.messages) == 0 || j.data.bytes == 0 {
		return fault.In(input.Name(j.Files[0]), "it has no message that has a field", "hand in messages of the kind that the program is to read")
	}
	return nil
}

const goModule = "module github.com/hotpb/hotpb/go\n"

// checkout finds the repository: where the flag says, above the current folder, or above the program.
func checkout(flag string) (string, error) {
	is := func(folder string) bool {
		text, err := os.ReadFile(filepath.Join(folder, "go", "go.mod"))
		return err == nil && strings.HasPrefix(string(text), goModule)
	}
	const mend = "git clone hotpb's repository, and name its folder with --hotpb=FOLDER or HOTPB_ROOT"
	if flag != "" {
		folder, err := filepath.Abs(flag)
		if err != nil || !is(folder) {
			return "", fault.Usage(flag+" is no clone of hotpb's repository: it has no go/go.mod of hotpb", mend)
		}
		return folder, nil
	}
	var starts []string
	if here, err := os.Getwd(); err == nil {
		starts = append(starts, here)
	}
	if program, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(program))
	}
	for _, folder := range starts {
		for ; ; folder = filepath.Dir(folder) {
			if is(folder) {
				return folder, nil
			}
			if folder == filepath.Dir(folder) {
				break
			}
		}
	}
	return "", fault.Usage("bench builds hotpb's runtime, and finds no clone of its repository here", mend)
}
