/** Why the host must not have an object; each text names a field, and what would allow it. */
export interface Refusal {
  refusals: string[]
}

/** Tells a refusal from a translated object. */
export function isRefusal(result: object): result is Refusal {
  return 'refusals' in result
}
