import type { InferredFlags } from '@oclif/core/interfaces'

/** What a command line may say by some flags: the type of each value, as the flag itself knows it. */
export type Given<Flags> = Partial<Omit<InferredFlags<Flags>, 'json'>>

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
