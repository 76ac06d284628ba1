import { styleText } from 'node:util'
import { wrap } from '../terminal/wrap.ts'

/** The widest help is; wider lines are hard to read. */
export const HELP_WIDTH = 80

export interface HelpStyle {
  bin: string
  /** Columns to fill at most. @default 80 */
  width?: number
  /** @default false */
  color?: boolean
}

export interface ListOptions {
  width: number
  /** @default 2 */
  indent?: number
  /** Widest left column that still has its text beside it. @default 28 */
  maxLeft?: number
  /** @default as wide as the terms need */
  minLeft?: number
}

/** Two columns: a term, and its text wrapped beside it; below it where the term is too long. */
export function twoColumns(
  rows: ReadonlyArray<readonly [term: string, text: string]>,
  { width, indent = 2, maxLeft = 28, minLeft = 0 }: ListOptions,
): string[] {
  const fitting = rows.map(([term]) => term.length).filter((length) => length <= maxLeft)
  const left = Math.max(minLeft, ...fitting) + 2
  return rows.flatMap(([term, text]) => {
    const lines = wrap(text, width - indent - left)
    const isLong = term.length > maxLeft
    const first = isLong ? [term] : [`${term.padEnd(left)}${lines[0] ?? ''}`]
    const rest = (isLong ? lines : lines.slice(1)).map((line) => `${' '.repeat(left)}${line}`)
    return [...first, ...rest].map((line) => `${' '.repeat(indent)}${line}`.trimEnd())
  })
}

/** A titled block of lines; empty without lines. */
export function section(title: string, lines: readonly string[], color: boolean): string[] {
  const heading = color ? styleText('bold', title, { validateStream: false }) : title
  return lines.length === 0 ? [] : [`${heading}\n${lines.join('\n')}`]
}
