import type { SyncLoop } from './sync-loop.ts'

/** The comparisons of all objects on both sides. */
export interface Comparison {
  /** Duration of the last one. */
  seconds: number
  /** How many changes they made since the start that no watch event had led to. */
  corrections: number
}

/** Whether this syncer leads, in the text format of Prometheus. */
export function leadingMetric(isLeading: boolean): string {
  return `vplane_syncer_leading ${Number(isLeading)}\n`
}

/** What the loops have done since the start, in the text format of Prometheus. */
export function loopMetrics(
  loops: Readonly<Record<string, Pick<SyncLoop, 'counts' | 'depth'>>>,
  { corrections, seconds }: Comparison,
): string {
  const ofLoops = Object.entries(loops).flatMap(([kind, { counts, depth }]) =>
    Object.entries({ queue_depth: depth, ...counts }).map(
      ([name, value]) => `vplane_syncer_${name}{kind="${kind}"} ${value}`,
    ),
  )
  const lines = [
    // Prometheus requires all samples of one name together.
    ...ofLoops.toSorted(),
    `vplane_syncer_comparison_seconds ${seconds}`,
    `vplane_syncer_mended_total ${corrections}`,
  ]
  return `${lines.join('\n')}\n`
}
