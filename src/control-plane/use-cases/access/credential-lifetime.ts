/** Client certificates are short-lived: nobody has to revoke what ends by itself. */
export const CREDENTIAL_LIFETIME_MS = 24 * 60 * 60 * 1000

/** The part of its life that a kept credential has left at least, when its client can ask for another one. */
const RENEWAL_PART = 0.2

/** The same when its client uses it to its end: it is said to live a day. */
const HELD_PART = 0.95

/**
 * When a credential is to be replaced.
 *
 * @param isHeld Whether its client uses it to its end: a command, a file, a proxy. @default false
 */
export function dueAt({ expiresAt }: { expiresAt: Date }, isHeld = false): Date {
  const part = isHeld ? HELD_PART : RENEWAL_PART
  return new Date(expiresAt.getTime() - CREDENTIAL_LIFETIME_MS * part)
}

/** Whether a credential is to be replaced, as `dueAt` says. */
export function isDue(credential: { expiresAt: Date }, now: Date, isHeld = false): boolean {
  return dueAt(credential, isHeld) <= now
}
