import { Flags } from '@oclif/core'
import type { PlanStep } from '../shared/plan-step.ts'
import { SeveralPlanesCommand } from '../cli/base/several-planes-command.ts'
import { dryRunFlag, yesFlag } from '../cli/flags/flags.ts'
import { type PlaceResult, toPlaceResult } from '../cli/results/place-result.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { namesArgument, severalFlags } from '../cli/flags/several-flags.ts'
import type { SeveralResult } from '../cli/results/several-result.ts'
import type { PlaneReference } from '../control-plane/plane/plane.ts'
import { isVplaneError } from '../shared/errors.ts'
import { deleteControlPlane } from '../control-plane/use-cases/stop/delete-control-plane.ts'
import { refuseLeftovers } from '../control-plane/use-cases/stop/refuse-leftovers.ts'

export interface DeleteResult {
  deleted: Array<PlaceResult & { name: string; removedContext: string | null }>
  /** Names that no plane had; only with --ignore-not-found. */
  notFound: string[]
  /** What would be done to each, by name; only with --dry-run. */
  steps: Record<string, PlanStep[]>
}

export default class Delete extends SeveralPlanesCommand {
  static override readonly aliases = ['rm']
  static override readonly summary = 'Deletes control planes and everything that belongs to them.'
  static override readonly description =
    'Stops them, removes their data, tunnels and contexts in your kubeconfig, and checks that nothing is left. Snapshots stay, unless --snapshots deletes those on this machine. With --keep-data the volumes and keys of a plane in a host cluster stay too, and create with the same name uses them again.'
  static override readonly examples = [
    '<%= config.bin %> delete dev',
    '<%= config.bin %> delete dev staging --yes',
    '<%= config.bin %> delete -l team=shop --yes',
  ]
  static override readonly group = 'start'
  static override readonly args = { name: namesArgument() }
  static override readonly flags = {
    ...selectorFlags,
    ...severalFlags,
    'keep-data': Flags.boolean({ summary: 'Keeps volumes and keys of a plane in a host cluster.' }),
    'leave-data': Flags.boolean({
      summary: 'Leaves the data of a plane at its server, which may be unreachable.',
    }),
    snapshots: Flags.boolean({ summary: 'Also deletes its snapshots on this machine.' }),
    yes: yesFlag(),
    'dry-run': dryRunFlag(),
    'ignore-not-found': Flags.boolean({ summary: 'Succeeds if the plane does not exist.' }),
  }

  protected override readonly words = {
    doing: 'Deleting',
    done: 'deleted',
    againFlags: ['--ignore-not-found'],
  }

  async run(): Promise<DeleteResult | SeveralResult<DeleteResult>> {
    const { argv, flags } = await this.parse(Delete)
    const { 'keep-data': keepData, 'leave-data': leaveData, selector } = flags
    const all = leaveData ? 'leave their data at the server' : 'everything in them'
    const question = (planes: string) =>
      `Delete ${planes} and ${keepData ? 'keep their data' : all}?`
    return this.workOn(
      { names: argv, flags, question },
      async ({ composition, say, selected, ...one }) => {
        const { name } = selected
        const result: DeleteResult = { deleted: [], notFound: [], steps: {} }
        try {
          const deletion = await deleteControlPlane(composition, {
            ...selected,
            isConfirmed: one.isConfirmed,
            isDryRun: flags['dry-run'],
            keepData,
            leaveData,
            deleteSnapshots: flags.snapshots,
          })
          if (!deletion.isDeleted) {
            say('Nothing was changed.')
            return { ...result, steps: { [name]: deletion.steps } }
          }
          refuseLeftovers(deletion.plane, deletion.leftovers)
          say(deletedSentence(deletion, keepData))
          if (deletion.snapshots.length > 0) {
            say(`Its snapshots stay: ${deletion.snapshots.join(', ')}`)
          }
          deletion.leftovers.forEach(({ what, why }) => say(`Kept ${what}: ${why}`))
          const place = toPlaceResult(deletion.plane)
          const removedContext = deletion.removedContext ?? null
          return { ...result, deleted: [{ name, ...place, removedContext }] }
        } catch (error) {
          // Someone may have deleted it since it was selected.
          if (!isNotFound(error) || !(flags['ignore-not-found'] || selector !== undefined)) {
            throw error
          }
          say(`"${name}" does not exist.`)
          return { ...result, notFound: [name] }
        }
      },
    )
  }
}

function deletedSentence(
  { plane: { name, namespace } }: { plane: PlaneReference },
  isKept: boolean,
): string {
  return isKept
    ? `Deleted "${name}" and kept its data. Use it again with: vplane create ${name} --namespace ${namespace} --adopt`
    : `Deleted "${name}".`
}

function isNotFound(error: unknown): boolean {
  return isVplaneError(error, 'CONTROL_PLANE_NOT_FOUND')
}
