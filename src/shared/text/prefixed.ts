/** Splits a text into whole lines, each with a prefix; a part of a line waits for the rest of it. */
export async function* prefixed(
  chunks: AsyncIterable<string>,
  prefix: string,
): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) {
      yield lines.map((line) => `${prefix}${line}\n`).join('')
    }
  }
  if (rest !== '') {
    yield `${prefix}${rest}\n`
  }
}
