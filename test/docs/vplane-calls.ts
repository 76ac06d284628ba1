/** A word in quotes, a sign of the shell, or a word without. */
const WORDS = /"([^"]*)"|'([^']*)'|(&&|\|\||[|;>()]|<\()|([^\s"'|;>()]+(?:"[^"]*"|'[^']*')?)/g

/** What each call of vplane in a shell text is given: `vplane list -A  # all` is `['list', '-A']`. */
export function vplaneCalls(text: string): string[][] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => commandsOf(line.replace(/(^|\s)#.*$/, '').replace(/^- run: /, '')))
    .map((words) => words.slice(words.findIndex((word) => !/^npx$|^[A-Z]+=/.test(word))))
    .flatMap(([first, ...words]) => (first === 'vplane' ? [words] : []))
}

/** The words of each simple command of a line. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const [, double, single, sign, plain] of line.matchAll(WORDS)) {
    const word = double ?? single ?? plain
    if (sign !== undefined || word === undefined) {
      commands.push([])
    } else {
      commands.at(-1)?.push(word)
    }
  }
  return commands
}
