// Package count counts what the collector receives, passes on and loses. Each loss has its own reason. Any
// goroutine may read the counters at any time.
package count

import (
	"sync/atomic"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Reason is why something was lost. A datagram that is read in part may count under several reasons.
type Reason uint8

// The reasons, with the unit that is lost.
const (
	// Datagrams.
	UnknownVersion Reason = iota // datagrams of an unknown protocol
	Truncated                    // datagrams that end too early
	Malformed                    // impossible lengths in a datagram, and sets of an unknown type
	ExporterLimit                // datagrams of exporters or observation domains for which there was no room
	Socket                       // datagrams for which the kernel had no room

	// Templates, and records that wait for theirs.
	TemplateMalformed // templates with false lengths or without fields
	TemplateFlood     // templates beyond the limits in number, rate or memory, of one exporter or of all
	TemplateLarge     // templates with more fields than are allowed
	FieldRefused      // fields of a template that cannot fill their column; the other fields are read
	WaitingOverflow   // data sets without a template, when there was no room to keep them
	WaitingExpired    // data sets whose template did not come in time

	// Values.
	SamplingAbsurd  // impossible sampling rates
	SamplingUnclear // sampling rates that cannot be interpreted: parameters that are missing or contradict each other
	SamplerLimit    // sampling rates of samplers for which there was no room
	NoBootTime      // times since the exporter's start, which it has not reported; they count from the export
	ClockJump       // export times too far from ours; relative times then count from the receipt
	Misfit          // values that their column cannot hold
	ListSkipped     // lists that are nested too deep or of an unknown template, or the rest of one that is too long

	// Samples of sFlow.
	AgentDrops // samples and discarded packets that an agent could not report, for lack of resources

	// Outputs: flows.
	QueueFull     // flows that were not decoded further because the output was too slow
	TooLarge      // flows whose message is larger than the output accepts
	Unauthorized  // flows that the collector is not authorized to write
	UnknownTopic  // flows whose topic does not exist and is not created
	OutputFailed  // flows that the output has rejected permanently, for another reason
	OutputTimeout // flows that the output has not accepted in time
	Shutdown      // flows still not delivered when the time for draining ended
	Reasons       // the number of reasons
)

var reasons = [Reasons]string{
	"unknown_version", "truncated", "malformed", "exporter_limit", "socket",
	"template_malformed", "template_flood", "template_large", "field_refused", "waiting_overflow", "waiting_expired",
	"sampling_absurd", "sampling_unclear", "sampler_limit", "no_boot_time", "clock_jump", "misfit", "list_skipped",
	"agent_drops", "queue_full", "too_large", "unauthorized", "unknown_topic", "output_failed", "output_timeout", "shutdown",
}

// String is the label in metrics.
func (r Reason) String() string { return reasons[r] }

// Unit is the unit in which the reason is counted.
func (r Reason) Unit() string {
	switch {
	case r == Truncated || r == Malformed:
		return "parts" // of datagrams of one protocol, or of all
	case r <= Socket:
		return "datagrams"
	case r == FieldRefused:
		return "fields"
	case r <= TemplateLarge:
		return "templates"
	case r <= WaitingExpired:
		return "sets"
	case r < AgentDrops:
		return "values"
	case r == AgentDrops:
		return "samples"
	}
	return "flows"
}

// Metric is the name of the metric that counts the reason, so that each metric has one unit. What is only adjusted or
// ignored is apart from what is dropped.
func (r Reason) Metric() string {
	switch r.Unit() {
	case "parts":
		return "datagram_faults_total"
	case "datagrams":
		return "datagrams_dropped_total"
	case "fields":
		return "fields_ignored_total"
	case "templates":
		return "templates_dropped_total"
	case "sets":
		return "sets_dropped_total"
	case "values":
		return "values_adjusted_total"
	case "samples":
		return "samples_dropped_total"
	}
	return "dropped_total"
}

// Help describes the metric of a reason.
func (r Reason) Help() string {
	return map[string]string{
		"parts": "Number of datagrams, or parts of them, that contradict their headers.", "datagrams": "Number of datagrams dropped.",
		"fields": "Number of template fields ignored because they cannot fill their column.", "templates": "Number of templates dropped.",
		"sets":   "Number of data sets dropped because their template did not come in time; a set has one or more flows.",
		"values": "Number of values replaced or left out because they are impossible or their reference is unknown; the flow is kept.", "flows": "Number of flows decoded and not delivered.",
		"samples": "Number of samples that sFlow agents report as dropped for lack of resources: traffic that no flow has.",
	}[r.Unit()]
}

// Counters may be used by all goroutines. The zero value is ready.
type Counters struct {
	Datagrams [flow.Protocols]atomic.Uint64 // received, by protocol
	Bytes     [flow.Protocols]atomic.Uint64 // of their payloads
	Flows     [flow.Protocols]atomic.Uint64 // encoded
	Delivered atomic.Uint64                 // flows that the output has acknowledged
	Encoded   atomic.Uint64                 // bytes of flows encoded
	Written   atomic.Uint64                 // bytes of flows acknowledged

	Templates, Options atomic.Uint64 // templates learnt; options records read
	Released           atomic.Uint64 // data sets that waited, and whose template came
	Unsampled          atomic.Uint64 // flows whose sampling rate is unknown
	Held               atomic.Uint64 // flows that waited for their sampling rate
	Passed             PassedSamples // sFlow samples that are not flows: counters, transactions, vendors' samples
	ListsUnused        atomic.Uint64 // lists in records that fill no column, or that are not about the flow
	Reloads            atomic.Uint64 // of the schema file and the tables
	ReloadFailures     atomic.Uint64 // reloads that changed nothing, because a file has a fault
	ReloadRefusals     atomic.Uint64 // reloads that changed nothing, because the schema would break readers
	OutputRetries      atomic.Uint64 // writes that have failed and are tried again
	OutputDataLoss     atomic.Uint64 // times that acknowledged flows may be lost: Kafka or the disk lost them

	Skipped   [Structures]atomic.Uint64 // parts of samples and packets that are not read
	Evictions [Ranks][Resources]Evictions
	Borrowed  atomic.Uint64 // templates of another port of the address that were used

	dropped [Reasons]atomic.Uint64
}

// Drop counts n losses.
func (c *Counters) Drop(r Reason, n int) { c.dropped[r].Add(uint64(n)) }

// Dropped is how many were lost for a reason.
func (c *Counters) Dropped(r Reason) uint64 { return c.dropped[r].Load() }
