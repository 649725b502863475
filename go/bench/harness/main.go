package harness

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
)

// Main is the program of a grid: bench/run starts it once for each contender.
func Main(tasks Tasks) {
	list := flag.Bool("list", false, "print the rivals of every task as JSON")
	task := flag.String("task", "", "the task")
	workload := flag.String("case", "", "the case, in tasks whose cases are other operations")
	rival := flag.String("rival", "", "the contender")
	input := flag.String("input", "", "file with the input")
	callgrind := flag.Int("callgrind", 0, "do so many operations, and nothing else")
	flag.Parse()
	if err := run(tasks, *list, *task, *workload, *rival, *input, *callgrind); err != nil {
		fmt.Fprintln(os.Stderr, "bench (go):", err)
		os.Exit(1)
	}
}

func run(tasks Tasks, list bool, task, workload, rival, input string, callgrind int) error {
	if list {
		names := map[string][]string{}
		for task, rivals := range tasks {
			names[task] = slices.Sorted(maps.Keys(rivals))
		}
		return json.NewEncoder(os.Stdout).Encode(names)
	}
	contenders := tasks[task]
	if contenders == nil {
		contenders = tasks[task+"/"+workload]
	}
	factory, ok := contenders[rival]
	if !ok {
		return fmt.Errorf("no rival %q in task %q", rival, task)
	}
	var bytes []byte
	if input != "" { // some tasks need none
		var err error
		if bytes, err = os.ReadFile(input); err != nil {
			return err
		}
	}
	contender, err := factory(bytes)
	if err != nil {
		return err
	}
	if callgrind > 0 {
		return Count(contender.Op, callgrind)
	}
	return Serve(contender, os.Stdin, os.Stdout)
}
