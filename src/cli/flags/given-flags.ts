import type { InferredFlags } from '@oclif/core/interfaces'

export type Given<Flags> = Partial<Omit<InferredFlags<Flags>, 'json'>>

interface FlagMetadata {
  setFromDefault?: boolean | undefined
}

/** The names of the flags that were on the command line: not those whose value is a default. */
export function givenFlags(
  flags: Readonly<Record<string, unknown>>,
  metadata: { flags: Readonly<Record<string, FlagMetadata | undefined>> },
): ReadonlySet<string> {
  const given = Object.entries(flags).filter(
    ([name, value]) => value !== undefined && metadata.flags[name]?.setFromDefault !== true,
  )
  return new Set(given.map(([name]) => name))
}
