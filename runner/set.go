package runner

import "slices"

// fewNames is how many names are searched one by one before an index pays.
const fewNames = 16

// set holds distinct names. The zero value is empty.
type set struct {
	names []string
	index map[string]struct{} // once there are more than fewNames
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
		return slices.Contains(s.names, name)
	}
	_, found := s.index[name]
	return found
}

// add gives false if the name was there.
func (s *set) add(name string) bool {
	if s.has(name) {
		return false
	}
	if s.index == nil && len(s.names) < fewNames {
		s.names = append(s.names, name)
		return true
	}
	if s.index == nil {
		s.index = make(map[string]struct{}, 2*fewNames)
		for _, n := range s.names {
			s.index[n] = struct{}{}
		}
	}
	s.index[name] = struct{}{}
	return true
}
