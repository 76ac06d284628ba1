import { Flags } from '@oclif/core'
import { driverSelectorFlag, nameArgument, timeoutFlag } from '../cli/flags.ts'
import { PassingCommand } from '../cli/passing-command.ts'

export interface ConnectResult {
  name: string
  driver: string
  namespace: string | null
  context: string
  kubeconfig: string
  previousContext: string | null
}

export default class Connect extends PassingCommand {
  static override readonly summary = 'Points your kubeconfig, or one command, at a control plane.'
  static override readonly description =
    'Without a command, adds a context to your kubeconfig and makes it current; disconnect goes back. With one, runs it with a kubeconfig of its own and ends with its exit code: nothing is switched, nothing is left behind. A plane that rests is started.'
  static override readonly examples = [
    '<%= config.bin %> connect dev',
    '<%= config.bin %> connect dev -- kubectl get crd',
    '<%= config.bin %> connect dev --print > dev.kubeconfig',
  ]
  static override readonly group = 'start'
  static override readonly passedCommand = '[-- CMD...]'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    driver: driverSelectorFlag(),
    print: Flags.boolean({
      summary: 'Prints a kubeconfig instead, as the command kubeconfig does.',
      exclusive: ['json'],
    }),
    'embed-credentials': Flags.boolean({
      summary: 'Writes a certificate that lives a day, instead of a plugin.',
    }),
    timeout: timeoutFlag(),
  }

  async run(): Promise<ConnectResult | undefined> {
    const { args, flags } = await this.parse(Connect)
    const useCases = await import('../control-plane/use-cases/connect-control-plane.ts')
    const composition = await this.compose()
    const name = await this.nameOrChoice(args.name, composition)
    const options = {
      name,
      embedCredentials: flags['embed-credentials'],
      timeoutMs: flags.timeout,
      signal: this.signal,
      driver: flags.driver,
    }
    if (this.passedCommand !== undefined) {
      const { runInPlane } = await import('../cli/run-in-plane.ts')
      const command = this.requireCommand()
      const { access, plane } = await useCases.openAccessTo(composition, options)
      const finishSteps = () => this.ui.finish()
      const { interrupts } = this
      return this.exit(
        await runInPlane(composition, { access, command, plane, interrupts, finishSteps }),
      )
    }
    if (flags.print) {
      process.stdout.write(await useCases.renderControlPlaneKubeconfig(composition, options))
      return undefined
    }
    const { context, file, plane, previousContext } = await useCases.connectControlPlane(
      composition,
      options,
    )
    this.log(`The current context of ${file} is "${context}".`)
    this.log(`Go back with: ${this.config.bin} disconnect`)
    return {
      name,
      driver: plane.driver,
      namespace: plane.namespace ?? null,
      context,
      kubeconfig: file,
      previousContext: previousContext ?? null,
    }
  }
}
