import { verdictOf } from './compare.ts'
import type { Result, Unit } from './figure.ts'
import type { Machine } from './machine.ts'

export interface Report {
  startedAt: string
  minutes: number
  rounds: number
  machine: Machine
  results: readonly Result[]
}

const HEAD = ['', 'vplane', 'reference', 'compared', 'target', 'goal', '']

/** The table for a terminal, with notes below it. */
export function formatTable(results: readonly Result[]): string {
  const rows = [HEAD, ...results.map(cells)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const notes = results.flatMap(({ name, notes = [] }) => notes.map((note) => `${name}: ${note}`))
  return [...lines, '', ...notes].join('\n')
}

/** The table for a page. */
export function formatMarkdown({ machine, results, rounds, startedAt }: Report): string {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  const { cores, kernel, load, memoryGiB, processor, versions } = machine
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const notes = results.flatMap(({ notes = [], what }) => notes.map((note) => `- ${what}: ${note}`))
  return [
    '# Figures',
    '',
    'Written by `npm run bench -- --json out.json --markdown docs/figures.md`. Each figure is a median. A figure and its reference were measured by turns in the same run.',
    '',
    `${startedAt.slice(0, 10)}, ${rounds} rounds. ${cores} cores (${processor}), ${memoryGiB} GiB, ${kernel}, load ${load} at the beginning. ${programs.join(', ')}.`,
    '',
    line(HEAD),
    line(HEAD.map(() => '---')),
    ...results.map((result) => line(cells(result))),
    '',
    ...notes,
    '',
  ].join('\n')
}

function cells(result: Result): string[] {
  const { compared, goal, reference, target, unit, what } = result
  const limit = (value: number | undefined) =>
    value === undefined ? '' : format(value, compared.unit)
  return [
    what,
    format(result.median, unit),
    reference === undefined ? '' : `${reference.what}: ${format(reference.median, unit)}`,
    compared.as === 'value' ? '' : comparison(compared),
    limit(target),
    limit(goal),
    verdictOf(result),
  ]
}

function comparison({ as, unit, value }: Result['compared']): string {
  const sign = as === 'difference' && value >= 0 ? '+' : ''
  return `${sign}${format(value, unit)}`
}

function format(value: number, unit: Unit): string {
  if (unit === 'x') {
    return value.toFixed(2)
  }
  if (unit === 'ms' && Math.abs(value) >= 1000) {
    return `${(value / 1000).toFixed(2)} s`
  }
  return `${value.toFixed(0)} ${unit}`
}
