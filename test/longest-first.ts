import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { knownMinutes } from '../scripts/test/slow-files.ts'
import { randomNumbers } from './support/random-numbers.ts'

/**
 * Starts the files that take longest first: one that starts last would run alone while the other cores rest. The order of
 * all others is random, by the seed of the run.
 */
export class LongestFirst extends BaseSequencer {
  readonly #minutes = knownMinutes(new URL('..', import.meta.url).pathname)

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const random = randomNumbers(this.ctx.config.sequence.seed)
    const placed = files.map((file) => ({
      file,
      minutes: this.#minutes[relative(file.project.config.root, file.moduleId)] ?? 0,
      place: random(),
    }))
    return placed
      .toSorted((one, other) => other.minutes - one.minutes || one.place - other.place)
      .map(({ file }) => file)
  }
}
