package collect

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// networkHeader is the offset at which the kernel's filters find the network header (SKF_NET_OFF of <linux/filter.h>).
const networkHeader = 0xfff00000

// steer makes the kernel choose among the sockets of an address by the sender's address alone, so that an exporter
// stays with one worker whatever port it sends from. Sockets count from 0 in the order in which they were opened.
// The program belongs to all of them: call steer for the first one. While fewer than workers are open, the kernel
// may choose in its own way.
func steer(c syscall.RawConn, workers int) error {
	code, err := bpf.Assemble(byAddress(networkHeader, workers))
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(code))
	for i, x := range code {
		filter[i] = unix.SockFilter{Code: x.Op, Jt: x.Jt, Jf: x.Jf, K: x.K}
	}
	err = control(c, func(fd int) error {
		return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF,
			&unix.SockFprog{Len: uint16(len(filter)), Filter: unsafe.SliceData(filter)})
	})
	if err != nil {
		return fmt.Errorf("SO_ATTACH_REUSEPORT_CBPF: %w", err)
	}
	return nil
}

// byAddress is a program that returns the number of a worker for the source address of a packet of IPv4 or IPv6,
// whose header begins at an offset. Addresses that differ in a few bits, as those of one network do, are spread evenly.
func byAddress(header uint32, workers int) []bpf.Instruction {
	word := func(at uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: header + at, Size: 4} }
	const source4, source6 = 12, 8
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: header, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 6, SkipTrue: 2},
		word(source4),
		bpf.Jump{Skip: 10},
		word(source6),
		bpf.TAX{},
		word(source6 + 4),
		bpf.ALUOpX{Op: bpf.ALUOpXor},
		bpf.TAX{},
		word(source6 + 8),
		bpf.ALUOpX{Op: bpf.ALUOpXor},
		bpf.TAX{},
		word(source6 + 12),
		bpf.ALUOpX{Op: bpf.ALUOpXor},
		bpf.ALUOpConstant{Op: bpf.ALUOpMul, Val: 0x9e3779b1}, // 2^32 over the golden ratio: its product mixes the upper bits
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 16},
		bpf.ALUOpConstant{Op: bpf.ALUOpMod, Val: uint32(workers)},
		bpf.RetA{},
	}
}
