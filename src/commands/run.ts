import { randomBytes } from 'node:crypto'
import { createFlags } from '../cli/create-flags.ts'
import { makePlane } from '../cli/make-plane.ts'
import { PassingCommand } from '../cli/passing-command.ts'
import { runInPlane } from '../cli/run-in-plane.ts'
import { removeAfterwards } from '../control-plane/use-cases/remove-afterwards.ts'
import { VplaneError } from '../shared/errors.ts'

export default class Run extends PassingCommand {
  static override readonly summary = 'Runs one command against a control plane made for it.'
  static override readonly description =
    "The plane is ephemeral, KUBECONFIG points at it, the exit code is the command's, and everything is gone afterwards whatever happens."
  static override readonly examples = [
    '<%= config.bin %> run -- make test',
    '<%= config.bin %> run --version 1.35 --crd config/crd -- go test ./...',
  ]
  static override readonly group = 'start'
  static override readonly passedCommand = '-- CMD...'
  static override readonly flags = createFlags

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(Run)
    const command = this.requireCommand()
    const { createGuard } = await import('../compose/guard.ts')
    const composition = await this.compose()
    const name = `run-${randomBytes(4).toString('hex')}`
    const root = composition.paths.data
    await using owned = new AsyncDisposableStack()
    const guard = owned.use(createGuard())
    await guard.protect(root, name)
    owned.defer(() => guard.release(root, name))
    owned.use(removeAfterwards(composition, name))
    const { access, plane } = await makePlane(composition, {
      ...flags,
      name,
      ephemeral: true,
      isVersionDefault: metadata.flags['version']?.setFromDefault === true,
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
