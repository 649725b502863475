package session

import (
	"net/netip"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// ExporterInfo is what is known of the exporters of one address.
type ExporterInfo struct {
	Address     netip.Addr
	Protocols   []flow.Protocol
	Sessions    int // ports
	Datagrams   uint64
	Flows       uint64
	Lost        uint64 // gaps in sequence numbers: of NetFlow v5 flows, of IPFIX records, of v9 and sFlow datagrams
	Found       uint64 // that had been counted as lost, and has come late
	Unsampled   uint64 // flows whose sampling rate is unknown
	Losses      count.Losses
	Repeated    uint64 // datagrams that came twice
	Restarts    uint64 // sequence numbers that started again
	Templates   int
	Waiting     int // bytes of data sets without a template
	First, Last time.Time
}

// Exporters describes all exporters that are known now, by address.
func (s *Store) Exporters() []ExporterInfo {
	all := map[netip.Addr]*ExporterInfo{}
	s.mu.RLock()
	for _, e := range s.exporters {
		address := e.From.Addr()
		info := all[address]
		if info == nil {
			info = &ExporterInfo{Address: address}
			all[address] = info
		}
		e.mu.Lock()
		info.add(e)
		e.mu.Unlock()
	}
	s.mu.RUnlock()
	list := make([]ExporterInfo, 0, len(all))
	for _, info := range all {
		slices.Sort(info.Protocols)
		list = append(list, *info)
	}
	slices.SortFunc(list, func(a, b ExporterInfo) int { return a.Address.Compare(b.Address) })
	return list
}

func (i *ExporterInfo) add(e *Exporter) {
	for p, spoken := range e.protocols {
		if p := flow.Protocol(p); spoken && !slices.Contains(i.Protocols, p) {
			i.Protocols = append(i.Protocols, p)
		}
	}
	i.Sessions++
	i.Datagrams += e.datagrams
	i.Flows += e.Flows
	i.Lost += e.Totals.Lost
	i.Found += e.Totals.Found
	i.Unsampled += e.Unsampled
	i.Losses.Add(&e.Losses)
	i.Repeated += e.Totals.Repeated
	i.Restarts += e.Totals.Restarts
	i.Templates += e.templates
	i.Waiting += e.waiting
	if i.First.IsZero() || e.first.Before(i.First) {
		i.First = e.first
	}
	if e.Seen.After(i.Last) {
		i.Last = e.Seen
	}
}
