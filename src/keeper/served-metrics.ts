import { joinMetrics } from '../shared/text/join-metrics.ts'
import type { Duty } from './duties/duty.ts'

/** The metrics of the duties of planes, in the text format of Prometheus. */
export class ServedMetrics {
  readonly #duties = new Map<string, readonly Duty[]>()

  /** Serves those of the duties of a plane, instead of former ones. */
  serve(plane: string, duties: readonly Duty[]): void {
    this.#duties.set(plane, duties)
  }

  /** Serves those of these planes alone. */
  keepOnly(planes: ReadonlySet<string>): void {
    for (const plane of this.#duties.keys()) {
      if (!planes.has(plane)) {
        this.#duties.delete(plane)
      }
    }
  }

  /** @param plane by default all of them */
  text(plane?: string): string {
    const asked = plane === undefined ? [...this.#duties.values()] : [this.#duties.get(plane) ?? []]
    return joinMetrics(asked.flat().map((duty) => duty.metrics?.() ?? ''))
  }
}
