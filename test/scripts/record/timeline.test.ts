import { expect, test } from 'vitest'
import { timelineOf } from '../../../scripts/record/timeline.ts'

test('puts commands below each other, an empty line between them', () => {
  const { rows, shown, typed } = timelineOf(
    [
      { command: 'first', ms: 100, outputs: [{ atMs: 50, data: 'one\r\ntwo\r\n' }] },
      { command: 'second', ms: 100, outputs: [{ atMs: 50, data: 'three\r\n' }] },
    ],
    80,
  )

  expect(typed.map(({ row, text }) => [row, text])).toEqual([
    [0, 'first'],
    [4, 'second'],
  ])
  expect(shown.map(({ row, spans }) => [row, spans[0]?.text])).toEqual([
    [1, 'one'],
    [2, 'two'],
    [5, 'three'],
  ])
  expect(rows).toBe(6)
})

test('shows output after its command, with the time it took', () => {
  const { ms, shown, typed } = timelineOf(
    [{ command: 'make', ms: 3000, outputs: [{ atMs: 2000, data: 'done\r\n' }] }],
    80,
  )

  const [command, line] = [typed[0]?.untilMs ?? 0, shown[0]?.fromMs ?? 0]
  expect(line).toBeGreaterThan(command + 2000)
  expect(line).toBeLessThan(command + 3000)
  expect(ms).toBeGreaterThan(command + 3000)
})

test('keeps what a line was before, and drops what nobody could have seen', () => {
  const { shown } = timelineOf(
    [
      {
        command: 'spin',
        ms: 500,
        outputs: [
          { atMs: 0, data: 'first' },
          { atMs: 200, data: '\rflash' },
          { atMs: 210, data: '\rthird' },
        ],
      },
    ],
    80,
  )

  expect(shown.map(({ spans, untilMs }) => [spans[0]?.text, untilMs === undefined])).toEqual([
    ['first', false],
    ['third', true],
  ])
})

test('forgets lines that were cleared', () => {
  const { rows, shown } = timelineOf(
    [
      {
        command: 'clear',
        ms: 500,
        outputs: [
          { atMs: 0, data: 'step\r\n' },
          { atMs: 300, data: '\u001B[1A\u001B[2K' },
        ],
      },
    ],
    80,
  )

  expect(shown).toHaveLength(1)
  expect(shown[0]?.untilMs).toBeDefined()
  expect(rows).toBe(2)
})
