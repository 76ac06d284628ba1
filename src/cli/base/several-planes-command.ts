import type { Composition } from '../../compose/compose.ts'
import { parseName } from '../../control-plane/plane/names.ts'
import { agreeTo } from '../../control-plane/use-cases/change/agree-to.ts'
import type { PlaneSelector } from '../../control-plane/use-cases/find/find-planes.ts'
import { selectPlanes } from '../../control-plane/use-cases/find/select-planes.ts'
import { VplaneError } from '../../shared/errors.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import { someOf } from '../../shared/text/some-of.ts'
import { type Outcome, workOnEach } from '../../shared/concurrency/work-on-each.ts'
import { callOf } from '../catalog/command-info.ts'
import { type GivenSelectorFlags, selectorOf } from '../flags/selector-flags.ts'
import type { GivenLabels } from '../flags/several-flags.ts'
import {
  countedPlanes,
  isOrAre,
  type SeveralResult,
  type ShownOutcome,
  shortNameOf,
  summaryOf,
  toSeveralResult,
} from '../results/several-result.ts'
import { type PlaneUi, planeUi } from '../terminal/plane-ui.ts'
import { BaseCommand } from './base-command.ts'

export interface GivenSeveral {
  names: readonly unknown[]
  flags: GivenSelectorFlags & {
    selector?: GivenLabels | undefined
    parallel: number
    'dry-run': boolean
    yes?: boolean
  }
  /** What is asked first, from how many planes there are and their names. @default nothing, unless it is one plane */
  question?: (planes: string) => string
  /** Begin no other plane after a failure. @default false */
  stopsAfterFailure?: boolean
}

export interface SeveralWords {
  /** `Deleting` */
  doing: string
  /** What they are afterwards: `deleted`. */
  done: string
  /** Flags without which the same call cannot be repeated for several NAMEs. @default none */
  againFlags?: readonly string[]
}

/** What the work on one plane gets. */
export interface OnePlane<Plane extends PlaneSelector = PlaneSelector> {
  composition: Composition
  selected: Plane & { signal: AbortSignal }
  isConfirmed: boolean
  /** Prints a sentence of the result for people. */
  say: (sentence: string) => void
}

/** How many planes a question names. */
const NAMED_IN_QUESTION = 10

/** A command for one plane, or for several at the same time: those of several NAMEs, or with some labels. */
export abstract class SeveralPlanesCommand extends BaseCommand {
  static override readonly isContinuable = true

  protected abstract readonly words: SeveralWords

  /** Does `work` for one plane and returns its result, or for several planes and returns what became of each. */
  protected async workOn<Result>(
    given: GivenSeveral,
    work: (one: OnePlane) => Promise<Result>,
  ): Promise<Result | SeveralResult<Result>> {
    const { flags } = given
    const names = [...new Set(given.names.map((name) => parseName(String(name))))]
    const composition = await this.compose(flags)
    if (flags.selector !== undefined) {
      const planes = await this.#selectPlanes(names, { ...flags, selector: flags.selector })
      if (planes.length === 0) {
        this.ui.note(`No control plane matches "${flags.selector.text}".`)
      }
      return this.workOnSeveral(planes, given, work)
    }
    if (names.length > 1) {
      const planes = names.map((name) => ({ ...selectorOf(flags), name }))
      return this.workOnSeveral(planes, given, work)
    }
    const selected = await this.selectPlane(names[0], flags, composition)
    return work({
      composition,
      selected: { ...selected, signal: this.signal },
      isConfirmed: flags.yes ?? false,
      say: (sentence) => this.log(sentence),
    })
  }

