import { expect, test } from 'vitest'
import { canAnimate, canColor, whyNotAsk } from '../../../src/cli/terminal/terminal.ts'
import { fakeTerminal, type FakeTerminalOptions } from '../fake-terminal.ts'

const inCi = (value: string): FakeTerminalOptions => ({ isTty: true, environment: { CI: value } })

test.for<[FakeTerminalOptions, boolean]>([
  [{ isTty: true }, true],
  [{ isTty: false }, false],
  [{ isTty: true, isStdinTty: false }, false],
  [{ isTty: false, isStdinTty: true }, false],
  [{ isTty: true, isJson: true }, false],
  [inCi('true'), false],
  [inCi('1'), false],
  [inCi('false'), true],
  [inCi('0'), true],
  [inCi(''), true],
])('on %j someone can be asked: %s', ([options, expected]) => {
  expect(whyNotAsk(fakeTerminal(options)) === undefined).toBe(expected)
})

test.for<[FakeTerminalOptions, boolean]>([
  [{ isTty: true }, true],
  [{ isTty: true, isStdinTty: false }, true],
  [{ isTty: false }, false],
  [inCi('true'), false],
  [{ isTty: true, environment: { TERM: 'dumb' } }, false],
  [{ isTty: true, columns: 0 }, false],
])('on %j lines may be drawn over: %s', ([options, expected]) => {
  expect(canAnimate(fakeTerminal(options))).toBe(expected)
})

test.for<[boolean, Record<string, string>, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
])('with a terminal %s and %j, colour is %s', ([isTTY, environment, expected]) => {
  expect(canColor({ isTTY }, environment)).toBe(expected)
})
