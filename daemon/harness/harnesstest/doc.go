// Package harnesstest is the suite that every adapter of the harness contract runs: the shared text life of three Turns
// (behaviour 9.4) and the rules that hold for any adapter (behaviour 9.1), whatever its native program is.
//
// Tests of adapters call Text and Contract with a Fixture. CheckText and Rules are the same without a testing.T, for
// whoever reports in another way. A check uses only what the contract promises, opens Executors through the fixture,
// closes each of them, and leaves nothing running behind when the adapter keeps its promises.
package harnesstest
