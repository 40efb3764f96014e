// Matches events with quamina, a round for each line on standard input. Arguments: rules, events.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"quamina.net/go/quamina/v2"
)

func main() {
	matcher := must(quamina.New())
	begin := time.Now()
	key := 0
	for rules := lines(os.Args[1]); rules.Scan(); key++ {
		if err := matcher.AddPattern(key, rules.Text()); err != nil {
			panic(err)
		}
	}
	seconds := time.Since(begin).Seconds()
	fmt.Printf("{\"version\": %q, \"build\": %f, \"bytes\": %d}\n", version(), seconds, usedHeap())

	var events [][]byte
	for texts := lines(os.Args[2]); texts.Scan(); {
		events = append(events, []byte(texts.Text()))
	}
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		fmt.Printf("{\"text + match\": %s}\n", round(matcher, events))
	}
}

// It takes events only as text, so there is nothing to measure without the parsing.
func round(matcher *quamina.Quamina, events [][]byte) string {
	matches, keys := 0, 0
	wall, cpu := time.Now(), processTime()
	for _, event := range events {
		found := must(matcher.MatchesForEvent(event))
		matches += len(found)
		for _, key := range found {
			keys += key.(int)
		}
	}
	each := 1000 * float64(len(events))
	cpuEach, wallEach := float64(processTime()-cpu)/each, float64(time.Since(wall))/each
	return fmt.Sprintf("{\"matches\": %d, \"keys\": %d, \"cpu\": %f, \"wall\": %f}", matches, keys, cpuEach, wallEach)
}

func processTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func usedHeap() uint64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc
}

func version() string {
	information, _ := debug.ReadBuildInfo()
	for _, module := range information.Deps {
		if module.Path == "quamina.net/go/quamina/v2" {
			return module.Version
		}
	}
	return ""
}

func lines(path string) *bufio.Scanner {
	scanner := bufio.NewScanner(must(os.Open(path)))
	scanner.Buffer(nil, 1<<20)
	return scanner
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
