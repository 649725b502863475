// Command flows-minimal receives NetFlow v5 and v9 over UDP, and writes flows to standard output: messages of the
// schema flows.yaml, each length-prefixed.
//
//	flows-minimal [-listen :2055] > flows.pb
//	flows-minimal -proto > flows.proto
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"time"
)

//go:embed flows.yaml
var schemaFile []byte

func main() {
	log.SetFlags(0)
	log.SetPrefix("flows-minimal: ")
	listen := flag.String("listen", ":2055", "UDP `address` to receive NetFlow on")
	proto := flag.Bool("proto", false, "print the .proto file of what is written, and end")
	flag.Parse()
	d, err := newDecoder(schemaFile)
	if err != nil {
		log.Fatalf("flows.yaml: %v", err)
	}
	if *proto {
		text, err := d.plan.Proto()
		if err != nil {
			log.Fatalf("flows.yaml: %v", err)
		}
		fmt.Print(text)
		return
	}
	socket, err := net.ListenPacket("udp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	end, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(end, func() { socket.Close() })
	if err := d.collect(socket.(*net.UDPConn), os.Stdout); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d datagrams, %d flows, %d sets of data without a template of flows", d.datagrams, d.records, d.withoutTemplate)
}

// collect writes the flows of each datagram, until the socket is closed. It logs at most one bad datagram a second.
func (d *decoder) collect(socket *net.UDPConn, to io.Writer) error {
	datagram := make([]byte, 65536)
	var out []byte
	var logged time.Time
	for {
		n, from, err := socket.ReadFromUDPAddrPort(datagram)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		now := time.Now()
		out, err = d.append(out[:0], datagram[:n], from, now)
		if err != nil && now.Sub(logged) > time.Second {
			log.Printf("from %v: %v", from, err)
			logged = now
		}
		if _, err := to.Write(out); err != nil {
			return err
		}
	}
}
