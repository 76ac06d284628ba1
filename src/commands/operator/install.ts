import { Flags } from '@oclif/core'
import { BaseCommand } from '../../cli/base/base-command.ts'
import { helperImageFlag } from '../../cli/flags/host-flags.ts'
import { operatorFlags } from '../../cli/flags/operator-flags.ts'
import { timeoutFlag } from '../../cli/flags/flags.ts'
import { type OperatorResult, toOperatorResult } from '../../cli/results/operator-result.ts'

export default class OperatorInstall extends BaseCommand {
  static override readonly summary =
    'Installs the operator, which creates planes from ControlPlanes.'
  static override readonly description =
    'Creates the namespace, the CRD and the operator in the host cluster, and waits until it runs. Then kubectl apply of a ControlPlane creates a plane. On an operator that exists, it changes what the flags say. Needs the rights of a cluster administrator, because the operator gets those that planes need.'
  static override readonly examples = [
    '<%= config.bin %> operator install',
    '<%= config.bin %> operator install -n team-a --scope namespace',
  ]
  static override readonly group = 'tools'
  static override readonly isContinuable = true
  static override readonly flags = {
    ...operatorFlags,
    scope: Flags.option({
      options: ['cluster', 'namespace'] as const,
      summary:
        'Whether it creates planes in all namespaces, which is the default, or only in its own.',
    })(),
    replicas: Flags.integer({
      summary: 'Number of pods, of which one works and the others wait; 1 by default.',
      helpValue: 'N',
      min: 1,
      max: 5,
    }),
    'helper-image': helperImageFlag(),
    timeout: timeoutFlag(),
  }

  async run(): Promise<OperatorResult> {
    const { flags } = await this.parse(OperatorInstall)
    const { namespace } = flags
    const { signal, ui } = this
    const operators = await (await this.compose(flags)).openOperators()
    const known = await operators.read(namespace, signal)
    const scope = flags.scope ?? known?.scope ?? 'cluster'
    const replicas = flags.replicas ?? known?.replicas ?? 1
    const image = flags['helper-image'] ?? known?.image
    const { pullSecrets } = known ?? {}
    await operators.install(
      { namespace, scope, replicas, image, pullSecrets },
      { signal, ui, timeoutMs: flags.timeout },
    )
    const result = await toOperatorResult(operators, { namespace, signal })
    const where = scope === 'cluster' ? 'in all namespaces' : `in namespace "${namespace}"`
    this.log(`The operator runs in namespace "${namespace}", and creates control planes ${where}.`)
    return result
  }
}
