import type { TerminalRun } from './run-in-terminal.ts'
import { Screen, type Span } from './screen.ts'

/** A line of the recording, as it looks from one moment to another. */
export interface Shown {
  row: number
  spans: readonly Span[]
  fromMs: number
  /** undefined when it stays. */
  untilMs?: number
}

/** A command as it is typed. */
export interface Typed {
  row: number
  text: string
  promptAtMs: number
  fromMs: number
  untilMs: number
}

export interface Timeline {
  rows: number
  ms: number
  shown: Shown[]
  typed: Typed[]
}

export interface RecordedCommand extends TerminalRun {
  command: string
}

const TYPING_MS = 35
const BEFORE_TYPING_MS = 600
const BEFORE_RUNNING_MS = 250
const AFTER_RUNNING_MS = 900

/** What is shown for a shorter time nobody can see. */
const SHORTEST_MS = 70

/** Puts commands one below the other, each with the timing it had. */
export function timelineOf(commands: readonly RecordedCommand[], columns: number): Timeline {
  const timeline: Timeline = { rows: 0, ms: 0, shown: [], typed: [] }
  for (const { command, ms, outputs } of commands) {
    const promptAtMs = timeline.ms
    const fromMs = promptAtMs + BEFORE_TYPING_MS
    const untilMs = fromMs + command.length * TYPING_MS
    timeline.typed.push({ row: timeline.rows, text: command, promptAtMs, fromMs, untilMs })
    const start = { row: timeline.rows + 1, ms: untilMs + BEFORE_RUNNING_MS }
    const shown = linesOf(outputs, { columns, start })
    timeline.shown.push(...shown)
    timeline.rows = Math.max(timeline.rows, ...shown.map(({ row }) => row)) + 2
    timeline.ms = start.ms + ms + AFTER_RUNNING_MS
  }
  timeline.rows -= 1
  return timeline
}

interface Placement {
  columns: number
  start: { row: number; ms: number }
}

function linesOf(outputs: TerminalRun['outputs'], { columns, start }: Placement): Shown[] {
  const screen = new Screen(columns)
  const open = new Map<number, Shown & { key: string }>()
  const shown: Shown[] = []
  for (const { atMs, data } of outputs) {
    screen.write(data)
    const now = start.ms + atMs
    const lines = screen.lines()
    for (let index = 0; index < Math.max(lines.length, open.size); index += 1) {
      const spans = lines[index] ?? []
      const row = start.row + index
      const key = JSON.stringify(spans)
      const before = open.get(row)
      if (before?.key !== key) {
        if (before !== undefined && now - before.fromMs >= SHORTEST_MS) {
          shown.push({ ...before, untilMs: now })
        }
        open.set(row, { row, spans, fromMs: now, key })
      }
    }
  }
  return [...shown, ...open.values()].filter(({ spans }) => spans.length > 0)
}
