import { Flags } from '@oclif/core'
import type { PlanStep } from '../shared/plan-step.ts'
import { BaseCommand } from '../cli/base/base-command.ts'
import { dryRunFlag, nameArgument } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
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

export default class Pause extends BaseCommand {
  static override readonly aliases = ['stop']
  static override readonly summary = 'Stops a control plane and keeps its data and contexts.'
  static override readonly description =
    'A paused plane uses no memory. resume, or any use of its context, starts it again. vplane first takes a snapshot and stores it on this machine, which keeps the last three of these. An ephemeral plane, or one whose etcd does not run, gets no snapshot.'
  static override readonly examples = [
    '<%= config.bin %> pause dev',
    '<%= config.bin %> pause dev --no-snapshot',
  ]
  static override readonly group = 'planes'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    'dry-run': dryRunFlag(),
    snapshot: Flags.boolean({
      summary: 'Takes a snapshot of its data first.',
      default: true,
      allowNo: true,
    }),
  }

  async run(): Promise<PauseResult> {
    const { args, flags } = await this.parse(Pause)
    const { composition, selected } = await this.select(args.name, flags)
    const { plane, snapshot, steps } = await pauseControlPlane(composition, {
      ...selected,
      withoutSnapshot: !flags.snapshot,
      isDryRun: flags['dry-run'],
    })
    const { name } = plane
    if (steps !== undefined) {
      this.log('Nothing was changed.')
      return { name, status: null, snapshot: null, steps }
    }
    const copy = snapshot?.id === undefined ? '' : `, with a snapshot ${snapshot.id}`
    this.log(
      `Paused "${name}". Its data is stored${copy}; ${this.config.bin} resume ${planeWords(plane)} starts it again.`,
    )
    return { name, status: 'Paused', snapshot: snapshot?.id ?? null, steps: [] }
  }
}
