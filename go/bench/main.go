// Bench is Go's half of the benchmark grid; bench/run at the root of the repository starts it.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/messages"
	"github.com/hotpb/hotpb/go/bench/protozero"
	"github.com/hotpb/hotpb/go/bench/rw1"
	"github.com/hotpb/hotpb/go/bench/zeropb"
)

func main() {
	list := flag.Bool("list", false, "print the rivals of every task as JSON")
	task := flag.String("task", "", "the task")
	workload := flag.String("case", "", "the case, in tasks whose cases are other operations")
	rival := flag.String("rival", "", "the contender")
	input := flag.String("input", "", "file with the input")
	flag.Parse()
	if err := run(*list, *task, *workload, *rival, *input); err != nil {
		fmt.Fprintln(os.Stderr, "bench (go):", err)
		os.Exit(1)
	}
}

func run(list bool, task, workload, rival, input string) error {
	tasks := rw1.Tasks()
	maps.Copy(tasks, protozero.Tasks())
	maps.Copy(tasks, zeropb.Tasks())
	maps.Copy(tasks, messages.Tasks())
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
	return harness.Serve(contender, os.Stdin, os.Stdout)
}
