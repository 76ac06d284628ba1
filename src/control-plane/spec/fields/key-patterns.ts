import * as z from 'zod'

/**
 * The schema of keys of labels, annotations or taints: each itself, `example.com/*` for all with this beginning, or `*` for all.
 * @param example a key, for errors
 */
export function keyPatterns(example: string) {
  const message = `is not a key such as "${example}", "example.com/*" or "*"`
  return z.array(z.string().regex(/^(\*|[\w./-]+\*?)$/, message))
}
