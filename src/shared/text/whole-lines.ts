/** Yields a text in whole lines; a part of a line waits for the rest of it. */
export async function* wholeLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = `${rest}${chunk}`
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    if (end > 0) {
      yield text.slice(0, end)
    }
  }
  if (rest !== '') {
    yield `${rest}\n`
  }
}

/** The lines of a text of whole lines. */
export function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1)
}
