/** Why the host must not have an object; each text names a field, and what would allow it. */
export interface Refusal {
  refusals: string[]
}

/** More than an Event has room for. */
const MOST = 20

/** A refusal for these reasons: each once, and only the first ones, since users' lists can be long, and refusals are kept. */
export function toRefusal(reasons: readonly string[]): Refusal {
  return { refusals: [...new Set(reasons)].slice(0, MOST) }
}

/** Tells a refusal from a translated object. */
export function isRefusal(result: object): result is Refusal {
  return 'refusals' in result
}
