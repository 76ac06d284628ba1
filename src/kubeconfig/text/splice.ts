/** Puts `text` in the place of what lies between two offsets. */
export interface Edit {
  start: number
  end: number
  text: string
}

/**
 * Makes all edits at once; every character outside of them stays. Edits at the same offset come in the given order.
 */
export function splice(text: string, edits: readonly Edit[]): string {
  let result = ''
  let position = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    // Removals may overlap; what one of them took is gone already.
    result += text.slice(position, Math.max(position, edit.start)) + edit.text
    position = Math.max(position, edit.end)
  }
  return result + text.slice(position)
}
