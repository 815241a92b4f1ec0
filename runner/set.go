package runner

import "slices"

// fewNames is how many names are searched one by one before an index pays.
const fewNames = 16

// set holds distinct names. The zero value is empty.
type set struct {
	first [fewNames]string
	n     int
	index map[string]struct{} // all of them, once there are more
}

func newSet(names []string) *set {
	s := &set{}
	for _, name := range names {
		s.add(name)
	}
	return s
}

func (s *set) has(name string) bool {
	if s.index == nil {
		return slices.Contains(s.first[:s.n], name)
	}
	_, found := s.index[name]
	return found
}

// add gives false if the name was there.
func (s *set) add(name string) bool {
	if s.has(name) {
		return false
	}
	if s.n < fewNames {
		s.first[s.n] = name
		s.n++
		return true
	}
	if s.index == nil {
		s.index = make(map[string]struct{}, 2*fewNames)
		for _, other := range s.first {
			s.index[other] = struct{}{}
		}
	}
	s.index[name] = struct{}{}
	return true
}
