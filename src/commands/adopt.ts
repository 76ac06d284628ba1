import { BaseCommand } from '../cli/base/base-command.ts'
import { nameArgument, timeoutFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { type PlaceResult, toPlaceResult } from '../cli/results/place-result.ts'
import { adoptControlPlane } from '../control-plane/use-cases/declare/adopt-control-plane.ts'

export interface AdoptResult extends PlaceResult {
  name: string
  /** False when it was so before. */
  changed: boolean
}

export default class Adopt extends BaseCommand {
  static override readonly summary = 'Declares a control plane that exists, for the operator.'
  static override readonly description =
    'Creates a ControlPlane with the spec of the plane, or connects the plane with the one that has its name. The operator keeps the plane from then on, in place of a keeper. No pod of it restarts. Needs an operator.'
  static override readonly examples = ['<%= config.bin %> adopt dev -n team-a']
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = { ...selectorFlags, timeout: timeoutFlag() }

  async run(): Promise<AdoptResult> {
    const { args, flags } = await this.parse(Adopt)
    const { composition, selected } = await this.select(args.name, flags)
    const options = { ...selected, timeoutMs: flags.timeout }
    const { isChanged, plane } = await adoptControlPlane(composition, options)
    this.log(
      `"${plane.name}" is declared${isChanged ? '' : ' already'}: kubectl --namespace ${plane.namespace} get vcp ${plane.name}`,
    )
    return { name: plane.name, ...toPlaceResult(plane), changed: isChanged }
  }
}
