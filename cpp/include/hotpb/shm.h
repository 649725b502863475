// Packets in shared memory: threads of one process write them, another process reads them (spec/shm.md).
//
//   shm/area.h      layout, limits, options, errors
//   shm/source.h    Producer and Stream: the side that writes
//   shm/reader.h    Reader: the side that reads
//
// A program that only writes may include shm/source.h. Needs Linux on a 64-bit machine; HOTPB_SHM is 0 elsewhere.
#ifndef HOTPB_SHM_H_
#define HOTPB_SHM_H_

#include "hotpb/shm/area.h"
#include "hotpb/shm/reader.h"
#include "hotpb/shm/source.h"

#endif  // HOTPB_SHM_H_
