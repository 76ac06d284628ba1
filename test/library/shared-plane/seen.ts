/** What a test file found, for the test that runs this project. */
export interface Seen {
  file: string
  plane: string
  namespace: string
}

/** Tells what a test file saw. */
export function tell(seen: Seen): void {
  process.stdout.write(`seen ${JSON.stringify(seen)}\n`)
}

/** All that test files told in an output. */
export function seenIn(output: string): Seen[] {
  return [...output.matchAll(/^seen (.*)$/gm)].map(([, json = '']) => JSON.parse(json))
}
