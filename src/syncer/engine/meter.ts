/** What one loop has done so far. */
export class Meter {
  readonly #counts = { errors: 0, reconciles: 0, lagSeconds: 0, workSeconds: 0 }

  /**
   * Takes in that a key was worked on.
   *
   * @param times how long it had waited since something changed, and how long the work took
   */
  done({ tookMs, waitedMs }: { waitedMs: number; tookMs: number }): void {
    this.#counts.reconciles += 1
    this.#counts.lagSeconds += waitedMs / 1000
    this.#counts.workSeconds += tookMs / 1000
  }

  failed(): void {
    this.#counts.errors += 1
  }

  /** Values by the names of metrics, as Prometheus wants them. */
  values(): Record<string, number> {
    const { errors, lagSeconds, reconciles, workSeconds } = this.#counts
    return {
      errors_total: errors,
      lag_seconds_count: reconciles,
      lag_seconds_sum: lagSeconds,
      reconcile_seconds_count: reconciles,
      reconcile_seconds_sum: workSeconds,
    }
  }
}
