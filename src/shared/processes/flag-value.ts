/** Tells whether an argument is a flag whose value begins with `text`: `--flag=text…`. */
export function isFlagWithValue(argument: string, text: string): boolean {
  const flag = /^--[\w-]+=/.exec(argument)?.[0]
  return flag !== undefined && argument.startsWith(text, flag.length)
}
