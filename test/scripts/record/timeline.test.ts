import { expect, test } from 'vitest'
import { timelineOf } from '../../../scripts/record/timeline.ts'

/** A command that takes this long, with what it prints when. */
const run = (ms: number, ...outputs: [atMs: number, data: string][]) => ({
  command: 'make',
  ms,
  outputs: outputs.map(([atMs, data]) => ({ atMs, data })),
})

test('puts commands below each other, an empty line between them', () => {
  const first = { ...run(100, [50, 'one\r\ntwo\r\n']), command: 'first' }
  const second = { ...run(100, [50, 'three\r\n']), command: 'second' }

  const { rows, shown, typed } = timelineOf([first, second], 80)

  expect(typed.map(({ row, text }) => `${row} ${text}`)).toEqual(['0 first', '4 second'])
  const lines = shown.map(({ row, spans }) => `${row} ${spans[0]?.text}`)
  expect(lines).toEqual(['1 one', '2 two', '5 three'])
  expect(rows).toBe(6)
})

test('shows output after its command, with the time it took', () => {
  const { ms, shown, typed } = timelineOf([run(3000, [2000, 'done\r\n'])], 80)

  const [command, line] = [typed[0]?.untilMs ?? 0, shown[0]?.fromMs ?? 0]
  expect(line).toBeGreaterThan(command + 2000)
  expect(line).toBeLessThan(command + 3000)
  expect(ms).toBeGreaterThan(command + 3000)
})

test('keeps what a line was before, and drops what nobody could have seen', () => {
  const spinner = run(500, [0, 'first'], [200, '\rflash'], [210, '\rthird'])

  const { shown } = timelineOf([spinner], 80)

  expect(shown.map(({ spans, untilMs }) => [spans[0]?.text, untilMs === undefined])).toEqual([
    ['first', false],
    ['third', true],
  ])
})

test('forgets lines that were cleared', () => {
  const clearing = run(500, [0, 'step\r\n'], [300, '\u001B[1A\u001B[2K'])

  const { rows, shown } = timelineOf([clearing], 80)

  expect(shown).toHaveLength(1)
  expect(shown[0]?.untilMs).toBeDefined()
  expect(rows).toBe(2)
})
