import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Names of figures; empty for all. */
  only: string[]
  rounds: number
  /** File for everything that was measured, as JSON. */
  json: string | undefined
  /** File for the table, as Markdown. */
  markdown: string | undefined
}

/** Fewer would be no median. */
const ROUNDS = 5

/**
 * Reads the words after `npm run bench --`.
 *
 * @throws {Error} when there is something wrong with them.
 */
export function parseOptions(words: readonly string[], known: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: String(ROUNDS) },
      json: { type: 'string' },
      markdown: { type: 'string' },
    },
  })
  const only = values.only?.split(',') ?? []
  const unknown = only.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    throw new Error(`no figure is called "${unknown.join('", "')}"; there are ${known.join(', ')}`)
  }
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds is "${values.rounds}", not a number above 0`)
  }
  return { only, rounds, json: values.json, markdown: values.markdown }
}
