import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base-command.ts'
import { driverSelectorFlag, nameArgument, timeoutFlag } from '../cli/flags.ts'

export interface KubeconfigResult {
  name: string
  /** YAML. */
  kubeconfig: string
}

export default class Kubeconfig extends BaseCommand {
  static override readonly summary = 'Prints a kubeconfig for a control plane.'
  static override readonly description =
    'Its user is a plugin that starts a plane that rests and hands out short-lived certificates; with --embed-credentials it is a certificate that lives a day, for machines without vplane.'
  static override readonly examples = [
    '<%= config.bin %> kubeconfig dev > dev.kubeconfig',
    '<%= config.bin %> kubeconfig dev --embed-credentials',
  ]
  static override readonly group = 'use'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    driver: driverSelectorFlag(),
    'embed-credentials': Flags.boolean({
      summary: 'Writes a certificate that lives a day, instead of a plugin.',
    }),
    timeout: timeoutFlag(),
  }

  async run(): Promise<KubeconfigResult> {
    const { args, flags } = await this.parse(Kubeconfig)
    const { renderControlPlaneKubeconfig } =
      await import('../control-plane/use-cases/connect-control-plane.ts')
    const composition = await this.compose()
    const name = await this.nameOrChoice(args.name, composition)
    const kubeconfig = await renderControlPlaneKubeconfig(composition, {
      name,
      embedCredentials: flags['embed-credentials'],
      timeoutMs: flags.timeout,
      signal: this.signal,
      driver: flags.driver,
    })
    if (!this.jsonEnabled()) {
      process.stdout.write(kubeconfig)
    }
    return { name, kubeconfig }
  }
}
