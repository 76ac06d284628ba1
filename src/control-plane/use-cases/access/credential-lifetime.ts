/** Client certificates are short-lived: one that expires by itself need not be revoked. */
export const CREDENTIAL_LIFETIME_MS = 24 * 60 * 60 * 1000

/** The part of its lifetime that a stored credential has left at least, when its client can ask for another one. */
const RENEWAL_PART = 0.2

/** The same when its client uses it until it expires: vplane promises that it lives a day. */
const HELD_PART = 0.95

/** When to replace it. `isHeld`: a command, a file or a proxy uses it until it expires. */
export function dueAt({ expiresAt }: { expiresAt: Date }, isHeld = false): Date {
  const part = isHeld ? HELD_PART : RENEWAL_PART
  return new Date(expiresAt.getTime() - CREDENTIAL_LIFETIME_MS * part)
}

/** Whether a credential must be replaced. */
export function isDue(credential: { expiresAt: Date }, now: Date, isHeld = false): boolean {
  return dueAt(credential, isHeld) <= now
}
