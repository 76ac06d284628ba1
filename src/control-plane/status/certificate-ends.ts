/** From when on `list` warns, though nobody asked: 30 days. */
export const WARN_BEFORE_END_MS = 30 * 24 * 60 * 60 * 1000

/** Whether something has ended, or does so within a time; what has no end never does. */
export function isEndingWithin(withinMs: number, end: Date | undefined, now: Date): boolean {
  return end !== undefined && end.getTime() - now.getTime() <= withinMs
}
