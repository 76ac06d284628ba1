import { harmlessText } from '../terminal/harmless-text.ts'
import { wrap } from '../terminal/wrap.ts'

/** Spaces between columns; two where a terminal is too narrow for three. */
const GAP = 3
const NARROW_GAP = 2

export interface TableOptions<Column extends string = string> {
  /** Columns of the terminal; without it, or when the terminal does not know, every cell is on one line. */
  width?: number | undefined
  /** Columns that a narrow terminal omits, in this order. @default none */
  optional?: readonly Column[]
}

/**
 * Rows as aligned columns below upper-case headers, without trailing spaces. In a terminal that is too narrow, optional
 * columns are left out, then the widest cells are wrapped at spaces. No word is cut.
 */
export function formatTable<Column extends string>(
  columns: readonly Column[],
  rows: ReadonlyArray<Readonly<Record<Column, string>>>,
  { optional = [], width = 0 }: TableOptions<Column> = {},
): string {
  const table = columns.map((column) => [
    column.toUpperCase(),
    ...rows.map((row) => cell(row[column])),
  ])
  const natural = table.map((cells) => Math.max(...cells.map((text) => text.length)))
  const isTooWide = (widths: readonly number[], gap: number) =>
    width > 0 && widths.reduce((sum, one) => sum + one + gap, -gap) > width
  if (!isTooWide(natural, GAP)) {
    return layOut(table, natural, GAP)
  }
  const [next, ...others] = optional.filter((column) => columns.includes(column))
  if (next !== undefined && isTooWide(natural, NARROW_GAP)) {
    const left = columns.filter((column) => column !== next)
    return formatTable(left, rows, { width, optional: others })
  }
  const widths = [...natural]
  const least = table.map((cells) => Math.max(...cells.flatMap((text) => wordLengths(text))))
  while (isTooWide(widths, NARROW_GAP)) {
    const room = widths.map((one, index) => (one > (least[index] ?? 0) ? one : 0))
    const widest = Math.max(...room)
    if (widest === 0) {
      break
    }
    widths[room.indexOf(widest)] = widest - 1
  }
  return layOut(table, widths, NARROW_GAP)
}

/** The columns beside each other; a row has as many lines as its longest cell. */
function layOut(
  table: ReadonlyArray<readonly string[]>,
  widths: readonly number[],
  gap: number,
): string {
  const rows = table[0]?.map((_, row) =>
    table.map((cells, column) => wrap(cells[row] ?? '', widths[column] ?? 0)),
  )
  return (rows ?? [])
    .flatMap((cells) =>
      Array.from({ length: Math.max(...cells.map((lines) => lines.length)) }, (_, line) =>
        cells
          .map((lines, column) => (lines[line] ?? '').padEnd(widths[column] ?? 0))
          .join(' '.repeat(gap))
          .trimEnd(),
      ),
    )
    .join('\n')
}

/** A cell is one line of harmless text; an empty one is a dash, so that columns can be counted by scripts. */
function cell(text: string): string {
  const line = harmlessText(text).replaceAll(/\s+/g, ' ').trim()
  return line === '' ? '-' : line
}

function wordLengths(text: string): number[] {
  return text.split(' ').map((word) => word.length)
}
