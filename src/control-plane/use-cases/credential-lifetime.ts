/** Client certificates are short-lived: nobody has to revoke what ends by itself. */
export const CREDENTIAL_LIFETIME_MS = 24 * 60 * 60 * 1000

/** They are replaced when less than this part of their life is left. */
const RENEWAL_PART = 0.2

/** When a credential is to be replaced. */
export function dueAt({ expiresAt }: { expiresAt: Date }): Date {
  return new Date(expiresAt.getTime() - CREDENTIAL_LIFETIME_MS * RENEWAL_PART)
}

/** Tells whether a credential is to be replaced. */
export function isDue(credential: { expiresAt: Date }, now: Date): boolean {
  return dueAt(credential) <= now
}
