export interface CommandWords {
  own: string[]
  /** The user's own command, verbatim and in order; undefined when there is no `--`. */
  command: string[] | undefined
}

/** Cuts a command line at its first `--`, before any parser can touch or reorder what comes after it. */
export function commandAfterDashes(argv: readonly string[]): CommandWords {
  const dashes = argv.indexOf('--')
  return dashes === -1
    ? { own: [...argv], command: undefined }
    : { own: argv.slice(0, dashes), command: argv.slice(dashes + 1) }
}
