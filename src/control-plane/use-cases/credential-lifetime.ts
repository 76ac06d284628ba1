/** Client certificates are short-lived: nobody has to revoke what ends by itself. */
export const CREDENTIAL_LIFETIME_MS = 24 * 60 * 60 * 1000

/** They are replaced when less than this part of their life is left. */
const RENEWAL_PART = 0.2

/** Tells whether a credential is to be replaced. */
export function isDue({ expiresAt }: { expiresAt: Date }, now: Date): boolean {
  return expiresAt.getTime() - CREDENTIAL_LIFETIME_MS * RENEWAL_PART <= now.getTime()
}
