/**
 * Set when the fast path needed something that its bundle leaves out (scripts/build/fast-bundle.ts): whatever came of
 * it, such as a status that nobody could look up, does not count, and the framework takes over.
 */
export const leftOut = { isNeeded: false }
