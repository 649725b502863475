// Bench is the flow collector's part of the benchmark grid. bench/run at the root of the repository starts it.
package main

import (
	"github.com/hotpb/hotpb/apps/flows/bench/datagram"
	"github.com/hotpb/hotpb/go/bench/harness"
)

func main() { harness.Main(datagram.Tasks()) }
