/**
 * Set when a quick way wanted something that the quick bundle leaves out (scripts/build/quick-bundle.ts): whatever came
 * of it, such as a status that nobody could look up, does not count, and the framework takes over.
 */
export const moreToIt = { isWanted: false }
