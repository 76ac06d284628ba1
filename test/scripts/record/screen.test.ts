import { expect, test } from 'vitest'
import { Screen, type Span } from '../../../scripts/record/screen.ts'

const ESCAPE = '\u001B'

function screenAfter(...chunks: string[]): Span[][] {
  const screen = new Screen(20)
  for (const chunk of chunks) {
    screen.write(chunk)
  }
  return screen.lines()
}

function textAfter(...chunks: string[]): string[] {
  return screenAfter(...chunks).map((spans) =>
    spans.reduce((line, { column, text }) => line.padEnd(column) + text, ''),
  )
}

test.for([
  ['lines', ['one\r\ntwo'], ['one', 'two']],
  ['a line that is written over', ['12345\rab'], ['ab345']],
  ['a line that is cleared', [`wait${ESCAPE}[2K\rdone`], ['done']],
  ['a line that is cleared to its end', [`abcdef\rab${ESCAPE}[K`], ['ab']],
  ['a line that is cleared to the cursor', [`abcd${ESCAPE}[2D${ESCAPE}[1Kx`], ['  xd']],
  ['a cursor that goes up', [`one\r\ntwo\r${ESCAPE}[1AONE`], ['ONE', 'two']],
  ['a cursor that goes to a column', [`abc${ESCAPE}[1Gx`], ['xbc']],
  ['everything below that is cleared', [`a\r\nb\r\nc${ESCAPE}[2A\r${ESCAPE}[J`], ['']],
  ['a cursor that is hidden and shown', [`${ESCAPE}[?25la${ESCAPE}[?25h`], ['a']],
  ['a title', [`${ESCAPE}]0;vplane\u0007a`], ['a']],
  ['a tab', ['a\tb'], ['a       b']],
  ['a line longer than the terminal', ['x'.repeat(22)], ['x'.repeat(20), 'xx']],
  ['a sequence in two parts', [`ab${ESCAPE}[`, `2K\rc`], ['c']],
  ['a sequence of which only the escape came', [`ab${ESCAPE}`, `[1Gc`], ['cb']],
  ['characters beyond ASCII', ['✔ ⠋'], ['✔ ⠋']],
] as const)('shows %s', ([, chunks, lines]) => {
  expect(textAfter(...chunks)).toEqual(lines)
})

test('tells spans of different looks apart', () => {
  const [line] = screenAfter(
    `${ESCAPE}[32m✔${ESCAPE}[39m ok ${ESCAPE}[2m1.2s${ESCAPE}[22m ${ESCAPE}[1mbold${ESCAPE}[0m`,
  )

  expect(line).toEqual([
    { column: 0, text: '✔', color: 'green' },
    { column: 1, text: ' ok' },
    { column: 5, text: '1.2s', isDim: true },
    { column: 10, text: 'bold', isBold: true },
  ])
})

test('keeps the colour when only the weight ends', () => {
  const [line] = screenAfter(`${ESCAPE}[36;1ma${ESCAPE}[22mb`)

  expect(line).toEqual([
    { column: 0, text: 'a', color: 'cyan', isBold: true },
    { column: 1, text: 'b', color: 'cyan' },
  ])
})
