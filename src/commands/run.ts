import { randomBytes } from 'node:crypto'
import { chooseTarget } from '../cli/request/choose-target.ts'
import { createFlags } from '../cli/flags/create-flags.ts'
import { givenFlags } from '../cli/flags/given-flags.ts'
import { makePlane } from '../cli/request/make-plane.ts'
import { WrapperCommand } from '../cli/base/wrapper-command.ts'
import { ensureKubectl, runInPlane } from '../cli/processes/run-in-plane.ts'
import { specFromFlags } from '../cli/request/spec-from-flags.ts'
import { resolveSpec } from '../control-plane/spec/resolve-spec.ts'
import { removeAfterwards } from '../control-plane/use-cases/stop/remove-afterwards.ts'
import { VplaneError } from '../shared/errors.ts'

export default class Run extends WrapperCommand {
  static override readonly summary = 'Runs one command against a temporary control plane.'
  static override readonly description =
    'Creates an ephemeral plane where create would, sets KUBECONFIG for the command, exits with its exit code, and always deletes the plane afterwards.'
  static override readonly examples = [
    '<%= config.bin %> run -- make test',
    '<%= config.bin %> run --driver local -- go test ./...',
    '<%= config.bin %> run --version 1.35 --crd config/crd -- go test ./...',
  ]
  static override readonly group = 'start'
  static override readonly passedCommand = '-- CMD...'
  /** Refused, as the command has its own output. */
  static override readonly baseFlags: typeof WrapperCommand.baseFlags = {
    json: { ...WrapperCommand.baseFlags.json, hidden: true },
  }
  static override readonly flags = createFlags

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(Run)
    const command = this.requireCommand()
    const { guardPlane } = await import('../compose/guard.ts')
    const composition = await this.compose(flags)
    const given = givenFlags(flags, metadata)
    const name = `run-${randomBytes(4).toString('hex')}`
    const userSpec = await specFromFlags({ ...flags, ephemeral: true }, given)
    const target = await chooseTarget(composition, flags, { given, name, userSpec })
    const binDir = target.host === undefined ? flags['bin-dir'] : undefined
    const wanted = { spec: resolveSpec(userSpec, target.driver.name), ...(binDir && { binDir }) }
    await ensureKubectl(composition, { command, plane: wanted, signal: this.signal })
    const { accesses, ui } = composition
    const { driver } = target
    const place = { name, namespace: target.host?.namespace }
    const guard = await guardPlane(composition, { ...place, driver: driver.name })
    await using _removed = removeAfterwards({ accesses, driver, guard, ui }, place)
    const { access, plane } = await makePlane(composition, {
      ...flags,
      name,
      userSpec,
      target,
      settings: await this.settings(),
      ownerProcessId: process.pid,
      wait: true,
      signal: this.signal,
    })
    if (access === undefined) {
      throw new VplaneError('BUG', `"${name}" was not waited for`)
    }
    const finishSteps = () => this.ui.finish()
    const { interrupts } = this
    this.exit(await runInPlane(composition, { access, command, plane, interrupts, finishSteps }))
  }
}
