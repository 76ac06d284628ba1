/** Set when the bundle of the fast path lacks something (scripts/build/fast-bundle.ts): its result is discarded. */
export const leftOut = { isNeeded: false }
