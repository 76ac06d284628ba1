/** The lines of a Go program's log without its stack traces, which hide the messages before them. */
export function withoutTraces(lines: readonly string[]): string[] {
  return lines
    .filter((line, index) => !isTrace(line) && !isLocation(lines[index + 1] ?? ''))
    .map((line) => line.replace(/,"stacktrace":"(?:[^"\\]|\\.)*"/, ''))
}

function isTrace(line: string): boolean {
  return isLocation(line) || /^goroutine \d+ /.test(line)
}

/** The line below a function in a stack trace: a tab, a file and a line, as in `	runtime/proc.go:290 +0x28`. */
function isLocation(line: string): boolean {
  return /^\t\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$/.test(line)
}
