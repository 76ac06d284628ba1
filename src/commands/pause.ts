import { Flags } from '@oclif/core'
import type { PlanStep } from '../shared/plan-step.ts'
import { SeveralPlanesCommand } from '../cli/base/several-planes-command.ts'
import { dryRunFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { namesArgument, severalFlags } from '../cli/flags/several-flags.ts'
import type { SeveralResult } from '../cli/results/several-result.ts'
import { planeWords } from '../cli/catalog/hint-text.ts'
import { pauseControlPlane } from '../control-plane/use-cases/stop/pause-control-plane.ts'

export interface PauseResult {
  name: string
  /** Null with --dry-run. */
  status: 'Paused' | null
  /** Id of the snapshot that was taken first; null when none was. */
  snapshot: string | null
  /** What would be done; only with --dry-run. */
  steps: PlanStep[]
}

export default class Pause extends SeveralPlanesCommand {
  static override readonly aliases = ['stop']
  static override readonly summary = 'Stops control planes and keeps their data and contexts.'
  static override readonly description =
    'A paused plane uses no memory. resume, or any use of its context, starts it again. If its etcd runs, vplane first takes a snapshot and stores it on this machine, which keeps the last three of these. An ephemeral plane, or one with another store, gets none.'
  static override readonly examples = [
    '<%= config.bin %> pause dev',
    '<%= config.bin %> pause dev --no-snapshot',
    '<%= config.bin %> pause -l team=shop',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: namesArgument() }
  static override readonly flags = {
    ...selectorFlags,
    ...severalFlags,
    'dry-run': dryRunFlag(),
    snapshot: Flags.boolean({
      summary: 'Takes a snapshot of its data first.',
      default: true,
      allowNo: true,
    }),
  }

  protected override readonly words = { doing: 'Pausing', done: 'paused' }

  async run(): Promise<PauseResult | SeveralResult<PauseResult>> {
    const { argv, flags } = await this.parse(Pause)
    return this.workOn({ names: argv, flags }, async ({ composition, say, selected }) => {
      const { plane, snapshot, steps } = await pauseControlPlane(composition, {
        ...selected,
        withoutSnapshot: !flags.snapshot,
        isDryRun: flags['dry-run'],
      })
      const { name } = plane
      if (steps !== undefined) {
        say('Nothing was changed.')
        return { name, status: null, snapshot: null, steps }
      }
      const copy = snapshot?.id === undefined ? '' : `, with a snapshot ${snapshot.id}`
      const resume = `${this.config.bin} resume ${planeWords(plane)}`
      say(
        plane.neverStarted === true
          ? `"${name}" is paused. It was never started and has no data; ${resume} starts it.`
          : `Paused "${name}". Its data is stored${copy}; ${resume} starts it again.`,
      )
      return { name, status: 'Paused', snapshot: snapshot?.id ?? null, steps: [] }
    })
  }
}
