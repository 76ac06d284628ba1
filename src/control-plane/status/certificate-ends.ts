/** How long before a certificate expires `list` and alarms warn of it. */
export const WARN_BEFORE_END_MS = 30 * 24 * 60 * 60 * 1000

/** Whether a certificate has expired or expires within a time; a key without an end never does. */
export function isEndingWithin(withinMs: number, end: Date | undefined, now: Date): boolean {
  return end !== undefined && end.getTime() - now.getTime() <= withinMs
}
