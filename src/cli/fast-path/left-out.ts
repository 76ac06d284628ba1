/**
 * Set when the fast path needed something that its bundle leaves out (scripts/build/fast-bundle.ts): its result, such as
 * an unknown status, is discarded, and the framework takes over.
 */
export const leftOut = { isNeeded: false }
