import { BaseCommand } from '../cli/base/base-command.ts'
import { nameArgument, timeoutFlag } from '../cli/flags/flags.ts'
import { selectorFlags } from '../cli/flags/selector-flags.ts'
import { toPlaceResult } from '../cli/results/place-result.ts'
import { releaseControlPlane } from '../control-plane/use-cases/declare/adopt-control-plane.ts'
import type { AdoptResult } from './adopt.ts'

export default class Release extends BaseCommand {
  static override readonly summary = 'Deletes the ControlPlane of a control plane, which stays.'
  static override readonly description =
    'A keeper does the duties of the plane from then on, if it has any; no pod of it restarts. Commands change the plane directly again.'
  static override readonly examples = ['<%= config.bin %> release dev -n team-a']
  static override readonly group = 'day two'
  static override readonly isContinuable = true
  static override readonly args = { name: nameArgument() }
  static override readonly flags = { ...selectorFlags, timeout: timeoutFlag() }

  async run(): Promise<AdoptResult> {
    const { args, flags } = await this.parse(Release)
    const { composition, selected } = await this.select(args.name, flags)
    const options = { ...selected, timeoutMs: flags.timeout }
    const { isChanged, plane } = await releaseControlPlane(composition, options)
    this.log(
      `"${plane.name}" has no ControlPlane${isChanged ? ' any more' : ': nothing was changed'}.`,
    )
    return { name: plane.name, ...toPlaceResult(plane), changed: isChanged }
  }
}
