// Package count counts what the collector takes in, hands on and loses, each loss under its own reason. All of it may be
// read at any time, from any goroutine.
package count

import (
	"sync/atomic"

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// Reason is why something was lost. A datagram that is partly read may count under several.
type Reason uint8

// The reasons. The comments are the help of the metrics.
const (
	// Datagrams.
	UnknownVersion Reason = iota // datagrams of no protocol that is known
	Truncated                    // datagrams that end before they should
	Malformed                    // lengths in a datagram that cannot be, and sets of no type
	ExporterLimit                // datagrams of exporters or observation domains that there was no room for
	Socket                       // datagrams that the kernel had no room for

	// Templates, and records that wait for theirs.
	TemplateMalformed // templates that lie or have no fields
	TemplateFlood     // templates beyond what one exporter or all may have
	FieldRefused      // fields of a template that cannot fill their column; the other fields are read
	WaitingOverflow   // data sets without template, when no room was left to keep them
	WaitingExpired    // data sets whose template did not come in time

	// Values.
	SamplingAbsurd // sampling rates that cannot be
	SamplerLimit   // sampling rates of samplers that there was no room for
	ClockJump      // export times too far from the receiver's; times relative to them are taken as if exported when received
	Misfit         // values that their column cannot hold

	// Outputs: flows.
	QueueFull     // flows that were not read further because the output was too slow
	TooLarge      // flows whose message is larger than the output takes
	Unauthorized  // flows that the output does not let us write
	UnknownTopic  // flows whose topic is not there and is not made
	OutputFailed  // flows that the output has refused for good, for another reason
	OutputTimeout // flows that the output has not taken in time
	Shutdown      // flows still not delivered when the time for draining ended
	Reasons       // how many there are
)

var reasons = [Reasons]string{
	"unknown_version", "truncated", "malformed", "exporter_limit", "socket",
	"template_malformed", "template_flood", "field_refused", "waiting_overflow", "waiting_expired",
	"sampling_absurd", "sampler_limit", "clock_jump", "misfit",
	"queue_full", "too_large", "unauthorized", "unknown_topic", "output_failed", "output_timeout", "shutdown",
}

// String is the label in metrics.
func (r Reason) String() string { return reasons[r] }

// Unit is what is counted under the reason.
func (r Reason) Unit() string {
	switch {
	case r == Truncated || r == Malformed:
		return "parts" // of datagrams, or all of one
	case r <= Socket:
		return "datagrams"
	case r == FieldRefused:
		return "fields"
	case r <= TemplateFlood:
		return "templates"
	case r <= WaitingExpired:
		return "sets"
	case r < QueueFull:
		return "values"
	}
	return "flows"
}

// Counters is for all goroutines together. The zero value is ready.
type Counters struct {
	Datagrams [flow.Protocols]atomic.Uint64 // received, by protocol
	Bytes     [flow.Protocols]atomic.Uint64 // of their payloads
	Flows     [flow.Protocols]atomic.Uint64 // encoded
	Delivered atomic.Uint64                 // flows that the output has acknowledged
	Encoded   atomic.Uint64                 // bytes of flows encoded
	Written   atomic.Uint64                 // bytes of flows acknowledged

	Templates, Options atomic.Uint64 // templates learnt; options records read
	Released           atomic.Uint64 // data sets that waited, and whose template came
	Passed             atomic.Uint64 // samples of sFlow that are of no flow: counters, discarded packets, what vendors have
	Reloads            atomic.Uint64 // of the schema file and the tables
	ReloadFailures     atomic.Uint64 // those that changed nothing, because something was wrong with a file
	OutputRetries      atomic.Uint64 // writes that have failed and are tried again
	OutputDataLoss     atomic.Uint64 // times that what was acknowledged may not be there: Kafka did not know it, a file could not be brought to disk

	dropped [Reasons]atomic.Uint64
}

// Drop counts n losses.
func (c *Counters) Drop(r Reason, n int) { c.dropped[r].Add(uint64(n)) }

// Dropped is how many were lost for a reason.
func (c *Counters) Dropped(r Reason) uint64 { return c.dropped[r].Load() }
