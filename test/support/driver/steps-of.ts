/** What was done, in its order, as a command says on a stderr that is no terminal: `Changing kube-apiserver`. */
export function stepsOf(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => /^✔ (.+) [\d.]+ ?\w+$/.exec(line)?.[1] ?? [])
}

/** Of a list of steps those that are in another list, each once, where it comes first. */
export function orderOf(steps: readonly string[], known: readonly string[]): string[] {
  return [...new Set(steps)].filter((step) => known.includes(step))
}
