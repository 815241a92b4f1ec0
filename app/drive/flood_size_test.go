//go:build !race

package drive_test

import "parley/daemon/proto"

// floodFrames are the frames of 4 MiB that each Run of the flood sends: as many as a Run's buffer holds.
const floodFrames = proto.RunBuffer
