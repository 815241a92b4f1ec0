package frontend

import (
	"strconv"
	"time"
)

// clock is a time of day for a row, "14:02:41"; the zone is in its title.
func clock(t time.Time) string { return t.Format(time.TimeOnly) }

// moment is a day and a time for a list that spans days.
func moment(t time.Time) string { return t.Format(time.DateTime) }

// fullTime names the zone as well; it is what a person sees on hover.
func fullTime(t time.Time) string { return t.Format("2006-01-02 15:04:05.000 MST") }

// stamp is the time as a machine reads it, UTC in milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// elapsed is a duration for a person: microseconds below a millisecond, milliseconds below ten seconds, else seconds.
func elapsed(d time.Duration) string {
	switch {
	case d <= 0:
		return "unknown"
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	case d < 10*time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// size is a number of bytes for a person: kB are thousands, the exact number stays in the title.
func size(n int) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1000:
		return strconv.Itoa(n) + " bytes"
	case n < 1000*1000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}
