/** Why the host must not have something; each sentence names a field and what would allow it. */
export interface Refusal {
  refusals: string[]
}

/** Tells a refusal from what goes to the host. */
export function isRefusal(result: object): result is Refusal {
  return 'refusals' in result
}
