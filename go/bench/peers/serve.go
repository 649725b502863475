package peers

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hotpb/hotpb/go/bench/harness"
)

var tasks = []string{"decode", "decode+read", "encode", "encode-fresh"}

// Main answers the commands of bench/peers on standard input; bench/README.md names them.
func Main(messages []Message) {
	runtime.GOMAXPROCS(1) // the collector works on the contender's time
	if err := serve(messages, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers (go):", err)
		os.Exit(1)
	}
}

func serve(messages []Message, in io.Reader, out io.Writer) error {
	answers := bufio.NewWriter(out)
	var l *loaded
	for commands := bufio.NewScanner(in); commands.Scan(); {
		words := strings.Split(commands.Text(), "\t")
		if words[0] == "load" && len(words) == 3 {
			i := slices.IndexFunc(messages, func(m Message) bool { return m.name == words[1] })
			if i < 0 {
				return fmt.Errorf("there is no message %q", words[1])
			}
			var err error
			if l, err = load(messages[i], words[2]); err != nil {
				return fmt.Errorf("%s: %w", words[1], err)
			}
		} else if l == nil || len(words) < 2 || words[1] != l.name {
			return fmt.Errorf("the command %q does not name the message that is loaded", words)
		} else if err := l.answer(words, answers); err != nil {
			return err
		}
		fmt.Fprintln(answers, "end")
		if err := answers.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// loaded is a message with its records and contenders.
type loaded struct {
	Message
	records    [][]byte
	contenders []contender
	operations map[string]int // of a task and contender, in one turn
}

func load(m Message, file string) (*loaded, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l := &loaded{Message: m, operations: map[string]int{}}
	for len(data) > 0 {
		size, n := binary.Uvarint(data)
		if n <= 0 || size > uint64(len(data)-n) {
			return nil, errors.New("a record is cut off")
		}
		end := n + int(size)
		l.records = append(l.records, data[n:end:end])
		data = data[end:]
	}
	if len(l.records) == 0 {
		return nil, errors.New("there is no record")
	}
	l.contenders, err = m.make(l.records)
	return l, err
}

func (l *loaded) answer(words []string, out io.Writer) error {
	switch {
	case words[0] == "verify":
		return l.verify(out)
	case words[0] == "list":
		for _, task := range tasks {
			for _, c := range l.contenders {
				if c.has(task) {
					fmt.Fprintf(out, "%s\t%s\n", task, c.name)
				}
			}
		}
		return nil
	case words[0] == "run" && len(words) > 6:
		var numbers [3]int
		for i := range numbers {
			var err error
			if numbers[i], err = strconv.Atoi(words[3+i]); err != nil {
				return err
			}
		}
		return l.run(out, words[2], numbers[0], time.Duration(numbers[1])*time.Millisecond, numbers[2], words[6:])
	}
	return fmt.Errorf("unknown command %q", words)
}

func (c *contender) has(task string) bool {
	switch task {
	case "decode":
		return c.decode != nil
	case "decode+read":
		return c.read != nil
	case "encode":
		return c.encode != nil
	case "encode-fresh":
		return c.fresh != nil
	}
	return false
}

// verify drops the contenders whose result is not the stock runtime's.
func (l *loaded) verify(out io.Writer) error {
	var sums []uint64
	var wants [][]byte
	total := uint64(0)
	for _, record := range l.records {
		sum, err := l.sum(record)
		if err != nil {
			return err
		}
		want, err := l.sorted(record)
		if err != nil {
			return err
		}
		sums, wants, total = append(sums, sum), append(wants, want), total+sum
	}
	kept := l.contenders[:0]
	originals := slices.Clone(l.records)
	for _, c := range l.contenders {
		for i := range l.records {
			l.records[i] = bytes.Clone(originals[i])
		}
		if err := survived(func() error { return l.check(c, sums, wants, originals) }); err != nil {
			fmt.Fprintf(out, "%s\twrong\t%s\n", c.name, strings.Join(strings.Fields(err.Error()), " "))
			continue
		}
		fmt.Fprintf(out, "%s\tok\t%016x\n", c.name, total)
		kept = append(kept, c)
	}
	copy(l.records, originals)
	l.contenders = kept
	return nil
}

// survived makes a panic of a rival an error, and a fault of one that reads memory by itself.
func survived(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("it panics: %v", reason)
		}
	}()
	return do()
}

