package profile

import (
	"bufio"
	"strings"
	"testing"

	"contend/golden"
)

const perfTable = ` contended   total wait     max wait     avg wait         type   caller

       171      1.50 ms     20.26 us      9.06 us        mutex   pipe_read+0x57
                          0xffffffffac6318e7  pipe_read+0x57
                          0xffffffffac623862  vfs_read+0x332
        36    500.00 us     15.27 us      5.38 us        mutex   pipe_write+0x50
         4     51.22 us     16.47 us     12.80 us      rwsem:R   do_fault+0x24d
`

const perfOwners = `
=== owner stack trace ===

         3      1.00 ms     15.27 us     10.41 us        mutex   pipe_read+0x348
                          0xffffffffac631bd8  pipe_read+0x348
                          0xffffffffac623862  vfs_read+0x332
`

// Tables of perf lock contention have the sums of waiters and, since Linux 6.15, of owners.
func TestPerfLockContention(t *testing.T) {
	const oneLock = " contended   total wait     max wait     avg wait            address   symbol\n\n" +
		"         3     14.99 us     14.44 us      5.00 us   ffffffff851c0940   pack_mutex (mutex)\n"
	for text, want := range map[string]string{
		perfTable: "1500000 kernel:mutex of pipe_read waiter 2 frames to kernel.vfs_read\n" +
			"500000 kernel:mutex of pipe_write waiter 1 frames to kernel.pipe_write\n" +
			"51220 kernel:rwsem:R of do_fault waiter 1 frames to kernel.do_fault\n",
		oneLock:                "14990 kernel:mutex of pack_mutex ffffffff851c0940 waiter \n",
		perfTable + perfOwners: "",
	} {
		r := golden.Must(NewPerfLock(bufio.NewReader(strings.NewReader(text)), "x", nil))(t)
		got := shown(t, r)
		if want == "" { // 1 of 2 ms of the mutexes is owned
			golden.Holds(t, got, "1000000 kernel:mutex of all of this kind owner 2 frames",
				"750000 kernel:mutex of all of this kind waiter 2 frames", "250000 kernel:mutex of all of this kind "+
					"waiter 1")
			continue
		}
		golden.Equal(t, got, want, text)
	}
	for n := range len(perfTable + perfOwners) {
		r := golden.Must(NewPerfLock(bufio.NewReader(strings.NewReader((perfTable + perfOwners)[:n])), "x", nil))(t)
		shown(t, r)
	}
}
