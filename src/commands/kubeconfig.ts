import { Flags } from '@oclif/core'
import { BaseCommand } from '../cli/base/base-command.ts'
import { grantFlags, grantOf, accessFlags, accessOptionsOf } from '../cli/flags/connect-flags.ts'
import { nameArgument, timeoutFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { toKubeconfigJson } from '../cli/results/kubeconfig-json.ts'
import { renderControlPlaneKubeconfig } from '../control-plane/use-cases/connect/connect-control-plane.ts'
import type { Json } from '../shared/json-fields.ts'

export interface KubeconfigResult {
  name: string
  /** It contains credentials. */
  kubeconfig: Json
}

export default class Kubeconfig extends BaseCommand {
  static override readonly summary = 'Prints a kubeconfig for a control plane.'
  static override readonly description =
    'Its user is a plugin, which starts a paused plane and issues short-lived certificates. With --embed-credentials it is a certificate that expires after a day, for machines without vplane. With --user or --service-account it authenticates as someone else.'
  static override readonly examples = [
    '<%= config.bin %> kubeconfig dev > dev.kubeconfig',
    '<%= config.bin %> kubeconfig dev --embed-credentials',
    '<%= config.bin %> kubeconfig dev --user alice --cluster-role view --expires 8h',
  ]
  static override readonly group = 'planes'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...selectorFlags,
    'embed-credentials': Flags.boolean({
      summary: 'Embeds a certificate that expires after a day, instead of a plugin.',
    }),
    timeout: timeoutFlag(),
    ...accessFlags,
    ...grantFlags,
  }

  async run(): Promise<KubeconfigResult> {
    const { args, flags } = await this.parse(Kubeconfig)
    const grant = grantOf(flags)
    const { composition, selected } = await this.select(args.name, flags)
    const { kubeconfig, server } = await renderControlPlaneKubeconfig(composition, {
      ...selected,
      endpointOptions: accessOptionsOf(flags, { ui: this.ui, lasting: true }),
      grant,
      embedCredentials: flags['embed-credentials'],
      timeoutMs: flags.timeout,
    })
    if (grant !== undefined && new URL(server).hostname === '127.0.0.1') {
      this.ui.note(`${server} works on this machine only; --server sets another address.`)
    }
    if (!this.jsonEnabled()) {
      process.stdout.write(kubeconfig)
    }
    return { name: selected.name, kubeconfig: await toKubeconfigJson(kubeconfig) }
  }
}
