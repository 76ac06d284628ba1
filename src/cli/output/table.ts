import { harmlessText } from '../terminal/harmless-text.ts'

const GAP = '   '

/** Columns are cut to no less than this, however narrow the terminal is. */
const MIN_WIDTH = 6

export interface TableOptions {
  /** Columns of the terminal; without it, or when the terminal does not know, nothing is cut. */
  width?: number | undefined
}

/**
 * Rows as aligned columns below upper-case headers, without trailing spaces. In a terminal that is too narrow, the
 * widest columns are cut, marked with `…`; without a width, as in a pipe, every cell is whole.
 */
export function formatTable<Column extends string>(
  columns: readonly Column[],
  rows: ReadonlyArray<Readonly<Record<Column, string>>>,
  { width = 0 }: TableOptions = {},
): string {
  const table = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => cell(row[column]))),
  ]
  const natural = columns.map((_, index) =>
    Math.max(...table.map((cells) => cells[index]?.length ?? 0)),
  )
  const widths = width > 0 ? narrow(natural, width) : natural
  const lines = table.map((cells) =>
    cells
      .map((text, index) => cut(text, widths[index] ?? 0).padEnd(widths[index] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
  return lines.join('\n')
}

/** A cell is one line of harmless text; an empty one is a dash, so that columns can be counted by scripts. */
function cell(text: string): string {
  const line = harmlessText(text).replaceAll(/\s+/g, ' ').trim()
  return line === '' ? '-' : line
}

/** Takes from the widest column until all fit, but leaves every column readable. */
function narrow(natural: readonly number[], width: number): number[] {
  const widths = [...natural]
  const total = () => widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1)
  while (total() > width) {
    const widest = Math.max(...widths)
    if (widest <= MIN_WIDTH) {
      break
    }
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}
