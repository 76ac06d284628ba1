import { BaseCommand } from '../../cli/base/base-command.ts'
import { outputFlag } from '../../cli/flags/output-flag.ts'
import { operatorFlags } from '../../cli/flags/operator-flags.ts'
import { formatTable } from '../../cli/output/table.ts'
import { type OperatorResult, toOperatorResult } from '../../cli/results/operator-result.ts'

export default class OperatorStatus extends BaseCommand {
  static override readonly summary = 'Shows the operator and its ControlPlanes.'
  static override readonly description =
    'Exits 3 if the namespace has no operator. kubectl describe vcp NAME shows what a ControlPlane waits for.'
  static override readonly examples = ['<%= config.bin %> operator status']
  static override readonly group = 'tools'
  static override readonly flags = { ...operatorFlags, output: outputFlag('json', 'yaml') }

  async run(): Promise<OperatorResult> {
    const { flags } = await this.parse(OperatorStatus)
    const { namespace } = flags
    const { signal } = this
    const operators = await (await this.compose(flags)).openOperators()
    const result = await toOperatorResult(operators, { namespace, signal })
    const { controlPlanes, helmRelease, leader, replicas, scope, version } = result
    this.log(`vplane ${version} in namespace "${namespace}", for ${WATCHED[scope]}`)
    this.log(
      `pods: ${replicas.ready} of ${replicas.wanted} ready; ${leader === null ? 'no leader' : `leader: ${leader}`}`,
    )
    if (helmRelease !== null) {
      this.log(`part of the Helm release "${helmRelease}"`)
    }
    if (controlPlanes.length > 0) {
      const rows = controlPlanes.map(({ ready, ...plane }) => ({
        ...plane,
        ready: ready ? 'yes' : 'no',
      }))
      const { columns: width } = process.stdout
      this.log(`\n${formatTable(['namespace', 'name', 'ready'], rows, { width })}`)
    }
    return result
  }
}

const WATCHED = { cluster: 'all namespaces', namespace: 'this namespace' } as const
