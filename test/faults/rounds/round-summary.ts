import type { Attempt } from './kill-during.ts'
import type { Round } from './plan-rounds.ts'

/** What came of one round. */
export interface RoundResult extends Round, Attempt {
  /** How many writes the plane has acknowledged so far that were looked for after it, and how many of them were gone. */
  acknowledged: number
  lost: number
}

/** What a run of rounds has shown. */
export interface RoundSummary {
  seed: number
  /** How many rounds there were to be. */
  planned: number
  rounds: readonly RoundResult[]
  /** In how many of them something died during the operation. */
  hits: number
  /** The most writes that were looked for after a round. */
  acknowledged: number
  /** Of all rounds. */
  lost: number
}

export function summaryOf(
  seed: number,
  planned: number,
  rounds: readonly RoundResult[],
): RoundSummary {
  return {
    seed,
    planned,
    rounds,
    hits: rounds.filter(({ killed }) => killed !== undefined).length,
    acknowledged: Math.max(0, ...rounds.map(({ acknowledged }) => acknowledged)),
    lost: rounds.reduce((sum, { lost }) => sum + lost, 0),
  }
}

/** What came of a round, for people. */
export function roundLine(result: RoundResult): string {
  const { follower, isCutOff, isSynced, killed, lastedMs, operation, round, victim } = result
  const what = `${round}. ${operation}${isSynced ? ', with pods' : ''} × ${victim}`
  const next = isCutOff || victim === 'vplane' ? ` (then ${follower})` : ''
  return killed === undefined
    ? `${what}${next}: nothing died in ${seconds(lastedMs)}`
    : `${what}${next}: ${killed.what} died after ${seconds(killed.atMs)} of ${seconds(lastedMs)}`
}

/** What came of all rounds, for people. */
export function summaryLine(summary: RoundSummary): string {
  const { acknowledged, hits, lost, planned, rounds, seed } = summary
  return (
    `seed ${seed}: ${rounds.length} of ${planned} rounds ended well, something died during the operation in ${hits}; ` +
    `${lost} of up to ${acknowledged} acknowledged writes lost`
  )
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
