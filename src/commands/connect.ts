import { Flags } from '@oclif/core'
import { grantFlags, grantOf, accessFlags, accessOptionsOf } from '../cli/flags/connect-flags.ts'
import { nameArgument, timeoutFlag } from '../cli/flags/flags.ts'
import { WrapperCommand } from '../cli/base/wrapper-command.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { connectedLines } from '../cli/output/connected-lines.ts'
import type { KubeconfigJson } from '../cli/results/kubeconfig-json.ts'
import { type PlaceResult, toPlaceResult } from '../cli/results/place-result.ts'

export interface ConnectResult extends PlaceResult {
  name: string
  context: string
  server: string
  kubeconfig: string
  previousContext: string | null
}

export default class Connect extends WrapperCommand {
  static override readonly aliases = ['use']
  static override readonly summary = 'Points your kubeconfig, or one command, at a control plane.'
  static override readonly description =
    'Without a command, adds a context to your kubeconfig and makes it current; disconnect switches back. With a command, runs it with its own kubeconfig and exits with its exit code; your kubeconfig does not change. A paused plane is started automatically. A plane in a host cluster is reached through a tunnel, which reconnects by itself.'
  static override readonly examples = [
    '<%= config.bin %> connect dev',
    '<%= config.bin %> connect dev -- kubectl get crd',
    '<%= config.bin %> connect dev --print > dev.kubeconfig',
    '<%= config.bin %> connect dev --service-account ci/deployer --cluster-role edit',
  ]
  static override readonly group = 'start'
  static override readonly passedCommand = '[-- CMD...]'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    print: Flags.boolean({
      summary: 'Prints a kubeconfig instead; with --json, as JSON.',
    }),
    'kubeconfig-file': Flags.string({
      summary: 'Adds the context to this file instead.',
      helpValue: 'FILE',
      exclusive: ['print'],
    }),
    'update-current': Flags.boolean({
      allowNo: true,
      default: true,
      summary: 'Makes the context current; this is the default.',
    }),
    'embed-credentials': Flags.boolean({
      summary: 'Embeds a certificate that expires after a day, instead of a plugin.',
    }),
    timeout: timeoutFlag(),
    ...accessFlags,
    ...grantFlags,
  }

  async run(): Promise<ConnectResult | KubeconfigJson> {
    const { args, flags } = await this.parse(Connect)
    const grant = grantOf(flags)
    const useCases = await import('../control-plane/use-cases/connect/connect-control-plane.ts')
    const composition = await this.compose(flags)
    const options = {
      ...(await this.selectPlane(args.name, flags, composition)),
      grant,
      embedCredentials: flags['embed-credentials'],
      timeoutMs: flags.timeout,
      signal: this.signal,
    }
    const lasting = this.passedCommand === undefined
    const endpointOptions = accessOptionsOf(flags, { ui: this.ui, lasting })
    if (!lasting) {
      const { runInPlane } = await import('../cli/processes/run-in-plane.ts')
      const command = this.requireCommand()
      const opening = { ...options, endpointOptions, isHeld: true }
      const { access, plane, user } = await useCases.openAccessTo(composition, opening)
      const finishSteps = () => this.ui.finish()
      const { interrupts } = this
      return this.exit(
        await runInPlane(composition, { access, user, command, plane, interrupts, finishSteps }),
      )
    }
    if (flags.print) {
      const rendering = { ...options, endpointOptions }
      const { printKubeconfig } = await import('../cli/output/print-kubeconfig.ts')
      return printKubeconfig(composition, rendering, { isJson: this.jsonEnabled() })
    }
    const { 'kubeconfig-file': file, 'update-current': isCurrent } = flags
    const contexts = file === undefined ? composition.contexts : composition.contextsIn(file)
    const connected = await useCases.connectControlPlane(
      { ...composition, contexts },
      { ...options, endpointOptions, makeCurrent: isCurrent },
    )
    const lines = connectedLines({ ...connected, otherFile: file, isCurrent }, this.config.bin)
    lines.forEach((line) => this.log(line))
    return {
      name: connected.plane.name,
      ...toPlaceResult(connected.plane),
      context: connected.context,
      server: connected.server,
      kubeconfig: connected.file,
      previousContext: connected.previousContext ?? null,
    }
  }
}
