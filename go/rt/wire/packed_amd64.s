//go:build !purego

#include "textflag.h"

// The numbers of these registers never change:
//	SI  the next byte of the input
//	DX  where a block may begin at the latest: 72 bytes before the end of the input
//	DI  the next element
//	R14 where a block's first element may be at the latest: 64 elements before the end of the list
//	R15 the seven low bits of each byte
//
// A block is 64 bytes and begins with a varint. STOPS sets a bit of R8 for each byte of the block that ends a varint.
#define STOPS \
	MOVOU (SI), X0       \
	MOVOU 16(SI), X1     \
	MOVOU 32(SI), X2     \
	MOVOU 48(SI), X3     \
	PMOVMSKB X0, AX      \
	PMOVMSKB X1, BX      \
	PMOVMSKB X2, CX      \
	PMOVMSKB X3, R8      \
	SHLQ $16, BX         \
	SHLQ $32, CX         \
	SHLQ $48, R8         \
	ORQ AX, BX           \
	ORQ CX, R8           \
	ORQ BX, R8           \
	NOTQ R8

// VARINT reads the varint that begins at R9 and that the lowest bit of R8 ends: its value goes to R12, its end to R9.
// Longer than eight bytes, it is read at the label long, which returns to the label value. After ten bytes without an end
// the loop stops at the label done.
#define VARINT(long, value) \
	TZCNTQ R8, R10       \
	LEAQ 1(SI)(R10*1), R11 \
	MOVQ (R9), R12       \
	MOVQ R11, R13        \
	SUBQ R9, R13         \
	CMPQ R13, $8         \
	JHI  long            \
	SHLQ $3, R13         \
	BZHIQ R13, R12, R12  \
	PEXTQ R15, R12, R12  \
value: \
	MOVQ R11, R9         \
	BLSRQ R8, R8

#define LONG(value) \
	CMPQ R13, $10        \
	JHI  done            \
	PEXTQ R15, R12, R12  \
	MOVBLZX 8(R9), AX    \
	ANDL $0x7f, AX       \
	SHLQ $56, AX         \
	ORQ  AX, R12         \
	CMPQ R13, $10        \
	JNE  value           \
	MOVBLZX 9(R9), AX    \
	SHLQ $63, AX         \
	ORQ  AX, R12         \
	JMP  value

// ZIGZAG undoes the zigzag of R12.
#define ZIGZAG \
	MOVQ R12, AX         \
	SHRQ $1, R12         \
	ANDL $1, AX          \
	NEGQ AX              \
	XORQ AX, R12

// ENTER reads the arguments; shift is that of an element's size.
#define ENTER(shift) \
	MOVQ dst+0(FP), DI   \
	MOVQ room+8(FP), R14 \
	MOVQ src+16(FP), SI  \
	MOVQ n+24(FP), DX    \
	SUBQ $64, R14        \
	JLT  none            \
	SUBQ $72, DX         \
	JLT  none            \
	SHLQ $shift, R14     \
	ADDQ DI, R14         \
	ADDQ SI, DX          \
	MOVQ $0x7f7f7f7f7f7f7f7f, R15

#define LEAVE(shift) \
	SUBQ dst+0(FP), DI     \
	SHRQ $shift, DI        \
	SUBQ src+16(FP), SI    \
	MOVQ DI, elements+32(FP) \
	MOVQ SI, bytes+40(FP)  \
	RET

// LAST reads the varints that end in the n bytes at SI, at most 64, as many as there is room for. 72 bytes can be read.
#define LAST \
	MOVQ dst+0(FP), DI   \
	MOVQ src+16(FP), SI  \
	MOVQ n+24(FP), DX    \
	MOVQ $0x7f7f7f7f7f7f7f7f, R15 \
	STOPS                \
	BZHIQ DX, R8, R8     \
	MOVQ SI, R9          \
	MOVQ room+8(FP), AX  \
	MOVQ $64, BX         \
	CMPQ AX, BX          \
	CMOVQGT BX, AX       \
	MOVQ $-1, CX         \
	BZHIQ AX, CX, CX     \
	PDEPQ R8, CX, R8     \
	TESTQ R8, R8         \
	JZ   done

