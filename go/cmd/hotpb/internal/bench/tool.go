package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// found reports whether a program is on the PATH.
func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// step says on standard error what is going on: each step may need longer than a second.
func (j *job) step(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if !j.std.JSON {
		text = "hotpb bench: " + text
	}
	_ = j.std.Notes("step", text+"\n")
}

// tool runs programs in a folder.
type tool struct {
	ctx    context.Context
	folder string
	env    []string
}

func (t *tool) command(program string, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(t.ctx, program, arguments...)
	c.Dir, c.Env = t.folder, append(os.Environ(), t.env...)
	c.Env = append(c.Env, "PWD="+t.folder)
	return c
}

// pipe hands input to a program and returns its output.
func (t *tool) pipe(input []byte, program string, arguments ...string) ([]byte, error) {
	c := t.command(program, arguments...)
	var out, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), &out, &stderr
	if err := c.Run(); err != nil {
		return nil, failed(c, err, stderr.String()+out.String())
	}
	return out.Bytes(), nil
}

func (t *tool) run(program string, arguments ...string) error {
	_, err := t.pipe(nil, program, arguments...)
	return err
}

// failed is the error of a program, with the line of its output that says most.
func failed(c *exec.Cmd, err error, output string) error {
	cause, first := "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if first == "" && line != "" && !strings.HasPrefix(line, "#") {
			first = line
		}
		if cause == "" && (strings.HasPrefix(line, "error") || strings.Contains(line, ".go:") || strings.Contains(line, ": error: ")) {
			cause = line
		}
	}
	if cause == "" {
		cause = first
	}
	return fault.In(filepath.Base(c.Path)+" "+strings.Join(c.Args[1:min(2, len(c.Args))], " "), err.Error()+": "+cause, "--work=FOLDER keeps the sources; call it there to see all")
}

// ask hands a request to a generator.
func ask(request *pluginpb.CodeGeneratorRequest, generator func([]byte) ([]byte, error)) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	in, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(request)
	if err != nil {
		return nil, err
	}
	out, err := generator(in)
	if err != nil {
		return nil, err
	}
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(out, response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, errors.New(response.GetError())
	}
	return response.File, nil
}

// writeFile writes a file in the work folder.
func writeFile(name string, content []byte) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, content, 0o666)); err != nil {
		return fault.IO(name, err)
	}
	return nil
}

func writeAll(folder string, sets ...[]*pluginpb.CodeGeneratorResponse_File) error {
	for _, files := range sets {
		for _, f := range files {
			if !filepath.IsLocal(f.GetName()) {
				return fault.In(f.GetName(), "the generator wants to write outside of "+folder, "")
			}
			if err := writeFile(filepath.Join(folder, filepath.FromSlash(f.GetName())), []byte(f.GetContent())); err != nil {
				return err
			}
		}
	}
	return nil
}

// dataFile writes the messages, each after its length, for the programs.
func (j *job) dataFile() (string, error) {
	var b []byte
	for _, m := range j.data.messages {
		b = append(binary.AppendUvarint(b, uint64(len(m))), m...)
	}
	name := filepath.Join(j.work, "data.delimited")
	return name, writeFile(name, b)
}

// measure hands a program of rows to the repository's measure.py: it writes a line of JSON for each, and where it is on standard error.
func (j *job) measure(t *tool, title, program, data string) (rows []Row, err error) {
	c := t.command("python3", filepath.Join(j.hotpb, "bench", "measure.py"), strconv.Itoa(j.Rounds), fmt.Sprint(float64(j.Time)/1e6), program, data)
	var out, last bytes.Buffer
	c.Stdout = &out
	lines, w := io.Pipe()
	c.Stderr = w
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := bufio.NewScanner(lines); s.Scan(); {
			last.Reset()
			last.WriteString(s.Text())
			j.step("%s: %s", title, s.Text())
		}
		_, _ = io.Copy(io.Discard, lines) // a line too long must not block the program
	}()
	err = c.Run()
	w.Close()
	<-done
	if err != nil {
		return nil, failed(c, err, last.String())
	}
	for d := json.NewDecoder(&out); ; {
		var r Row
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		if r.Ns > 0 && r.Name != "view: open" { // which does not read all bytes
			r.MBs = float64(j.data.bytes) / float64(len(j.data.messages)) / r.Ns * 1000
		}
		rows = append(rows, r)
	}
}
