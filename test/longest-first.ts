import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { knownMinutes } from '../scripts/test/slow-files.ts'

/** Starts the files that take longest first: one that starts last would run alone while the other cores rest. */
export class LongestFirst extends BaseSequencer {
  readonly #minutes = knownMinutes(new URL('..', import.meta.url).pathname)

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const minutesOf = ({ moduleId, project }: TestSpecification) =>
      this.#minutes[relative(project.config.root, moduleId)] ?? 0
    return files.toSorted((one, other) => minutesOf(other) - minutesOf(one))
  }
}