#define NONE \
	MOVQ $0, elements+32(FP) \
	MOVQ $0, bytes+40(FP)  \
	RET

// func readVarints64(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)
TEXT ·readVarints64(SB), NOSPLIT, $0-48
	ENTER(3)

block:
	CMPQ SI, DX
	JHI  out
	CMPQ DI, R14
	JHI  out
	STOPS
	MOVQ SI, R9
	TESTQ R8, R8
	JZ   out

one:
	VARINT(long, value)
	MOVQ R12, (DI)
	LEAQ 8(DI), DI
	JNZ  one
	MOVQ R9, SI
	JMP  block

long:
	LONG(value)

done:
	MOVQ R9, SI

out:
	LEAVE(3)

none:
	NONE

// func readVarints32(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)
TEXT ·readVarints32(SB), NOSPLIT, $0-48
	ENTER(2)

block:
	CMPQ SI, DX
	JHI  out
	CMPQ DI, R14
	JHI  out
	STOPS
	MOVQ SI, R9
	TESTQ R8, R8
	JZ   out

one:
	VARINT(long, value)
	MOVL R12, (DI)
	LEAQ 4(DI), DI
	JNZ  one
	MOVQ R9, SI
	JMP  block

long:
	LONG(value)

done:
	MOVQ R9, SI

out:
	LEAVE(2)

none:
	NONE

// func countVarints(src unsafe.Pointer, n int) (count, bytes int)
TEXT ·countVarints(SB), NOSPLIT, $0-32
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), DX
	XORL DI, DI
	SUBQ $64, DX
	JLT  out
	ADDQ SI, DX

block:
	// R9 becomes 0 unless ten bytes of the block in a row continue a varint.
	STOPS
	MOVQ R8, R9
	NOTQ R9
	MOVQ R9, R10
	SHRQ $1, R10
	ANDQ R10, R9  // two in a row
	MOVQ R9, R11
	MOVQ R9, R10
	SHRQ $2, R10
	ANDQ R10, R9  // four
	MOVQ R9, R10
	SHRQ $4, R10
	ANDQ R10, R9  // eight
	SHRQ $8, R11
	ANDQ R11, R9  // ten
	JNZ  out
	// A row of ten may begin in the last nine bytes of the block, so these belong to the next one.
	SHLQ $9, R8
	POPCNTQ R8, R8
	ADDQ R8, DI
	ADDQ $55, SI
	CMPQ SI, DX
	JLS  block

out:
	SUBQ src+0(FP), SI
	MOVQ DI, count+16(FP)
	MOVQ SI, bytes+24(FP)
	RET

// func readLast64(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)
TEXT ·readLast64(SB), NOSPLIT, $0-48
	LAST

one:
	VARINT(long, value)
	MOVQ R12, (DI)
	LEAQ 8(DI), DI
	JNZ  one
	JMP  done

long:
	LONG(value)

done:
	MOVQ R9, SI
	LEAVE(3)

// func readLast32(dst unsafe.Pointer, room int, src unsafe.Pointer, n int) (elements, bytes int)
TEXT ·readLast32(SB), NOSPLIT, $0-48
	LAST

one:
	VARINT(long, value)
	MOVL R12, (DI)
	LEAQ 4(DI), DI
	JNZ  one
	JMP  done

long:
	LONG(value)

done:
	MOVQ R9, SI
	LEAVE(2)

// func stops(src unsafe.Pointer) uint64
TEXT ·stops(SB), NOSPLIT, $0-16
	MOVQ src+0(FP), SI
	STOPS
	MOVQ R8, ret+8(FP)
	RET