func (l *loaded) check(c contender, sums []uint64, wants, originals [][]byte) error {
	for range 2 { // the second time into used memory
		for i, record := range l.records {
			if c.decode != nil {
				if err := c.decode(record); err != nil {
					return fmt.Errorf("record %d: %w", i, err)
				}
			}
			if c.read != nil {
				if sum, err := c.read(record); err != nil || sum != sums[i] {
					return fmt.Errorf("record %d: the checksum is %x, the stock runtime's %x (%v)", i, sum, sums[i], err)
				}
			}
			for _, encode := range []func(int) ([]byte, error){c.encode, c.fresh} {
				if encode == nil {
					continue
				}
				b, err := encode(i)
				if err != nil {
					return fmt.Errorf("record %d: %w", i, err)
				}
				if reencoded, err := l.sorted(b); err != nil || !bytes.Equal(reencoded, wants[i]) {
					return fmt.Errorf("record %d: what it encodes is another message to the stock runtime (%v)", i, err)
				}
			}
			if !bytes.Equal(record, originals[i]) {
				return fmt.Errorf("record %d: the input was changed", i)
			}
		}
	}
	return nil
}

// sink keeps the compiler from dropping what is computed.
var sink uint64

// turn does n operations; records take turns.
func (l *loaded) turn(c *contender, task string, n int) (err error) {
	next := 0
	step := func() int {
		i := next
		if next++; next == len(l.records) {
			next = 0
		}
		return i
	}
	switch task {
	case "decode":
		for ; n > 0 && err == nil; n-- {
			err = c.decode(l.records[step()])
		}
	case "decode+read":
		for sum := uint64(0); n > 0 && err == nil; n-- {
			sum, err = c.read(l.records[step()])
			sink += sum
		}
	case "encode", "encode-fresh":
		encode := c.encode
		if task == "encode-fresh" {
			encode = c.fresh
		}
		for b := []byte(nil); n > 0 && err == nil; n-- {
			b, err = encode(step())
			sink += uint64(len(b))
		}
	}
	return err
}

// calibrate finds how many operations fill a turn: whole passes over the records.
func (l *loaded) calibrate(c *contender, task string, full time.Duration) (int, error) {
	key := task + "\t" + c.name
	if n := l.operations[key]; n > 0 {
		return n, nil
	}
	count := len(l.records)
	for passes := 1; ; passes *= 2 {
		start := harness.ProcessorTime()
		if err := l.turn(c, task, passes*count); err != nil {
			return 0, err
		}
		if took := harness.ProcessorTime() - start; took >= full/4 {
			n := max(1, int(float64(passes)*float64(full)/float64(took)+0.5)) * count
			l.operations[key] = n
			return n, nil
		}
	}
}

func (l *loaded) run(out io.Writer, task string, rounds int, full time.Duration, seed int, names []string) error {
	var running []*contender
	for _, name := range names {
		i := slices.IndexFunc(l.contenders, func(c contender) bool { return c.name == name && c.has(task) })
		if i < 0 {
			return fmt.Errorf("no contender %q does %s", name, task)
		}
		running = append(running, &l.contenders[i])
	}
	for round := range rounds {
		order := rand.New(rand.NewPCG(uint64(seed), uint64(round)))
		order.Shuffle(len(running), func(i, j int) { running[i], running[j] = running[j], running[i] })
		for _, c := range running {
			n, err := l.calibrate(c, task, full)
			if err != nil {
				return err
			}
			var before, after runtime.MemStats
			runtime.GC() // the garbage of the one before is not its own
			runtime.ReadMemStats(&before)
			start := harness.ProcessorTime()
			if err := l.turn(c, task, n); err != nil {
				return err
			}
			took := harness.ProcessorTime() - start
			runtime.ReadMemStats(&after)
			each := 1 / float64(n)
			fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%.3f\t%.4f\t%.1f\n", l.name, task, c.name, round, float64(took.Nanoseconds())*each,
				float64(after.Mallocs-before.Mallocs)*each, float64(after.TotalAlloc-before.TotalAlloc)*each)
		}
	}
	return nil
}
