// Package agent is an agent of SNMP v2c on loopback, for tests.
package agent

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gosnmp/gosnmp"
)

// The objects of RFC 3418 and RFC 2863 that exporters are asked for; those of interfaces without the index.
const (
	SysDescr    = ".1.3.6.1.2.1.1.1.0"
	SysName     = ".1.3.6.1.2.1.1.5.0"
	SysLocation = ".1.3.6.1.2.1.1.6.0"
	IfDescr     = ".1.3.6.1.2.1.2.2.1.2"
	IfSpeed     = ".1.3.6.1.2.1.2.2.1.5"
	IfName      = ".1.3.6.1.2.1.31.1.1.1.1"
	IfHighSpeed = ".1.3.6.1.2.1.31.1.1.1.15"
	IfAlias     = ".1.3.6.1.2.1.31.1.1.1.18"
)

// Community is the one that agents accept.
const Community = "secret"

// Agent answers until it is closed.
type Agent struct {
	conn    net.PacketConn
	mu      sync.Mutex
	objects []gosnmp.SnmpPDU // in the order of their names
	garble  func([]byte) []byte
}

// New starts an agent with objects, which are strings and numbers of type uint.
func New(objects map[string]any) (*Agent, error) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	a := &Agent{conn: conn}
	a.Set(objects)
	go a.serve()
	return a, nil
}

// Close ends the agent.
func (a *Agent) Close() error { return a.conn.Close() }

// Port is where it listens.
func (a *Agent) Port() uint16 { return a.conn.LocalAddr().(*net.UDPAddr).AddrPort().Port() }

// Garble makes a function change all answers.
func (a *Agent) Garble(f func([]byte) []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.garble = f
}

// Set replaces the objects.
func (a *Agent) Set(objects map[string]any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.objects = nil
	for name, v := range objects {
		kind := gosnmp.Gauge32
		if _, ok := v.(string); ok {
			kind = gosnmp.OctetString
		}
		a.objects = append(a.objects, gosnmp.SnmpPDU{Name: name, Type: kind, Value: v})
	}
	slices.SortFunc(a.objects, func(x, y gosnmp.SnmpPDU) int { return compare(x.Name, y.Name) })
}

func compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

func numbers(name string) (list []int) {
	for part := range strings.SplitSeq(strings.Trim(name, "."), ".") {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}

func (a *Agent) serve() {
	codec := &gosnmp.GoSNMP{Version: gosnmp.Version2c}
	buffer := make([]byte, 65536)
	for {
		n, from, err := a.conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		request, err := codec.SnmpDecodePacket(slices.Clone(buffer[:n]))
		if err != nil || request.Community != Community {
			continue
		}
		answer := &gosnmp.SnmpPacket{
			Version: gosnmp.Version2c, Community: request.Community, PDUType: gosnmp.GetResponse, RequestID: request.RequestID,
			Variables: a.answer(request),
		}
		b, err := answer.MarshalMsg()
		if err != nil {
			panic(err)
		}
		a.mu.Lock()
		if a.garble != nil {
			b = a.garble(b)
		}
		a.mu.Unlock()
		_, _ = a.conn.WriteTo(b, from)
	}
}

func (a *Agent) answer(request *gosnmp.SnmpPacket) (list []gosnmp.SnmpPDU) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range request.Variables {
		at, found := slices.BinarySearchFunc(a.objects, v.Name, func(o gosnmp.SnmpPDU, name string) int { return compare(o.Name, name) })
		if request.PDUType == gosnmp.GetRequest {
			if found {
				list = append(list, a.objects[at])
			} else {
				list = append(list, gosnmp.SnmpPDU{Name: v.Name, Type: gosnmp.NoSuchObject})
			}
			continue
		}
		if found {
			at++
		}
		rest := a.objects[at:]
		list = append(list, rest[:min(len(rest), int(request.MaxRepetitions))]...)
		if len(rest) < int(request.MaxRepetitions) {
			list = append(list, gosnmp.SnmpPDU{Name: v.Name, Type: gosnmp.EndOfMibView})
		}
	}
	return list
}

// Router is what a router with two interfaces, 1 and 70000, answers.
func Router() map[string]any {
	return map[string]any{
		SysDescr: "Router OS\r\n1.0", SysName: "edge1.example.com", SysLocation: "Z\xfcrich\x00",
		IfDescr + ".1": "Ethernet1", IfDescr + ".70000": "Ethernet2", IfName + ".1": "et1", IfName + ".70000": "", IfAlias + ".1": "Transit: Example",
		IfSpeed + ".1": uint(4294967295), IfSpeed + ".70000": uint(10_000_000), IfHighSpeed + ".1": uint(100_000), IfHighSpeed + ".70000": uint(0),
		".1.3.6.1.2.1.31.1.1.1.19.1": uint(5),
	}
}
