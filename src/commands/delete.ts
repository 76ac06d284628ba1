import { Args, Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'
import { driverSelectorFlag, yesFlag } from '../cli/flags.ts'
import { VplaneError } from '../shared/errors.ts'

export interface DeleteResult {
  deleted: Array<{
    name: string
    driver: string
    namespace: string | null
    removedContext: string | null
  }>
  /** Names that no plane had; only with --ignore-not-found. */
  notFound: string[]
}

export default class Delete extends BaseCommand {
  static override readonly aliases = ['rm']
  static override readonly summary = 'Deletes control planes and everything that belongs to them.'
  static override readonly description =
    'Stops them, removes their data and their contexts in your kubeconfig, and looks whether all of it is gone.'
  static override readonly examples = [
    '<%= config.bin %> delete dev',
    '<%= config.bin %> delete dev staging --yes',
  ]
  static override readonly group = 'planes'
  static override readonly strict = false
  static override readonly args = {
    name: Args.string({ description: 'Names of the control planes.', multiple: true }),
  }
  static override readonly flags = {
    driver: driverSelectorFlag(),
    yes: yesFlag(),
    'ignore-not-found': Flags.boolean({ summary: 'An unknown name is success.' }),
  }

  async run(): Promise<DeleteResult> {
    const { argv, flags } = await this.parse(Delete)
    const { deleteControlPlane } =
      await import('../control-plane/use-cases/delete-control-plane.ts')
    const composition = await this.compose()
    const names =
      argv.length > 0 ? argv.map(String) : [await this.nameOrChoice(undefined, composition)]
    const result: DeleteResult = { deleted: [], notFound: [] }
    for (const name of new Set(names)) {
      try {
        const deletion = await deleteControlPlane(composition, {
          name,
          isConfirmed: flags.yes,
          signal: this.signal,
          driver: flags.driver,
        })
        refuseLeftovers(deletion)
        this.log(`Deleted "${name}".`)
        result.deleted.push({
          name,
          driver: deletion.plane.driver,
          namespace: deletion.plane.namespace ?? null,
          removedContext: deletion.removedContext ?? null,
        })
      } catch (error) {
        if (!(flags['ignore-not-found'] && isNotFound(error))) {
          throw error
        }
        this.log(`There is no "${name}".`)
        result.notFound.push(name)
      }
    }
    return result
  }
}

interface Deletion {
  plane: { name: string }
  leftovers: ReadonlyArray<{ what: string; why: string }>
}

function refuseLeftovers({ leftovers, plane }: Deletion): void {
  if (leftovers.length > 0) {
    const list = leftovers.map(({ what, why }) => `  ${what}: ${why}`).join('\n')
    throw new VplaneError(
      'NEEDS_ATTENTION',
      `something of "${plane.name}" is still there:\n${list}`,
      {
        hints: [`vplane delete ${plane.name}`],
      },
    )
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof VplaneError && error.code === 'CONTROL_PLANE_NOT_FOUND'
}
