const DAY_MS = 24 * 60 * 60 * 1000

/** How long CAs live: 10 years. */
export const AUTHORITY_LIFETIME_MS = 3650 * DAY_MS

/** How long the leaf certificates of components live: a year. */
export const LEAF_LIFETIME_MS = 365 * DAY_MS

/** Leaf certificates in their last 90 days are renewed by any command. */
export const RENEW_WITHIN_MS = 90 * DAY_MS
