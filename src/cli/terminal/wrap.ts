/** A space that `wrap` does not break at, and turns into a plain one. */
export const NO_BREAK = '\u00a0'

/** Wraps text at spaces to lines of at most `width`; line breaks in it stay, longer words are not cut. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = []
    let current = ''
    for (const word of line.split(' ')) {
      if (current === '') {
        current = word
      } else if (current.length + 1 + word.length <= width) {
        current += ` ${word}`
      } else {
        lines.push(current)
        current = word
      }
    }
    return [...lines, current].map((wrapped) => wrapped.replaceAll(NO_BREAK, ' '))
  })
}
