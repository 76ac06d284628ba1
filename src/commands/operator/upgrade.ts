import { BaseCommand } from '../../cli/base/base-command.ts'
import { timeoutFlag } from '../../cli/flags/flags.ts'
import { operatorFlags } from '../../cli/flags/operator-flags.ts'
import {
  type OperatorResult,
  presentOperator,
  toOperatorResult,
} from '../../cli/results/operator-result.ts'

export default class OperatorUpgrade extends BaseCommand {
  static override readonly summary = 'Brings the operator and its CRD to this version of vplane.'
  static override readonly description =
    'Keeps its settings, and waits until it runs. Planes keep their pods until they are changed or upgraded themselves.'
  static override readonly examples = ['<%= config.bin %> operator upgrade']
  static override readonly group = 'tools'
  static override readonly isContinuable = true
  static override readonly flags = { ...operatorFlags, timeout: timeoutFlag() }

  async run(): Promise<OperatorResult> {
    const { flags } = await this.parse(OperatorUpgrade)
    const { namespace } = flags
    const { signal, ui } = this
    const operators = await (await this.compose(flags)).openOperators()
    const { version, ...settings } = await presentOperator(operators, { namespace, signal })
    await operators.install(settings, { signal, ui, timeoutMs: flags.timeout })
    const result = await toOperatorResult(operators, { namespace, signal })
    this.log(
      version === result.version
        ? `The operator in namespace "${namespace}" has version ${version} already.`
        : `Upgraded the operator in namespace "${namespace}" from ${version} to ${result.version}.`,
    )
    return result
  }
}
