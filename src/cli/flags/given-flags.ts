/** What the parser says of a flag's value. */
interface FlagMetadata {
  setFromDefault?: boolean | undefined
}

/** The names of the flags that were on the command line: not those whose value is a default. */
export function givenFlags(
  flags: Readonly<Record<string, unknown>>,
  metadata: { flags: Readonly<Record<string, FlagMetadata | undefined>> },
): ReadonlySet<string> {
  return new Set(
    Object.entries(flags)
      .filter(([name, value]) => {
        const isDefault = metadata.flags[name]?.setFromDefault === true
        return value !== undefined && !isDefault
      })
      .map(([name]) => name),
  )
}
