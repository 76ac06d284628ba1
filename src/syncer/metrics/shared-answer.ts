/** How long an answer is good unless it is said, in milliseconds: hosts measure every 15 s or so. */
const MAX_AGE_MS = 5000

/** Asks once for all who ask at about the same time. An answer that fails is nobody's but theirs who waited for it. */
export function sharedAnswer<Answer>(
  ask: () => Promise<Answer>,
  maxAgeMs: number = MAX_AGE_MS,
): () => Promise<Answer> {
  let shared: { at: number; answer: Promise<Answer> } | undefined
  return async () => {
    if (shared === undefined || performance.now() - shared.at > maxAgeMs) {
      shared = { at: performance.now(), answer: ask() }
    }
    const { answer } = shared
    try {
      return await answer
    } catch (error) {
      // Whoever asks next asks again.
      if (shared?.answer === answer) {
        shared = undefined
      }
      throw error
    }
  }
}
