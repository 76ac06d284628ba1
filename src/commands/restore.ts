import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { chooseTarget } from '../cli/request/choose-target.ts'
import {
  dryRunFlag,
  nameArgument,
  timeoutFlag,
  withoutVolumesFlag,
  yesFlag,
} from '../cli/flags/flags.ts'
import { givenFlags } from '../cli/flags/given-flags.ts'
import { helperImageFlag } from '../cli/flags/host-flags.ts'
import { knownPassphrase, passphraseFlag } from '../cli/flags/passphrase.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import type { Plane } from '../control-plane/plane/plane.ts'
import type { UserSpec } from '../control-plane/spec/spec.ts'
import { VplaneError } from '../shared/errors.ts'
import type { PlanStep } from '../shared/plan-step.ts'

export interface RestoreResult {
  name: string
  driver: string
  namespace: string | null
  /** Whether the plane was created from a bundle. */
  created: boolean
  /** Id of the snapshot that was taken of what the plane had before; null when none was. */
  formerSnapshot: string | null
  /** What was done, or would be. */
  steps: PlanStep[]
  /** False with --dry-run. */
  restored: boolean
}

export default class Restore extends BaseCommand {
  static override readonly summary = 'Restores a control plane from a snapshot or a bundle.'
  static override readonly description =
    'With NAME and --force, replaces the data of that plane, and takes a snapshot of it first; if its store does not run, it takes none, and the question mentions this. Without NAME, creates a plane from a bundle, here or in any host cluster. Revisions continue above the old ones, so that watches and informers notice. Snapshots do not contain volumes of pods: the volumes of an existing plane stay, those of a new one are empty.'
  static override readonly examples = [
    '<%= config.bin %> restore dev --from dev.db --force',
    '<%= config.bin %> restore --from dev.bundle --driver local',
    '<%= config.bin %> restore --from dev.bundle --name copy --as-clone -n team-b',
  ]
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    from: Flags.string({
      summary: 'A file, the id of a stored snapshot, or s3://BUCKET/PREFIX/ID.',
      helpValue: 'SNAPSHOT',
      required: true,
    }),
    force: Flags.boolean({ summary: "Overwrites an existing plane's data." }),
    name: Flags.string({
      summary: 'Name of the new plane; by default the one in the bundle.',
      helpValue: 'NAME',
      exclusive: ['force'],
    }),
    'as-clone': Flags.boolean({
      summary: 'Issues new CAs and keys for the plane.',
      exclusive: ['force'],
    }),
    snapshot: Flags.boolean({
      summary: 'Takes a snapshot of the existing plane first.',
      default: true,
      allowNo: true,
    }),
    'without-volumes': withoutVolumesFlag(),
    'without-secrets': Flags.boolean({
      summary: "Continues although the plane's keys cannot decrypt its Secrets.",
    }),
    'passphrase-file': passphraseFlag(),
    'helper-image': helperImageFlag(),
    yes: yesFlag(),
    'dry-run': dryRunFlag(),
    timeout: timeoutFlag(),
  }

  async run(): Promise<RestoreResult> {
    const { args, flags, metadata } = await this.parse(Restore)
    const composition = await this.compose(flags)
    const { signal } = this
    const snapshots = await composition.openSnapshots()
    this.ui.step('Checking the snapshot')
    const passphrase = () => knownPassphrase(this.ui, flags, this.environment)
    await using source = await snapshots.open(flags.from, { passphrase, signal })
    const { bundle } = source
    if (args.name === undefined && bundle !== undefined) {
      const { restoreBundle } = await import('../control-plane/use-cases/restore/restore-bundle.ts')
      const name = flags.name ?? bundle.name
      const given = givenFlags(flags, metadata)
      const userSpec = withHelperImage(bundle.userSpec, flags['helper-image'])
      const target = await chooseTarget(composition, flags, { given, name, userSpec })
      const { plane, steps } = await restoreBundle(composition, {
        ...target,
        source,
        bundle: { ...bundle, userSpec },
        name,
        asClone: flags['as-clone'],
        withoutVolumes: flags['without-volumes'],
        isConfirmed: flags.yes,
        isDryRun: flags['dry-run'],
        timeoutMs: flags.timeout,
        signal,
      })
      const { driver, host } = target
      const unmade = { name, driver: driver.name, namespace: host?.namespace }
      const restored = plane !== undefined
      return this.#report(plane ?? unmade, {
        created: restored,
        formerSnapshot: null,
        steps,
        restored,
      })
    }
    if (flags.name !== undefined || flags['as-clone']) {
      throw new VplaneError('USAGE', '--name and --as-clone need a bundle, and no NAME')
    }
    const { restoreControlPlane } =
      await import('../control-plane/use-cases/restore/restore-control-plane.ts')
    const selector = await this.selectPlane(args.name, flags, composition)
    const { former, isRestored, plane, steps } = await restoreControlPlane(composition, {
      ...selector,
      source,
      force: flags.force,
      withoutSecrets: flags['without-secrets'],
      withoutSnapshot: !flags.snapshot,
      withoutVolumes: flags['without-volumes'],
      helperImage: flags['helper-image'],
      isConfirmed: flags.yes,
      isDryRun: flags['dry-run'],
      timeoutMs: flags.timeout,
      signal,
    })
    const formerSnapshot = former?.id ?? null
    return this.#report(plane, { created: false, formerSnapshot, steps, restored: isRestored })
  }

  #report(
    {
      driver,
      name,
      namespace,
    }: Pick<Plane, 'driver' | 'name'> & { namespace?: string | undefined },
    outcome: Omit<RestoreResult, 'name' | 'driver' | 'namespace'>,
  ): RestoreResult {
    const { formerSnapshot, restored } = outcome
    const previous = formerSnapshot === null ? '' : ` Its previous data is in ${formerSnapshot}.`
    this.log(restored ? `"${name}" is restored and ready.${previous}` : 'Nothing was changed.')
    return { name, driver, namespace: namespace ?? null, ...outcome }
  }
}

/** The spec of a bundle for a host that has the helper image elsewhere. */
function withHelperImage({ images, ...spec }: UserSpec, helper: string | undefined): UserSpec {
  const named = helper === undefined ? images : { ...images, helper }
  return { ...spec, ...(named === undefined ? {} : { images: named }) }
}
