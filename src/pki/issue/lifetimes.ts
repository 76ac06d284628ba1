const DAY_MS = 24 * 60 * 60 * 1000

/** The lifetime of CAs: 10 years. */
export const AUTHORITY_LIFETIME_MS = 3650 * DAY_MS
/** The lifetime of the components' leaf certificates: 1 year. */
export const LEAF_LIFETIME_MS = 365 * DAY_MS

/** Every command renews leaf certificates that expire within 90 days. */
export const RENEW_WITHIN_MS = 90 * DAY_MS
