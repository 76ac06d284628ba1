/** Replaces what lies between two offsets by `text`. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** Applies all edits at once, in the given order where offsets are equal; every character outside of them stays. */
export function splice(text: string, edits: readonly Edit[]): string {
  let result = ''
  let position = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    // Removals may overlap: a character is removed once.
    result += text.slice(position, Math.max(position, edit.start)) + edit.text
    position = Math.max(position, edit.end)
  }
  return result + text.slice(position)
}

/** Offset of the first character of the line that an offset lies in. */
export function startOfLine(text: string, offset: number): number {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return offset > 0 && start === 0 && text.startsWith('\uFEFF') ? 1 : start
}

/** The number of characters before an offset on its line. */
export function columnOf(text: string, offset: number): number {
  return offset - startOfLine(text, offset)
}

/** Whether only spaces precede an offset on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  return /^ *$/.test(text.slice(startOfLine(text, offset), offset))
}

/** Inserts lines below the line of an offset. */
export function insertLinesBelow(
  { text, newline }: { text: string; newline: string },
  offset: number,
  lines: readonly string[],
): Edit {
  const end = endOfLine(text, offset)
  const isOpen = !text.endsWith('\n') && end === text.length
  // A text without a line break at its end stays without one: removal relies on it.
  const inserted = lines.map((line) => (isOpen ? newline + line : line + newline))
  return { start: end, end, text: inserted.join('') }
}

/** Removes whole lines, each range from the line of its start to the line of its end. */
export function removeLines(text: string, ranges: ReadonlyArray<Omit<Edit, 'text'>>): Edit[] {
  const merged: Edit[] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const start = startOfLine(text, range.start)
    const end = endOfLine(text, range.end)
    const last = merged.at(-1)
    if (last !== undefined && start <= last.end) {
      last.end = Math.max(last.end, end)
    } else {
      merged.push({ start, end, text: '' })
    }
  }
  const last = merged.at(-1)
  if (last?.end === text.length && !text.endsWith('\n')) {
    last.start -= /\r?\n$/.exec(text.slice(0, last.start))?.[0].length ?? 0
  }
  return merged
}

/** Offset behind the line break that ends the line of an offset. */
function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}