  async #selectPlanes(
    names: readonly string[],
    flags: GivenSelectorFlags & { selector: GivenLabels },
  ): Promise<PlaneSelector[]> {
    const { requirements } = flags.selector
    if (names.length > 0) {
      const message = 'NAME and --selector cannot be used together'
      throw new VplaneError('USAGE', message, { hints: [this.usageHint] })
    }
    if (requirements.length === 0) {
      // An unset variable of a shell must not select every plane.
      throw new VplaneError('USAGE', '--selector is empty', { hints: ['such as "team=shop"'] })
    }
    const composition = await this.compose(flags)
    return selectPlanes(composition, { ...selectorOf(flags), labels: requirements })
  }

  /** Does `work` for several planes, some of them at the same time, and returns what became of each. */
  protected async workOnSeveral<Plane extends PlaneSelector, Result>(
    planes: readonly Plane[],
    { flags, question, stopsAfterFailure = false }: Omit<GivenSeveral, 'names'>,
    work: (one: OnePlane<Plane>) => Promise<Result>,
  ): Promise<SeveralResult<Result>> {
    if (planes.length === 0) {
      return { items: [] }
    }
    const { signal } = this
    const composition = await this.compose(flags)
    const isDryRun = flags['dry-run']
    if (question !== undefined && !isDryRun) {
      const names = someOf(planes.map(shortNameOf), NAMED_IN_QUESTION)
      await agreeTo(this.ui, {
        question: question(`${countedPlanes(planes.length)} (${names})`),
        refusal: `no control plane was ${this.words.done}`,
        isConfirmed: flags.yes ?? false,
      })
    }
    const uis = new Map<PlaneSelector, PlaneUi>()
    const onEnd = this.#showProgress(planes.length, isDryRun)
    const ended = await workOnEach(
      planes,
      { parallel: flags.parallel, signal, onEnd, stopsAfterFailure },
      (selected) => {
        const ui = planeUi(this.ui, shortNameOf(selected))
        uis.set(selected, ui)
        const say = (sentence: string) => this.#say(sentence, { ui, isDryRun })
        const one = { selected: { ...selected, signal }, isConfirmed: true, say }
        return work({ ...one, composition: { ...composition, ui } })
      },
    )
    for (const [plane, { lines }] of uis) {
      if (lines.length > 0) {
        this.log([`${shortNameOf(plane)}:`, ...lines.map((line) => `  ${line}`)].join('\n'))
      }
    }
    return this.#sumUp(ended, { flags, stopsAfterFailure })
  }

  /** Shows how many have ended, where lines can change. */
  #showProgress(count: number, isDryRun: boolean): (outcome: Outcome<unknown, unknown>) => void {
    const { doing, done } = this.words
    const ended = { done: 0, failed: 0 }
    if (this.ui.isAnimated) {
      this.ui.step(isDryRun ? 'Checking control planes' : `${doing} control planes`)
    }
    return ({ state }) => {
      ended[state === 'done' ? 'done' : 'failed'] += 1
      const failed = ended.failed === 0 ? '' : `, ${ended.failed} failed`
      this.ui.progress(`${ended.done} of ${count} ${isDryRun ? 'checked' : done}${failed}`)
    }
  }

  #say(sentence: string, { isDryRun, ui }: { isDryRun: boolean; ui: PlaneUi }): void {
    if (isDryRun) {
      // A sentence is only needed without steps.
      if (ui.lines.length === 0) {
        ui.print(sentence)
      }
    } else if (!this.ui.isAnimated) {
      this.log(sentence)
    }
  }

  /** @throws {VplaneError} the summary of failures; with `--json` they are in the result, and set the exit code. */
  #sumUp<Result>(
    ended: ReadonlyArray<Outcome<PlaneSelector, Result>>,
    { flags, stopsAfterFailure }: Omit<GivenSeveral, 'names'>,
  ): SeveralResult<Result> {
    const outcomes = ended.map((one): ShownOutcome<Result> =>
      'error' in one ? { ...one, error: this.failureOf(one.error) } : one,
    )
    const { againFlags = [], done } = this.words
    const missing = againFlags.filter((flag) => !this.argv.includes(flag))
    const again = [...this.argv.map(shellWord), ...(flags.selector ? [] : missing)].join(' ')
    const call = callOf(this.constructor, this.config.bin)
    const isStopped = stopsAfterFailure === true && !this.signal.aborted
    const failure = summaryOf(outcomes, { done, again: `${call} ${again}`, isStopped })
    if (failure === undefined) {
      const all = countedPlanes(outcomes.length)
      this.log(
        flags['dry-run'] ? 'Nothing was changed.' : `${all} ${isOrAre(outcomes.length)} ${done}.`,
      )
    } else if (this.jsonEnabled()) {
      process.exitCode = this.exitCodeOf(failure)
    } else {
      throw failure
    }
    return toSeveralResult(outcomes)
  }
}
