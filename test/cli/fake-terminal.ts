import { Writable } from 'node:stream'
import type { Terminal } from '../../src/cli/terminal/terminal.ts'

/** A terminal that remembers what was written to it. */
export interface FakeTerminal extends Terminal {
  /** All that was written to stderr. */
  text(): string
  /** The written lines, without the empty one at the end. */
  lines(): string[]
}

export interface FakeTerminalOptions {
  /** Whether both ends are terminals. @default false */
  isTty?: boolean
  /** @default true where stderr is a terminal */
  isStdinTty?: boolean
  /** @default false */
  isJson?: boolean
  /** @default 80 */
  columns?: number
  /** @default {} */
  environment?: Record<string, string>
}

export function fakeTerminal({
  isTty = false,
  isStdinTty = isTty,
  isJson = false,
  columns = 80,
  environment = {},
}: FakeTerminalOptions = {}): FakeTerminal {
  let written = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString()
      done()
    },
  })
  // What ora asks of a terminal's stream.
  const stderr = Object.assign(stream, {
    isTTY: isTty,
    columns,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  })
  return {
    stdin: { isTTY: isStdinTty },
    stderr,
    environment,
    isJson,
    text: () => written,
    lines: () => written.split('\n').slice(0, -1),
  }
}
