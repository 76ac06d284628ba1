import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { exitCodeOfSignal, listenForInterrupts } from '../../../src/cli/processes/interrupts.ts'

class FakeProcess extends EventEmitter {
  readonly exits: number[] = []
  exit(code: number) {
    this.exits.push(code)
  }
  send(signal: NodeJS.Signals) {
    this.emit(signal, signal)
  }
}

test.for([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('aborts at the first %s, for exit code %i', ([name, exitCode]) => {
  const source = new FakeProcess()
  using interrupts = listenForInterrupts(source)
  expect(interrupts.signal.aborted).toBe(false)
  expect(interrupts.exitCode).toBeUndefined()

  source.send(name)

  expect(interrupts.signal.aborted).toBe(true)
  expect(interrupts.signal.reason).toMatchObject({ code: 'ABORTED' })
  expect(interrupts.exitCode).toBe(exitCode)
  expect(source.exits).toEqual([])
})

test.for([
  ['ends the process at once at the second Ctrl-C', 'SIGINT', [130], 130],
  ['continues to clean up when SIGTERM comes twice', 'SIGTERM', [], 143],
] as const)('%s', ([, name, exits, exitCode]) => {
  const source = new FakeProcess()
  using interrupts = listenForInterrupts(source)

  source.send(name)
  source.send(name)

  expect(source.exits).toEqual(exits)
  expect(interrupts.exitCode).toBe(exitCode)
})

test('neither aborts nor dies while it stands aside', () => {
  const source = new FakeProcess()
  using interrupts = listenForInterrupts(source)
  const aside = interrupts.standAside()

  source.send('SIGINT')
  source.send('SIGINT')

  expect(interrupts.signal.aborted).toBe(false)
  expect(source.exits).toEqual([])
  expect(source.listenerCount('SIGINT')).toBe(1)

  aside[Symbol.dispose]()
  source.send('SIGINT')

  expect(interrupts.signal.aborted).toBe(true)
})

test('leaves no listener behind', () => {
  const source = new FakeProcess()

  listenForInterrupts(source)[Symbol.dispose]()

  expect(source.eventNames()).toEqual([])
})

test('reports signals as shells do', () => {
  expect(exitCodeOfSignal('SIGKILL')).toBe(137)
})
