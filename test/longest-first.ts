import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { knownMinutes } from '../scripts/test/slow-files.ts'
import { randomNumbers } from './support/random-numbers.ts'

/** What a file has to have in its text to wait for others of its kind: `busyMachine`, also through a lab of its own. */
const TAKES_TURN = /\bbusyMachine\b|\btakeBusyMachine\b|\bisOwn: true\b/

/**
 * Starts the files that take longest first: one that starts last would run alone while the other cores rest. Files that
 * take turns do not start while another of them should run: a worker would wait. The order of files that take as long as
 * each other is random, by the seed of the run.
 */
export class LongestFirst extends BaseSequencer {
  readonly #minutes = knownMinutes(new URL('..', import.meta.url).pathname)

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const random = randomNumbers(this.ctx.config.sequence.seed)
    const placed = files.map((file) => ({
      file,
      minutes: this.#minutes[relative(file.project.config.root, file.moduleId)] ?? 0,
      takesTurn: TAKES_TURN.test(readFileSync(file.moduleId, 'utf8')),
      place: random(),
    }))
    const longestFirst = placed.toSorted(
      (one, other) => other.minutes - one.minutes || one.place - other.place,
    )
    const workers = files[0]?.project.config.maxWorkers ?? 1
    return inTurns(longestFirst, workers).map(({ file }) => file)
  }
}

interface Timed {
  minutes: number
  takesTurn: boolean
}

/** Orders files for so many workers, of which each takes the next one, so that those that take turns do not wait. */
export function inTurns<File extends Timed>(files: readonly File[], workers: number): File[] {
  const freeAt: number[] = Array.from({ length: workers }, () => 0)
  const left = [...files]
  const order: File[] = []
  let turnFreeAt = 0
  while (left.length > 0) {
    const now = Math.min(...freeAt)
    const fitting = left.findIndex(({ takesTurn }) => !takesTurn || turnFreeAt <= now)
    const [next] = left.splice(Math.max(0, fitting), 1)
    if (next === undefined) {
      return order
    }
    const end = (next.takesTurn ? Math.max(now, turnFreeAt) : now) + next.minutes
    freeAt[freeAt.indexOf(now)] = end
    turnFreeAt = next.takesTurn ? end : turnFreeAt
    order.push(next)
  }
  return order
}
