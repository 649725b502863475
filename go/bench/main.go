// Bench is Go's half of the benchmark grid; bench/run at the root of the repository starts it.
package main

import (
	"maps"

	"github.com/hotpb/hotpb/go/bench/codec"
	"github.com/hotpb/hotpb/go/bench/decoder"
	"github.com/hotpb/hotpb/go/bench/dynamic"
	"github.com/hotpb/hotpb/go/bench/flow"
	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/messages"
	"github.com/hotpb/hotpb/go/bench/protozero"
	"github.com/hotpb/hotpb/go/bench/rw1"
	"github.com/hotpb/hotpb/go/bench/zeropb"
)

func main() {
	tasks := rw1.Tasks()
	maps.Copy(tasks, protozero.Tasks())
	maps.Copy(tasks, zeropb.Tasks())
	maps.Copy(tasks, messages.Tasks())
	maps.Copy(tasks, codec.Tasks())
	maps.Copy(tasks, decoder.Tasks())
	maps.Copy(tasks, flow.Tasks())
	maps.Copy(tasks, dynamic.Tasks())
	harness.Main(tasks)
}
