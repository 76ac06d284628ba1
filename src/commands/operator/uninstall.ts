import { BaseCommand } from '../../cli/base/base-command.ts'
import { timeoutFlag, yesFlag } from '../../cli/flags/flags.ts'
import { operatorFlags } from '../../cli/flags/operator-flags.ts'
import {
  type OperatorUninstallResult,
  presentOperator,
  uninstalledLines,
} from '../../cli/results/operator-result.ts'
import { agreeTo } from '../../control-plane/use-cases/change/agree-to.ts'
import { uninstallOperator } from '../../control-plane/use-cases/declare/uninstall-operator.ts'

export default class OperatorUninstall extends BaseCommand {
  static override readonly summary = 'Removes the operator, and keeps its planes.'
  static override readonly description =
    'Keepers do the duties of its planes again. ControlPlanes and their CRD stay: adopt connects a plane with its ControlPlane again. An operator of a Helm release is stopped; helm uninstall removes it then.'
  static override readonly examples = ['<%= config.bin %> operator uninstall']
  static override readonly group = 'tools'
  static override readonly isContinuable = true
  static override readonly flags = { ...operatorFlags, yes: yesFlag(), timeout: timeoutFlag() }

  async run(): Promise<OperatorUninstallResult> {
    const { flags } = await this.parse(OperatorUninstall)
    const { namespace } = flags
    const { signal } = this
    const composition = await this.compose(flags)
    const operators = await composition.openOperators()
    await presentOperator(operators, { namespace, signal })
    const question = `Remove the operator in namespace "${namespace}"? Its planes stay.`
    const refusal = 'the operator was not removed'
    await agreeTo(this.ui, { question, refusal, isConfirmed: flags.yes })
    const driver = composition.drivers.find(({ name }) => name === 'kubernetes')
    if (driver === undefined) {
      throw new Error('every platform has the driver for host clusters')
    }
    const { helmRelease = null, released } = await uninstallOperator(
      { ...composition, driver, operators },
      { namespace, timeoutMs: flags.timeout, signal },
    )
    const result = { namespace, released, helmRelease }
    uninstalledLines(result).forEach((line) => this.log(line))
    return result
  }
}
