import type { SyncLoop } from './sync-loop.ts'

export interface Comparison {
  /** How long the last comparison of everything took. */
  seconds: number
  /** Changes that were found to be missing by comparisons alone, since the start. */
  mended: number
}

/** Whether this syncer is the one that works, as Prometheus reads it. */
export function leadingMetric(isLeading: boolean): string {
  return `vplane_syncer_leading ${Number(isLeading)}\n`
}

/** What the loops have done so far, as Prometheus reads it. */
export function loopMetrics(
  loops: Readonly<Record<string, Pick<SyncLoop, 'counts' | 'depth'>>>,
  { mended, seconds }: Comparison,
): string {
  const ofLoops = Object.entries(loops).flatMap(([kind, { counts, depth }]) =>
    Object.entries({ queue_depth: depth, ...counts }).map(
      ([name, value]) => `vplane_syncer_${name}{kind="${kind}"} ${value}`,
    ),
  )
  const lines = [
    // Prometheus wants all samples of one name together.
    ...ofLoops.toSorted(),
    `vplane_syncer_comparison_seconds ${seconds}`,
    `vplane_syncer_mended_total ${mended}`,
  ]
  return `${lines.join('\n')}\n`
}
