import { Args, Flags } from '@oclif/core'
import type { PlanStep } from '../shared/plan-step.ts'
import { BaseCommand } from '../cli/base/base-command.ts'
import { dryRunFlag, yesFlag } from '../cli/flags/flags.ts'
import { type PlaceResult, toPlaceResult } from '../cli/results/place-result.ts'
import { selectorFlags, selectorOf } from '../cli/flags/selector-flags.ts'
import type { Leftover } from '../control-plane/driver/driver.ts'
import type { PlaneReference } from '../control-plane/plane/plane.ts'
import { VplaneError } from '../shared/errors.ts'
import { deleteControlPlane } from '../control-plane/use-cases/stop/delete-control-plane.ts'

export interface DeleteResult {
  deleted: Array<PlaceResult & { name: string; removedContext: string | null }>
  /** Names that no plane had; only with --ignore-not-found. */
  notFound: string[]
  /** What would be done to each, by name; only with --dry-run. */
  steps: Record<string, PlanStep[]>
}

export default class Delete extends BaseCommand {
  static override readonly aliases = ['rm']
  static override readonly summary = 'Deletes control planes and everything that belongs to them.'
  static override readonly description =
    'Stops them, removes their data, tunnels and contexts in your kubeconfig, and checks that nothing is left. Snapshots stay, unless --snapshots deletes those on this machine. With --keep-data the volumes and keys of a plane in a host cluster stay too, and create with the same name uses them again.'
  static override readonly examples = [
    '<%= config.bin %> delete dev',
    '<%= config.bin %> delete dev staging --yes',
  ]
  static override readonly group = 'start'
  static override readonly isContinuable = true
  static override readonly strict = false
  static override readonly args = {
    name: Args.string({ description: 'Names of the control planes.', multiple: true }),
  }
  static override readonly flags = {
    ...selectorFlags,
    'keep-data': Flags.boolean({ summary: 'Keeps volumes and keys of a plane in a host cluster.' }),
    snapshots: Flags.boolean({ summary: 'Also deletes its snapshots on this machine.' }),
    yes: yesFlag(),
    'dry-run': dryRunFlag(),
    'ignore-not-found': Flags.boolean({ summary: 'Succeeds if the plane does not exist.' }),
  }

  async run(): Promise<DeleteResult> {
    const { argv, flags } = await this.parse(Delete)
    const composition = await this.compose(flags)
    const selectors =
      argv.length > 0
        ? [...new Set(argv.map(String))].map((name) => ({ ...selectorOf(flags), name }))
        : [await this.selectPlane(undefined, flags, composition)]
    const result: DeleteResult = { deleted: [], notFound: [], steps: {} }
    for (const selector of selectors) {
      const { name } = selector
      try {
        const deletion = await deleteControlPlane(composition, {
          ...selector,
          isConfirmed: flags.yes,
          isDryRun: flags['dry-run'],
          keepData: flags['keep-data'],
          deleteSnapshots: flags.snapshots,
          signal: this.signal,
        })
        if (!deletion.isDeleted) {
          this.log(`"${name}" was not deleted.`)
          result.steps[name] = deletion.steps
          continue
        }
        refuseLeftovers(deletion)
        this.log(deletedSentence(deletion, flags['keep-data']))
        if (deletion.snapshots.length > 0) {
          this.log(`Its snapshots stay: ${deletion.snapshots.join(', ')}`)
        }
        deletion.leftovers.forEach(({ what, why }) => this.log(`Kept ${what}: ${why}`))
        result.deleted.push({
          name,
          ...toPlaceResult(deletion.plane),
          removedContext: deletion.removedContext ?? null,
        })
      } catch (error) {
        if (!(flags['ignore-not-found'] && isNotFound(error))) {
          throw error
        }
        this.log(`"${name}" does not exist.`)
        result.notFound.push(name)
      }
    }
    return result
  }
}

interface Deletion {
  plane: PlaneReference
  leftovers: readonly Leftover[]
}

function refuseLeftovers({ leftovers, plane }: Deletion): void {
  const unwanted = leftovers.filter(({ isKept }) => isKept !== true)
  if (unwanted.length > 0) {
    const list = unwanted.map(({ what, why }) => `  ${what}: ${why}`).join('\n')
    const message = `could not remove everything of "${plane.name}":\n${list}`
    throw new VplaneError('NEEDS_ATTENTION', message, { hints: [{ action: 'delete', plane }] })
  }
}

function deletedSentence({ plane: { name, namespace } }: Deletion, isKept: boolean): string {
  return isKept
    ? `Deleted "${name}" and kept its data. Use it again with: vplane create ${name} --namespace ${namespace} --adopt`
    : `Deleted "${name}".`
}

function isNotFound(error: unknown): boolean {
  return error instanceof VplaneError && error.code === 'CONTROL_PLANE_NOT_FOUND'
}
