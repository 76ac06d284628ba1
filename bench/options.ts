import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Names of figures; empty for all. */
  only: string[]
  rounds: number
  /** How many planes `scale` measures, the fewest first. */
  planes: number[]
  /** How long `scale` watches the most planes at rest; fewer of them two minutes at most. */
  minutes: number
  /** File for everything that was measured, as JSON. */
  json: string | undefined
  /** File for the table, as Markdown. */
  markdown: string | undefined
}

/** Fewer would be no median. */
const ROUNDS = 5
const PLANES = [1, 10, 100, 1000]
const MINUTES = 10

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
      planes: { type: 'string', default: String(PLANES) },
      minutes: { type: 'string', default: String(MINUTES) },
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
  const planes = values.planes.split(',').map(Number)
  if (
    !planes.every((count, index) => Number.isInteger(count) && count > (planes[index - 1] ?? 0))
  ) {
    throw new Error(`--planes is "${values.planes}", not numbers above 0, the smallest first`)
  }
  const minutes = Number(values.minutes)
  if (!(minutes > 0)) {
    throw new Error(`--minutes is "${values.minutes}", not a number above 0`)
  }
  return { only, rounds, planes, minutes, json: values.json, markdown: values.markdown }
}
